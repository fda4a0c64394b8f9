#include "judge/run/finding.h"

#include <stdio.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "process/buffers.h"

static enum verdict guard_verdict(const struct problem *problem, const struct chain *chain,
								  const struct check_summary *check, char detail[1024])
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
						 const struct check_summary *check, char detail[1024])
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
static void say_element(const struct problem *problem, const struct test_case *test,
						const struct wrong_element *element, struct strbuf *out)
{
	int rows = test->shape.size[SIZE_M];
	if (problem_size_of(problem, SIZE_BATCH) != NULL)
		strbuf_addf(out, "batch %d, ", element->row / rows);
	strbuf_addf(out, "row %d, column %d: ", element->row % rows, element->column);
	if (element->unwritten)
		strbuf_addf(out, "%s, ", check_untouched_text(problem, test));
	else
		strbuf_addf(out, "got %.7g, ", element->got);
	strbuf_addf(out, "want %.7g, bound %.3g", element->want, element->bound);
}

enum verdict finding_verdict(const struct problem *problem, const struct test_case *test,
							 const struct chain *chain, const struct check_summary *check,
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
	if (!check_is_wrong(check))
		return VERDICT_ACCEPTED;
	struct strbuf said = {0};
	if (check->extra_wrong == 0 || check->wrong > 0) {
		bool shown = check->wrong > 0 && check->shown > 0;
		check_say_wrong(problem, test, check, &said);
		strbuf_add(&said, shown ? "; first at " : "");
		if (shown)
			say_element(problem, test, &check->first[0], &said);
	} else {
		char name[BUFFER_NAME_MAX];
		buffers_name(problem, chain, check->extra_buffer, name);
		strbuf_addf(&said,
					"%s is right, but %llu elements that its epilogue stored are wrong; the first, "
					"of %s, at ",
					problem_part(problem, PART_RESULT)->name,
					(unsigned long long)check->extra_wrong, name);
		say_element(problem, test, &check->extra_first, &said);
	}
	text_format(detail, 1024, "%s", strbuf_text(&said));
	strbuf_release(&said);
	return VERDICT_WRONG_ANSWER;
}

/* How many elements may be beyond the tolerance. What an epilogue stores besides the result has no
 * share. */
static double allowed_wrong(const struct tolerance *tolerance, uint64_t elements)
{
	const double rounding = 1e-9; /* of 1 - SHARE, so that 0.95 allows 5 of 100 */
	return (tolerance->beyond + (tolerance->beyond > 0 ? rounding : 0)) * (double)elements;
}

bool finding_check(const struct case_run *one, const struct referee_result *result,
				   struct check_summary *reply, struct outcome *outcome, struct error *err)
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
	const struct case_of_reference of = {run->options, one->problem, one->test};
	if (!reference_run(&run->reference, &run->referee, &of, result->set, err) ||
		!referee_link_check(&run->referee, &asked, &one->tolerance, reply, err) ||
		(fused && !epilogue_run_custom(run->epilogue, &run->referee, &check, reply, outcome, err)))
		return false;
	if ((double)reply->wrong <= allowed_wrong(&one->tolerance, reply->elements))
		reply->wrong = 0;
	return true;
}
