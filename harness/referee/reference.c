#include "referee/reference.h"

static struct device_matrix matrix_of(const struct problem *problem, const struct test_case *test,
									  uint64_t seed, enum part part, enum scalar zero)
{
	const struct operand *operand = problem_part(problem, part);
	if (operand == NULL)
		return (struct device_matrix){0};
	size_t index = problem_part_index(problem, part);
	return (struct device_matrix){
		.values = values_of_operand(problem, test, seed, index),
		.transposed = operand->transposed,
		.zero = (int32_t)test->scalar[zero],
	};
}

struct device_request reference_request(const struct problem *problem, const struct test_case *test,
										uint64_t seed)
{
	struct device_request request = {
		.algebra = problem->algebra,
		.shape = test->shape,
		.left = matrix_of(problem, test, seed, PART_LEFT, SCALAR_ZERO_LEFT),
		.right = matrix_of(problem, test, seed, PART_RIGHT, SCALAR_ZERO_RIGHT),
	};
	const struct number_format *left = &request.left.values.format;
	const struct number_format *right = &request.right.values.format;
	int bits = left->precision + right->precision;
	const struct operand *scales = problem_part(problem, PART_RIGHT_SCALES);
	if (scales != NULL) {
		request.right.group = (uint32_t)test->shape.size[SIZE_GROUP];
		request.right.scales =
			values_of_operand(problem, test, seed, problem_part_index(problem, PART_RIGHT_SCALES));
		bits += type_of(scales->type)->format.precision;
	}
	/* f32 holds the products of f16 and smaller floating point; sums of integers are exact */
	request.wide = bits > 24 || left->is_integer;
	return request;
}
