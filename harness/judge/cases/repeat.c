#include "judge/cases/repeat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/hints/hints.h"
#include "judge/hints/signature.h"
#include "judge/run/emulated.h"
#include "judge/run/finding.h"

#define SECONDS_MOST 10.0   /* nobody waits longer for a hint */
#define SWIZZLE_SECONDS 2.0 /* of five calls, each */

bool repeat_refilled(struct run *run, struct contestant_link *contestant,
					 struct case_result *result, bool *dead, struct error *err)
{
	struct referee_link *referee = &run->referee;
	const struct call_facts facts = contestant->facts;
	const struct outcome left = contestant->left;
	double seconds;
	if (result->check.suspect == 0 || result->check.reference_disagreements > 0 || *dead ||
		result->seconds > SECONDS_MOST || referee->custom_stages != 0 ||
		tool_words(&run->tool) != NULL || run->options->emulation.counters)
		return true;
	if (!referee_link_refill(referee, err))
		return false;
	struct outcome outcome = contestant_link_run(
		contestant, 0,
		emulated_timeout(run->options, referee->device.kind, run->timeout, &result->test),
		&seconds);
	*dead = outcome.dead;
	free(contestant_link_output(contestant)); /* the first call's was shown */
	contestant->facts = facts;
	contestant->left = left;
	return outcome.verdict != VERDICT_ACCEPTED ||
		   referee_link_recheck(referee, &result->check, err);
}

/* What goes through both calls. */
struct repetition {
	struct run *run;
	const struct problem *problem;
	const struct entrant *entrant;
	const struct tolerance *tolerance;
	struct contestant_link *contestant;
	const struct test_case *test;
	uint64_t order; /* that the case was run in */
};

/* What a call gave. */
struct call_result {
	bool compared, right;
	double worst_ratio;
	struct digest digest;
};

static bool call_once(const struct repetition *repetition, struct call_result *result,
					  struct error *err)
{
	struct run *run = repetition->run;
	struct check_facts check;
	struct wrong_facts facts;
	double seconds;
	repetition->contestant->steps = emulated_steps(run->options, repetition->test);
	struct outcome outcome = contestant_link_run(
		repetition->contestant, 0,
		emulated_timeout(run->options, run->referee.device.kind, run->timeout, repetition->test),
		&seconds);
	*result = (struct call_result){.compared = false};
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;
	if (!finding_check(run, repetition->problem, repetition->test, repetition->entrant,
					   &(struct referee_result){.set = 0}, repetition->tolerance, &check, &outcome,
					   err) ||
		!referee_link_explain(&run->referee, &facts, err))
		return false;
	result->compared = outcome.verdict == VERDICT_ACCEPTED && facts.elements > 0;
	result->right = check.wrong == 0;
	result->worst_ratio = check.worst_ratio;
	result->digest = facts.result;
	return true;
}

static bool call_twice(const struct repetition *repetition, struct call_result results[2],
					   struct error *err)
{
	struct run *run = repetition->run;
	struct contestant_link *contestant = repetition->contestant;
	if (!referee_link_case(&run->referee, repetition->problem->name, repetition->test,
						   run_chain(run), 1, err))
		return false;
	struct outcome outcome = contestant_link_open(contestant);
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_case(contestant, &run->referee.arena, run->referee.arena_fd,
									   repetition->test);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;
	contestant->launches = repetition->order;
	if (!call_once(repetition, &results[0], err))
		return false;
	contestant->launches = emulated_order_other(repetition->order);
	return !results[0].compared ||
		   (referee_link_reset(&run->referee, 0, err) && call_once(repetition, &results[1], err));
}

/* Looking for races takes the emulated GPU some times as long. */
#define RACE_TERMS 16e6

/* Whether the emulated GPU can be asked for races in the case, which it was not before; with what
 * environment. */
static bool may_have_race(const struct repetition *repetition,
						  const char *environment[EMULATED_VARIABLES])
{
	return repetition->run->referee.device.kind == DEVICE_EMULATED &&
		   shape_terms(&repetition->test->shape) <= RACE_TERMS &&
		   emulated_with_races(repetition->contestant->setup->environment, environment);
}

/* One call of the referee's case in a new process with that environment. *said: all that it
 * printed, the caller's; *outcome: of the call. */
static void call_for_race(const struct repetition *repetition, const char *const *environment,
						  char **said, struct outcome *outcome)
{
	struct run *run = repetition->run;
	struct contestant_link *contestant = repetition->contestant;
	const struct contestant_setup *before = contestant->setup;
	struct contestant_setup setup = *before;
	double seconds;
	setup.environment = environment;
	contestant->setup = &setup;
	contestant->launches = repetition->order;
	contestant->steps = emulated_steps(run->options, repetition->test);
	*outcome = contestant_link_open(contestant);
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = contestant_link_case(contestant, &run->referee.arena, run->referee.arena_fd,
										repetition->test);
	if (outcome->verdict == VERDICT_ACCEPTED)
		*outcome = contestant_link_run(contestant, 0,
									   emulated_timeout(run->options, run->referee.device.kind,
														run->timeout, repetition->test),
									   &seconds);
	contestant->setup = before;
	*said = contestant_link_output(contestant);
}

static bool look_for_race(const struct repetition *repetition, struct judgement *out,
						  struct error *err)
{
	const char *environment[EMULATED_VARIABLES];
	struct outcome outcome;
	char *said;
	if (!may_have_race(repetition, environment))
		return true;
	if (!referee_link_reset(&repetition->run->referee, 0, err))
		return false;
	call_for_race(repetition, environment, &said, &outcome);
	const char *race = said != NULL ? emulated_race(said) : NULL;
	if (race != NULL)
		snprintf(out->race, sizeof out->race, "%.*s", (int)strcspn(race, "\n"), race);
	free(said);
	return true;
}

/* How wgmma has to read its operands for the case to be right, where that is another way than its
 * descriptors say. */
static bool try_swizzles(const struct repetition *repetition, struct judgement *out,
						 struct error *err)
{
	struct contestant_link *contestant = repetition->contestant;
	const struct contestant_setup *before = contestant->setup;
	struct contestant_setup setup = *before;
	if (repetition->run->referee.device.kind != DEVICE_EMULATED ||
		!signature_has(repetition->entrant->text, "wgmma"))
		return true;
	bool good = true;
	for (size_t i = 0; good && emulated_swizzles[i] != NULL && out->swizzle[0] == '\0'; i++) {
		char variable[EMULATED_VARIABLE];
		const char *environment[EMULATED_VARIABLES];
		struct call_result result = {.compared = false};
		if (!emulated_with_swizzle(before->environment, emulated_swizzles[i], variable,
								   environment))
			break;
		setup.environment = environment;
		contestant->setup = &setup;
		struct outcome outcome = contestant_link_open(contestant);
		if (outcome.verdict == VERDICT_ACCEPTED)
			outcome = contestant_link_case(contestant, &repetition->run->referee.arena,
										   repetition->run->referee.arena_fd, repetition->test);
		if (outcome.verdict == VERDICT_ACCEPTED)
			good = referee_link_reset(&repetition->run->referee, 0, err) &&
				   call_once(repetition, &result, err);
		contestant->setup = before;
		free(contestant_link_output(contestant));
		if (result.compared && result.right)
			snprintf(out->swizzle, sizeof out->swizzle, "%s", emulated_swizzles[i]);
	}
	return good;
}

/* The case to be repeated; NULL: there is none. */
static const struct case_result *first_unexplained(const struct hint_facts *facts)
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

/* Sets up the case, in which the arguments may then be others. */
static bool set_up(const struct repetition *repetition, struct error *err)
{
	struct run *run = repetition->run;
	return referee_link_case(&run->referee, repetition->problem->name, repetition->test,
							 run_chain(run), 1, err);
}

/* Whether the case that is set up is right when solve() gets these sizes, scalars and buffers. */
static bool call_with(const struct repetition *repetition, const struct test_case *test,
					  const struct arena *arena, bool *right, struct error *err)
{
	struct contestant_link *contestant = repetition->contestant;
	struct call_result result = {.compared = false};
	struct outcome outcome = contestant_link_open(contestant);
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_case(contestant, arena, repetition->run->referee.arena_fd, test);
	bool good = outcome.verdict != VERDICT_ACCEPTED || call_once(repetition, &result, err);
	*right = result.compared && result.right;
	free(contestant_link_output(contestant));
	return good;
}

/* Whether that case is right when solve() gets its arguments in the order of its parameters' names.
 */
static bool try_other_order(const struct repetition *repetition, const struct hint_facts *facts,
							struct judgement *out, struct error *err)
{
	struct test_case test = *repetition->test;
	struct arena arena = repetition->run->referee.arena;
	if (!hint_other_order(facts, &test, &arena))
		return true;
	if (!set_up(repetition, err))
		return false;
	test = *repetition->test;
	arena = repetition->run->referee.arena;
	return !hint_other_order(facts, &test, &arena) ||
		   call_with(repetition, &test, &arena, &out->order_proved, err);
}

/* Whether that case is right when two of its sizes have each other's values. */
static bool try_exchanged_sizes(const struct repetition *repetition, const struct hint_facts *facts,
								struct judgement *out, struct error *err)
{
	bool right = false;
	for (enum size one = SIZE_M; one < SIZE_K; one++)
		for (enum size other = one + 1; other <= SIZE_K && !right; other++) {
			struct test_case test = *repetition->test;
			int32_t *size = test.shape.size, was = size[one];
			if (!hint_may_be_exchanged(facts, one, other))
				continue;
			size[one] = size[other];
			size[other] = was;
			if (!set_up(repetition, err) ||
				!call_with(repetition, &test, &repetition->run->referee.arena, &right, err))
				return false;
			if (right)
				memcpy(out->exchanged, (enum size[]){one, other}, sizeof out->exchanged);
		}
	return true;
}

static bool is_same(const struct digest *a, const struct digest *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

bool repeat_wrong_case(struct run *run, const struct problem *problem,
					   const struct entrant *entrant, const struct tolerance *tolerance,
					   struct contestant_link *contestant, struct judgement *out, struct error *err)
{
	struct hint_facts facts = {.judgement = out,
							   .source = entrant->text,
							   .problem = problem,
							   .chain = run_chain(run),
							   .device = run->referee.device.kind};
	const struct case_result *failing = first_failing(out);
	if (failing == NULL || failing->seconds > SECONDS_MOST || run_stopped(run) ||
		tool_words(&run->tool) != NULL || run->options->emulation.counters)
		return true;
	struct repetition repetition = {.run = run,
									.problem = problem,
									.entrant = entrant,
									.tolerance = tolerance,
									.contestant = contestant,
									.test = &failing->test};
	if (!try_other_order(&repetition, &facts, out, err) ||
		(!out->order_proved && !try_exchanged_sizes(&repetition, &facts, out, err)))
		return false;
	const struct case_result *wrong = first_unexplained(&facts);
	if (is_left_over(out, failing))
		wrong = failing;
	if (wrong == NULL || wrong->seconds > SECONDS_MOST || out->order_proved ||
		out->exchanged[0] != out->exchanged[1])
		return true;
	repetition.test = &wrong->test;
	repetition.order = emulated_order(run->options, &wrong->test);
	struct call_result results[2] = {{.compared = false}, {.compared = false}};
	bool good = call_twice(&repetition, results, err);
	free(contestant_link_output(contestant)); /* it is that of a case that was shown */
	judgement_take_layers(out, contestant->jail.enclosed, contestant->jail.layers);
	good = good && look_for_race(&repetition, out, err) &&
		   (results[0].right || results[1].right || out->race[0] != '\0' ||
			wrong->seconds > SWIZZLE_SECONDS || try_swizzles(&repetition, out, err));
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

/* The one with most products of those that take a moment. */
static const struct case_result *largest_case(const struct judgement *out)
{
	const struct case_result *found = NULL;
	for (size_t i = 0; i < out->count; i++) {
		const struct case_result *result = &out->cases[i];
		if (result->checked && result->seconds <= SPREAD_SECONDS &&
			(found == NULL || shape_terms(&result->test.shape) > shape_terms(&found->test.shape)))
			found = result;
	}
	return found;
}

bool repeat_accepted_case(struct run *run, const struct problem *problem,
						  const struct entrant *entrant, const struct tolerance *tolerance,
						  struct contestant_link *contestant, struct judgement *out,
						  struct error *err)
{
	const struct case_result *largest = largest_case(out);
	if (out->verdict != VERDICT_ACCEPTED || largest == NULL || run_stopped(run) ||
		tool_words(&run->tool) != NULL || run->options->emulation.counters ||
		!signature_has(out->file, "atomicAdd"))
		return true;
	struct repetition repetition = {.run = run,
									.problem = problem,
									.entrant = entrant,
									.tolerance = tolerance,
									.contestant = contestant,
									.test = &largest->test,
									.order = emulated_order(run->options, &largest->test)};
	struct call_result results[2] = {{.compared = false}, {.compared = false}};
	bool good = call_twice(&repetition, results, err);
	free(contestant_link_output(contestant));
	judgement_take_layers(out, contestant->jail.enclosed, contestant->jail.layers);
	if (!good || !results[0].compared || !results[1].compared || !results[0].right ||
		!results[1].right || is_same(&results[0].digest, &results[1].digest))
		return good;
	out->spread = (struct case_spread){
		.differs = true, .worst_ratio = fmax(results[0].worst_ratio, results[1].worst_ratio)};
	snprintf(out->spread.name, sizeof out->spread.name, "%.63s", largest->test.name);
	return true;
}

/* What takes a moment, and has several blocks mostly; and what is looked at at most. */
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

bool repeat_for_races(struct run *run, const struct problem *problem, const struct entrant *entrant,
					  struct contestant_link *contestant, struct judgement *out, struct error *err)
{
	struct case_result *result = race_case(out);
	const char *environment[EMULATED_VARIABLES];
	struct outcome outcome;
	char *said;
	if (out->verdict != VERDICT_ACCEPTED || result == NULL || run_stopped(run) ||
		tool_words(&run->tool) != NULL || run->options->emulation.counters)
		return true;
	const struct repetition repetition = {.run = run,
										  .problem = problem,
										  .entrant = entrant,
										  .contestant = contestant,
										  .test = &result->test,
										  .order = emulated_order(run->options, &result->test)};
	if (!may_have_race(&repetition, environment))
		return true;
	if (!referee_link_case(&run->referee, problem->name, &result->test, run_chain(run), 1, err))
		return false;
	call_for_race(&repetition, environment, &said, &outcome);
	if (said == NULL || emulated_race(said) == NULL || outcome.verdict == VERDICT_ACCEPTED) {
		free(said);
		return true;
	}
	free(result->output);
	result->output = said;
	result->facts = contestant->facts;
	result->verdict = outcome.verdict;
	result->checked = false;
	snprintf(result->detail, sizeof result->detail, "with --check race: %.1000s", outcome.detail);
	return true;
}
