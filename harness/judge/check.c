/* Every case goes through the contestant, then past the referee. */
#include "judge/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/confirm.h"
#include "judge/contestant_link.h"
#include "judge/emulated.h"
#include "process/buffers.h"
#include "process/jail.h"

/* A solution that crashes on every case costs a new process each time. */
#define DEATHS_ALLOWED 3

static enum verdict guard_verdict(const struct problem *problem, const struct chain *chain,
								  const struct referee_check_reply *check, char detail[1024])
{
	int64_t distance = check->guard_nearest;
	char name[BUFFER_NAME_MAX];
	buffers_name(problem, chain, check->guard_buffer, name);
	snprintf(detail, 1024, "wrote outside of its buffers: %llu bytes, the nearest %lld bytes %s %s",
			 (unsigned long long)check->guard_changed,
			 (long long)(distance < 0 ? -distance : distance),
			 distance < 0 ? "before the start of" : "past the end of", name);
	return VERDICT_RULE_VIOLATION;
}

/* Whether an input changed, and the line that says which. */
static bool find_changed(const struct problem *problem, const struct chain *chain,
						 const struct referee_check_reply *check, char detail[1024])
{
	uint32_t i = 0, operands = (uint32_t)problem_operands(problem);
	char name[BUFFER_NAME_MAX];
	while (i < BUFFERS_MAX && check->changed[i] == 0)
		i++;
	if (i == BUFFERS_MAX)
		return false;
	buffers_name(problem, chain, i, name);
	unsigned long long changed = (unsigned long long)check->changed[i];
	if (i < operands)
		snprintf(detail, 1024, "changed its input %s: %llu elements differ after the call", name,
				 changed);
	else
		snprintf(detail, 1024, "changed %s, an input of its epilogue: %llu elements differ", name,
				 changed);
	return true;
}

/* "row 3, column 5: got 1, want 2, bound 0.1" */
static void describe(const struct problem *problem, const struct test_case *test,
					 const struct wrong_element *element, char out[192])
{
	int rows = test->shape.size[SIZE_M], used = 0;
	if (problem_size_of(problem, SIZE_BATCH) != NULL)
		used = snprintf(out, 192, "batch %d, ", element->row / rows);
	used += snprintf(out + used, 192 - (size_t)used, "row %d, column %d: ", element->row % rows,
					 element->column);
	if (element->unwritten)
		used += snprintf(out + used, 192 - (size_t)used, "never written, ");
	else
		used += snprintf(out + used, 192 - (size_t)used, "got %.7g, ", element->got);
	snprintf(out + used, 192 - (size_t)used, "want %.7g, bound %.3g", element->want,
			 element->bound);
}

/* What is wrong with the result, in a line. */
static void describe_wrong(const struct problem *problem, const struct test_case *test,
						   const struct referee_check_reply *check, char detail[1024])
{
	char first[192];
	const char *result = problem_part(problem, PART_RESULT)->name;
	int length = snprintf(detail, 1024, "%llu of %llu elements wrong",
						  (unsigned long long)check->wrong, (unsigned long long)check->elements);
	if (check->untouched > 0)
		length += snprintf(detail + length, 1024 - (size_t)length, ", %llu of them never written",
						   (unsigned long long)check->untouched);
	if (check->read > 0)
		length += snprintf(detail + length, 1024 - (size_t)length,
						   "; %s is read although beta is 0", result);
	if (check->shown == 0)
		return;
	describe(problem, test, &check->first[0], first);
	snprintf(detail + length, 1024 - (size_t)length, "; first at %s", first);
}

enum verdict check_verdict(const struct problem *problem, const struct test_case *test,
						   const struct chain *chain, const struct referee_check_reply *check,
						   char detail[1024])
{
	detail[0] = '\0';
	if (check->reference_disagreements > 0) {
		snprintf(detail, 1024,
				 "the reference is not to be trusted here: %u of %u elements that were "
				 "recomputed on the CPU in f64 disagree with the library",
				 check->reference_disagreements, check->reference_spot_checks);
		return VERDICT_NOT_RUN;
	}
	for (uint32_t i = 0; i < BUFFERS_MAX; i++) {
		char name[BUFFER_NAME_MAX];
		if ((check->altered >> i & 1) == 0)
			continue;
		buffers_name(problem, chain, i, name);
		snprintf(detail, 1024,
				 "%s changed after the call had ended: solve() has to be done when it and the "
				 "device are",
				 name);
		return VERDICT_RULE_VIOLATION;
	}
	if (check->guard_changed > 0)
		return guard_verdict(problem, chain, check, detail);
	if (find_changed(problem, chain, check, detail))
		return VERDICT_RULE_VIOLATION;
	if (check->wrong > 0) {
		describe_wrong(problem, test, check, detail);
		return VERDICT_WRONG_ANSWER;
	}
	if (check->extra_wrong > 0) {
		char name[BUFFER_NAME_MAX], first[192];
		buffers_name(problem, chain, check->extra_buffer, name);
		describe(problem, test, &check->extra_first, first);
		snprintf(detail, 1024,
				 "%s is right, but %llu elements that its epilogue stored are wrong; the first, of "
				 "%s, at %s",
				 problem_part(problem, PART_RESULT)->name, (unsigned long long)check->extra_wrong,
				 name, first);
		return VERDICT_WRONG_ANSWER;
	}
	return VERDICT_ACCEPTED;
}

bool check_outcome(struct run *run, const struct problem *problem, const struct test_case *test,
				   const struct entrant *entrant, const struct referee_result *result,
				   const struct tolerance *tolerance, struct referee_check_reply *reply,
				   struct outcome *outcome, struct error *err)
{
	struct referee_result asked = *result;
	asked.plain = !entrant->fused;
	struct epilogue_check check = {.problem = problem,
								   .test = test,
								   .timeout = run->timeout,
								   .memory_limit = run->memory_limit,
								   .without = run->options->without,
								   .required = run->options->required};
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	return referee_link_check(&run->referee, &asked, tolerance, reply, err) &&
		   (!entrant->fused ||
			epilogue_run_foreign(run->epilogue, &run->referee, &check, reply, outcome, err));
}

/* One case. *dead tells that the contestant must be started anew. */
static bool check_case(struct run *run, const struct problem *problem,
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
	if (!contestant_link_holds(contestant, err))
		return false;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome =
			contestant_link_case(contestant, &referee->arena, referee->arena_fd, &result->test);
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = contestant_link_run(contestant, 0, run->timeout, &result->seconds);
	*dead = outcome.dead;
	result->output = contestant_link_output(contestant);
	result->verdict = outcome.verdict;
	snprintf(result->detail, sizeof result->detail, "%s", outcome.detail);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return true;

	if (!check_outcome(run, problem, &result->test, entrant, &(struct referee_result){.set = 0},
					   tolerance, &result->check, &outcome, err))
		return false;
	if (outcome.verdict != VERDICT_ACCEPTED) {
		result->verdict = outcome.verdict;
		snprintf(result->detail, sizeof result->detail, "%s", outcome.detail);
		return true;
	}
	result->checked = true;
	result->verdict =
		check_verdict(problem, &result->test, run_chain(run), &result->check, result->detail);
	if (result->verdict == VERDICT_WRONG_ANSWER && contestant->left.verdict != VERDICT_ACCEPTED) {
		result->verdict = contestant->left.verdict; /* most likely the cause */
		snprintf(result->detail, sizeof result->detail, "%s", contestant->left.detail);
	}
	return true;
}

/* The file's verdict is that of its first case that failed, and of one that was not run only where
 * none did. */
static void summarise(struct judgement *out)
{
	out->verdict = VERDICT_ACCEPTED;
	out->accepted = 0;
	for (size_t i = 0; i < out->count; i++) {
		const struct case_result *result = &out->cases[i];
		if (result->verdict == VERDICT_ACCEPTED) {
			out->accepted++;
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

/* A case that is done soon, and is none of the smallest. */
#define SEALED_TERMS 4e6

static const struct test_case *sealed_case(const struct judgement *judgement)
{
	const struct test_case *chosen = &judgement->cases[0].test;
	for (size_t i = 1; i < judgement->count; i++) {
		const struct test_case *test = &judgement->cases[i].test;
		double terms = shape_terms(&test->shape), best = shape_terms(&chosen->shape);
		if (terms <= SEALED_TERMS ? terms > best || best > SEALED_TERMS : terms < best)
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
		!confirm_wanted(run) || tool_words(&run->tool) != NULL || run->options->counters ||
		contestant->child == NULL || !contestant->can_seal)
		return true;
	const struct test_case *test = sealed_case(out);
	if (!confirm_without_times(run, problem, entrant, contestant, test, &outcome, err))
		return false;
	out->verdict = outcome.verdict;
	snprintf(out->detail, sizeof out->detail, "%s", outcome.detail);
	out->layers |= JAIL_SEALED;
	return true;
}

bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err)
{
	struct tolerance tolerance = tolerance_of(&run->options->tolerance, problem);
	struct emulated_watch watch;
	if (!run_renew(run, err) || !tool_open(&run->tool, err) ||
		!emulated_watch_open(&watch, run->options, err))
		return false;
	struct contestant_link contestant = run_contestant(run, problem, entrant);
	contestant.environment = watch.environment;
	contestant.under = tool_words(&run->tool);
	contestant.writable = watch.folder;
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
		if (stopped || run_stopped(run)) {
			result->verdict = VERDICT_NOT_RUN;
			snprintf(result->detail, sizeof result->detail,
					 stopped ? "not tried after the failures before" : RUN_INTERRUPTED);
			continue;
		}
		ok = check_case(run, problem, entrant, &tolerance, &contestant, result, &dead, err);
		judgement_take_layers(out, contestant.enclosed, contestant.layers);
		epilogue_take_layers(run->epilogue, out);
		if (!ok) {
			result->verdict = VERDICT_NOT_RUN;
			snprintf(result->detail, sizeof result->detail, "%.900s", err->message);
		}
		deaths += dead;
		stopped = dead && hopeless(result->verdict, deaths);
	}
	summarise(out);
	ok = ok && check_sealed(run, problem, entrant, &contestant, out, err);
	contestant_link_close(&contestant);
	emulated_watch_close(&watch, out);
	tool_close(&run->tool, contestant.said, out);
	free(contestant.said);
	return ok;
}
