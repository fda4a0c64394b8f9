#include "testcases/entry.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- solution() ------------------------------------------------------------------ */

bool entry_takes_solution(const struct problem *problem)
{
	return problem_scalars(problem) == 0;
}

/* A problem's table has its sizes in canonical order, which is Tensara's: the n-th size that is
 * asked for is the n-th of the table. */
bool entry_argument(const struct problem *problem, enum entry_order order, size_t index,
					struct argument *out)
{
	size_t before = 0;
	if (!problem_argument(problem, index, out))
		return false;
	if (order != ENTRY_TENSARA || out->kind != ARGUMENT_SIZE)
		return true;
	for (size_t i = 0; i < index; i++) {
		struct argument other;
		before += problem_argument(problem, i, &other) && other.kind == ARGUMENT_SIZE;
	}
	out->index = before;
	return true;
}

bool entry_has_orders(const struct problem *problem)
{
	struct argument one, other;
	for (size_t i = 0; entry_argument(problem, ENTRY_TENSARA, i, &one); i++)
		if (problem_argument(problem, i, &other) && one.index != other.index)
			return true;
	return false;
}

/* ---- names ----------------------------------------------------------------------- */

#define PARTS_MAX 16

/* A name that grows, and the types in it that a later one may refer to. */
struct mangling {
	char *name;
	size_t count;
	char parts[PARTS_MAX][32];
};

static void add(struct mangling *self, const char *text)
{
	size_t used = strlen(self->name);
	snprintf(self->name + used, ENTRY_NAME_TEXT - used, "%s", text);
}

/* A type as "PK6__half": itself, or what refers to where it was met before (S_, S0_, ...). */
static void add_type(struct mangling *self, const char *type)
{
	char letter[2] = {*type, '\0'}, reference[8];
	for (size_t i = 0; i < self->count; i++)
		if (strcmp(self->parts[i], type) == 0) {
			snprintf(reference, sizeof reference, i == 0 ? "S_" : "S%X_", (unsigned)i - 1);
			add(self, reference);
			return;
		}
	bool is_class = isdigit((unsigned char)*type) != 0;
	add(self, is_class ? type : letter);
	if (!is_class && type[1] != '\0') /* NOLINTNEXTLINE(misc-no-recursion): three letters deep */
		add_type(self, type + 1);
	if ((is_class || type[1] != '\0') && self->count < PARTS_MAX)
		snprintf(self->parts[self->count++], sizeof *self->parts, "%s", type);
}

void entry_mangle(const struct problem *problem, const char *function, unsigned constant, char size,
				  char out[ENTRY_NAME_TEXT])
{
	struct mangling self = {.name = out};
	struct argument argument;
	char type[32];
	snprintf(out, ENTRY_NAME_TEXT, "_Z%zu%s", strlen(function), function);
	for (size_t i = 0; problem_argument(problem, i, &argument); i++) {
		switch (argument.kind) {
		case ARGUMENT_OPERAND:
			snprintf(type, sizeof type, "P%s%s", (constant >> argument.index & 1) != 0 ? "K" : "",
					 type_of(problem->operands[argument.index].type)->mangled);
			break;
		case ARGUMENT_SIZE: snprintf(type, sizeof type, "%c", size); break;
		case ARGUMENT_SCALAR:
			snprintf(type, sizeof type, "%s",
					 problem->scalars[argument.index].is_integer ? "i" : "f");
			break;
		}
		add_type(&self, type);
	}
}

/* ---- solve.h --------------------------------------------------------------------- */

void entry_header(const struct problem *problem, char out[ENTRY_HEADER_TEXT])
{
	char prototype[PROTOTYPE_TEXT];
	size_t used = (size_t)snprintf(out, ENTRY_HEADER_TEXT, "#pragma once\n");
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		const char *include = type_of(operand->type)->include;
		if (include[0] != '\0') /* headers guard themselves */
			used +=
				(size_t)snprintf(out + used, ENTRY_HEADER_TEXT - used, "#include <%s>\n", include);
	}
	problem_prototype(problem, prototype);
	snprintf(out + used, ENTRY_HEADER_TEXT - used, "%s;\n", prototype);
}
