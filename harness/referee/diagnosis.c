#include "referee/diagnosis.h"

#include <math.h>
#include <stdlib.h>

/* Kinds of wrong elements; everything but where they lie. */
static void count_kinds(const struct check_input *input, const uint8_t *marks,
						struct wrong_pattern *facts)
{
	const struct operand *result = problem_part(input->problem, PART_RESULT);
	const struct number_format *format = &type_of(result->type)->format;
	for (uint64_t i = 0; i < facts->elements; i++) {
		if (marks[i] == 0)
			continue;
		double out = values_to_double(format, values_load(format, input->out, i));
		bool unwritten = (marks[i] & CHECK_UNWRITTEN) != 0;
		facts->wrong++;
		facts->unwritten += unwritten;
		facts->nan += !unwritten && isnan(out);
		facts->infinite += !unwritten && isinf(out);
		facts->zero += !unwritten && out == 0;
	}
}

void diagnosis_result(const struct check_input *input, struct wrong_pattern *facts)
{
	const struct shape *shape = &input->test->shape;
	const struct operand *result = problem_part(input->problem, PART_RESULT);
	struct check_summary ignored = {0};
	struct check_input again = *input;
	*facts = (struct wrong_pattern){0};
	uint64_t elements = shape_rows(shape) * shape_columns(shape);
	uint8_t *marks = malloc(elements);
	if (marks == NULL)
		return;
	again.marks = marks;
	again.carried = NULL;
	check_outputs(&again, &ignored);
	const bool outputs_wrong = ignored.extra_wrong > 0;
	facts->elements = elements;
	count_kinds(input, marks, facts);
	if (!digest_of(input->out, type_bytes(type_of(result->type), elements), &facts->result) ||
		!diagnosis_places(marks, shape, facts))
		facts->wrong = 0;
	again.marks = NULL;
	again.tolerance = (struct tolerance){.kind = TOLERANCE_FLAT,
										 .atol = input->problem->leetgpu_atol,
										 .rtol = input->problem->leetgpu_rtol};
	check_outputs(&again, &ignored);
	facts->wrong_leetgpu = ignored.wrong;
	if (facts->unwritten > 0)
		diagnosis_unwritten(marks, shape, facts);
	if ((facts->wrong > 0 || outputs_wrong) && input->problem->file == NULL)
		diagnosis_faults(input, marks, outputs_wrong, facts);
	free(marks);
}
