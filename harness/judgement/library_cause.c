#include "judgement/library_cause.h"

#include <stdio.h>

#include "base/text.h"

/* cublasLtReductionScheme_t */
#define REDUCTION_IN_PLACE 1
#define REDUCTION_OUTPUT_TYPE 4

static bool is_16_bit(const struct problem *problem)
{
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	return type->format.bits == 16;
}

static bool rounds_partial_sums(const struct library_algorithm *algorithm)
{
	return algorithm->split_k > 1 && (algorithm->reduction == REDUCTION_IN_PLACE ||
									  algorithm->reduction == REDUCTION_OUTPUT_TYPE);
}

/* The accurate mode takes beta = 1 as the next number below it, and so rounds once. */
static bool adds_in_memory(const struct library_wrong *wrong)
{
	return problem_takes(wrong->problem, SCALAR_BETA) && wrong->test->scalar[SCALAR_BETA] == 1.0f &&
		   wrong->mode == LIBRARY_DEFAULT;
}

unsigned library_cause_of(const struct library_wrong *wrong)
{
	unsigned causes = 0;
	const bool mended = wrong->mode == LIBRARY_DEFAULT && wrong->accurate_right;
	if (is_16_bit(wrong->problem)) {
		if (rounds_partial_sums(&wrong->algorithm))
			causes |= LIBRARY_CAUSE_PARTIAL_SUMS;
		if (adds_in_memory(wrong))
			causes |= LIBRARY_CAUSE_TWO_ROUNDINGS;
		/* At another beta that mode forbids rounded partial sums and nothing else. */
		if (causes == 0 && mended && wrong->algorithm.split_k == LIBRARY_UNKNOWN)
			causes |= LIBRARY_CAUSE_PARTIAL_SUMS;
	}
	return causes == 0 && mended ? LIBRARY_CAUSE_MENDED : causes;
}

const char *library_cause_print(unsigned causes, bool accurate_right, char out[LIBRARY_CAUSE_TEXT])
{
	static const char *const words[] = {
		"partial sums of split-K are rounded to 16 bits",
		"two roundings at beta = 1: the product is rounded, then added to C"};
	out[0] = '\0';
	for (size_t i = 0, used = 0; i < sizeof words / sizeof *words; i++)
		if ((causes >> i & 1) != 0)
			used += (size_t)snprintf(out + used, LIBRARY_CAUSE_TEXT - used, "%s%s",
									 used > 0 ? "; " : "", words[i]);
	if (out[0] == '\0')
		snprintf(out, LIBRARY_CAUSE_TEXT, "cause not known");
	if (accurate_right) {
		char causes_only[LIBRARY_CAUSE_TEXT];
		snprintf(causes_only, sizeof causes_only, "%s", out);
		text_format(out, LIBRARY_CAUSE_TEXT, "%s; the accurate mode is right", causes_only);
	}
	return out;
}
