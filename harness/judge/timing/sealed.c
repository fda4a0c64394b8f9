#include "judge/timing/sealed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "judge/run/finding.h"
#include "judge/timing/stats.h"
#include "process/buffers.h"

#define CALLS_MAX (SEALED_GROUPS_MAX * SEALED_CALLS_MAX)

/* A call that was made. */
struct sealed_call {
	uint32_t set; /* of the case */
	struct digest digests[BUFFERS_MAX];
};

struct pass {
	struct run *run;
	struct contestant_link *link;
	const struct sealed_plan *plan;
	struct sealed_times *times;
	struct test_case test;
	int fds[SEALED_GROUPS_MAX];
	struct sealed_call made[CALLS_MAX];
	uint32_t count; /* of them */
};

/* Which buffers are outputs, a bit for each. */
static uint64_t outputs_of(const struct pass *pass)
{
	struct buffers buffers;
	uint64_t outputs = 0;
	buffers_of_case(pass->plan->problem, &pass->test, run_chain(pass->run), &buffers);
	for (uint32_t i = 0; i < buffers.count; i++)
		outputs |= (uint64_t)(buffers.at[i].role != ROLE_INPUT) << i;
	return outputs;
}

/* The calibration kernel sees outputs only. Its test says how long it is to take, and how much of
 * the first of them it reads: all, where a call would leave it in the L2 cache. */
static void layout_of_calibration(const struct pass *pass, struct arena *arena,
								  struct test_case *test, uint64_t *outputs)
{
	bool cached = arena->set_stride <= pass->run->referee.facts.l2_bytes;
	uint32_t count = 0;
	for (uint32_t i = 0; i < arena->count; i++)
		if ((*outputs >> i & 1) != 0)
			arena->buffers[count++] = arena->buffers[i];
	arena->count = count;
	*outputs = ((uint64_t)1 << count) - 1;
	test->shape.size[SIZE_M] = pass->plan->nanoseconds;
	test->shape.size[SIZE_N] = cached ? (int32_t)(arena->buffers[0].bytes >> 10) : 0;
}

/* Fresh memory with fresh values, which follow from no seed. The calibration kernel reads what
 * there is, and libraries may. */
static bool pass_prepare(struct pass *pass, struct error *err)
{
	const struct sealed_plan *plan = pass->plan;
	struct referee_link *referee = &pass->run->referee;
	if (!plan->again &&
		(!random_draw(&pass->test.seed, err) ||
		 !referee_link_sealed_case(referee, plan->problem->name, &pass->test, run_chain(pass->run),
								   (struct referee_groups){plan->groups, plan->group}, err)))
		return false;
	for (uint32_t i = 0; i < plan->groups; i++)
		if (!referee_link_descriptor(referee, i, &pass->fds[i], err))
			return false;
	return true;
}

/* One that has not been drawn yet. */
static uint32_t draw_set(uint32_t *left, uint32_t *count, uint64_t random)
{
	uint32_t at = (uint32_t)(random % *count), set = left[at];
	left[at] = left[--*count];
	return set;
}

static bool note_group(struct pass *pass, const double *calls, uint32_t count, double seconds,
					   struct error *err)
{
	struct sealed_times *times = pass->times;
	struct samples group = {0};
	double sum = 0;
	bool ok = true;
	for (uint32_t i = 0; i < count; i++) { /* the longest, too: it could have worked for all */
		float microseconds = (float)(calls[i] * 1e6);
		sum += calls[i];
		ok = ok && samples_add(&group, &microseconds, 1);
	}
	times->groups[times->count++] =
		(struct sealed_group){.release = (seconds - sum) * 1e6, .call = sum / fmax(count, 1) * 1e6};
	times->excess =
		fmax(times->excess, samples_quantile(&group, 1.0) - samples_quantile(&group, 0.5));
	samples_free(&group);
	return ok || error_set(err, "out of memory for samples");
}

/* The first group takes what comes first: contexts change, caches are cold. */
static bool group_run(struct pass *pass, uint32_t group, struct outcome *outcome, struct error *err)
{
	const struct sealed_plan *plan = pass->plan;
	uint32_t left[GROUP_MAX], remaining = plan->group, calls = plan->calls;
	uint64_t random[SEALED_CALLS_MAX];
	double took[SEALED_CALLS_MAX], ignored;
	if (group == 0 && calls > 2)
		calls = 2;
	for (uint32_t i = 0; i < plan->group; i++)
		left[i] = i;
	for (uint32_t i = 0; i < calls; i++)
		if (!random_draw(&random[i], err))
			return false;
	double began = clock_seconds();
	*outcome = contestant_link_go(pass->link, pass->fds[group], &ignored);
	for (uint32_t i = 0; i < calls && outcome->verdict == VERDICT_ACCEPTED; i++) {
		struct sealed_call *call = &pass->made[pass->count];
		uint32_t set = draw_set(left, &remaining, random[i]);
		call->set = group * plan->group + set;
		*outcome =
			contestant_link_call(pass->link, set, pass->run->timeout, call->digests, &took[i]);
		pass->count += outcome->verdict == VERDICT_ACCEPTED;
	}
	double seconds = clock_seconds() - began;
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = contestant_link_end(pass->link);
	return outcome->verdict != VERDICT_ACCEPTED || group == 0 ||
		   note_group(pass, took, calls, seconds, err);
}

static bool pass_call(struct pass *pass, struct outcome *outcome, struct error *err)
{
	const struct sealed_plan *plan = pass->plan;
	struct test_case test = pass->test;
	struct arena arena = pass->run->referee.arena;
	uint64_t outputs = outputs_of(pass);
	bool ok = true;
	const double began = clock_seconds();
	if (plan->entrant == NULL)
		layout_of_calibration(pass, &arena, &test, &outputs);
	*outcome = contestant_link_sealed(pass->link, &arena, plan->group, &test, outputs);
	for (uint32_t i = 0; i < plan->groups && ok && outcome->verdict == VERDICT_ACCEPTED; i++)
		ok = group_run(pass, i, outcome, err);
	timeline_end(&pass->run->spends, plan->entrant == NULL ? TIMELINE_CALIBRATION : TIMELINE_SEALED,
				 began);
	return ok;
}

/* One result; `rows` 0: all of it. */
static bool check_call(const struct pass *pass, const struct sealed_call *call, uint32_t rows,
					   struct outcome *outcome, struct error *err)
{
	const struct sealed_plan *plan = pass->plan;
	struct check_summary check;
	struct referee_result result = {.set = call->set, .rows = rows, .digests = call->digests};
	const struct case_run one = {.run = pass->run,
								 .problem = plan->problem,
								 .entrant = plan->entrant,
								 .contestant = pass->link,
								 .test = &pass->test,
								 .tolerance = plan->tolerance};
	if (!finding_check(&one, &result, &check, outcome, err))
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		return true;
	char detail[sizeof outcome->detail];
	outcome->verdict =
		finding_verdict(plan->problem, &pass->test, run_chain(pass->run), &check, detail);
	if (outcome->verdict == VERDICT_ACCEPTED)
		return true;
	if (outcome->verdict == VERDICT_WRONG_ANSWER && pass->link->left.verdict != VERDICT_ACCEPTED)
		*outcome = pass->link->left; /* most likely the cause */
	else
		text_format(outcome->detail, sizeof outcome->detail, "in a sealed call: %s", detail);
	return true;
}

/* All of them; now and then one as a whole, which one nobody could know. */
static bool pass_check(const struct pass *pass, struct outcome *outcome, struct error *err)
{
	uint64_t drawn;
	if (!random_draw(&drawn, err))
		return false;
	uint64_t whole = drawn % ((uint64_t)pass->plan->wholes * pass->count);
	for (uint32_t i = 0; i < pass->count && outcome->verdict == VERDICT_ACCEPTED; i++)
		if (!check_call(pass, &pass->made[i], i == whole ? 0 : pass->plan->rows, outcome, err))
			return false;
	return true;
}

static bool pass_run(struct pass *pass, struct outcome *outcome, struct error *err)
{
	for (uint32_t i = 0; i < SEALED_GROUPS_MAX; i++)
		pass->fds[i] = -1;
	bool ok = pass_prepare(pass, err);
	if (!ok && pass->run->referee.child != NULL) { /* it goes on: there is no such memory */
		*outcome = (struct outcome){.verdict = VERDICT_NOT_RUN, .refused = true};
		snprintf(outcome->detail, sizeof outcome->detail, "%s", err->message);
		ok = true;
	} else if (ok) {
		ok = pass_call(pass, outcome, err);
	}
	for (uint32_t i = 0; i < SEALED_GROUPS_MAX; i++)
		if (pass->fds[i] >= 0)
			close(pass->fds[i]);
	if (ok && pass->plan->checks && outcome->verdict == VERDICT_ACCEPTED)
		ok = pass_check(pass, outcome, err);
	return ok;
}

bool sealed_run(struct run *run, struct contestant_link *link, const struct sealed_plan *plan,
				struct sealed_times *out, struct outcome *outcome, struct error *err)
{
	struct pass *pass = calloc(1, sizeof *pass);
	*out = (struct sealed_times){0};
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	if (pass == NULL)
		return error_set(err, "out of memory");
	*pass =
		(struct pass){.run = run, .link = link, .plan = plan, .times = out, .test = *plan->test};
	bool ok = pass_run(pass, outcome, err);
	out->calls = pass->count;
	free(pass);
	return ok;
}

struct sealed_group sealed_mean(const struct sealed_times *times)
{
	struct sealed_group mean = {0};
	for (uint32_t i = 0; i < times->count; i++) {
		mean.release += times->groups[i].release / times->count;
		mean.call += times->groups[i].call / times->count;
	}
	return mean;
}
