#include "testcases/derive.h"

#include "testcases/rules.h"
#include "testcases/sparse.h"

/* How many elements of an operand with this share of zeros are none. */
static uint64_t not_zero(float zeros, uint32_t stream, uint64_t elements)
{
	static _Thread_local struct {
		float zeros;
		uint32_t stream;
		uint64_t elements, others;
	} last; /* the same is asked for again and again */
	if (last.zeros == zeros && last.stream == stream && last.elements == elements)
		return last.others;
	uint64_t others = 0;
	for (uint64_t i = 0; i < elements; i++)
		others += !values_is_hole(zeros, stream, i);
	last.zeros = zeros, last.stream = stream, last.elements = elements, last.others = others;
	return others;
}

static int32_t within_int(uint64_t value)
{
	return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

void shape_derive(const struct problem *problem, struct shape *shape)
{
	if (problem->file == NULL)
		return;
	const struct problem_rules *rules = problem->rules;
	const struct operand *result = problem_part(problem, PART_RESULT);
	uint64_t elements = operand_elements(result, shape);
	uint64_t columns = operand_columns(result, shape);
	uint64_t work = rules_value(&rules->work, shape);
	for (int i = 0; i < SIZES_MAX; i++) {
		int counted = rules->sizes[i].nonzeros_of;
		if (problem->sizes[i].name == NULL)
			break;
		if (counted >= 0)
			shape->size[SIZE_NAMED + i] = within_int(
				not_zero(rules->operands[counted].zeros, values_stream((uint32_t)counted),
						 operand_elements(&problem->operands[counted], shape)));
	}
	shape->size[SIZE_BATCH] = shape->size[SIZE_GROUP] = 1;
	shape->size[SIZE_N] = within_int(columns);
	shape->size[SIZE_M] = columns > 0 ? within_int(elements / columns) : 0;
	shape->size[SIZE_K] = elements > 0 ? within_int((work + elements - 1) / elements) : 0;
}
