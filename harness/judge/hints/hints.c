#include "judge/hints/hints.h"

#include <stdio.h>

#include "testcases/rules.h"

const char *hint_operand(const struct hint_context *facts, enum part part)
{
	const struct operand *operand = problem_part(facts->problem, part);
	return operand != NULL ? operand->name : "";
}

const char *hint_size(const struct hint_context *facts, enum size size)
{
	const struct problem_size *row = problem_size_of(facts->problem, size);
	if (row != NULL || facts->problem->file == NULL)
		return row != NULL ? row->name : "1";
	const struct operand_rules *output = problem_part(facts->problem, PART_RESULT)->rules;
	return size == SIZE_N                        ? output->text[output->rank - 1]
		   : size == SIZE_M && output->rank == 2 ? output->text[0]
		   : size == SIZE_M                      ? "the number of rows"
												 : "the number of terms";
}

bool hint_case_wrong(const struct case_result *result)
{
	return result->checked && result->check.wrong > 0;
}

bool hint_case_right(const struct case_result *result)
{
	return result->verdict == VERDICT_ACCEPTED && result->checked &&
		   result->test.scalar[SCALAR_ALPHA] != 0;
}

bool hint_case_failed(const struct case_result *result)
{
	return result->verdict != VERDICT_ACCEPTED && result->verdict != VERDICT_NOT_RUN;
}

size_t hint_explained_cases(const struct hint_context *facts)
{
	size_t explained = 0;
	for (size_t i = 0; i < facts->judgement->count; i++)
		explained += facts->judgement->cases[i].wrong != NULL;
	return explained;
}

const char *hint_in_cases(size_t held, size_t explained, char out[64])
{
	if (explained <= 1)
		return "in the failing case";
	if (held == explained && explained == 2)
		return "in both failing cases";
	if (held == explained)
		snprintf(out, 64, "in all of the first %zu failing cases", explained);
	else
		snprintf(out, 64, "in %zu of the first %zu failing cases", held, explained);
	return out;
}

int32_t hint_case_size(const struct case_result *result, enum size size)
{
	return result->test.shape.size[size];
}

const struct case_result *hint_next_explained(const struct hint_context *facts, size_t *at)
{
	while (*at < facts->judgement->count) {
		const struct case_result *result = &facts->judgement->cases[(*at)++];
		if (result->wrong != NULL)
			return result;
	}
	return NULL;
}

bool hint_all_explained(const struct hint_context *facts,
						bool (*holds)(const struct case_result *result))
{
	const struct case_result *result;
	size_t at = 0, held = 0;
	for (; (result = hint_next_explained(facts, &at)) != NULL; held++)
		if (!holds(result))
			return false;
	return held > 0;
}

const char *hint_in_all(const struct hint_context *facts, char out[64])
{
	size_t explained = hint_explained_cases(facts);
	return hint_in_cases(explained, explained, out);
}

bool hint_is_kept(const struct hint_context *facts)
{
	return facts->judgement->repeat.made && facts->judgement->repeat.right_first;
}
