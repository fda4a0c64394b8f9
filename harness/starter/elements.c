/* The starter of a problem of a file. */
#include <string.h>

#include "starter/starter_inside.h"
#include "testcases/problem_file.h"

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

/* "(size_t)M * N", the extents from `first` on. */
static void write_extents(const struct operand_rules *rules, size_t first, FILE *out)
{
	fputs("(size_t)", out);
	for (size_t i = first; i < rules->rank; i++) {
		bool sum = strpbrk(rules->text[i], "+-/%?") != NULL;
		fprintf(out, sum ? "%s(%s)" : "%s%s", i > first ? " * " : "", rules->text[i]);
	}
}

/* All but what an element is, which the problem's formula says in words. */
void starter_elements(const struct problem *problem, FILE *out)
{
	static const char *const indices[EXTENTS_MAX][EXTENTS_MAX] = {
		{"i"}, {"row", "column"}, {"i", "row", "column"}};
	const struct operand *result = problem_part(problem, PART_RESULT);
	const struct operand_rules *rules = result->rules;
	char prototype[PROTOTYPE_TEXT];
	fprintf(out,
			"constexpr int THREADS = 256; // of a block\n\n"
			"// Each thread computes one element of %s.\n",
			result->name);
	write_compute(problem, "static __global__ void compute(", true, out);
	fprintf(out,
			"{\n    size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;\n    size_t count = ");
	write_extents(rules, 0, out);
	fprintf(out, ";\n    if (at >= count)\n        return; // the last block sticks out\n");
	for (size_t i = 0; i < rules->rank; i++) {
		fprintf(out, "    [[maybe_unused]] size_t %s = at", indices[rules->rank - 1][i]);
		if (i + 1 < rules->rank) {
			fprintf(out, " / (");
			write_extents(rules, i + 1, out);
			fputc(')', out);
		}
		fprintf(out, i > 0 ? " %% (size_t)(%s);\n" : ";\n", rules->text[i]);
	}
	fprintf(out,
			"\n    // Yours: what this element is. It is 0 until then.\n"
			"    float value = 0.0f;\n    %s[at] = value;\n}\n\n",
			result->name);
	problem_prototype(problem, prototype);
	starter_code(out, prototype);
	fprintf(out, "{\n    size_t count = ");
	write_extents(rules, 0, out);
	fprintf(out, ";\n    unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);\n");
	write_compute(problem, "    compute<<<blocks, THREADS>>>(", false, out);
	fprintf(out, "}\n");
}
