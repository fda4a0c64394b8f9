#include "schedules/search.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_PASSES 2
/* of the time: after it no candidate has its first passes, if FEW have had them, and no rung begins
 */
#define FIRST_SHARE 0.55
#define HALVING_SHARE 0.75
#define FEW 4 /* together until it is known what one takes, too */
/* What is this much slower in its first passes is not the best. */
#define FAR 1.25
/* Times of the same schedule in two runs differ by less, where clocks are the same. */
#define SAME 0.05

const char *const search_outcome_names[SEARCH_OUTCOMES] = {
	"not tried", "measured", "does not compile", "does not run", "wrong results"};

/* A search under way. */
struct state {
	const struct search_source *source;
	struct search *search;
	double begun, seconds; /* HUGE_VAL: no limit */
	double each;           /* seconds that the first passes of one took; 0: not known */
	struct error *err;
};

static double deadline(const struct state *state, double share)
{
	return state->begun + share * state->seconds;
}

static double now(const struct state *state)
{
	return state->source->clock(state->source->context);
}

static bool stopped(const struct state *state)
{
	return state->source->stopped != NULL && state->source->stopped(state->source->context);
}

static void show(const struct state *state, const char *step)
{
	state->search->step = step;
	if (state->source->progress != NULL)
		state->source->progress(state->source->context);
}

/* Takes what was found of a candidate at this rung. */
static void take(struct state *state, size_t candidate, const struct search_result *result,
				 size_t rung)
{
	struct search *search = state->search;
	struct search_result *at = &search->results[candidate];
	if (at->outcome == SEARCH_NOT_TRIED)
		search->tried++;
	else if (at->outcome != SEARCH_MEASURED)
		search->failed[at->outcome]--;
	*at = *result;
	at->rung = rung;
	if (rung == 0) {
		search->first[candidate] = *at;
		search->known += result->known;
	}
	if (at->outcome != SEARCH_MEASURED)
		search->failed[at->outcome]++;
	if (!result->known && state->source->keep != NULL)
		state->source->keep(state->source->context, candidate, at);
}

/* The fastest of those that came furthest: they were measured at one time. */
static void find_best(struct search *search)
{
	const struct search_result *best = NULL;
	search->best = SEARCH_NONE;
	for (size_t i = 0; i < search->count; i++) {
		const struct search_result *at = &search->results[i];
		if (at->outcome != SEARCH_MEASURED ||
			(best != NULL &&
			 (at->rung < best->rung || (at->rung == best->rung && !(at->median < best->median)))))
			continue;
		best = at;
		search->best = i;
	}
}

static bool measure(struct state *state, const size_t *candidates, size_t count, size_t passes,
					double until, size_t rung)
{
	struct search_result results[SEARCH_TOGETHER] = {0};
	const struct search_source *source = state->source;
	if (!source->measure(source->context, &(struct search_round){candidates, count, passes, until},
						 results, state->err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (results[i].outcome != SEARCH_NOT_TRIED)
			take(state, candidates[i], &results[i], rung);
	find_best(state->search);
	return true;
}

/* ---- the first passes -------------------------------------------------------------- */

/* Clocks, the driver or the machine may have changed: then candidate 0 has. */
static bool compares(const struct state *state)
{
	struct search_result before;
	const struct search_result *at = &state->search->results[0];
	if (state->source->known == NULL || !state->source->known(state->source->context, 0, &before))
		return true;
	if (at->outcome != SEARCH_MEASURED || before.outcome != SEARCH_MEASURED)
		return at->outcome == before.outcome;
	return fabs(before.median / at->median - 1) <= SAME;
}

static bool is_known(struct state *state, size_t candidate)
{
	struct search_result result;
	const struct search_source *source = state->source;
	if (candidate == 0 || state->search->stale || source->known == NULL ||
		!source->known(source->context, candidate, &result))
		return false;
	result.known = true;
	take(state, candidate, &result, 0);
	find_best(state->search);
	return true;
}

/* Compilers and the first use of the device can take most of a short time: nobody wants to know
 * what the defaults alone take. */
static double first_deadline(const struct state *state)
{
	return deadline(state, state->search->tried < FEW ? HALVING_SHARE : FIRST_SHARE);
}

/* How many are begun together: as many as there is time for. */
static size_t together(const struct state *state, double until)
{
	double left = until - now(state);
	if (state->each == 0)
		return FEW;
	if (state->each * SEARCH_TOGETHER <= left)
		return SEARCH_TOGETHER;
	size_t count = left > 0 ? (size_t)(left / state->each) : 0;
	return count == 0 && left > 0 && state->search->tried < FEW ? 1 : count;
}

/* The next ones: those that are known are taken on the way. Returns how many are to be measured,
 * `*next` is behind them. */
static size_t choose(struct state *state, size_t *next, size_t most, size_t *out)
{
	size_t count = 0;
	while (*next < state->search->count && count < most && is_known(state, *next))
		(*next)++;
	while (*next + count < state->search->count && count < most) {
		struct search_result ignored;
		const struct search_source *source = state->source;
		size_t candidate = *next + count;
		if (candidate > 0 && !state->search->stale && source->known != NULL &&
			source->known(source->context, candidate, &ignored))
			break;
		out[count++] = candidate;
	}
	return count;
}

static bool first_passes(struct state *state)
{
	size_t next = 0, batch[SEARCH_TOGETHER];
	const struct search_source *source = state->source;
	while (next < state->search->count) {
		const double until = first_deadline(state);
		if (stopped(state)) {
			state->search->end = SEARCH_STOPPED;
			return true;
		}
		/* alone at first, where the rest may be known */
		size_t most = next == 0 && source->known != NULL ? 1 : together(state, until);
		size_t count = choose(state, &next, most, batch);
		if (next == state->search->count)
			break;
		size_t ready = 0;
		if (count > 0 && !source->ready(source->context, next, count, until, &ready, state->err))
			return false;
		if (ready == 0) {
			state->search->end = stopped(state) ? SEARCH_STOPPED : SEARCH_TIME;
			return true;
		}
		double begun = now(state);
		if (!measure(state, batch, ready, FIRST_PASSES, until, 0))
			return false;
		double took = (now(state) - begun) / (double)ready;
		state->each = next == 0 ? took : fmax(took, 0.5 * state->each);
		if (next == 0)
			state->search->stale = !compares(state);
		next += ready;
		show(state, "first passes");
	}
	state->search->end = SEARCH_ALL;
	return true;
}

/* ---- rungs --------------------------------------------------------------------------- */

static int compare(const struct search_result *a, const struct search_result *b)
{
	if (a->rung != b->rung)
		return a->rung > b->rung ? -1 : 1;
	return a->median < b->median ? -1 : a->median > b->median;
}

static int compare_at(const void *a, const void *b, void *results)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct search_result *all = results;
	int order = compare(&all[x], &all[y]);
	return order != 0 ? order : x < y ? -1 : 1;
}

size_t search_order(const struct search *search, size_t *order)
{
	size_t count = 0;
	for (size_t i = 0; i < search->count; i++)
		if (search->results[i].outcome == SEARCH_MEASURED)
			order[count++] = i;
	qsort_r(order, count, sizeof *order, compare_at, search->results);
	return count;
}

/* Of candidates in order, those that may still be the best: not beyond the intervals, and no more
 * than half. */
static size_t survivors(const struct search *search, const size_t *order, size_t count)
{
	const struct search_result *best = &search->results[order[0]];
	size_t kept = 1, most = (count + 1) / 2;
	if (best->rung == 0)
		most = count < SEARCH_TOGETHER ? count : SEARCH_TOGETHER;
	while (kept < most) {
		const struct search_result *at = &search->results[order[kept]];
		bool apart = best->rung == 0 ? at->median > FAR * best->median : at->low > best->high;
		if (apart)
			break;
		kept++;
	}
	return kept;
}

static bool halve(struct state *state, size_t *order)
{
	struct search *search = state->search;
	size_t passes = FIRST_PASSES, rung = 0, alive = search_order(search, order);
	const double until = deadline(state, HALVING_SHARE);
	while (alive > 0) {
		alive = survivors(search, order, alive);
		while (alive > 1 && (double)alive * state->each > until - now(state))
			alive--;
		if (alive < 2 || stopped(state))
			return true;
		passes *= 2;
		rung++;
		show(state, "halving");
		if (!measure(state, order, alive, passes, until, rung))
			return false;
		size_t left = 0, all = search_order(search, order); /* the rung's are at its head */
		while (left < all && search->results[order[left]].rung == rung)
			left++;
		alive = left;
	}
	return true;
}

/* ---- the winner ------------------------------------------------------------------------ */

/* Whoever is wrong makes room for the next one. */
static bool judge(struct state *state, size_t *order)
{
	const struct search_source *source = state->source;
	struct search *search = state->search;
	size_t count = search_order(search, order);
	for (size_t i = 0; i < count && !stopped(state); i++) {
		struct search_result result = search->results[order[i]];
		show(state, "judging");
		result.known = false;
		if (i > 0 && now(state) > deadline(state, 1.0))
			break;
		search->best = order[i];
		if (!source->judge(source->context, order[i], deadline(state, 0.9), &result, state->err))
			return false;
		search->judged++;
		search->right = result.outcome == SEARCH_MEASURED;
		if (search->right)
			return true;
		take(state, order[i], &result, result.rung);
		find_best(search);
	}
	return true;
}

bool search_run(const struct search_source *source, size_t count, double seconds,
				struct search *out, struct error *err)
{
	*out = (struct search){.count = count, .best = SEARCH_NONE};
	out->results = calloc(count + 1, sizeof *out->results);
	out->first = calloc(count + 1, sizeof *out->first);
	size_t *order = calloc(count + 1, sizeof *order);
	struct state state = {
		.source = source, .search = out, .seconds = seconds > 0 ? seconds : HUGE_VAL, .err = err};
	bool ok = out->results != NULL && out->first != NULL && order != NULL;
	if (!ok)
		error_set(err, "out of memory for %zu schedules", count);
	if (ok)
		state.begun = now(&state);
	ok = ok && first_passes(&state) && halve(&state, order) && judge(&state, order);
	if (stopped(&state))
		out->end = SEARCH_STOPPED;
	free(order);
	return ok;
}

void search_free(struct search *search)
{
	free(search->results);
	free(search->first);
	*search = (struct search){0};
}
