#include "judge/sealed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "judge/check.h"
#include "process/buffers.h"

#define WARMUPS 2u      /* calls at the beginning of a pass, sealed and checked, but not counted */
#define WHOLE_PASSES 2u /* of a series, in which the whole result of one call is compared */
#define ROWS 16u        /* of every other call */

struct pass {
	struct run *run;
	struct contestant_link *link;
	const struct sealed_plan *plan;
	struct test_case test;
	int fds[SEALED_SETS_MAX];
	struct digest digests[SEALED_SETS_MAX][BUFFERS_MAX];
	double microseconds[SEALED_SETS_MAX];
	uint32_t calls; /* that were made */
};

static uint64_t outputs_of(const struct pass *pass)
{
	struct buffers buffers;
	uint64_t outputs = 0;
	buffers_of_case(pass->plan->problem, &pass->test, run_chain(pass->run), &buffers);
	for (uint32_t i = 0; i < buffers.count; i++)
		outputs |= (uint64_t)(buffers.at[i].role != ROLE_INPUT) << i;
	return outputs;
}

/* Fresh memory with fresh values, which follow from no seed. */
static bool pass_prepare(struct pass *pass, struct error *err)
{
	const struct sealed_plan *plan = pass->plan;
	struct referee_link *referee = &pass->run->referee;
	if (!random_draw(&pass->test.seed, err) ||
		!referee_link_sealed_case(referee, plan->problem->name, &pass->test, run_chain(pass->run),
								  plan->sets, err))
		return false;
	for (uint32_t i = 0; i < plan->sets; i++)
		if (!referee_link_descriptor(referee, i, &pass->fds[i], err))
			return false;
	return true;
}

static struct outcome pass_call(struct pass *pass)
{
	const struct sealed_plan *plan = pass->plan;
	struct test_case test = pass->test;
	double timeout = pass->run->timeout, seconds;
	if (plan->entrant == NULL)
		test.shape.size[SIZE_M] = plan->nanoseconds;
	struct outcome outcome =
		contestant_link_sealed(pass->link, &pass->run->referee.arena, &test, outputs_of(pass));
	for (uint32_t i = 0; i < plan->sets && outcome.verdict == VERDICT_ACCEPTED; i++) {
		outcome = contestant_link_go(pass->link, pass->fds[i], timeout, pass->digests[i], &seconds);
		if (outcome.verdict == VERDICT_ACCEPTED)
			outcome = contestant_link_end(pass->link);
		if (outcome.verdict != VERDICT_ACCEPTED)
			break;
		pass->microseconds[i] = seconds * 1e6;
		pass->calls++;
	}
	return outcome;
}

/* One result; `rows` 0: all of it. */
static bool check_call(const struct pass *pass, uint32_t set, uint32_t rows,
					   struct outcome *outcome, struct error *err)
{
	const struct sealed_plan *plan = pass->plan;
	struct referee_check_reply check;
	struct referee_result result = {.set = set, .rows = rows, .digests = pass->digests[set]};
	if (!check_outcome(pass->run, plan->problem, &pass->test, plan->entrant, &result,
					   &plan->tolerance, &check, outcome, err))
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		return true;
	char detail[sizeof outcome->detail];
	outcome->verdict =
		check_verdict(plan->problem, &pass->test, run_chain(pass->run), &check, detail);
	if (outcome->verdict == VERDICT_ACCEPTED)
		return true;
	if (outcome->verdict == VERDICT_WRONG_ANSWER && pass->link->left.verdict != VERDICT_ACCEPTED)
		*outcome = pass->link->left; /* most likely the cause */
	else
		snprintf(outcome->detail, sizeof outcome->detail, "in a sealed call: %.900s", detail);
	return true;
}

/* All of them; one as a whole where that is asked for, which one nobody could know. */
static bool pass_check(const struct pass *pass, bool whole, struct outcome *outcome,
					   struct error *err)
{
	uint64_t drawn;
	if (!random_draw(&drawn, err))
		return false;
	for (uint32_t i = 0; i < pass->calls && outcome->verdict == VERDICT_ACCEPTED; i++) {
		bool all = whole && i == drawn % pass->calls;
		if (!check_call(pass, i, all ? 0 : ROWS, outcome, err))
			return false;
	}
	return true;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The mean of the counted calls, without the tenth that took longest. */
static double pass_mean(const struct pass *pass)
{
	double sorted[SEALED_SETS_MAX], sum = 0;
	uint32_t first = pass->calls > WARMUPS ? WARMUPS : 0, count = pass->calls - first;
	memcpy(sorted, pass->microseconds + first, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, ascending);
	uint32_t counted = count - (count + 9) / 10;
	counted = counted > 0 ? counted : 1;
	for (uint32_t i = 0; i < counted; i++)
		sum += sorted[i];
	return sum / counted;
}

static bool pass_run(struct pass *pass, bool whole, struct sealed_series *series,
					 struct outcome *outcome, struct error *err)
{
	for (uint32_t i = 0; i < SEALED_SETS_MAX; i++)
		pass->fds[i] = -1;
	bool ok = pass_prepare(pass, err);
	if (ok)
		*outcome = pass_call(pass);
	for (uint32_t i = 0; i < SEALED_SETS_MAX; i++)
		if (pass->fds[i] >= 0)
			close(pass->fds[i]);
	if (ok && pass->plan->checks)
		ok = outcome->verdict != VERDICT_ACCEPTED || pass_check(pass, whole, outcome, err);
	if (!ok || outcome->verdict != VERDICT_ACCEPTED)
		return ok;
	float mean = (float)pass_mean(pass);
	series->calls += pass->calls;
	return samples_add(&series->passes, &mean, 1) || error_set(err, "out of memory for samples");
}

bool sealed_run(struct run *run, struct contestant_link *link, const struct sealed_plan *plan,
				struct sealed_series *series, struct outcome *outcome, struct error *err)
{
	struct pass *pass = calloc(1, sizeof *pass);
	double began = clock_seconds();
	bool ok = pass != NULL || error_set(err, "out of memory");
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	for (uint32_t i = 0; ok && i < plan->passes && outcome->verdict == VERDICT_ACCEPTED; i++) {
		if (i >= 2 && clock_seconds() - began > plan->seconds)
			break;
		*pass = (struct pass){.run = run, .link = link, .plan = plan, .test = *plan->test};
		ok = pass_run(pass, i < WHOLE_PASSES, series, outcome, err);
	}
	free(pass);
	return ok;
}

double sealed_time(struct sealed_series *series, double *spread)
{
	size_t count = series->passes.count;
	*spread = 0;
	if (count == 0)
		return 0;
	qsort(series->passes.at, count, sizeof *series->passes.at, ascending);
	*spread = series->passes.at[count / 2] - series->passes.at[0];
	return series->passes.at[count / 4];
}
