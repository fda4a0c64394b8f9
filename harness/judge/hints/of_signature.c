/* Whether solve(), as the file's text has it, is what the problem calls. */
#include "judge/hints/hints.h"

#include <stdio.h>
#include <string.h>

#include "judge/hints/signature.h"
#include "process/protocol.h"

/* solve() of the file, and as the problem calls it. False: the file cannot be read, or has
 * several, of which the preprocessor takes one. */
static bool find_both(const struct hint_context *facts, struct signature *own,
					  struct signature *asked)
{
	char prototype[PROTOTYPE_TEXT];
	if (facts->problem == NULL || !signature_read(facts->source, "solve", own))
		return false;
	problem_prototype(facts->problem, prototype);
	signature_find(prototype, "solve", asked);
	return asked->found && own->definitions <= 1;
}

/* Both where the file's own is called. */
static bool find_called(const struct hint_context *facts, struct signature *own,
						struct signature *asked)
{
	return facts->judgement->was_run && facts->judgement->verdict != VERDICT_COMPILE_ERROR &&
		   find_both(facts, own, asked) && own->found && own->has_body;
}

/* ---- no solve() was found in the library ------------------------------------------------ */

static bool lacks_solve(const struct hint_context *facts)
{
	return facts->judgement->verdict == VERDICT_COMPILE_ERROR &&
		   strstr(facts->judgement->detail, RUN_NO_SOLVE_TEXT) != NULL;
}

static bool has_other_linkage(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	char prototype[PROTOTYPE_TEXT];
	if (!lacks_solve(facts) || !find_both(facts, &own, &asked) || !own.has_body)
		return false;
	problem_prototype(facts->problem, prototype);
	if (own.is_template)
		strbuf_setf(out, "solve() is a template: it has to be a function");
	else if (own.is_static)
		strbuf_setf(
			out, "solve() is static, or in a namespace without a name: nobody outside can call it");
	else if (!own.extern_c)
		strbuf_setf(
			out,
			"solve() has other parameters than the problem, or lies in a namespace, and has "
			"no extern \"C\": the file has to define %s",
			prototype);
	return out->length > 0;
}

/* The function that the file has in the place of solve(). */
static const char *find_instead(const char *file)
{
	struct signature own;
	if (signature_read(file, "solution", &own) && own.has_body)
		return "the file defines solution(), as on Tensara, and not solve(): it";
	if (signature_read(file, "main", &own) && own.has_body)
		return "the file is a program with a main() and without solve(): it";
	return "the file";
}

/* Behind which the sentence goes on: "has to define". */
static void find_meant(const char *file, const struct signature *asked, char out[128])
{
	char name[SIGNATURE_WORD];
	if (signature_read_nearest(file, "solve", asked, name) && strcmp(name, "solution") != 0 &&
		strcmp(name, "main") != 0)
		snprintf(out, 128, "did you mean solve() by %s()? the file", name);
	else
		snprintf(out, 128, "%s", find_instead(file));
}

static bool is_not_there(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	char prototype[PROTOTYPE_TEXT], meant[128];
	if (!lacks_solve(facts) || !find_both(facts, &own, &asked) || own.has_body)
		return false;
	problem_prototype(facts->problem, prototype);
	find_meant(facts->source, &asked, meant);
	strbuf_setf(out, "%s has to define %s", meant, prototype);
	return true;
}

/* ---- solve() is called with other arguments than it takes --------------------------------- */

static bool is_kernel(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	if (!find_called(facts, &own, &asked) || !own.is_kernel)
		return false;
	strbuf_setf(out, "solve() is a kernel: it has to be a function of the host that launches one");
	return true;
}

/* Default arguments are for C++ callers that see them. */
static bool has_defaults(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	if (!find_called(facts, &own, &asked) || !own.is_certain || asked.count >= own.count ||
		asked.count < own.count - own.defaults)
		return false;
	strbuf_setf(
		out,
		"solve() takes %zu arguments and is called with %zu, by its address: a default "
		"argument is not passed then, here nor on LeetGPU, and the parameter holds anything",
		own.count, asked.count);
	return true;
}

static bool has_other_count(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	char prototype[PROTOTYPE_TEXT];
	if (!find_called(facts, &own, &asked) || own.count == asked.count || !own.is_certain)
		return false;
	problem_prototype(facts->problem, prototype);
	strbuf_setf(out, "solve() takes %zu arguments and is called with %zu: %s", own.count,
				asked.count, prototype);
	return true;
}

/* "half *" */
static const char *show_type(const struct signature_parameter *parameter,
							 char out[SIGNATURE_WORD + 4])
{
	snprintf(out, SIGNATURE_WORD + 4, "%s%s", parameter->type, parameter->pointer ? " *" : "");
	return out;
}

static size_t common_count(const struct signature *own, const struct signature *asked)
{
	size_t count = own->count < asked->count ? own->count : asked->count;
	return count < SIGNATURE_PARAMETERS ? count : SIGNATURE_PARAMETERS;
}

static bool has_other_type(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	char type[SIGNATURE_WORD + 4], wanted[SIGNATURE_WORD + 4];
	if (!find_called(facts, &own, &asked) || own.count != asked.count)
		return false;
	for (size_t i = 0; i < common_count(&own, &asked); i++) {
		if (!signature_differs(&own.parameters[i], &asked.parameters[i]))
			continue;
		strbuf_setf(out, "parameter %zu of solve() is declared as %s, and what comes is %s, a %s",
					i + 1, show_type(&own.parameters[i], type), asked.parameters[i].name,
					show_type(&asked.parameters[i], wanted));
		return true;
	}
	return false;
}

/* The parameter of that name; the count of them: there is none. */
static size_t index_of(const struct signature *signature, const char *name)
{
	size_t count =
		signature->count < SIGNATURE_PARAMETERS ? signature->count : SIGNATURE_PARAMETERS;
	size_t i = 0;
	while (i < count && strcmp(signature->parameters[i].name, name) != 0)
		i++;
	return i;
}

/* Whether every parameter has a name of the problem's. */
static bool has_names_of(const struct signature *own, const struct signature *theirs)
{
	size_t i = 0, count = common_count(own, theirs);
	while (i < count && index_of(theirs, own->parameters[i].name) < count)
		i++;
	return i == count;
}

/* Whose parameters the file's are, by types and names, where they are not this problem's. */
static bool is_of_other_problem(const struct hint_context *facts, struct strbuf *out)
{
	enum { NAMED_MAX = 3 };
	struct signature own, asked, theirs;
	char prototype[PROTOTYPE_TEXT];
	size_t count, found = 0;
	const struct problem *table = problem_table(&count);
	if (facts->judgement->verdict == VERDICT_ACCEPTED || !find_both(facts, &own, &asked) ||
		!own.has_body || own.is_template || signature_fits(&own, &asked))
		return false;
	strbuf_setf(out, "solve() has the parameters of another problem: is it --problem ");
	for (size_t i = 0; i < count; i++) {
		problem_prototype(&table[i], prototype);
		signature_find(prototype, "solve", &theirs);
		if (signature_fits(&own, &theirs) && has_names_of(&own, &theirs))
			strbuf_addf(out, "%s%s", ++found > 1 ? " or " : "", table[i].name);
	}
	strbuf_add(out, "?");
	return found > 0 && found <= NAMED_MAX;
}

/* Whether every parameter has a name of the problem's, and some are at other places. */
static bool is_reordered(const struct signature *own, const struct signature *asked)
{
	bool any = false;
	for (size_t i = 0; i < common_count(own, asked); i++)
		any = any || index_of(asked, own->parameters[i].name) != i;
	return any && has_names_of(own, asked);
}

static const struct problem_size *size_named(const struct problem *problem, const char *name)
{
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

static const struct problem_scalar *scalar_named(const struct problem *problem, const char *name)
{
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

/* Its place in the table; the count of operands: there is none. */
static size_t operand_named(const struct problem *problem, const char *name)
{
	size_t i = 0;
	while (i < problem_operands(problem) && strcmp(problem->operands[i].name, name) != 0)
		i++;
	return i;
}

static int32_t value_of(const struct problem_size *row, const struct test_case *test)
{
	int size = 0;
	while ((row->is >> size & 1) == 0)
		size++;
	return test->shape.size[size];
}

static void set_size(const struct problem_size *row, int32_t value, struct test_case *test)
{
	for (int size = 0; size < SIZE_COUNT; size++)
		if ((row->is >> size & 1) != 0)
			test->shape.size[size] = value;
}

/* What solve() gets. */
struct arguments {
	struct test_case test; /* its sizes and scalars */
	struct arena arena;    /* its operands */
};

/* What is passed at the place of `asked` becomes what has the name `own`. False: they are of
 * different kinds. */
static bool pass_as(const struct problem *problem, const char *asked, const char *own,
					const struct arguments *was, struct arguments *now)
{
	const struct problem_size *size = size_named(problem, asked), *from = size_named(problem, own);
	const struct problem_scalar *scalar = scalar_named(problem, asked);
	const struct problem_scalar *from_scalar = scalar_named(problem, own);
	size_t operand = operand_named(problem, asked), from_operand = operand_named(problem, own);
	if (size != NULL && from != NULL)
		set_size(size, value_of(from, &was->test), &now->test);
	else if (scalar != NULL && from_scalar != NULL)
		now->test.scalar[scalar->is] = was->test.scalar[from_scalar->is];
	else if (operand < problem_operands(problem) && from_operand < problem_operands(problem))
		now->arena.buffers[operand] = was->arena.buffers[from_operand];
	else
		return false;
	return true;
}

bool hint_other_order(const struct hint_context *facts, struct test_case *test, struct arena *arena)
{
	struct signature own, asked;
	const struct arguments was = {*test, *arena};
	struct arguments now = was;
	if (facts->judgement->verdict == VERDICT_COMPILE_ERROR || !find_both(facts, &own, &asked) ||
		!own.has_body || own.count != asked.count || !is_reordered(&own, &asked))
		return false;
	for (size_t i = 0; i < common_count(&own, &asked); i++)
		if (!pass_as(facts->problem, asked.parameters[i].name, own.parameters[i].name, &was, &now))
			return false;
	*test = now.test;
	*arena = now.arena;
	return true;
}

static void say_names(const struct signature *signature, struct strbuf *out)
{
	for (size_t i = 0; i < signature->count && i < SIGNATURE_PARAMETERS; i++)
		strbuf_addf(out, "%s%s", i > 0 ? ", " : "", signature->parameters[i].name);
}

/* The names alone may be others than the problem's, and right: cases/repeat.h tries. */
static bool has_other_order(const struct hint_context *facts, struct strbuf *out)
{
	struct signature own, asked;
	if (!facts->judgement->order_proved || !find_called(facts, &own, &asked))
		return false;
	strbuf_setf(out, "solve() takes ");
	say_names(&own, out);
	strbuf_add(out, ", and what comes is ");
	say_names(&asked, out);
	strbuf_add(out, ", in this order; called in its own order it is right");
	return true;
}

const struct hint_row hints_of_signature[] = {
	{"other-linkage", HINT_CAUSE, has_other_linkage},
	{"not-there", HINT_CAUSE, is_not_there},
	{"is-kernel", HINT_CAUSE, is_kernel},
	{"defaults", HINT_NOTE, has_defaults},
	{"other-count", HINT_CAUSE, has_other_count},
	{"other-problem", HINT_CAUSE, is_of_other_problem},
	{"other-type", HINT_CAUSE, has_other_type},
	{"other-order", HINT_CAUSE, has_other_order},
	{0},
};
