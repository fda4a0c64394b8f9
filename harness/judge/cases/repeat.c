#include "judge/cases/repeat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/hints/hints.h"
#include "judge/hints/signature.h"
#include "judge/run/emulated.h"
#include "judge/run/finding.h"

#define SECONDS_MOST 10.0   /* nobody waits longer for a hint */
#define SWIZZLE_SECONDS 2.0 /* of five calls, each */

/* One call, as long as such a case may take. */
static struct outcome call_solve(const struct case_run *one)
{
	const struct run *run = one->run;
	double ignored,
		most = emulated_timeout(run->options, run->referee.device.kind, run->timeout, one->test);
	return contestant_link_run(one->contestant, 0, most, &ignored);
}

/* A new process, with these sizes, scalars and buffers for the case that the referee has. */
static struct outcome open_case(const struct case_run *one, const struct test_case *test,
								const struct arena *arena)
{
	struct outcome outcome = contestant_link_open(one->contestant);
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_case(one->contestant, arena, one->run->referee.arena_fd, test);
	return outcome;
}

/* Calls again are for hints: not under a tool, and not where launches are counted. */
static bool may_call_again(const struct run *run)
{
	return tool_words(&run->tool) == NULL && !run->options->emulation.counters;
}

bool repeat_refilled(const struct case_run *one, struct case_result *result, bool *dead,
					 struct error *err)
{
	struct referee_link *referee = &one->run->referee;
	struct contestant_link *contestant = one->contestant;
	const struct call_report facts = contestant->facts;
	const struct outcome left = contestant->left;
	if (result->check.suspect == 0 || result->check.reference_disagreements > 0 || *dead ||
		result->seconds > SECONDS_MOST || referee->custom_stages != 0 || !may_call_again(one->run))
		return true;
	if (!referee_link_refill(referee, err))
		return false;
	struct outcome outcome = call_solve(one);
	*dead = outcome.dead;
	free(contestant_link_output(contestant)); /* the first call's was shown */
	contestant->facts = facts;
	contestant->left = left;
	return outcome.verdict != VERDICT_ACCEPTED ||
		   referee_link_recheck(referee, &result->check, err);
}

/* The order that the case was run in before. */
static uint64_t order_of(const struct case_run *one)
{
	return emulated_order(one->run->options, one->test);
}

/* Sets up the case at the referee. */
static bool set_up(const struct case_run *one, struct error *err)
{
	return referee_link_case(&one->run->referee, one->problem->name, one->test, run_chain(one->run),
							 1, err);
}

/* The outcome and the findings of one call. */
struct call_result {
	bool compared, right;
	double worst_ratio;
	struct digest digest;
};

static bool call_once(const struct case_run *one, struct call_result *result, struct error *err)
{
	struct check_summary check;
	struct wrong_pattern facts;
	one->contestant->steps = emulated_steps(one->run->options, one->test);
	struct outcome outcome = call_solve(one);
	*result = (struct call_result){.compared = false};
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;
	if (!finding_check(one, &(struct referee_result){.set = 0}, &check, &outcome, err) ||
		!referee_link_explain(&one->run->referee, &facts, err))
		return false;
	result->compared = outcome.verdict == VERDICT_ACCEPTED && facts.elements > 0;
	result->right = check.wrong == 0 && check.rms_ratio <= 1;
	result->worst_ratio = check.worst_ratio;
	result->digest = facts.result;
	return true;
}

static bool call_twice(const struct case_run *one, struct call_result results[2], struct error *err)
{
	struct referee_link *referee = &one->run->referee;
	if (!set_up(one, err))
		return false;
	struct outcome outcome = open_case(one, one->test, &referee->arena);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;
	one->contestant->launches = order_of(one);
	if (!call_once(one, &results[0], err))
		return false;
	one->contestant->launches = emulated_order_other(order_of(one));
	return !results[0].compared ||
		   (referee_link_reset(referee, 0, err) && call_once(one, &results[1], err));
}

/* Looking for races takes the emulated GPU some times as long. */
#define RACE_TERMS 16e6

/* Whether the emulated GPU can be asked for races in the case, which it was not before; with what
 * settings. */
static bool may_have_race(const struct case_run *one, const char *settings[EMULATED_VARIABLES])
{
	return one->run->referee.device.kind == DEVICE_EMULATED &&
		   shape_terms(&one->test->shape) <= RACE_TERMS &&
		   emulated_with_races(one->contestant->setup->settings, settings);
}

/* One call of the referee's case in a new process with those settings. *said: all that it
 * printed, the caller's; *outcome: of the call. */
static void call_for_race(const struct case_run *one, const char *const *settings, char **said,
						  struct outcome *outcome)
{
	struct contestant_link *contestant = one->contestant;
	const struct contestant_setup *before = contestant->setup;
	struct contestant_setup setup = *before;
	setup.settings = settings;
	contestant->setup = &setup;
	contestant->launches = order_of(one);
	contestant->steps = emulated_steps(one->run->options, one->test);
	*outcome = open_case(one, one->test, &one->run->referee.arena);
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = call_solve(one);
	contestant->setup = before;
	*said = contestant_link_output(contestant);
}

static bool look_for_race(const struct case_run *one, struct judgement *out, struct error *err)
{
	const char *settings[EMULATED_VARIABLES];
	struct outcome outcome;
	char *said;
	if (!may_have_race(one, settings))
		return true;
	if (!referee_link_reset(&one->run->referee, 0, err))
		return false;
	call_for_race(one, settings, &said, &outcome);
	const char *race = said != NULL ? emulated_race(said) : NULL;
	if (race != NULL)
		snprintf(out->race, sizeof out->race, "%.*s", (int)strcspn(race, "\n"), race);
	free(said);
	return true;
}

/* Whether the case that is set up is right when solve() gets these sizes, scalars and buffers. */
static bool call_with(const struct case_run *one, const struct test_case *test,
					  const struct arena *arena, bool *right, struct error *err)
{
	struct call_result result = {.compared = false};
	struct outcome outcome = open_case(one, test, arena);
	bool good = outcome.verdict != VERDICT_ACCEPTED || call_once(one, &result, err);
	*right = result.compared && result.right;
	free(contestant_link_output(one->contestant));
	return good;
}

/* How wgmma has to read its operands for the case to be right, where that is another way than its
 * descriptors say. */
static bool try_swizzles(const struct case_run *one, struct judgement *out, struct error *err)
{
	struct referee_link *referee = &one->run->referee;
	const struct contestant_setup *before = one->contestant->setup;
	struct contestant_setup setup = *before;
	if (referee->device.kind != DEVICE_EMULATED || !signature_has(one->entrant->text, "wgmma"))
		return true;
	bool good = true, right = false;
	for (const char *const *swizzle = emulated_swizzles; good && !right && *swizzle != NULL;
		 swizzle++) {
		char variable[EMULATED_VARIABLE];
		const char *settings[EMULATED_VARIABLES];
		if (!emulated_with_swizzle(before->settings, *swizzle, variable, settings))
			break;
		setup.settings = settings;
		one->contestant->setup = &setup;
		good = referee_link_reset(referee, 0, err) &&
			   call_with(one, one->test, &referee->arena, &right, err);
		one->contestant->setup = before;
		if (right)
			snprintf(out->swizzle, sizeof out->swizzle, "%s", *swizzle);
	}
	return good;
}

/* The case to be repeated; NULL: there is none. */
static const struct case_result *first_unexplained(const struct hint_context *facts)
{
	const struct judgement *out = facts->judgement;
	for (size_t i = 0; i < out->count; i++)
		if (out->cases[i].wrong != NULL && out->cases[i].verdict == VERDICT_WRONG_ANSWER &&
			!hint_case_explained(facts, &out->cases[i]))
			return &out->cases[i];
	return NULL;
}

/* The case that decides the verdict; NULL: none was run. */
static const struct case_result *first_failing(const struct judgement *out)
{
	for (size_t i = 0; i < out->count; i++)
		if (out->cases[i].verdict != VERDICT_ACCEPTED && out->cases[i].verdict != VERDICT_NOT_RUN)
			return &out->cases[i];
	return NULL;
}

/* Whether the case reached memory that is not its own, behind others that were right: what these
 * left may be to blame. */
static bool is_left_over(const struct judgement *out, const struct case_result *failing)
{
	return failing->verdict == VERDICT_RUNTIME_ERROR && failing > out->cases &&
		   strcmp(failing->facts.error, "cudaErrorIllegalAddress") == 0;
}

/* Whether that case is right when solve() gets its arguments in the order of its parameters' names.
 */
static bool try_other_order(const struct case_run *one, const struct hint_context *facts,
							struct judgement *out, struct error *err)
{
	struct test_case test = *one->test;
	struct arena arena = one->run->referee.arena;
	if (!hint_other_order(facts, &test, &arena))
		return true;
	if (!set_up(one, err))
		return false;
	test = *one->test;
	arena = one->run->referee.arena;
	return !hint_other_order(facts, &test, &arena) ||
		   call_with(one, &test, &arena, &out->order_proved, err);
}

/* Whether that case is right when two of its sizes have each other's values. */
static bool try_exchanged_sizes(const struct case_run *one, const struct hint_context *facts,
								struct judgement *out, struct error *err)
{
	bool right = false;
	for (enum size a = SIZE_M; a < SIZE_K; a++)
		for (enum size b = a + 1; b <= SIZE_K && !right; b++) {
			struct test_case test = *one->test;
			int32_t *size = test.shape.size, was = size[a];
			if (!hint_may_be_exchanged(facts, a, b))
				continue;
			size[a] = size[b];
			size[b] = was;
			if (!set_up(one, err) || !call_with(one, &test, &one->run->referee.arena, &right, err))
				return false;
			if (right)
				memcpy(out->exchanged, (enum size[]){a, b}, sizeof out->exchanged);
		}
	return true;
}

static bool is_same(const struct digest *a, const struct digest *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

bool repeat_wrong_case(const struct case_run *last, struct judgement *out, struct error *err)
{
	struct run *run = last->run;
	struct contestant_link *contestant = last->contestant;
	struct case_run one = *last;
	struct hint_context facts = {.judgement = out,
								 .source = one.entrant->text,
								 .problem = one.problem,
								 .chain = run_chain(run),
								 .device = run->referee.device.kind};
	const struct case_result *failing = first_failing(out);
	if (failing == NULL || failing->seconds > SECONDS_MOST || run_stopped(run) ||
		!may_call_again(run))
		return true;
	one.test = &failing->test;
	if (!try_other_order(&one, &facts, out, err) ||
		(!out->order_proved && !try_exchanged_sizes(&one, &facts, out, err)))
		return false;
	const struct case_result *wrong = first_unexplained(&facts);
	if (is_left_over(out, failing))
		wrong = failing;
	if (wrong == NULL || wrong->seconds > SECONDS_MOST || out->order_proved ||
		out->exchanged[0] != out->exchanged[1])
		return true;
	one.test = &wrong->test;
	struct call_result results[2] = {{.compared = false}, {.compared = false}};
	bool good = call_twice(&one, results, err);
	free(contestant_link_output(contestant)); /* it is that of a case that was shown */
	judgement_take_layers(out, contestant->jail.enclosed, contestant->jail.layers);
	good = good && look_for_race(&one, out, err) &&
		   (results[0].right || results[1].right || out->race[0] != '\0' ||
			wrong->seconds > SWIZZLE_SECONDS || try_swizzles(&one, out, err));
	judgement_take_layers(out, contestant->jail.enclosed, contestant->jail.layers);
	if (!good || !results[0].compared || !results[1].compared)
		return good;
	out->repeat = (struct case_repeat){
		.made = true,
		.right_first = results[0].right,
		.right_second = results[1].right,
		.same_first = wrong->wrong != NULL && is_same(&results[0].digest, &wrong->wrong->result),
		.same_second = is_same(&results[0].digest, &results[1].digest)};
	return true;
}

#define SPREAD_SECONDS 1.0

/* Cases of so many terms take a moment, and mostly have several blocks; and the most terms of a
 * case that is looked at. */
#define RACE_TERMS_OFTEN 1.5e5
#define RACE_TERMS_MOST 2e6

/* The largest case up to those products; else the smallest. */
static struct case_result *race_case(struct judgement *out)
{
	struct case_result *found = NULL;
	for (size_t i = 0; i < out->count; i++) {
		struct case_result *result = &out->cases[i];
		const double terms = shape_terms(&result->test.shape);
		const double best = found != NULL ? shape_terms(&found->test.shape) : 0.0;
		if (result->checked && result->seconds <= SPREAD_SECONDS && terms <= RACE_TERMS_MOST &&
			(found == NULL ||
			 (terms <= RACE_TERMS_OFTEN ? terms > best || best > RACE_TERMS_OFTEN : terms < best)))
			found = result;
	}
	return found;
}

bool repeat_for_races(const struct case_run *last, struct judgement *out, struct error *err)
{
	struct case_result *result = race_case(out);
	const char *settings[EMULATED_VARIABLES];
	struct outcome outcome;
	char *said;
	if (out->verdict != VERDICT_ACCEPTED || result == NULL || run_stopped(last->run) ||
		!may_call_again(last->run))
		return true;
	struct case_run one = *last;
	one.test = &result->test;
	if (!may_have_race(&one, settings))
		return true;
	if (!set_up(&one, err))
		return false;
	call_for_race(&one, settings, &said, &outcome);
	if (said == NULL || emulated_race(said) == NULL || outcome.verdict == VERDICT_ACCEPTED) {
		free(said);
		return true;
	}
	free(result->output);
	result->output = said;
	result->facts = one.contestant->facts;
	result->verdict = outcome.verdict;
	result->checked = false;
	text_format(result->detail, sizeof result->detail, "with --check race: %s", outcome.detail);
	return true;
}
