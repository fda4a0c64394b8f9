/* Every case goes through the contestant, then past the referee. */
#include "judge/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/contestant_link.h"
#include "judge/emulated.h"

/* A solution that crashes on every case costs a new process each time. */
#define DEATHS_ALLOWED 3

static enum verdict guard_verdict(const struct referee_check_reply *check, char detail[1024])
{
	int64_t distance = check->guard_nearest;
	char name[sizeof check->extra_name] = {check->guard_buffer};
	if (check->guard_buffer == 'E')
		memcpy(name, check->extra_name, sizeof name);
	if (distance < 0)
		snprintf(detail, 1024,
				 "wrote outside of its buffers: %llu bytes, the nearest %lld bytes "
				 "before the start of %s",
				 (unsigned long long)check->guard_changed, (long long)-distance, name);
	else
		snprintf(detail, 1024,
				 "wrote outside of its buffers: %llu bytes, the nearest %lld bytes "
				 "past the end of %s",
				 (unsigned long long)check->guard_changed, (long long)distance, name);
	return VERDICT_RULE_VIOLATION;
}

enum verdict check_verdict(const struct problem *problem, const struct referee_check_reply *check,
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
	if (check->guard_changed > 0)
		return guard_verdict(check, detail);
	if (check->a_changed > 0 || check->b_changed > 0) {
		bool first = check->a_changed > 0;
		snprintf(detail, 1024, "changed its input %c: %llu elements differ after the call",
				 problem->operands[first ? 0 : 1],
				 (unsigned long long)(first ? check->a_changed : check->b_changed));
		return VERDICT_RULE_VIOLATION;
	}
	if (check->extra_changed > 0) {
		snprintf(detail, 1024, "changed %s, an input of its epilogue: %llu elements differ",
				 check->extra_name, (unsigned long long)check->extra_changed);
		return VERDICT_RULE_VIOLATION;
	}
	if (check->wrong == 0 && check->extra_wrong > 0) {
		snprintf(detail, 1024,
				 "C is right, but %llu elements that its epilogue stored are wrong; the first, of "
				 "%s, at row %d, column %d: got %.7g, want %.7g, bound %.3g",
				 (unsigned long long)check->extra_wrong, check->extra_name, check->extra_first.row,
				 check->extra_first.column, check->extra_first.got, check->extra_first.want,
				 check->extra_first.bound);
		return VERDICT_WRONG_ANSWER;
	}
	if (check->wrong == 0)
		return VERDICT_ACCEPTED;

	int length = snprintf(detail, 1024, "%llu of %llu elements wrong",
						  (unsigned long long)check->wrong, (unsigned long long)check->elements);
	if (check->untouched > 0)
		length += snprintf(detail + length, 1024 - (size_t)length, ", %llu of them never written",
						   (unsigned long long)check->untouched);
	if (check->shown > 0)
		snprintf(detail + length, 1024 - (size_t)length,
				 "; first at row %d, column %d: got %.7g, want %.7g, bound %.3g",
				 check->first[0].row, check->first[0].column, check->first[0].got,
				 check->first[0].want, check->first[0].bound);
	return VERDICT_WRONG_ANSWER;
}

bool check_outcome(struct run *run, const struct problem *problem, const struct test_case *test,
				   const struct entrant *entrant, uint32_t set, const struct tolerance *tolerance,
				   struct referee_check_reply *reply, struct step *step, struct error *err)
{
	int stage_fd = -1;
	struct epilogue_check check = {.problem = problem,
								   .test = test,
								   .timeout = run->timeout,
								   .memory_limit = run->memory_limit};
	return referee_link_check(&run->referee, set, !entrant->fused, tolerance, reply, &stage_fd,
							  err) &&
		   epilogue_finish_check(run->epilogue, &run->referee, &check, reply, stage_fd, step, err);
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

	struct step step = {.verdict = VERDICT_ACCEPTED};
	if (*dead)
		step = contestant_link_open(contestant);
	if (step.verdict == VERDICT_ACCEPTED)
		step = contestant_link_case(contestant, &referee->arena, referee->arena_fd, &result->test);
	if (step.verdict == VERDICT_ACCEPTED)
		step = contestant_link_run(contestant, 0, run->timeout, &result->seconds);
	*dead = step.dead;
	result->output = contestant_link_output(contestant);
	result->verdict = step.verdict;
	snprintf(result->detail, sizeof result->detail, "%s", step.detail);
	if (step.verdict != VERDICT_ACCEPTED)
		return true;

	if (!check_outcome(run, problem, &result->test, entrant, 0, tolerance, &result->check, &step,
					   err))
		return false;
	if (step.verdict != VERDICT_ACCEPTED) {
		result->verdict = step.verdict;
		snprintf(result->detail, sizeof result->detail, "%s", step.detail);
		return true;
	}
	result->checked = true;
	result->verdict = check_verdict(problem, &result->check, result->detail);
	return true;
}

/* The file's verdict is that of its first case that failed. */
static void summarise(struct judgement *out)
{
	out->verdict = VERDICT_ACCEPTED;
	out->accepted = 0;
	for (size_t i = 0; i < out->count; i++) {
		const struct case_result *result = &out->cases[i];
		if (result->verdict == VERDICT_ACCEPTED) {
			out->accepted++;
		} else if (out->verdict == VERDICT_ACCEPTED) {
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

bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err)
{
	struct tolerance tolerance = tolerance_of(&run->options->tolerance, problem);
	struct emulated_watch watch;
	if (!tool_open(&run->tool, err) || !emulated_watch_open(&watch, run->options, err))
		return false;
	struct contestant_link contestant = {.device = &run->referee.device,
										 .library = entrant->library,
										 .problem = problem->name,
										 .environment = watch.environment,
										 .chain = entrant->fused ? run_chain(run) : NULL,
										 .under = tool_words(&run->tool),
										 .libraries_allowed = entrant->libraries_allowed,
										 .memory_limit = run->memory_limit};
	bool ok = true, dead = true, stopped = false;
	size_t deaths = 0;
	for (size_t i = 0; i < out->count && ok; i++) {
		struct case_result *result = &out->cases[i];
		run_progress(run, entrant->file, "case", i, out->count);
		if (stopped || run_stopped(run)) {
			result->verdict = VERDICT_NOT_RUN;
			snprintf(result->detail, sizeof result->detail,
					 stopped ? "not tried after the failures before" : RUN_INTERRUPTED);
			continue;
		}
		ok = check_case(run, problem, entrant, &tolerance, &contestant, result, &dead, err);
		deaths += dead;
		stopped = dead && hopeless(result->verdict, deaths);
	}
	contestant_link_close(&contestant);
	emulated_watch_close(&watch, out);
	summarise(out);
	tool_close(&run->tool, contestant.said, out);
	free(contestant.said);
	return ok;
}
