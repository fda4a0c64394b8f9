/* Every case goes through the contestant, then past the referee. */
#include "judge/cases/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/cases/repeat.h"
#include "judge/run/contestant_link.h"
#include "judge/run/emulated.h"
#include "judge/run/finding.h"
#include "judge/timing/confirm.h"
#include "process/jail.h"

/* A solution that crashes on every case costs a new process each time. */
#define DEATHS_ALLOWED 3

/* Of what all cases may take together: so many of the longest, this part of their sum, and seconds
 * between calls. */
#define CASES_LONG 10.0
#define CASES_SHARE 0.1
#define BESIDE_CASES 60.0

/* On the emulated GPU: a failure of a case that called a function which the emulated GPU has not
 * tells nothing of the file, whether or not the file asked for the refusal. */
static void excuse(const struct run *run, struct case_result *result)
{
	char function[EMULATED_FUNCTION], why[sizeof result->detail];
	bool failed =
		result->verdict == VERDICT_RUNTIME_ERROR || result->verdict == VERDICT_WRONG_ANSWER;
	if (!failed || run->referee.device.kind != DEVICE_EMULATED ||
		!emulated_lacked(result->output, function))
		return;
	memcpy(why, result->detail, sizeof why);
	snprintf(result->detail, sizeof result->detail,
			 "the emulated GPU has no %s, which the file uses: a GPU has to tell; here: %.800s",
			 function, why);
	result->verdict = VERDICT_UNSUPPORTED;
	result->checked = false;
}

/* What a case may take: a call. */
static double case_seconds(const struct run *run, const struct test_case *test)
{
	return emulated_timeout(run->options, run->referee.device.kind, run->timeout, test);
}

double check_together(double sum, double longest, double timeout)
{
	return ceil(fmin(sum, CASES_LONG * longest + CASES_SHARE * sum) + timeout + BESIDE_CASES);
}

/* What all cases of a file may take. */
static double file_seconds(const struct run *run, const struct judgement *judgement)
{
	double sum = 0.0, longest = 0.0;
	for (size_t i = 0; i < judgement->count; i++) {
		double seconds = case_seconds(run, &judgement->cases[i].test);
		sum += seconds;
		longest = fmax(longest, seconds);
	}
	double given = run->options->limits.file_timeout;
	return given > 0.0 ? given : check_together(sum, longest, run->timeout);
}

/* One case. *dead tells that the contestant must be started anew. */
static bool judge_case(struct run *run, const struct problem *problem,
					   const struct entrant *entrant, const struct tolerance *tolerance,
					   struct contestant_link *contestant, struct case_result *result, bool *dead,
					   struct error *err)
{
	struct referee_link *referee = &run->referee;
	if (!referee_link_case(referee, problem->name, &result->test, run_chain(run), 1, err))
		return false;

	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	if (*dead)
		outcome = contestant_link_open(contestant);
	confirm_ahead_wait(run); /* it takes memory of the device */
	if (!contestant_link_holds(contestant, err))
		return false;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome =
			contestant_link_case(contestant, &referee->arena, referee->arena_fd, &result->test);
	contestant->steps = emulated_steps(run->options, &result->test);
	result->steps = referee->device.kind == DEVICE_EMULATED ? contestant->steps : 0;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome =
			contestant_link_run(contestant, 0, case_seconds(run, &result->test), &result->seconds);
	*dead = outcome.dead;
	result->facts = contestant->facts;
	result->output = contestant_link_output(contestant);
	result->verdict = outcome.verdict;
	snprintf(result->detail, sizeof result->detail, "%s", outcome.detail);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;

	if (!finding_check(run, problem, &result->test, entrant, &(struct referee_result){.set = 0},
					   tolerance, &result->check, &outcome, err))
		return false;
	if (outcome.verdict != VERDICT_ACCEPTED) {
		result->verdict = outcome.verdict;
		snprintf(result->detail, sizeof result->detail, "%s", outcome.detail);
		return true;
	}
	if (!repeat_refilled(run, contestant, result, dead, err))
		return false;
	result->checked = true;
	result->verdict =
		finding_verdict(problem, &result->test, run_chain(run), &result->check, result->detail);
	if (result->verdict == VERDICT_WRONG_ANSWER && contestant->left.verdict != VERDICT_ACCEPTED) {
		result->verdict = contestant->left.verdict; /* most likely the cause */
		snprintf(result->detail, sizeof result->detail, "%s", contestant->left.detail);
	}
	return true;
}

static bool check_case(struct run *run, const struct problem *problem,
					   const struct entrant *entrant, const struct tolerance *tolerance,
					   struct contestant_link *contestant, struct case_result *result, bool *dead,
					   struct error *err)
{
	bool ok = judge_case(run, problem, entrant, tolerance, contestant, result, dead, err);
	if (ok)
		excuse(run, result);
	return ok;
}

/* What is wrong with a result, or with what an epilogue wrote beside it, for hints: of the first
 * few cases. */
static bool explain_case(struct run *run, struct judgement *out, struct case_result *result,
						 struct error *err)
{
	size_t explained = 0;
	for (size_t i = 0; i < out->count; i++)
		explained += out->cases[i].wrong != NULL || out->cases[i].gated.compared > 0;
	if (!result->checked || result->check.wrong + result->check.extra_wrong == 0 ||
		explained >= EXPLAINED_MAX ||
		result->verdict == VERDICT_RULE_VIOLATION) /* an input that was changed explains more */
		return true;
	result->wrong = calloc(1, sizeof *result->wrong);
	if (result->wrong == NULL)
		return true; /* a hint less */
	if (!referee_link_explain(&run->referee, result->wrong, err))
		return false;
	result->gated = result->wrong->gated;
	if (result->wrong->wrong == 0) { /* of the result nothing is known */
		free(result->wrong);
		result->wrong = NULL;
	}
	return true;
}

/* The file's verdict is that of its first case that failed, and of one that was not run only where
 * none did. Cases that are too large for the device decide nothing, unless all are. */
static void summarise(struct judgement *out)
{
	out->verdict = VERDICT_ACCEPTED;
	out->accepted = 0;
	for (size_t i = 0; i < out->count; i++) {
		const struct case_result *result = &out->cases[i];
		if (result->verdict == VERDICT_ACCEPTED) {
			out->accepted++;
		} else if (result->too_large && out->too_large < out->count) {
			continue;
		} else if (out->verdict == VERDICT_ACCEPTED || out->verdict == VERDICT_NOT_RUN) {
			out->verdict = result->verdict;
			snprintf(out->detail, sizeof out->detail, "%s: %.900s", result->test.name,
					 result->detail);
		}
	}
}

/* Failures that would be the same for every case, or too slow to repeat. */
static bool hopeless(enum verdict verdict, size_t deaths)
{
	return verdict == VERDICT_COMPILE_ERROR || verdict == VERDICT_UNSUPPORTED ||
		   verdict == VERDICT_TIME_LIMIT || verdict == VERDICT_MEMORY_LIMIT ||
		   deaths >= DEATHS_ALLOWED;
}

#define SEALED_TERMS 4e6

/* What suits sealed calls is a case that needs its inputs, is done soon, and is none of the
 * smallest: with alpha 0 a call that does nothing may be right. */
static double sealed_worth(const struct problem *problem, const struct test_case *test)
{
	double terms = shape_terms(&test->shape);
	if (problem_takes(problem, SCALAR_ALPHA) && test->scalar[SCALAR_ALPHA] == 0.0f)
		return -terms;
	return terms <= SEALED_TERMS ? terms : 1.0 / terms;
}

/* There is one where a file is accepted. */
static const struct test_case *sealed_case(const struct problem *problem,
										   const struct judgement *judgement)
{
	const struct test_case *chosen = NULL;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct test_case *test = &judgement->cases[i].test;
		if (judgement->cases[i].too_large)
			continue;
		if (chosen == NULL || sealed_worth(problem, test) > sealed_worth(problem, chosen))
			chosen = test;
	}
	return chosen;
}

/* On the emulated GPU, for a file that was right until now. Not under a tool, and not where
 * launches are counted. */
static bool check_sealed(struct run *run, const struct problem *problem,
						 const struct entrant *entrant, struct contestant_link *contestant,
						 struct judgement *out, struct error *err)
{
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	if (out->verdict != VERDICT_ACCEPTED || run->referee.device.kind != DEVICE_EMULATED ||
		!confirm_wanted(run) || tool_words(&run->tool) != NULL ||
		run->options->emulation.counters || contestant->child == NULL || !contestant->jail.can_seal)
		return true;
	const struct test_case *test = sealed_case(problem, out);
	if (!confirm_without_times(run, problem, entrant, contestant, test, &outcome, err))
		return false;
	out->verdict = outcome.verdict;
	snprintf(out->detail, sizeof out->detail, "%s", outcome.detail);
	out->layers |= LAYER_SEALED;
	return true;
}

/* The last call of all: its process is watched more closely than others are. */
static bool check_races(struct run *run, const struct problem *problem,
						const struct entrant *entrant, struct contestant_link *contestant,
						struct judgement *out, struct error *err)
{
	if (out->verdict != VERDICT_ACCEPTED)
		return true;
	const bool ok = repeat_for_races(run, problem, entrant, contestant, out, err);
	summarise(out);
	return ok;
}

bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err)
{
	struct tolerance tolerance = tolerance_of(&run->options->tolerance, problem);
	struct emulated_watch watch;
	if (!run_renew(run, err) || !tool_open(&run->tool, err) ||
		!emulated_watch_open(&watch, run->options, run->referee.device.kind == DEVICE_EMULATED,
							 entrant, err))
		return false;
	struct contestant_setup setup = run_contestant(run, problem, entrant);
	setup.environment = watch.environment;
	setup.under = tool_words(&run->tool);
	setup.counters = watch.folder;
	setup.together = file_seconds(run, out);
	struct contestant_link contestant = {.setup = &setup};
	bool ok = true, dead = true, stopped = false;
	size_t deaths = 0;
	for (size_t i = 0; i < out->count; i++) {
		struct case_result *result = &out->cases[i];
		if (!ok) {
			result->verdict = VERDICT_NOT_RUN;
			snprintf(result->detail, sizeof result->detail, RUN_ENDED);
			continue;
		}
		run_progress(run, entrant->file, "case", i, out->count);
		if (emulated_too_large(run->options, run->referee.device.kind, run->timeout, &result->test,
							   result->detail)) {
			result->verdict = VERDICT_NOT_RUN;
			result->too_large = true;
			out->too_large++;
			continue;
		}
		if (stopped || run_stopped(run)) {
			result->verdict = VERDICT_NOT_RUN;
			snprintf(result->detail, sizeof result->detail,
					 stopped ? "not tried after the failures before" : RUN_INTERRUPTED);
			continue;
		}
		contestant.launches = emulated_order(run->options, &result->test);
		ok = check_case(run, problem, entrant, &tolerance, &contestant, result, &dead, err) &&
			 explain_case(run, out, result, err);
		out->entry = contestant.entry;
		judgement_take_layers(out, contestant.jail.enclosed, contestant.jail.layers);
		epilogue_take_layers(run->epilogue, out);
		if (!ok) {
			result->verdict = VERDICT_NOT_RUN;
			snprintf(result->detail, sizeof result->detail, "%.900s", err->message);
		}
		run_judged_case(run, out, i);
		deaths += dead;
		stopped = (dead && hopeless(result->verdict, deaths)) ||
				  (run->options->cases.fail_fast && result->verdict != VERDICT_ACCEPTED);
	}
	summarise(out);
	contestant_link_denied(&contestant, &out->denied);
	ok = ok && repeat_wrong_case(run, problem, entrant, &tolerance, &contestant, out, err) &&
		 repeat_accepted_case(run, problem, entrant, &tolerance, &contestant, out, err);
	struct denied_list again = {.count = 0}; /* what was repeated is told already */
	contestant_link_denied(&contestant, &again);
	ok = ok && check_sealed(run, problem, entrant, &contestant, out, err);
	contestant_link_denied(&contestant, &out->denied);
	ok = ok && check_races(run, problem, entrant, &contestant, out, err);
	contestant_link_denied(&contestant, &again);
	contestant_link_close(&contestant);
	contestant_link_denied(&contestant, &out->denied);
	emulated_watch_close(&watch, out);
	tool_close(&run->tool, contestant.said, out);
	free(contestant.said);
	return ok;
}
