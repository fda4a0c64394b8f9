#include "judgement/library_cause.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

/* In the order of the bits. */
static const char *const cause_words[] = {
	"partial sums of split-K are rounded to 16 bits",
	"two roundings at beta = 1: the product is rounded, then added to C"};

/* cublasLtReductionScheme_t */
#define REDUCTION_IN_PLACE 1
#define REDUCTION_OUTPUT_TYPE 4

static bool is_16_bit(const struct problem *problem)
{
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	return type->format.bits == 16;
}

/* Whether the library tells neither what it is nor how it splits. */
static bool is_unknown(const struct library_algorithm *algorithm)
{
	return algorithm->id == LIBRARY_UNKNOWN && algorithm->split_k <= 0;
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

/* Most of the elements keep their bound where sums are rounded a few times. */
#define SHARE_MOST 0.8
#define SHARE_OF 16      /* wrong elements, or more: of fewer it says nothing */
#define SPLIT_UNKNOWN 16 /* parts, where nobody knows how many */

/* Whether a few roundings to 16 bits can be to blame. Each errs by at most u S, where S is what the
 * bound's second part, 3 sqrt(K) 2^-24 S, is made of. */
static bool may_be_rounding(const struct library_wrong *wrong)
{
	const struct type *type = type_of(problem_part(wrong->problem, PART_RESULT)->type);
	const int split = wrong->algorithm.split_k > 0 ? wrong->algorithm.split_k : SPLIT_UNKNOWN;
	const double accumulated = 3.0 * sqrt((double)wrong->test->shape.size[SIZE_K]) * 0x1p-24;
	const bool dense = wrong->wrong >= SHARE_OF && wrong->share > SHARE_MOST;
	return !wrong->right_before && !dense &&
		   wrong->worst_ratio <= (split + 1) * type->unit_roundoff / accumulated;
}

unsigned library_cause_of(const struct library_wrong *wrong)
{
	unsigned causes = 0;
	const bool mended = wrong->mode == LIBRARY_DEFAULT && wrong->accurate_right;
	if (is_16_bit(wrong->problem) && may_be_rounding(wrong)) {
		if (rounds_partial_sums(&wrong->algorithm))
			causes |= LIBRARY_CAUSE_PARTIAL_SUMS;
		if (adds_in_memory(wrong))
			causes |= LIBRARY_CAUSE_TWO_ROUNDINGS;
		/* Of an unknown algorithm: at another beta than 1 that mode forbids rounded partial sums
		 * and nothing else. */
		if (is_unknown(&wrong->algorithm) && (causes == 0 ? mended : wrong->splits_at_other_beta))
			causes |= LIBRARY_CAUSE_PARTIAL_SUMS;
	}
	return causes == 0 && mended ? LIBRARY_CAUSE_MENDED : causes;
}

const char *library_cause(const struct problem *problem, const struct test_case *test,
						  const struct library_algorithm *algorithm, bool mended)
{
	struct library_wrong wrong = {
		.problem = problem, .test = test, .algorithm = *algorithm, .accurate_right = mended};
	if (algorithm->id == LIBRARY_UNKNOWN)
		wrong.algorithm.split_k = LIBRARY_UNKNOWN;
	const unsigned causes = library_cause_of(&wrong);
	if ((causes & LIBRARY_CAUSE_PARTIAL_SUMS) != 0)
		return is_unknown(&wrong.algorithm) ? "partial sums are rounded to 16 bits"
											: cause_words[0];
	return (causes & LIBRARY_CAUSE_TWO_ROUNDINGS) != 0 ? cause_words[1] : "";
}

const char *library_cause_print(unsigned causes, bool accurate_right, char out[LIBRARY_CAUSE_TEXT])
{
	out[0] = '\0';
	for (size_t i = 0, used = 0; i < sizeof cause_words / sizeof *cause_words; i++)
		if ((causes >> i & 1) != 0)
			used += (size_t)snprintf(out + used, LIBRARY_CAUSE_TEXT - used, "%s%s",
									 used > 0 ? "; " : "", cause_words[i]);
	if (out[0] == '\0')
		snprintf(out, LIBRARY_CAUSE_TEXT, "cause not known");
	if (accurate_right) {
		char causes_only[LIBRARY_CAUSE_TEXT];
		snprintf(causes_only, sizeof causes_only, "%s", out);
		text_format(out, LIBRARY_CAUSE_TEXT, "%s; the accurate mode is right", causes_only);
	}
	return out;
}
