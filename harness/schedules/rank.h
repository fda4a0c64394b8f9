/* Which schedules are tried first. */
#ifndef GEMMJUDGE_SCHEDULES_RANK_H
#define GEMMJUDGE_SCHEDULES_RANK_H

#include "schedules/schedule.h"

/* What the order of the cuCOSMA thesis (section 3.1.5) looks at. Volumes are in elements. */
struct thesis_cost {
	double cores;         /* lanes that compute something of C, at most all of the GPU: many */
	double global_volume; /* equations 3.1 to 3.3: little */
	double shared_volume; /* equation 3.4: little; 0 where no role says what a warp does */
	int64_t split_k;      /* small */
	int64_t block_n;      /* wide */
};

/* Whether the thesis' order can be told: there are block_m and block_n. */
bool thesis_cost_applies(const struct roles *roles);

struct thesis_cost thesis_cost_of(const struct tune_gpu *gpu, const struct test_case *test,
								  const struct roles *roles);

/* Below 0 where a is the better one, 0 where the thesis does not tell them apart. */
int thesis_cost_compare(const struct thesis_cost *a, const struct thesis_cost *b);

/* The numbers of all schedules, the best first; equal ones in the order of the list. `costs`, by
 * the list, and `order` have room for as many. */
void rank_thesis(const struct schedule_list *list, const struct tune_gpu *gpu,
				 const struct test_case *test, struct thesis_cost *costs, size_t *order);

/* The schedules of a space on one GPU at one case, and the orders in which they would be tried. The
 * place of a schedule in an order is 0 for the best. */
struct ranked {
	struct schedule_list list;
	bool has_thesis;            /* else the next three are NULL */
	struct thesis_cost *thesis; /* by list; owned, as are all of these */
	size_t *by_thesis;          /* numbers of schedules, the best first */
	size_t *thesis_place;       /* by list */
	bool has_model;             /* ranked_add_model(); else the next three are NULL */
	double *seconds;            /* by list: what the model says; inf: it cannot run */
	size_t *by_model, *model_place;
};

/* Enumerates and ranks. False with err (schedules_enumerate); *out is then empty. */
bool ranked_make(const struct space *space, const struct tune_gpu *gpu,
				 const struct test_case *test, struct ranked *out, struct error *err);
void ranked_free(struct ranked *ranking);

/* Adds the order of predicted times, the least first; equal ones as the thesis has them. `seconds`
 * is asked once for each schedule; NaN counts as inf. False where memory ends. */
bool ranked_add_model(struct ranked *ranked,
					  double (*seconds)(const void *context, const struct schedule *schedule),
					  const void *context);

/* The schedule at this place of the best order that there is: the model's, the thesis', or the
 * list's. */
size_t ranked_at(const struct ranked *ranking, size_t place);

#endif
