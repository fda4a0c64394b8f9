/* Which cases fail: said where all wrong ones have something that no right one has. */
#include "judge/hints/sides.h"

#include <stdio.h>

/* ---- scalars --------------------------------------------------------------------------- */

static bool differs_from(const struct problem *problem, const struct test_case *test,
						 int32_t scalar)
{
	return problem_takes(problem, (enum scalar)scalar) &&
		   test->scalar[scalar] != scalar_neutral((enum scalar)scalar);
}

static bool is_neutral(const struct problem *problem, const struct test_case *test, int32_t scalar)
{
	return problem_takes(problem, (enum scalar)scalar) && !differs_from(problem, test, scalar);
}

static bool scalars(const struct hint_context *facts, struct strbuf *out)
{
	char what[96];
	for (const struct problem_scalar *row = facts->problem->scalars; row->name != NULL; row++) {
		bool differs = hint_parts(facts, differs_from, (int32_t)row->is);
		if (!differs && !hint_parts(facts, is_neutral, (int32_t)row->is))
			continue;
		snprintf(what, sizeof what, "%s %s %g", row->name, differs ? "other than" : "equal to",
				 (double)scalar_neutral(row->is));
		return hint_say_parts(facts, out, what);
	}
	return false;
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool is_batch(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	(void)number;
	return test->shape.size[SIZE_BATCH] > 1;
}

static bool only_batches(const struct hint_context *facts, struct strbuf *out)
{
	return hint_parts(facts, is_batch, 0) &&
		   hint_say_parts(facts, out, "more than one matrix in the batch");
}

/* ---- values -------------------------------------------------------------------------------- */

/* Of an input. */
static bool drawn_as(const struct problem *problem, const struct test_case *test,
					 int32_t distribution)
{
	for (size_t i = 0; i < problem_operands(problem); i++)
		if (problem->operands[i].role == ROLE_INPUT &&
			test->values[i].distribution == (enum distribution)distribution)
			return true;
	return false;
}

static bool values_of(const struct hint_context *facts, struct strbuf *out)
{
	static const struct {
		enum distribution distribution;
		const char *what;
	} rows[] = {
		{VALUES_SPECIAL, "a NaN or an infinity in an input (see that it reaches its own row or "
						 "column of the result, and nothing else)"},
		{VALUES_LARGE, "inputs so large that results overflow"},
		{VALUES_WIDE, "inputs of many magnitudes"},
		{VALUES_WIDE_LATE, "inputs whose last quarter is of many magnitudes"},
		{VALUES_WIDE_ROWS, "inputs with rows of many magnitudes"},
		{VALUES_BLOCKS, "inputs with blocks of zeros"},
		{VALUES_INTEGER, "inputs of small integers"},
		{VALUES_POSITIVE, "inputs of one sign"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (hint_parts(facts, drawn_as, (int32_t)rows[i].distribution))
			return hint_say_parts(facts, out, rows[i].what);
	return false;
}

static bool is_exact(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	(void)number;
	return test->exact;
}

static bool only_exact(const struct hint_context *facts, struct strbuf *out)
{
	return hint_parts(facts, is_exact, 0) &&
		   hint_say_parts(
			   facts, out,
			   "integers whose result has to be right to the bit: the others pass within the bound "
			   "of rounding");
}

/* ---- C that is not to be read ---------------------------------------------------------------- */

/* Cases with wrong elements that are made of what the result held: a NaN, or else mostly, and each
 * of what it held itself. */
static size_t cases_that_read(const struct hint_context *facts, bool nan)
{
	size_t result = problem_part_index(facts->problem, PART_RESULT), reads = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *row = &facts->judgement->cases[i];
		bool was_nan = row->test.values[result].distribution == VALUES_NAN;
		reads += row->checked && was_nan == nan &&
				 (nan ? row->check.read > 0 : row->check.mended > row->check.wrong / 2);
	}
	return reads;
}

/* Where beta is 0 a result is numbers, too, unless a suite says NaN: so it was not multiplied. */
static bool adds_to_result(const struct hint_context *facts, struct strbuf *out)
{
	const char *name = hint_operand(facts, PART_RESULT);
	if (cases_that_read(facts, false) == 0)
		return false;
	if (problem_takes(facts->problem, SCALAR_BETA)) {
		strbuf_setf(
			out,
			"where beta is 0, what %s held before the call is in the result: before sums are "
			"added to %s, multiply it by beta, or set it to 0 where beta is 0",
			name, name);
		return true;
	}
	strbuf_setf(
		out,
		"%s is read before it is written (+=, atomicAdd), and what it held before the call is in "
		"the result: store the sum in place of adding to %s, or set %s to 0 before anything is "
		"added (cudaMemsetAsync, where several blocks add to one element)",
		name, name, name);
	return true;
}

static bool reads_result(const struct hint_context *facts, struct strbuf *out)
{
	const char *name = hint_operand(facts, PART_RESULT);
	if (cases_that_read(facts, true) == 0)
		return false;
	strbuf_setf(
		out,
		"where beta is 0, %s may hold NaN, and 0 * NaN is NaN: add beta * %s only where beta "
		"is not 0",
		name, name);
	return true;
}

const struct hint_row hints_of_cases[] = {
	{"adds-to-result", HINT_CAUSE, adds_to_result},
	{"reads-result", HINT_CAUSE, reads_result},
	{"scalars", HINT_PLACE, scalars},
	{"batches", HINT_PLACE, only_batches},
	{"exact", HINT_PLACE, only_exact},
	{"values", HINT_PLACE, values_of},
	{0},
};
