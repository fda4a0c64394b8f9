#include "schedules/rank.h"

#include <math.h>
#include <stdlib.h>

#define WARP 32

bool thesis_cost_applies(const struct roles *roles)
{
	return roles_have(roles, TUNE_BLOCK_M) && roles_have(roles, TUNE_BLOCK_N);
}

static double pieces(double size, double of)
{
	return ceil(size / of);
}

/* What the roles make of the case; where a role is not declared, the next larger tile stands for
 * it. */
struct cut {
	double m, n, k, batch;
	double block_m, block_n, warp_m, warp_n;
	double splits; /* of K that have something to add */
	double blocks, warps;
};

static struct cut cut_of(const struct test_case *test, const struct roles *roles)
{
	struct cut cut = {.m = test->shape.size[SIZE_M],
					  .n = test->shape.size[SIZE_N],
					  .batch = test->shape.size[SIZE_BATCH]};
	double split = (double)roles_or(roles, TUNE_SPLIT_K, 1);
	cut.k = pieces(test->shape.size[SIZE_K], split);
	cut.splits = pieces(test->shape.size[SIZE_K], cut.k);
	cut.block_m = (double)roles_or(roles, TUNE_BLOCK_M, 1);
	cut.block_n = (double)roles_or(roles, TUNE_BLOCK_N, 1);
	cut.warp_m = (double)roles_or(roles, TUNE_WARP_M, 0);
	cut.warp_n = (double)roles_or(roles, TUNE_WARP_N, 0);
	cut.blocks = pieces(cut.m, cut.block_m) * pieces(cut.n, cut.block_n) * split * cut.batch;
	if (roles_have(roles, TUNE_BLOCKS))
		cut.blocks = (double)roles->value[TUNE_BLOCKS];
	cut.warps = roles_have(roles, TUNE_THREADS) ? pieces((double)roles->value[TUNE_THREADS], WARP)
				: cut.warp_m > 0 && cut.warp_n > 0
					? pieces(cut.block_m, cut.warp_m) * pieces(cut.block_n, cut.warp_n)
					: 1;
	return cut;
}

/* Threads that compute an element of C, of the smallest tiles that are declared. */
static double useful_threads(const struct cut *cut, const struct roles *roles)
{
	if (roles_have(roles, TUNE_THREAD_M) && roles_have(roles, TUNE_THREAD_N))
		return pieces(cut->m, (double)roles->value[TUNE_THREAD_M]) *
			   pieces(cut->n, (double)roles->value[TUNE_THREAD_N]) * cut->splits * cut->batch;
	if (cut->warp_m > 0 && cut->warp_n > 0)
		return pieces(cut->m, cut->warp_m) * pieces(cut->n, cut->warp_n) * WARP * cut->splits *
			   cut->batch;
	return pieces(cut->m, cut->block_m) * pieces(cut->n, cut->block_n) * cut->warps * WARP *
		   cut->splits * cut->batch;
}

struct thesis_cost thesis_cost_of(const struct tune_gpu *gpu, const struct test_case *test,
								  const struct roles *roles)
{
	const struct cut cut = cut_of(test, roles);
	const double lanes = (double)gpu->multiprocessors * gpu->fma_lanes;
	const bool reads_c = test->scalar[SCALAR_BETA] != 0;
	struct thesis_cost cost = {.split_k = roles_or(roles, TUNE_SPLIT_K, 1),
							   .block_n = roles_or(roles, TUNE_BLOCK_N, 1)};
	cost.cores = fmin(useful_threads(&cut, roles), lanes);
	cost.global_volume =
		((cut.block_m + cut.block_n) * cut.k + (reads_c ? 2 : 1) * cut.block_m * cut.block_n) *
		cut.blocks;
	if (cut.warp_m > 0 && cut.warp_n > 0)
		cost.shared_volume = (cut.warp_m + cut.warp_n) * cut.k * cut.warps * cut.blocks;
	return cost;
}

static int by_number(double a, double b)
{
	return (a > b) - (a < b);
}

int thesis_cost_compare(const struct thesis_cost *a, const struct thesis_cost *b)
{
	int order = by_number(b->cores, a->cores);
	if (order == 0)
		order = by_number(a->global_volume, b->global_volume);
	if (order == 0)
		order = by_number(a->shared_volume, b->shared_volume);
	if (order == 0)
		order = (a->split_k > b->split_k) - (a->split_k < b->split_k);
	return order != 0 ? order : (a->block_n < b->block_n) - (a->block_n > b->block_n);
}

static int compare_items(const void *a, const void *b, void *context)
{
	const struct thesis_cost *costs = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = thesis_cost_compare(&costs[x], &costs[y]);
	return order != 0 ? order : (x > y) - (x < y);
}

void rank_thesis(const struct schedule_list *list, const struct tune_gpu *gpu,
				 const struct test_case *test, struct thesis_cost *costs, size_t *order)
{
	for (size_t i = 0; i < list->count; i++) {
		costs[i] = thesis_cost_of(gpu, test, &list->items[i].roles);
		order[i] = i;
	}
	qsort_r(order, list->count, sizeof *order, compare_items, costs);
}

/* The place of each schedule, of an order of them all. */
static size_t *places_of(const size_t *order, size_t count)
{
	size_t *places = malloc(count * sizeof *places);
	for (size_t i = 0; places != NULL && i < count; i++)
		places[order[i]] = i;
	return places;
}

static bool ranked_by_thesis(struct ranked *ranking, const struct tune_gpu *gpu,
							 const struct test_case *test)
{
	const size_t count = ranking->list.count;
	ranking->has_thesis = true;
	ranking->thesis = malloc(count * sizeof *ranking->thesis);
	ranking->by_thesis = malloc(count * sizeof *ranking->by_thesis);
	if (ranking->thesis == NULL || ranking->by_thesis == NULL)
		return false;
	rank_thesis(&ranking->list, gpu, test, ranking->thesis, ranking->by_thesis);
	ranking->thesis_place = places_of(ranking->by_thesis, count);
	return ranking->thesis_place != NULL;
}

bool ranked_make(const struct space *space, const struct tune_gpu *gpu,
				 const struct test_case *test, struct ranked *out, struct error *err)
{
	*out = (struct ranked){0};
	if (!schedules_enumerate(space, gpu, test, &out->list, err))
		return false;
	bool ok = !thesis_cost_applies(&out->list.items[0].roles) || ranked_by_thesis(out, gpu, test);
	if (!ok) {
		ranked_free(out);
		error_set(err, "out of memory");
	}
	return ok;
}

/* For qsort_r(), which takes but one context. */
static int compare_seconds(const void *a, const void *b, void *context)
{
	const struct ranked *ranked = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = by_number(ranked->seconds[x], ranked->seconds[y]);
	if (order == 0 && ranked->has_thesis)
		order = thesis_cost_compare(&ranked->thesis[x], &ranked->thesis[y]);
	return order != 0 ? order : (x > y) - (x < y);
}

bool ranked_add_model(struct ranked *ranked,
					  double (*seconds)(const void *context, const struct schedule *schedule),
					  const void *context)
{
	const size_t count = ranked->list.count;
	ranked->seconds = malloc(count * sizeof *ranked->seconds);
	ranked->by_model = malloc(count * sizeof *ranked->by_model);
	if (ranked->seconds == NULL || ranked->by_model == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		double of = seconds(context, &ranked->list.items[i]);
		ranked->seconds[i] = isnan(of) ? INFINITY : of;
		ranked->by_model[i] = i;
	}
	qsort_r(ranked->by_model, count, sizeof *ranked->by_model, compare_seconds, ranked);
	ranked->model_place = places_of(ranked->by_model, count);
	ranked->has_model = ranked->model_place != NULL;
	return ranked->has_model;
}

void ranked_free(struct ranked *ranked)
{
	schedules_free(&ranked->list);
	free(ranked->thesis);
	free(ranked->by_thesis);
	free(ranked->thesis_place);
	free(ranked->seconds);
	free(ranked->by_model);
	free(ranked->model_place);
	*ranked = (struct ranked){0};
}

size_t ranked_at(const struct ranked *ranked, size_t place)
{
	return ranked->has_model    ? ranked->by_model[place]
		   : ranked->has_thesis ? ranked->by_thesis[place]
								: place;
}
