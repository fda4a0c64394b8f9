/* links: referee_core testcases base */
/* The examples of problems' pages, held against the referee: it draws the same operands, takes the
 * results, and takes no others. */
#include <math.h>

#include "referee_fixture.h"
#include "testcases/example.h"
#include "testcases/values.h"

static void store_result(struct session *session, const struct example *example, size_t changed)
{
	const struct problem *problem = example->problem;
	const size_t result = problem_part_index(problem, PART_RESULT);
	const struct number_format *format = &type_of(problem->operands[result].type)->format;
	const uint64_t count = operand_elements(&problem->operands[result], &example->test.shape);
	uint8_t *out = buffer_in(session, (uint32_t)result, 0);
	for (uint64_t i = 0; i < count; i++) {
		const double value = isinf(example->want[i]) && i == changed ? 0 : example->want[i];
		values_store(format, out, i, values_from_double(format, value + (i == changed)));
	}
}

Test(example, the_referee_takes_what_is_shown)
{
	struct session session = session_start();
	open_emulated(&session);
	size_t problems;
	const struct problem *table = problem_table(&problems);
	for (size_t p = 0; p < problems; p++) {
		if (table[p].file != NULL) /* of files there are no examples */
			continue;
		const struct example example = example_make(&table[p]);
		make_case(&session, table[p].name, &example.test, 1);
		for (uint32_t i = 0; i < problem_operands(&table[p]); i++) {
			const struct operand *operand = &table[p].operands[i];
			const uint64_t count = operand_elements(operand, &example.test.shape);
			cr_assert(count <= EXAMPLE_ELEMENTS);
			for (uint64_t k = 0; k < count && operand->role != ROLE_OUTPUT; k++)
				cr_assert(values_load(&type_of(operand->type)->format, buffer_in(&session, i, 0),
									  k) == example.bits[i][k],
						  "%s: %s", table[p].name, operand->name);
		}
		const uint64_t elements =
			shape_rows(&example.test.shape) * shape_columns(&example.test.shape);
		store_result(&session, &example, SIZE_MAX);
		struct check_summary right = check_set(&session, 0);
		cr_expect(right.elements == elements && right.wrong == 0 && right.worst_ratio == 0,
				  "%s: %u wrong, ratio %g", table[p].name, (unsigned)right.wrong,
				  right.worst_ratio);
		store_result(&session, &example, elements - 1);
		cr_expect(check_set(&session, 0).wrong == 1, "%s", table[p].name);
	}
	cr_assert(session_stop(&session) == 0);
}

Test(example, says_how_an_element_comes_about)
{
	size_t problems;
	const struct problem *table = problem_table(&problems);
	for (size_t p = 0; p < problems; p++) {
		if (table[p].file != NULL)
			continue;
		const struct example example = example_make(&table[p]);
		char line[EXAMPLE_TEXT], end[32];
		example_explain(&example, line);
		snprintf(end, sizeof end, " = %g", example.want[0]);
		const bool paths = table[p].algebra == ALGEBRA_SHORTEST_PATHS;
		cr_expect(paths ? strstr(line, " to ") != NULL
						: strcmp(line + strlen(line) - strlen(end), end) == 0,
				  "%s: %s", table[p].name, line);
		cr_expect(strlen(line) < EXAMPLE_TEXT - 1);
	}
	char line[EXAMPLE_TEXT];
	const struct example example = example_make(problem_find("gemm-f16"));
	example_explain(&example, line);
	cr_expect_str_eq(line, "C[0][0] = (5*(-2) + (-7)*4 + 8*4 + 8*(-5)) * 2 + (-1)*4 = -96");
}
