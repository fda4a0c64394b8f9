/* Which cases fail: said where all wrong ones have something that no right one has. */
#include "judge/hints/claims.h"

#include <stdio.h>

/* Fewer on either side would be chance. */
#define CASES_LEAST 3

struct sides {
	size_t wrong, wrong_with, right, right_with;
};

static struct sides sides_of(const struct hint_facts *facts, hint_trait *has, int32_t number)
{
	struct sides sides = {0};
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		bool with = has(facts->problem, &result->test, number);
		sides.wrong += hint_case_wrong(result);
		sides.wrong_with += hint_case_wrong(result) && with;
		sides.right += hint_case_right(result);
		sides.right_with += hint_case_right(result) && with;
	}
	return sides;
}

/* Whether all wrong cases have it and no right one, and there are enough of each. Not said where
 * it is known how wrong elements are made. */
static bool parts(const struct hint_facts *facts, hint_trait *has, int32_t number)
{
	struct sides sides = sides_of(facts, has, number);
	hint_claims(facts, (struct hint_claim){.of_wrong = has, .number = number});
	return !hint_fault_known(facts) && sides.wrong >= CASES_LEAST && sides.right >= CASES_LEAST &&
		   sides.wrong_with == sides.wrong && sides.right_with == 0;
}

/* "all 5 failing cases have K odd, and none of the 7 accepted ones" */
static bool say(const struct hint_facts *facts, char out[HINT_TEXT], const char *what)
{
	struct sides sides = {0};
	for (size_t i = 0; i < facts->judgement->count; i++) {
		sides.wrong += hint_case_wrong(&facts->judgement->cases[i]);
		sides.right += hint_case_right(&facts->judgement->cases[i]);
	}
	snprintf(out, HINT_TEXT, "all %zu failing cases have %s, and none of the %zu accepted ones",
			 sides.wrong, what, sides.right);
	return true;
}

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

static bool scalars(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char what[96];
	for (const struct problem_scalar *row = facts->problem->scalars; row->name != NULL; row++) {
		bool differs = parts(facts, differs_from, (int32_t)row->is);
		if (!differs && !parts(facts, is_neutral, (int32_t)row->is))
			continue;
		snprintf(what, sizeof what, "%s %s %g", row->name, differs ? "other than" : "equal to",
				 (double)scalar_neutral(row->is));
		return say(facts, out, what);
	}
	return false;
}

/* ---- sizes ------------------------------------------------------------------------------- */

static bool m_ragged(const struct problem *problem, const struct test_case *test, int32_t tile)
{
	(void)problem;
	return test->shape.size[SIZE_M] % tile != 0;
}
static bool n_ragged(const struct problem *problem, const struct test_case *test, int32_t tile)
{
	(void)problem;
	return test->shape.size[SIZE_N] % tile != 0;
}
static bool k_ragged(const struct problem *problem, const struct test_case *test, int32_t tile)
{
	(void)problem;
	return test->shape.size[SIZE_K] % tile != 0;
}

static bool ragged(const struct hint_facts *facts, char out[HINT_TEXT])
{
	static const struct {
		hint_trait *has;
		enum size size;
	} rows[] = {{k_ragged, SIZE_K}, {n_ragged, SIZE_N}, {m_ragged, SIZE_M}};
	char what[96];
	for (int32_t tile = 2; tile <= 256; tile *= 2)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			if (!parts(facts, rows[i].has, tile))
				continue;
			const char *name = hint_size(facts, rows[i].size);
			if (tile == 2)
				snprintf(what, sizeof what, "an odd %s", name);
			else
				snprintf(what, sizeof what, "%s %s that is no multiple of %d",
						 name[0] == 'M' || name[0] == 'N' ? "an" : "a", name, tile);
			return say(facts, out, what);
		}
	return false;
}

/* Above the largest of all right cases. */
static bool large(const struct hint_facts *facts, char out[HINT_TEXT])
{
	static const enum size sizes[] = {SIZE_K, SIZE_N, SIZE_M};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		int32_t right_most = 0, wrong_least = INT32_MAX;
		size_t right = 0, wrong = 0;
		for (size_t i = 0; i < facts->judgement->count; i++) {
			const struct case_result *result = &facts->judgement->cases[i];
			int32_t size = result->test.shape.size[sizes[s]];
			right += hint_case_right(result);
			wrong += hint_case_wrong(result);
			if (hint_case_right(result) && size > right_most)
				right_most = size;
			if (hint_case_wrong(result) && size < wrong_least)
				wrong_least = size;
		}
		if (right < CASES_LEAST || wrong < CASES_LEAST || wrong_least <= right_most ||
			hint_fault_known(facts))
			continue;
		const char *name = hint_size(facts, sizes[s]);
		snprintf(out, HINT_TEXT,
				 "all %zu failing cases have %s at %d or above, and all %zu accepted ones at %d or "
				 "below",
				 wrong, name, wrong_least, right, right_most);
		return true;
	}
	return false;
}

static bool not_square(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	(void)number;
	const int32_t *size = test->shape.size;
	return size[SIZE_M] != size[SIZE_N] || size[SIZE_N] != size[SIZE_K];
}

static bool only_not_square(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char what[96];
	if (!parts(facts, not_square, 0))
		return false;
	snprintf(what, sizeof what, "a shape that is not square (%s, %s and %s are not all equal)",
			 hint_size(facts, SIZE_M), hint_size(facts, SIZE_N), hint_size(facts, SIZE_K));
	return say(facts, out, what);
}

static bool is_batch(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	(void)number;
	return test->shape.size[SIZE_BATCH] > 1;
}

static bool only_batches(const struct hint_facts *facts, char out[HINT_TEXT])
{
	return parts(facts, is_batch, 0) && say(facts, out, "more than one matrix in the batch");
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

static bool values_of(const struct hint_facts *facts, char out[HINT_TEXT])
{
	static const struct {
		enum distribution distribution;
		const char *what;
	} rows[] = {
		{VALUES_SPECIAL, "a NaN or an infinity in an input (see that it reaches its own row or "
						 "column of the result, and nothing else)"},
		{VALUES_LARGE, "inputs so large that results overflow"},
		{VALUES_WIDE, "inputs of many magnitudes"},
		{VALUES_INTEGER, "inputs of small integers"},
		{VALUES_POSITIVE, "inputs of one sign"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (parts(facts, drawn_as, (int32_t)rows[i].distribution))
			return say(facts, out, rows[i].what);
	return false;
}

static bool is_exact(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	(void)number;
	return test->exact;
}

static bool only_exact(const struct hint_facts *facts, char out[HINT_TEXT])
{
	return parts(facts, is_exact, 0) &&
		   say(facts, out,
			   "integers whose result has to be right to the bit: the others pass within the bound "
			   "of rounding");
}

/* ---- C that is not to be read ---------------------------------------------------------------- */

/* Cases with wrong elements that are made of what the result held: a NaN, or else mostly, and each
 * of what it held itself. */
static size_t cases_that_read(const struct hint_facts *facts, bool nan)
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
static bool adds_to_result(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const char *name = hint_operand(facts, PART_RESULT);
	if (cases_that_read(facts, false) == 0)
		return false;
	if (problem_takes(facts->problem, SCALAR_BETA)) {
		snprintf(out, HINT_TEXT,
				 "where beta is 0, what %s held before the call is in the result: before sums are "
				 "added to %s, multiply it by beta, or set it to 0 where beta is 0",
				 name, name);
		return true;
	}
	snprintf(
		out, HINT_TEXT,
		"%s is read before it is written (+=, atomicAdd), and what it held before the call is in "
		"the result: store the sum in place of adding to %s, or set %s to 0 before anything is "
		"added (cudaMemsetAsync, where several blocks add to one element)",
		name, name, name);
	return true;
}

static bool reads_result(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const char *name = hint_operand(facts, PART_RESULT);
	if (cases_that_read(facts, true) == 0)
		return false;
	snprintf(out, HINT_TEXT,
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
	{"ragged", HINT_PLACE, ragged},
	{"large", HINT_PLACE, large},
	{"not-square", HINT_PLACE, only_not_square},
	{"exact", HINT_PLACE, only_exact},
	{"values", HINT_PLACE, values_of},
	{0},
};
