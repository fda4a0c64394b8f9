#include "judge/run/finding.h"

#include <stdio.h>

#include "process/buffers.h"

static enum verdict guard_verdict(const struct problem *problem, const struct chain *chain,
								  const struct check_facts *check, char detail[1024])
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
						 const struct check_facts *check, char detail[1024])
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
		used +=
			snprintf(out + used, 192 - (size_t)used, "%s, ", check_untouched_text(problem, test));
	else
		used += snprintf(out + used, 192 - (size_t)used, "got %.7g, ", element->got);
	snprintf(out + used, 192 - (size_t)used, "want %.7g, bound %.3g", element->want,
			 element->bound);
}

/* What is wrong with the result, in a line. */
static void describe_wrong(const struct problem *problem, const struct test_case *test,
						   const struct check_facts *check, char detail[1024])
{
	char first[192];
	const char *result = problem_part(problem, PART_RESULT)->name;
	int length = snprintf(detail, 1024, "%llu of %llu elements wrong",
						  (unsigned long long)check->wrong, (unsigned long long)check->elements);
	if (check->untouched > 0)
		length +=
			snprintf(detail + length, 1024 - (size_t)length, ", %llu of them %s",
					 (unsigned long long)check->untouched, check_untouched_text(problem, test));
	if (check->read > 0)
		length += snprintf(detail + length, 1024 - (size_t)length, "; %s is read %s", result,
						   check_read_text(problem));
	if (check->shown == 0)
		return;
	describe(problem, test, &check->first[0], first);
	snprintf(detail + length, 1024 - (size_t)length, "; first at %s", first);
}

enum verdict finding_verdict(const struct problem *problem, const struct test_case *test,
							 const struct chain *chain, const struct check_facts *check,
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

/* How many elements may be beyond the tolerance. What an epilogue stores besides the result has no
 * share. */
static double allowed_wrong(const struct tolerance *tolerance, uint64_t elements)
{
	const double rounding = 1e-9; /* of 1 - SHARE, so that 0.95 allows 5 of 100 */
	return (tolerance->beyond + (tolerance->beyond > 0 ? rounding : 0)) * (double)elements;
}

bool finding_check(const struct case_run *one, const struct referee_result *result,
				   struct check_facts *reply, struct outcome *outcome, struct error *err)
{
	struct run *run = one->run;
	bool fused = one->entrant->fused;
	struct referee_result asked = *result;
	asked.plain = !fused;
	struct epilogue_check check = {.problem = one->problem,
								   .test = one->test,
								   .timeout = run->timeout,
								   .compile_seconds = run_compile_seconds(run->options),
								   .memory_limit = run->memory_limit,
								   .without = run->options->limits.without,
								   .required = run->options->limits.required};
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	if (!referee_link_check(&run->referee, &asked, &one->tolerance, reply, err) ||
		(fused && !epilogue_run_custom(run->epilogue, &run->referee, &check, reply, outcome, err)))
		return false;
	if ((double)reply->wrong <= allowed_wrong(&one->tolerance, reply->elements))
		reply->wrong = 0;
	return true;
}
