/* links: testcases base */
#include <criterion/criterion.h>
#include <math.h>

#include "testcases/case.h"

/* What the first twelve generated cases have, whatever the seed. */

#define COVERING 12
#define RAGGED 2
#define SEEDS 60

static const struct problem *problem_at(size_t index)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	return index < count ? &table[index] : NULL;
}

/* One of M, N and K of a problem, as far as the run allows it. */
struct dimension {
	const struct problem_size *row; /* NULL: the problem has it not */
	int high, usual, step;          /* most cases stay at or below `usual` */
};

static struct dimension dimension_of(const struct problem *problem, int which, int max_dim)
{
	const struct problem_size *row = problem_size_of(problem, case_dimensions[which]);
	struct dimension dimension = {.row = row, .step = 1};
	if (row == NULL)
		return dimension;
	dimension.high = max_dim < row->max ? max_dim : row->max;
	bool rare = problem->common > 0 && problem->common < dimension.high;
	dimension.usual = rare ? problem->common : dimension.high;
	if (row->multiple > 1)
		dimension.step = row->multiple;
	return dimension;
}

/* The largest power of two, 128 at most, that has `enough` multiples `off` away from a size; the
 * sizes of a dimension are multiples of its step. */
static int unit_of(const struct dimension *dimension, int off, int enough)
{
	int unit = 128, least = off == 0 ? dimension->step : 2 * dimension->step;
	for (; unit > least; unit /= 2) {
		int places = 0;
		for (int size = unit + off; size <= dimension->usual; size += unit)
			places += size >= dimension->row->min;
		if (places >= enough)
			break;
	}
	return unit;
}

enum want { MULTIPLE, ODD, ABOVE, BELOW, SMALLEST, LARGE, TWICE, BY_4, BY_8, BY_16 };

static bool is_odd_multiple(int size, int step)
{
	return size % step == 0 && size / step % 2 == 1;
}

static bool is_as_wanted(const struct dimension *dimension, enum want want, int size)
{
	int step = dimension->step;
	switch (want) {
	case MULTIPLE: return size % unit_of(dimension, 0, 1) == 0;
	case ODD: return is_odd_multiple(size, step);
	case ABOVE: return (size - step) % unit_of(dimension, step, 3) == 0;
	case BELOW: return (size + step) % unit_of(dimension, -step, 3) == 0;
	case SMALLEST: return size == dimension->row->min;
	case LARGE:
		return size >= dimension->usual - (dimension->usual - dimension->row->min) / 8 - step;
	case TWICE: return is_odd_multiple(size, 2) && size > 32;
	case BY_4: return is_odd_multiple(size, 4) && size > 32;
	case BY_8: return is_odd_multiple(size, 8) && size > 32;
	case BY_16: return is_odd_multiple(size, 16) && size > 32;
	}
	return false;
}

/* Of a size that stands for several, the first one's wish counts. */
static bool is_covering(const struct problem *problem, const struct test_case *test, int max_dim,
						const enum want wants[CASE_DIMENSIONS])
{
	const struct problem_size *first = problem_size_of(problem, SIZE_M);
	for (int i = 0; i < CASE_DIMENSIONS; i++) {
		struct dimension dimension = dimension_of(problem, i, max_dim);
		if (dimension.row == NULL || (i > 0 && dimension.row == first))
			continue;
		if (!is_as_wanted(&dimension, wants[i], test->shape.size[case_dimensions[i]]))
			return false;
	}
	return true;
}

static const struct {
	const char *what;
	enum want wants[CASE_DIMENSIONS], or_else[CASE_DIMENSIONS];
} rows[COVERING] = {
	{"all are multiples", {MULTIPLE, MULTIPLE, MULTIPLE}, {MULTIPLE, MULTIPLE, MULTIPLE}},
	{"M alone is one", {MULTIPLE, ODD, ODD}, {MULTIPLE, ODD, ODD}},
	{"N alone is one", {ODD, MULTIPLE, ODD}, {ODD, MULTIPLE, ODD}},
	{"K alone is one", {ODD, ODD, MULTIPLE}, {ODD, ODD, MULTIPLE}},
	{"all are just above", {ABOVE, ABOVE, ABOVE}, {ABOVE, ABOVE, ABOVE}},
	{"all are just below", {BELOW, BELOW, BELOW}, {BELOW, BELOW, BELOW}},
	{"one row or one column", {SMALLEST, LARGE, LARGE}, {LARGE, SMALLEST, LARGE}},
	{"K is the smallest", {LARGE, LARGE, SMALLEST}, {LARGE, LARGE, SMALLEST}},
	{"rows are an odd multiple of 2 long", {TWICE, TWICE, TWICE}, {TWICE, TWICE, TWICE}},
	{"rows are an odd multiple of 4 long", {BY_4, BY_4, BY_4}, {BY_4, BY_4, BY_4}},
	{"rows are an odd multiple of 8 long", {BY_8, BY_8, BY_8}, {BY_8, BY_8, BY_8}},
	{"rows are an odd multiple of 16 long", {BY_16, BY_16, BY_16}, {BY_16, BY_16, BY_16}},
};

/* Where a row of the table stands among the first cases; COVERING: nowhere. */
static size_t place_of(const struct problem *problem, uint64_t seed, int max_dim, size_t row)
{
	for (size_t i = 0; i < COVERING; i++) {
		struct test_case test = case_generate(problem, seed, i, CASE_SIZES_MIXED, max_dim, 1);
		if (is_covering(problem, &test, max_dim, rows[row].wants) ||
			is_covering(problem, &test, max_dim, rows[row].or_else))
			return i;
	}
	return COVERING;
}

Test(covering, twelve_cases_have_each_class_of_sizes)
{
	const int limits[] = {64, 130, 192, 4096};
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
			for (uint64_t seed = 0; seed < SEEDS; seed++)
				for (size_t row = 0; row < COVERING; row++)
					cr_expect(place_of(problem_at(p), seed, limits[l], row) < COVERING,
							  "%s, sizes to %d, seed %d: no case where %s", problem_at(p)->name,
							  limits[l], (int)seed, rows[row].what);
}

/* A group of 2 beside an odd multiple of it, and others where K has room for them. */
Test(covering, groups_differ)
{
	const struct problem *problem = problem_find("gemm-w4");
	size_t small = 0, large = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (size_t i = 0; i < COVERING; i++) {
			struct test_case test = case_generate(problem, seed, i, CASE_SIZES_MIXED, 192, 1);
			cr_expect_eq(test.shape.size[SIZE_K] % test.shape.size[SIZE_GROUP], 0);
			small += test.shape.size[SIZE_GROUP] == 2;
			large += test.shape.size[SIZE_GROUP] >= 16;
		}
	cr_expect(small > SEEDS && large > SEEDS, "%zu, %zu", small, large);
}

/* Nobody knows from a case's number which it is; four cases have an aligned one. */
Test(covering, the_seed_chooses_the_order)
{
	size_t aligned[COVERING] = {0}, above[COVERING] = {0}, row[COVERING] = {0};
	for (uint64_t seed = 0; seed < 200; seed++) {
		aligned[place_of(problem_find("sgemm"), seed, 4096, 0)]++;
		above[place_of(problem_find("sgemm"), seed, 4096, 4)]++;
		row[place_of(problem_find("sgemm"), seed, 4096, 6)]++;
	}
	cr_expect(aligned[2] > 50 && aligned[3] > 50 && aligned[2] + aligned[3] == 200);
	cr_expect(above[0] > 50 && above[1] > 50 && above[0] + above[1] == 200);
	for (size_t i = 4; i < 8; i++)
		cr_expect(row[i] > 5, "%zu: %zu", i, row[i]);
}

/* Multiples of no more than the run wants of all its sizes. */
static bool is_ragged(const struct problem_size *row, int multiple, int size)
{
	int step = row->multiple > 1 ? row->multiple : 1;
	while (step % multiple != 0)
		step += row->multiple > 1 ? row->multiple : 1;
	return is_odd_multiple(size, step);
}

/* Whatever the options: no size of theirs lets a tile, a grid or a vector be whole, and none can be
 * taken for another. A size that stands for several is one. */
Test(covering, the_first_two_are_ragged_and_their_sizes_differ)
{
	static const struct {
		int max_dim, multiple;
	} options[] = {{48, 1},  {21, 1},  {64, 1},    {192, 1},    {4096, 1},  {64, 2},
				   {192, 4}, {192, 8}, {1000, 24}, {1000, 100}, {100000, 8}};
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t o = 0; o < sizeof options / sizeof *options; o++)
			for (uint64_t seed = 0; seed < SEEDS * RAGGED; seed++) {
				const struct problem *problem = problem_at(p);
				struct test_case test =
					case_generate(problem, seed / RAGGED, seed % RAGGED, CASE_SIZES_MIXED,
								  options[o].max_dim, options[o].multiple);
				for (int i = 0; i < CASE_DIMENSIONS; i++) {
					const struct problem_size *row = problem_size_of(problem, case_dimensions[i]);
					int size = test.shape.size[case_dimensions[i]];
					cr_expect(row == NULL || is_ragged(row, options[o].multiple, size),
							  "%s --max-dim %d --multiple-of %d: %d", problem->name,
							  options[o].max_dim, options[o].multiple, size);
					for (int j = 0; j < i; j++) {
						const struct problem_size *other =
							problem_size_of(problem, case_dimensions[j]);
						bool apart = row != NULL && other != NULL && row != other;
						cr_expect(!apart || size != test.shape.size[case_dimensions[j]],
								  "%s --max-dim %d --multiple-of %d: %d twice", problem->name,
								  options[o].max_dim, options[o].multiple, size);
					}
				}
			}
}

/* In every operand rows begin at each alignment that its type can have, and are long enough for it
 * to matter. */
Test(covering, rows_have_each_alignment)
{
	const int limits[] = {48, 192, 4096};
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
			for (uint64_t seed = 0; seed < SEEDS; seed++)
				for (const struct operand *operand = problem_at(p)->operands; operand->name != NULL;
					 operand++) {
					const struct problem_size *row =
						problem_size_of(problem_at(p), operand->extent[EXTENTS_MAX - 1]);
					if (row == NULL || operand->grouped) /* a column; a share of K */
						continue;
					unsigned seen = 0, all = 0; /* of 1, 2, 4, 8 and 16 bytes, each a bit */
					unsigned step = row->multiple > 1 ? (unsigned)row->multiple : 1;
					for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
						if (bytes * 8 % (step * type_of(operand->type)->format.bits) == 0)
							all |= bytes;
					for (size_t i = 0; i < COVERING; i++) {
						struct test_case test =
							case_generate(problem_at(p), seed, i, CASE_SIZES_MIXED, limits[l], 1);
						uint64_t bits = operand_columns(operand, &test.shape) *
										type_of(operand->type)->format.bits;
						seen |= bits / 8 & -(bits / 8) & 0xF;
						seen |= bits / 8 % 16 == 0 ? 16 : 0;
					}
					cr_expect_eq(seen & all, all, "%s, %s, sizes to %d, seed %d: %x of %x",
								 problem_at(p)->name, operand->name, limits[l], (int)seed, seen,
								 all);
				}
}

/* What copies C onto itself, and what returns at once, is right with alpha 0 and beta 1. */
Test(covering, few_cases_go_without_the_product)
{
	for (size_t p = 0; problem_at(p) != NULL; p++) {
		const struct problem *problem = problem_at(p);
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			size_t none = 0;
			for (size_t i = 0; i < 24; i++) {
				struct test_case test = case_generate(problem, seed, i, CASE_SIZES_MIXED, 192, 1);
				none += !case_multiplies(&test);
				cr_expect(i >= COVERING - 2 || none == 0, "%s, seed %d: case %zu", problem->name,
						  (int)seed, i);
				cr_expect(2 * none <= i + 1);
				cr_expect(case_multiplies(&test) || !test.exact);
			}
			cr_expect_eq(none, problem_takes(problem, SCALAR_ALPHA) ? 2 : 0);
		}
		for (size_t none = 0, i = 0; i < 16; i++) {
			struct test_case test = case_generate_at(problem, &problem->large, 7, i);
			none += !case_multiplies(&test);
			cr_expect(2 * none <= i + 1, "%s", problem->name);
		}
	}
}

/* What the zero points of the products beyond K, in tiles of 16, are in the result: by how much it
 * is off where they are left out. */
static double padding_in_result(const struct test_case *test)
{
	const float *scalar = test->scalar;
	int pads = 15 - (test->shape.size[SIZE_K] - 1) % 16;
	return fabs((double)pads * (double)scalar[SCALAR_ZERO_LEFT] *
				(double)scalar[SCALAR_ZERO_RIGHT] * (double)scalar[SCALAR_SCALE_LEFT] *
				(double)scalar[SCALAR_SCALE_RIGHT] / (double)scalar[SCALAR_SCALE_RESULT]);
}

/* Tiles that are padded with 0, 1 or any length of less than 1e30, and with codes of 0. */
static bool shows_padding(const struct problem *problem, const struct test_case *test)
{
	if (test->shape.size[SIZE_K] % 8 != 1)
		return false;
	return problem->algebra == ALGEBRA_MIN_PLUS
			   ? test->values[0].low >= 1e30f && test->values[1].low >= 1e30f
			   : padding_in_result(test) > 1;
}

/* Whatever the seed, and also among four cases of a shape. */
Test(covering, padding_decides_in_one_case)
{
	static const char *const names[] = {"minplus-f32", "gemm-s8"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct problem *problem = problem_find(names[i]);
		struct shape shape = {{1, 48, 48, 49, 1}};
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			size_t shown = 0, of_shape = 0;
			for (size_t c = 0; c < RAGGED; c++) {
				struct test_case test = case_generate(problem, seed, c, CASE_SIZES_MIXED, 192, 1);
				shown += shows_padding(problem, &test);
			}
			for (size_t c = 0; c < 4; c++) {
				struct test_case test = case_generate_at(problem, &shape, seed, c);
				of_shape += shows_padding(problem, &test);
			}
			cr_expect(shown > 0 && of_shape > 0, "%s, seed %llu", names[i],
					  (unsigned long long)seed);
		}
	}
}
