#include "tuning/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "schedules/model.h"
#include "tuning/chosen.h"

#define TOP 10        /* of one shape */
#define TOP_OF_MANY 1 /* of each of several */

bool tuning_open(struct tuning *tuning, const struct tuning_request *request,
				 const struct tuning_watch *watch, struct error *err)
{
	struct judge_options judge = *request->judge;
	*tuning = (struct tuning){
		.begun = clock_seconds(), .request = *request, .watch = *watch, .file = judge.files[0]};
	chosen_join_flags(&judge, tuning->flags);
	judge.mode = JUDGE_TIMES;
	judge.cases.count = 0;
	if (request->mode == TUNING_CHECKS) /* a suite says what is judged, and not at which shapes */
		judge.cases.suite_count = 0;
	return plan_make(&judge, tuning->file, &tuning->plan, err) &&
		   space_read(tuning->file, tuning->plan.problem, &tuning->space, err);
}

void tuning_free(struct tuning *tuning)
{
	trials_close(tuning->trials);
	for (size_t i = 0; i < tuning->shape_count; i++) {
		ranked_free(&tuning->shapes[i].ranking);
		search_free(&tuning->shapes[i].found.search);
		free(tuning->shapes[i].found.candidates);
	}
	free(tuning->shapes);
	free(tuning->checks);
	space_free(&tuning->space);
	plan_free(&tuning->plan);
}

bool tuning_stopped(const struct tuning *tuning)
{
	const struct judge_progress *steps = &tuning->watch.steps;
	return steps->stop(steps->context);
}

struct tuned_key tuning_key(const struct tuning *tuning, const struct test_case *test)
{
	const char *epilogue = tuning->request.judge->epilogue;
	return (struct tuned_key){.device = tuning->gpu.name,
							  .problem = tuning->plan.problem,
							  .content = tuning->plan.content,
							  .epilogue = epilogue != NULL ? epilogue : "",
							  .flags = tuning->flags,
							  .test = test};
}

/* Which constants have one value in all schedules that are shown. */
static uint32_t find_shared(const struct tuning_shape *shape)
{
	const struct ranked *ranking = &shape->ranking;
	uint32_t shared = shape->shown > 1 ? UINT32_MAX : 0;
	for (size_t i = 1; i < shape->shown; i++)
		for (size_t c = 0; c < ranking->list.constants; c++)
			if (ranking->list.items[ranked_at(ranking, i)].values[c] !=
				ranking->list.items[ranked_at(ranking, 0)].values[c])
				shared &= ~((uint32_t)1 << c);
	return shared;
}

bool tuning_rank(struct tuning *tuning, struct error *err)
{
	size_t top = tuning->request.top, fit = 0;
	tuning->shapes = calloc(tuning->plan.count, sizeof *tuning->shapes);
	if (tuning->shapes == NULL)
		return error_set(err, "out of memory");
	tuning->shape_count = tuning->plan.count;
	if (top == 0)
		top = tuning->shape_count > 1 ? TOP_OF_MANY : TOP;
	for (size_t i = 0; i < tuning->shape_count; i++) {
		struct tuning_shape *shape = &tuning->shapes[i];
		struct error why;
		shape->test = &tuning->plan.cases[i];
		shape->fits = ranked_make(&tuning->space, &tuning->gpu, shape->test, &shape->ranking, &why);
		if (shape->fits &&
			!model_rank(&shape->ranking, &tuning->gpu, tuning->plan.problem, shape->test))
			return error_set(err, "out of memory");
		fit += shape->fits;
		if (!shape->fits)
			snprintf(shape->why, sizeof shape->why, "%s", why.message);
		shape->shown = shape->ranking.list.count < top ? shape->ranking.list.count : top;
		shape->shared = find_shared(shape);
	}
	return fit > 0 || error_set(err, "%s", tuning->shapes[0].why);
}

double tuning_best_time(const struct tuning_found *found)
{
	return found->compared ? found->winner.median
						   : found->search.results[found->search.best].median;
}

bool tuning_gain(const struct tuning_found *found, double *gain, double *low, double *high)
{
	const struct timing_stats *winner = &found->winner, *standard = &found->standard;
	if (!found->compared || standard->samples == 0 || winner->samples == 0)
		return false;
	*gain = standard->median / winner->median;
	*low = standard->low / winner->high;
	*high = standard->high / winner->low;
	return true;
}
