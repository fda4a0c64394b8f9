/* A problem of a file, for C++: what its reference is compiled with. */
#include <stdio.h>
#include <stdlib.h>

#include "testcases/problem_file.h"

/* ---- by name: struct problem<R> ------------------------------------------------------------ */

static void put_extents(FILE *out, const char *name, const struct operand_rules *shape)
{
	for (size_t i = 0; i < shape->rank; i++)
		fprintf(out, "\t\t%s.extent[%zu] = (size_t)(%s);\n", name, i, shape->text[i]);
}

static void put_struct(FILE *out, const struct problem *problem)
{
	const struct operand *operand;
	const struct step_rules *step;
	fprintf(out, "template <class R> struct problem {\n");
	for (size_t i = 0; problem->sizes[i].name != NULL; i++)
		fprintf(out, "\tint %s;\n", problem->sizes[i].name);
	for (size_t i = 0; problem->scalars[i].name != NULL; i++)
		fprintf(out, "\tfloat %s;\n", problem->scalars[i].name);
	for (operand = problem->operands; operand->name != NULL; operand++)
		if (operand->role == ROLE_INPUT)
			fprintf(out, "\toperand<R, %s, %zu> %s;\n", type_of(operand->type)->element,
					operand->rules->rank, operand->name);
	for (step = problem->rules->steps; step->name != NULL; step++)
		fprintf(out, "\tmatrix<R, %s, %zu> %s;\n", step->element, step->shape.rank, step->name);
	fprintf(out, "\n\tREFERENCE_CODE void shape()\n\t{\n"); /* in 64 bits, as the judge's are */
	for (size_t i = 0; problem->sizes[i].name != NULL; i++)
		fprintf(out, "\t\tconst long long %s = this->%s;\n\t\t(void)%s;\n", problem->sizes[i].name,
				problem->sizes[i].name, problem->sizes[i].name);
	for (operand = problem->operands; operand->name != NULL; operand++)
		if (operand->role == ROLE_INPUT)
			put_extents(out, operand->name, operand->rules);
	for (step = problem->rules->steps; step->name != NULL; step++) {
		put_extents(out, step->name, &step->shape);
		fprintf(out, "\t\t%s.blocked = %d;\n\t\t%s.in_order = %d;\n", step->name, step->blocked,
				step->name, step->in_order);
	}
	fprintf(out, "\t}\n};\n\n");
}

/* ---- lists, as macros ------------------------------------------------------------------------ */

static void put_inputs(FILE *out, const struct problem *problem)
{
	fprintf(out, "\n#define REFERENCE_INPUTS(X)");
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		enum size scaled = operand->rules->scaled;
		if (operand->role == ROLE_INPUT)
			fprintf(out, " X(%s, %s%s, %g)", operand->name, scaled != 0 ? "p." : "1",
					scaled != 0 ? problem->sizes[scaled - SIZE_NAMED].name : "",
					(double)operand->rules->zeros);
	}
}

/* The arguments of solve(), with the bounds that a runner gives in place of the output; with their
 * types, or as a call has them. */
static void put_arguments(FILE *out, const struct problem *problem, bool types)
{
	struct argument argument;
	fprintf(out, "\n#define REFERENCE_%s", types ? "PARAMETERS" : "ARGUMENTS");
	for (size_t i = 0; problem_argument(problem, i, &argument); i++) {
		const struct operand *operand = &problem->operands[argument.index];
		const char *element = type_of(operand->type)->element, *name = operand->name;
		fputs(i > 0 ? ", " : " ", out);
		if (argument.kind == ARGUMENT_SIZE)
			name = problem->sizes[argument.index].name;
		else if (argument.kind == ARGUMENT_SCALAR)
			name = problem->scalars[argument.index].name;
		if (types && argument.kind != ARGUMENT_OPERAND)
			fputs(argument.kind == ARGUMENT_SIZE ? "int " : "float ", out);
		else if (types && operand->role == ROLE_INPUT)
			fprintf(out, "const %s *", element);
		else if (types)
			fputs("reference::bound *", out);
		fputs(name, out);
	}
}

static void put_lists(FILE *out, const struct problem *problem)
{
	put_inputs(out, problem);
	fprintf(out, "\n#define REFERENCE_NUMBERS(X)");
	for (size_t i = 0; problem->sizes[i].name != NULL; i++)
		fprintf(out, " X(%s)", problem->sizes[i].name);
	for (size_t i = 0; problem->scalars[i].name != NULL; i++)
		fprintf(out, " X(%s)", problem->scalars[i].name);
	fprintf(out, "\n#define REFERENCE_STEPS(X)");
	for (const struct step_rules *step = problem->rules->steps; step->name != NULL; step++)
		fprintf(out, " X(%s)", step->name);
	fprintf(out, "\n#define REFERENCE_OUTPUT %s", problem_part(problem, PART_RESULT)->name);
	put_arguments(out, problem, true);
	put_arguments(out, problem, false);
}

char *problem_reference_header(const struct problem *problem)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "#pragma once\n\nnamespace reference\n{\n\n");
	put_struct(out, problem);
	/* Apart, so that a step may have a name that is one of ours. */
	fprintf(out, "namespace steps\n{\n#include \"%s\"\n} // namespace steps\n",
			problem->rules->reference);
	put_lists(out, problem);
	fprintf(out, "\n\n} // namespace reference\n");
	bool whole = ferror(out) == 0;
	if (fclose(out) == 0 && whole)
		return text;
	free(text);
	return NULL;
}
