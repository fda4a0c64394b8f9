/* Problems of files: a result that is right but for one step of the reference. */
#include <stdio.h>

#include "judge/hints/hints.h"
#include "testcases/rules.h"

/* The faults that all explained cases have in common. */
static uint64_t common_faults(const struct hint_context *facts)
{
	const struct case_result *result;
	uint64_t common = ~0ull;
	size_t at = 0, cases = 0;
	for (; (result = hint_next_explained(facts, &at)) != NULL; cases++)
		common &= result->wrong->step_faults;
	return cases > 0 ? common : 0;
}

/* The first input that a bit stands for, as the runner counts them. */
static const char *input_of(const struct problem *problem, int number)
{
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		if (operand->role == ROLE_INPUT && number-- == 0)
			return operand->name;
	return "an input";
}

static bool one_step(const struct hint_context *facts, struct strbuf *out)
{
	static const char *const words[STEP_FAULTS] = {
		[STEP_LAST] = "a sum or maximum lacks its last term: does a loop or a tile's tail end one "
					  "too early?",
		[STEP_FIRST] = "a sum or maximum lacks its first term",
		[STEP_FUNCTION] = "a function is left out, and its argument stands in its place",
		[STEP_CONSTANT] = "a constant or scalar that multiplies or divides is left out",
		[STEP_ADDED] = "a constant or scalar that is added is left out",
		[STEP_11_BITS] = "what is multiplied is rounded to 11 bits first, as half and TF32 have "
						 "them: three TF32 products of two parts keep float's accuracy",
		[STEP_8_BITS] = "what is multiplied is rounded to bfloat16 first: keep it in float",
		[STEP_KEPT_11] = "it is kept in half or TF32, and has to be kept in float",
		[STEP_KEPT_8] = "it is kept in bfloat16, and has to be kept in float",
	};
	char cases[64];
	uint64_t faults = common_faults(facts);
	if (facts->problem->file == NULL || faults == 0)
		return false;
	int bit = __builtin_ctzll(faults);
	const char *all = hint_in_all(facts, cases), *result = hint_operand(facts, PART_RESULT);
	if (bit >= WRONG_OUTPUT)
		strbuf_setf(out, "%s %s is right and stored as its transpose", all, result);
	else if (bit >= WRONG_LEFT_OUT)
		strbuf_setf(out, "%s %s is right but that %s is left out", all, result,
					input_of(facts->problem, bit - WRONG_LEFT_OUT));
	else if (bit >= WRONG_TRANSPOSED)
		strbuf_setf(out, "%s %s is what comes of reading %s as if its transpose were stored", all,
					result, input_of(facts->problem, bit - WRONG_TRANSPOSED));
	else
		strbuf_setf(out, "%s %s is right but for one step, %s: %s", all, result,
					facts->problem->rules->steps[bit / STEP_FAULTS].name, words[bit % STEP_FAULTS]);
	return true;
}

const struct hint_row hints_of_steps[] = {
	{"one-step", HINT_CAUSE, one_step},
	{0},
};
