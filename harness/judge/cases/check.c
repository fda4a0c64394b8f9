/* Every case goes through the contestant, then past the referee. */
#include "judge/cases/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "judge/cases/bits.h"
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
	text_format(result->detail, sizeof result->detail,
				"the emulated GPU has no %s, which the file uses: a GPU has to tell; here: %s",
				function, why);
	result->verdict = VERDICT_UNSUPPORTED;
	result->checked = false;
}

/* The seconds that a call may take in this case. */
static double case_seconds(const struct run *run, const struct test_case *test)
{
	return emulated_timeout(run->options, run->referee.device.kind, run->timeout, test);
}

double check_together(double sum, double longest, double timeout)
{
	return ceil(fmin(sum, CASES_LONG * longest + CASES_SHARE * sum) + timeout + BESIDE_CASES);
}

/* The seconds that all cases of a file may take together. */
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

/* A file on its cases. */
struct checking {
	struct case_run one; /* of the case at hand */
	struct judgement *out;
	bool dead;     /* the contestant must be started anew */
	size_t deaths; /* so often already */
	bool stopped;  /* no more of them are tried */
};

/* The result of a call that the solution's process ended or refused. */
static bool take_outcome(struct case_result *result, const struct outcome *outcome)
{
	result->verdict = outcome->verdict;
	snprintf(result->detail, sizeof result->detail, "%s", outcome->detail);
	return true;
}

/* The referee has the case: a call of solve(), in a process that is new where the last one died.
 * False where a layer of the jail that is required does not hold. */
static bool call_case(struct checking *checking, struct case_result *result,
					  struct outcome *outcome, struct error *err)
{
	struct run *run = checking->one.run;
	struct referee_link *referee = &run->referee;
	struct contestant_link *contestant = checking->one.contestant;
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	if (checking->dead)
		*outcome = contestant_link_open(contestant);
	confirm_ahead_wait(run); /* it takes memory of the device */
	if (!contestant_link_holds(contestant, err))
		return false;
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome =
			contestant_link_case(contestant, &referee->arena, referee->arena_fd, &result->test);
	contestant->steps = emulated_steps(run->options, &result->test);
	result->steps = referee->device.kind == DEVICE_EMULATED ? contestant->steps : 0;
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome =
			contestant_link_run(contestant, 0, case_seconds(run, &result->test), &result->seconds);
	checking->dead = outcome->dead;
	result->facts = contestant->facts;
	result->output = contestant_link_output(contestant);
	return true;
}

/* One case: 1. the referee makes it, 2. the contestant is called, 3. the referee compares, 4. once
 * more where elements may be unwritten, 5. the verdict. */
static bool judge_case(struct checking *checking, struct case_result *result, struct error *err)
{
	const struct case_run *one = &checking->one;
	const struct chain *chain = run_chain(one->run);
	const struct outcome *left = &one->contestant->left;
	struct outcome outcome;
	if (!referee_link_case(&one->run->referee, one->problem->name, one->test, chain, 1, err) ||
		!call_case(checking, result, &outcome, err))
		return false;
	take_outcome(result, &outcome);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;

	if (!finding_check(one, &(struct referee_result){.set = 0}, &result->check, &outcome, err))
		return false;
	if (outcome.verdict != VERDICT_ACCEPTED)
		return take_outcome(result, &outcome);
	if (!repeat_refilled(one, result, &checking->dead, err))
		return false;
	result->checked = true;
	result->verdict =
		finding_verdict(one->problem, one->test, chain, &result->check, result->detail);
	if (result->verdict == VERDICT_WRONG_ANSWER && left->verdict != VERDICT_ACCEPTED)
		take_outcome(result, left); /* most likely the cause */
	return true;
}

/* What is wrong with a result, or with what an epilogue wrote beside it, for hints: of the first
 * few cases. */
static bool explain_case(const struct case_run *one, struct judgement *out,
						 struct case_result *result, struct error *err)
{
	struct run *run = one->run;
	const struct case_of_reference of = {run->options, one->problem, one->test};
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
	uint64_t step_faults = 0;
	if (!reference_explain(&run->reference, &run->referee, &of, &step_faults, err) ||
		!referee_link_explain(&run->referee, result->wrong, err))
		return false;
	result->wrong->step_faults = step_faults;
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
			text_format(out->detail, sizeof out->detail, "%s: %s", result->test.name,
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

#define SEALED_TERMS 1e6

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
static bool check_sealed(struct case_run one, struct judgement *out, struct error *err)
{
	const struct run *run = one.run;
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	if (out->verdict != VERDICT_ACCEPTED || run->referee.device.kind != DEVICE_EMULATED ||
		!confirm_wanted(run) || tool_words(&run->tool) != NULL ||
		run->options->emulation.counters || one.contestant->child == NULL ||
		!one.contestant->jail.can_seal)
		return true;
	one.test = sealed_case(one.problem, out);
	if (!confirm_without_times(&one, &outcome, err))
		return false;
	out->verdict = outcome.verdict;
	snprintf(out->detail, sizeof out->detail, "%s", outcome.detail);
	out->layers |= LAYER_SEALED;
	return true;
}

static bool check_bits(const struct checking *checking, double seconds, struct error *err)
{
	const struct case_run *one = &checking->one;
	const bool dead = checking->dead || one->contestant->child == NULL;
	return bits_ask(one, dead, seconds, checking->out, err);
}

/* The last call of all: its process is watched more closely than others are. */
static bool check_races(const struct case_run *one, struct judgement *out, struct error *err)
{
	if (out->verdict != VERDICT_ACCEPTED)
		return true;
	const bool ok = repeat_for_races(one, out, err);
	summarise(out);
	if (out->verdict != VERDICT_ACCEPTED)
		out->bits = (struct judged_bits){.why = "the file is not accepted"};
	return ok;
}

static void not_run(struct case_result *result, const char *why)
{
	result->verdict = VERDICT_NOT_RUN;
	text_format(result->detail, sizeof result->detail, "%s", why);
}

/* Whether the case is one that is not tried, which its result then says. */
static bool is_left_out(const struct checking *checking, struct case_result *result)
{
	const struct run *run = checking->one.run;
	if (emulated_too_large(run->options, run->referee.device.kind, run->timeout, &result->test,
						   result->detail)) {
		result->verdict = VERDICT_NOT_RUN;
		result->too_large = true;
		checking->out->too_large++;
		return true;
	}
	if (!checking->stopped && !run_stopped(run))
		return false;
	not_run(result, checking->stopped ? "not tried after the failures before" : RUN_INTERRUPTED);
	return true;
}

/* The i-th case, and whether others follow. */
static bool check_case(struct checking *checking, size_t i, struct error *err)
{
	struct case_run *one = &checking->one;
	struct run *run = one->run;
	struct judgement *out = checking->out;
	struct case_result *result = &out->cases[i];
	one->test = &result->test;
	one->contestant->launches = emulated_order(run->options, one->test);
	bool ok = judge_case(checking, result, err);
	if (ok)
		excuse(run, result);
	ok = ok && explain_case(one, out, result, err);
	out->entry = one->contestant->entry;
	judgement_take_layers(out, one->contestant->jail.enclosed, one->contestant->jail.layers);
	epilogue_take_layers(run->epilogue, out);
	if (!ok)
		not_run(result, err->message);
	run_judged_case(run, out, i);
	checking->deaths += checking->dead;
	checking->stopped = (checking->dead && hopeless(result->verdict, checking->deaths)) ||
						(run->options->cases.fail_fast && result->verdict != VERDICT_ACCEPTED);
	return ok;
}

/* False when the referee cannot go on: the cases behind that one say so. */
static bool check_each(struct checking *checking, struct error *err)
{
	const struct case_run *one = &checking->one;
	struct judgement *out = checking->out;
	bool ok = true;
	for (size_t i = 0; i < out->count; i++) {
		if (!ok) {
			not_run(&out->cases[i], RUN_ENDED);
			continue;
		}
		run_progress(one->run, one->entrant->file, "case", i, out->count);
		if (!is_left_out(checking, &out->cases[i]))
			ok = check_case(checking, i, err);
	}
	return ok;
}

/* In this order, as each step is for a file that came through those before it:
 *
 * 1. Every case, and the verdict that follows.
 * 2. Cases again, for hints and notes. What they try is told already, and so is not listed again.
 * 3. Sealed calls, which may change the verdict.
 * 4. Calls whose bits are compared, for words alone. They come while the process of the cases runs.
 * 5. Races, which may change the verdict too; what its watched process tries is not listed either.
 */
static bool check_steps(struct checking *checking, struct error *err)
{
	const struct case_run *one = &checking->one;
	struct judgement *out = checking->out;
	struct denied_list told = {.count = 0};
	const double started = clock_seconds();
	bool ok = check_each(checking, err);
	summarise(out);
	contestant_link_denied(one->contestant, &out->denied);

	ok = ok && repeat_wrong_case(one, out, err);
	contestant_link_denied(one->contestant, &told);

	ok = ok && check_sealed(*one, out, err);
	contestant_link_denied(one->contestant, &out->denied);

	ok = ok && check_bits(checking, clock_seconds() - started, err);
	contestant_link_denied(one->contestant, &told);

	ok = ok && check_races(one, out, err);
	contestant_link_denied(one->contestant, &told);
	return ok;
}

bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err)
{
	struct emulated_watch watch;
	if (!run_renew(run, err) || !tool_open(&run->tool, err))
		return false;
	emulated_watch_open(&watch, run->options, run->referee.device.kind == DEVICE_EMULATED, entrant);
	struct contestant_setup setup = run_contestant(run, problem, entrant);
	setup.settings = watch.settings;
	setup.under = tool_words(&run->tool);
	setup.counts = run->options->emulation.counters ? out : NULL;
	setup.together = file_seconds(run, out);
	struct contestant_link contestant = {.setup = &setup};
	struct checking checking = {
		.one = {.run = run,
				.problem = problem,
				.entrant = entrant,
				.contestant = &contestant,
				.tolerance = tolerance_of(&run->options->tolerance, problem)},
		.out = out,
		.dead = true};
	bool ok = check_steps(&checking, err);
	contestant_link_close(&contestant);
	contestant_link_denied(&contestant, &out->denied);
	emulated_watch_close(&watch);
	tool_close(&run->tool, contestant.said, out);
	free(contestant.said);
	return ok;
}
