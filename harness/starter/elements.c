/* The starter of a problem of a file. */
#include <string.h>

#include "starter/starter_inside.h"
#include "testcases/rules.h"

/* "static __global__ void compute(const float *x, int M)" of solve()'s arguments, or a call. */
static void write_compute(const struct problem *problem, const char *before, bool types, FILE *out)
{
	char prototype[PROTOTYPE_TEXT], code[2 * PROTOTYPE_TEXT];
	struct argument argument;
	size_t used = (size_t)snprintf(code, sizeof code, "%s", before);
	problem_prototype(problem, prototype);
	if (types)
		used += (size_t)snprintf(code + used, sizeof code - used, "%s", strchr(prototype, '(') + 1);
	for (size_t i = 0; !types && problem_argument(problem, i, &argument); i++)
		used += (size_t)snprintf(
			code + used, sizeof code - used, "%s%s", i > 0 ? ", " : "",
			argument.kind == ARGUMENT_OPERAND ? problem->operands[argument.index].name
			: argument.kind == ARGUMENT_SIZE  ? problem->sizes[argument.index].name
											  : problem->scalars[argument.index].name);
	snprintf(code + used, sizeof code - used, "%s", types ? "" : ");");
	starter_code(out, code);
}

/* How many elements there are, by an extent of the output a line. */
static void write_count(const struct operand_rules *rules, FILE *out)
{
	static const char *const names[EXTENTS_MAX] = {"", " * out_columns",
												   " * out_rows * out_columns"};
	static const char *const extents[] = {"out_layers", "out_rows", "out_columns"};
	const size_t rank = rules->rank < EXTENTS_MAX ? rules->rank : EXTENTS_MAX;
	if (rank == 0)
		return;
	for (size_t i = 0; i < rank; i++)
		fprintf(out, "    size_t %s = %s;\n", extents[EXTENTS_MAX - rank + i], rules->text[i]);
	fprintf(out, "    size_t count = %s%s;\n", extents[EXTENTS_MAX - rank], names[rank - 1]);
}

/* All but what an element is, which the problem's formula says in words. */
void starter_elements(const struct problem *problem, FILE *out)
{
	static const char *const indices[EXTENTS_MAX] = {
		"    [[maybe_unused]] size_t i = at;\n",
		"    [[maybe_unused]] size_t row = at / out_columns;\n"
		"    [[maybe_unused]] size_t column = at % out_columns;\n",
		"    [[maybe_unused]] size_t layer = at / out_columns / out_rows;\n"
		"    [[maybe_unused]] size_t row = at / out_columns % out_rows;\n"
		"    [[maybe_unused]] size_t column = at % out_columns;\n"};
	const struct operand *result = problem_part(problem, PART_RESULT);
	const struct operand_rules *rules = result->rules;
	char prototype[PROTOTYPE_TEXT];
	fprintf(out,
			"constexpr int THREADS = 256; // of a block\n\n"
			"// Each thread computes one element of %s.\n",
			result->name);
	write_compute(problem, "static __global__ void compute(", true, out);
	fputs("{\n", out);
	write_count(rules, out);
	fprintf(out,
			"    size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;\n"
			"    if (at >= count)\n        return; // the last block sticks out\n%s"
			"\n    // Yours: what this element is. It is 0 until then.\n"
			"    float value = 0.0f;\n    %s[at] = value;\n}\n\n",
			indices[rules->rank - 1], result->name);
	problem_prototype(problem, prototype);
	starter_code(out, prototype);
	fputs("{\n", out);
	write_count(rules, out);
	fprintf(out, "    unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);\n");
	write_compute(problem, "    compute<<<blocks, THREADS>>>(", false, out);
	fprintf(out, "}\n");
}
