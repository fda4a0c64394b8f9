#include "judgement/library.h"

/* cublasLtReductionScheme_t */
#define REDUCTION_IN_PLACE 1
#define REDUCTION_OUTPUT_TYPE 4

static bool rounds_partial_sums(const struct library_algorithm *algorithm)
{
	return algorithm->split_k > 1 && (algorithm->reduction == REDUCTION_IN_PLACE ||
									  algorithm->reduction == REDUCTION_OUTPUT_TYPE);
}

const char *library_cause(const struct problem *problem, const struct test_case *test,
						  const struct library_algorithm *algorithm, bool mended)
{
	const struct operand *result = problem_part(problem, PART_RESULT);
	const struct number_format *format = &type_of(result->type)->format;
	if (format->is_integer || format->bits != 16)
		return "";
	if (algorithm->id != LIBRARY_UNKNOWN && rounds_partial_sums(algorithm))
		return "partial sums of split-K are rounded to 16 bits";
	if (problem_takes(problem, SCALAR_BETA) && test->scalar[SCALAR_BETA] == 1.0f)
		return "two roundings at beta = 1: the product is rounded, then added to C";
	return mended ? "partial sums are rounded to 16 bits" : "";
}
