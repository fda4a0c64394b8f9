/* links: referee_core testcases base */
/* Elements that are compared by the hundred: what is said of them is what check_one() says of each,
 * to the bit, whatever their types and scalars, and wherever a wrong one or none that is ordinary
 * lies. The numbers that are drawn by the hundred are those of values_block(). */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "process/buffers.h"
#include "referee/block.h"
#include "testcases/values.h"

#define ROWS 21
#define COLUMNS 37 /* blocks end anywhere in a row, and the last one is not full */
#define ELEMENTS (ROWS * COLUMNS)
#define DEPTH 96

static const char *const problem_names[] = {"gemm-f16", "gemm-bf16", "sgemm", "gemm-w4",
											"minplus-f32"};
#define PROBLEMS (sizeof problem_names / sizeof problem_names[0])

/* A comparison's input, of made-up products. */
struct made {
	const struct type *type; /* of the result */
	struct test_case test;
	struct check_input input;
	struct values before; /* the result before the call */
	double product[ELEMENTS];
	float product_f32[ELEMENTS], magnitude[ELEMENTS], squares[ELEMENTS], rest[ELEMENTS];
	uint8_t out[ELEMENTS * 4], marks[ELEMENTS];
	uint64_t random;
};

/* Uniform in [0, 1). */
static double uniform(struct made *made)
{
	made->random = made->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(made->random >> 11) * 0x1p-53;
}

static void store(struct made *made, size_t i, double x)
{
	values_store(&made->type->format, made->out, i, values_from_double(&made->type->format, x));
}

/* Products of the size that sums of DEPTH numbers have; results that are right, or nearly. */
static void make_elements(struct made *made)
{
	const float *scalar = made->test.scalar;
	bool minima = made->input.problem->algebra == ALGEBRA_MIN_PLUS; /* exact, too */
	bool whole = made->test.exact || minima;
	for (size_t i = 0; i < ELEMENTS; i++) {
		double size = whole ? 8 : ldexp(1, (int)(uniform(made) * 12) - 6);
		double product = (uniform(made) - 0.5) * size;
		made->product_f32[i] = (float)(whole ? rint(product) : product);
		made->product[i] = (double)made->product_f32[i] + (whole ? 0 : product * 0x1p-30);
		made->magnitude[i] = (float)(fabs(product) + size * uniform(made) * 8);
		made->squares[i] = made->magnitude[i] * made->magnitude[i] * (float)uniform(made) / DEPTH;
		made->rest[i] = (float)((uniform(made) - 0.5) * size * 0x1p-12);
		double c = scalar[SCALAR_BETA] != 0 ? values_number_at(&made->before, i) : 0;
		double x =
			(double)scalar[SCALAR_ALPHA] * made->product[i] + (double)scalar[SCALAR_BETA] * c;
		double off = whole ? 0 : (uniform(made) - 0.5) * (double)made->magnitude[i] * 0x1p-22;
		store(made, i, x + off);
	}
}

static void make(struct made *made, const char *problem, float alpha, float beta,
				 struct value_spec c, bool exact)
{
	struct check_input *input = &made->input;
	const float scalars[SCALARS_MAX] = {alpha, beta};
	*made = (struct made){.random = 7};
	input->problem = problem_find(problem);
	size_t result = problem_part_index(input->problem, PART_RESULT);
	made->type = type_of(input->problem->operands[result].type);
	struct shape shape = {{1, ROWS, COLUMNS, DEPTH, 1}};
	made->test = case_of_shape(input->problem, &shape, NULL, 5);
	for (size_t i = 0; i < 2 && problem_takes(input->problem, SCALAR_BETA); i++)
		made->test.scalar[i == 0 ? SCALAR_ALPHA : SCALAR_BETA] = scalars[i];
	made->test.exact = exact;
	if (made->test.scalar[SCALAR_BETA] != 0)
		made->test.values[result] = c;
	input->test = &made->test;
	input->seed = made->test.seed;
	made->before = values_of_operand(input->problem, &made->test, input->seed, result);
	make_elements(made);
	input->out = made->out;
	input->marks = made->marks;
	input->threads = 2;
	input->product = (struct device_product){.product_f64 = made->product,
											 .magnitude = made->magnitude,
											 .squares = made->squares,
											 .unit_roundoff = 0x1p-53};
	if (strcmp(problem, "gemm-w4") == 0)
		input->product.rest = made->rest;
	if (strcmp(problem, "minplus-f32") == 0)
		input->product = (struct device_product){.product_f32 = made->product_f32};
}

/* What check_one() says of the elements, one after the other. */
struct expected {
	struct check_summary summary;
	uint8_t marks[ELEMENTS];
	bool any;
};

static struct check_element element_of(const struct made *made, size_t i)
{
	const struct device_product *product = &made->input.product;
	const struct number_format *format = &made->type->format;
	return (struct check_element){
		.out = values_to_double(format, values_load(format, made->out, i)),
		.product = product->product_f64 != NULL ? product->product_f64[i]
												: (double)product->product_f32[i],
		.magnitude = product->magnitude != NULL ? (double)product->magnitude[i] : 0,
		.rest = product->rest != NULL ? (double)product->rest[i] : 0,
		.squares = product->squares != NULL ? (double)product->squares[i] : 0,
		.c = made->test.scalar[SCALAR_BETA] != 0 ? values_number_at(&made->before, i) : 0,
	};
}

static void expect_wrong(struct expected *expected, const struct made *made, size_t i, double out,
						 const struct check_finding *finding)
{
	struct check_summary *summary = &expected->summary;
	bool held = values_at(&made->before, i) == values_load(&made->type->format, made->out, i);
	expected->marks[i] = CHECK_WRONG | (held ? CHECK_UNWRITTEN : 0);
	summary->untouched += held;
	if (summary->wrong++ < CHECK_SHOWN)
		summary->first[summary->shown++] =
			(struct wrong_element){.row = (int32_t)(i / COLUMNS),
								   .column = (int32_t)(i % COLUMNS),
								   .unwritten = held,
								   .got = isnan(out) ? (double)NAN : out,
								   .want = finding->want,
								   .bound = finding->bound};
}

static void expect(struct expected *expected, const struct made *made)
{
	struct check_summary *summary = &expected->summary;
	struct check_rule rule = check_rule_of(&made->input);
	struct check_spread lanes[BLOCK_LANES] = {{0}};
	*expected = (struct expected){.any = false};
	for (size_t i = 0; i < ELEMENTS; i++) {
		struct check_element element = element_of(made, i);
		struct check_finding finding = check_one(&rule, &element);
		check_spread_add(&lanes[i % BLOCK_ELEMENTS % BLOCK_LANES], made->type, &finding);
		if (finding.error > summary->worst_error)
			summary->worst_error = finding.error;
		if (!expected->any || finding.ratio > summary->worst_ratio) {
			expected->any = true;
			summary->worst_ratio = finding.ratio;
			summary->worst_row = (int32_t)(i / COLUMNS);
			summary->worst_column = (int32_t)(i % COLUMNS);
		}
		if (!(finding.ratio <= 1))
			expect_wrong(expected, made, i, element.out, &finding);
	}
	for (size_t lane = 0; lane < BLOCK_LANES; lane++) {
		summary->spread.squares += lanes[lane].squares;
		summary->spread.expected += lanes[lane].expected;
		summary->spread.fourth += lanes[lane].fourth;
	}
	summary->rms_ratio = check_spread_ratio(&summary->spread);
}

static bool same(double x, double y)
{
	uint64_t a, b;
	memcpy(&a, &x, sizeof a);
	memcpy(&b, &y, sizeof b);
	return a == b;
}

/* Compares all that was found with what is found one by one. */
static struct check_summary compare(struct made *made, const char *what)
{
	struct expected expected;
	struct check_summary found = {0}, *want = &expected.summary;
	expect(&expected, made);
	memset(made->marks, 0xFF, sizeof made->marks);
	check_outputs(&made->input, &found);
	const char *problem = made->input.problem->name;
	cr_assert(found.elements == ELEMENTS);
	cr_expect(found.wrong == want->wrong && found.untouched == want->untouched, "%s %s: %llu, %llu",
			  problem, what, (unsigned long long)found.wrong, (unsigned long long)want->wrong);
	cr_expect(same(found.worst_ratio, want->worst_ratio), "%s %s", problem, what);
	cr_expect(found.worst_row == want->worst_row && found.worst_column == want->worst_column,
			  "%s %s: %d %d", problem, what, found.worst_row, found.worst_column);
	cr_expect(same(found.worst_error, want->worst_error), "%s %s", problem, what);
	cr_expect(same(found.spread.squares, want->spread.squares), "%s %s", problem, what);
	cr_expect(same(found.spread.expected, want->spread.expected), "%s %s", problem, what);
	cr_expect(same(found.spread.fourth, want->spread.fourth), "%s %s", problem, what);
	cr_expect(same(found.rms_ratio, want->rms_ratio), "%s %s", problem, what);
	cr_expect(memcmp(made->marks, expected.marks, sizeof expected.marks) == 0, "%s %s", problem,
			  what);
	cr_assert(found.shown == want->shown, "%s %s", problem, what);
	for (uint32_t i = 0; i < found.shown; i++) {
		const struct wrong_element *a = &found.first[i], *b = &want->first[i];
		cr_expect(a->row == b->row && a->column == b->column && a->unwritten == b->unwritten &&
					  same(a->got, b->got) && same(a->want, b->want) && same(a->bound, b->bound),
				  "%s %s: element %u", problem, what, i);
	}
	return found;
}

static const float factors[][2] = {{1, 0}, {0.5f, 0}, {1, 1}, {-1.75f, 0.25f}, {0, 1}, {0, 0}};
#define FACTORS (sizeof factors / sizeof factors[0])

static const struct value_spec specs[] = {
	{VALUES_UNIFORM, 2, 0, 0},    {VALUES_NORMAL, 1, 0, 0},        {VALUES_INTEGER, 5, 0, 0},
	{VALUES_INTEGER, 0.3f, 0, 0}, {VALUES_WIDE, 24, 0, 0},         {VALUES_POSITIVE, 3, 0, 0},
	{VALUES_POSITIVE, 3, 1, 0},   {VALUES_WIDE_ROWS, 10, 0, 0},    {VALUES_BLOCKS, 1, 0, 0},
	{VALUES_NAN, 0, 0, 0},        {VALUES_SPECIAL, 1, 0, 0},       {VALUES_ZERO, 0, 0, 0},
	{VALUES_LARGE, 60000, 0, 0},  {VALUES_SIGNED, 0.1f, 0.01f, 0}, {VALUES_INTEGER, 70000, 0, 0},
};
#define SPECS (sizeof specs / sizeof specs[0])

Test(block, plain_results_are_compared_as_one_by_one)
{
	static struct made made;
	for (size_t p = 0; p < PROBLEMS; p++)
		for (size_t f = 0; f < FACTORS; f++)
			for (int exact = 0; exact < 2; exact++) {
				make(&made, problem_names[p], factors[f][0], factors[f][1], specs[exact ? 2 : 0],
					 exact != 0);
				struct check_summary found = compare(&made, exact ? "exact" : "rounded");
				if (f == 0)
					cr_expect(found.wrong == 0, "%s: %llu", problem_names[p],
							  (unsigned long long)found.wrong);
			}
}

Test(block, any_values_of_c_are_drawn_as_one_by_one)
{
	static struct made made;
	for (size_t p = 0; p < 3; p++)
		for (size_t s = 0; s < SPECS; s++) {
			make(&made, problem_names[p], 1, 0.5f, specs[s], false);
			compare(&made, distribution_name(specs[s].distribution));
		}
}

Test(block, a_flat_tolerance_is_compared_as_one_by_one)
{
	static struct made made;
	for (size_t f = 0; f < FACTORS; f++) {
		make(&made, "gemm-f16", factors[f][0], factors[f][1], specs[0], false);
		made.input.tolerance =
			(struct tolerance){.kind = TOLERANCE_FLAT, .atol = 1e-3, .rtol = 1e-3};
		compare(&made, "flat");
		made.input.tolerance = (struct tolerance){.kind = TOLERANCE_FLAT};
		cr_expect(compare(&made, "no tolerance").wrong > 0);
	}
}

/* What a result may hold in one place, of all elements that are right. */
static const struct {
	const char *name;
	double out;
	bool wrong;
} oddities[] = {{"NaN", NAN, true},  {"infinite", INFINITY, true}, {"far off", 60000, true},
				{"zero", 0, true},   {"none", 0, false},           {"-infinite", -INFINITY, true},
				{"held", NAN, true}, {"least", 0x1p-149, true}};
#define ODDITIES (sizeof oddities / sizeof oddities[0])

static const size_t places[] = {0, 1, 127, 128, 255, 256, 400, 640, 768, ELEMENTS - 1};
#define PLACES (sizeof places / sizeof places[0])

Test(block, an_odd_element_is_found_wherever_it_lies)
{
	static struct made made;
	for (size_t p = 0; p < 3; p++)
		for (size_t f = 0; f < 4; f++)
			for (size_t place = 0; place < PLACES; place++)
				for (size_t o = 0; o < ODDITIES; o++) {
					size_t i = places[place];
					make(&made, problem_names[p], factors[f][0], factors[f][1], specs[0], false);
					made.product[i] = 3; /* a zero is wrong */
					made.magnitude[i] = 4;
					store(&made, i, factors[f][0] * 3);
					if (factors[f][1] != 0)
						store(&made, i,
							  (double)factors[f][0] * 3 +
								  (double)factors[f][1] * values_number_at(&made.before, i));
					if (strcmp(oddities[o].name, "held") == 0)
						values_store(&made.type->format, made.out, i, values_at(&made.before, i));
					else if (oddities[o].wrong)
						store(&made, i, oddities[o].out);
					struct check_summary found = compare(&made, oddities[o].name);
					cr_expect(found.wrong == oddities[o].wrong, "%s at %zu: %llu", oddities[o].name,
							  i, (unsigned long long)found.wrong);
				}
}

/* What references may hold: where no number is right, where any of two is, and where sums are not
 * known. */
Test(block, odd_references_are_compared_as_one_by_one)
{
	static const double products[] = {NAN,      INFINITY, -INFINITY, 0,       -0.0,
									  0x1p-149, 0x1p-24,  65504,     65519.9, 65520.5,
									  65520,    70000,    3.3e38,    1e39,    1e300};
	static struct made made;
	for (size_t p = 0; p < 3; p++)
		for (size_t f = 0; f < FACTORS; f++)
			for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
				make(&made, problem_names[p], factors[f][0], factors[f][1], specs[0], i % 2 == 0);
				for (size_t place = 0; place < PLACES; place++) {
					made.product[places[place]] = products[i];
					made.magnitude[places[place]] = place % 3 == 0   ? INFINITY
													: place % 3 == 1 ? (float)products[i]
																	 : 0;
					made.squares[places[place]] = place % 2 == 0 ? INFINITY : 0;
					double out = factors[f][0] * products[i]; /* rounded, or the largest */
					store(&made, places[place], place < 4 ? fmin(out, made.type->largest) : out);
				}
				compare(&made, "reference");
			}
}

Test(block, all_wrong_is_wrong_one_by_one)
{
	static struct made made;
	for (size_t p = 0; p < PROBLEMS; p++) {
		make(&made, problem_names[p], 1, 0, specs[0], false);
		for (size_t i = 0; i < ELEMENTS; i++)
			values_store(&made.type->format, made.out, i, values_at(&made.before, i));
		struct check_summary found = compare(&made, "never written");
		cr_expect(found.wrong == ELEMENTS && found.untouched == ELEMENTS, "%s", problem_names[p]);
	}
}

/* ---- what a block is made of -------------------------------------------------------- */

static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_E4M3};

/* Two bits of significand: many numbers are rounded to the largest one, or beyond it. */
static const struct number_format narrow = {.bits = 8,
											.precision = 3,
											.smallest_exponent = -14,
											.sign = 0x80,
											.overflow = 0x7C,
											.infinity = 0x7C,
											.nan = 0x7E,
											.nan_first = 0x7D};

static void expect_drawn(const struct block_functions *functions)
{
	for (size_t t = 0; t < 5; t++)
		for (size_t s = 0; s < SPECS; s++)
			for (uint32_t flip = 0; flip < 2; flip++) {
				struct number_format format = t < 4 ? type_of(types[t])->format : narrow;
				struct values values = {format, specs[s], 11, 2, 64, 4096, flip};
				double drawn[BLOCK_ELEMENTS];
				functions->draw(&values, 512, 101, drawn);
				for (uint32_t i = 0; i < 101; i++)
					cr_assert(same(drawn[i], values_number_at(&values, 512 + i)),
							  "format %zu, %s: %u: %a", t, distribution_name(specs[s].distribution),
							  i, drawn[i]);
			}
}

/* All of 16 and 8 bits, and of 32 those that 16 begin. */
static void expect_loaded(const struct block_functions *functions)
{
	static uint8_t bytes[(1 << 16) * 4];
	for (size_t t = 0; t < 4; t++) {
		const struct number_format *format = &type_of(types[t])->format;
		for (uint32_t i = 0; i < 1 << 16; i++)
			values_store(format, bytes, i, format->bits == 32 ? i << 16 | i : i);
		for (uint32_t first = 0; first < 1 << 16; first += BLOCK_ELEMENTS) {
			double loaded[BLOCK_ELEMENTS];
			functions->load(format, bytes, first, BLOCK_ELEMENTS, loaded);
			for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++) {
				double want = values_to_double(format, values_load(format, bytes, first + i));
				cr_assert(same(loaded[i], want) || (isnan(want) && isnan(loaded[i])), "%s: %x: %a",
						  type_of(types[t])->name, first + i, loaded[i]);
			}
		}
	}
}

/* All members of a block, of what is ordinary. */
static void expect_found(const struct block_functions *functions, const struct made *made)
{
	struct check_rule rule = check_rule_of(&made->input);
	struct block block;
	struct block_spread spread;
	memset(&block, 0, sizeof block);
	memset(&spread, 0, sizeof spread);
	for (size_t i = 0; i < BLOCK_ELEMENTS - 5; i++) {
		struct check_element element = element_of(made, i);
		block.out[i] = element.out;
		block.product[i] = element.product;
		block.magnitude[i] = element.magnitude;
		block.rest[i] = element.rest;
		block.squares[i] = element.squares;
		block.c[i] = element.c;
	}
	cr_assert(functions->find(&rule, &block, &spread).right);
	for (size_t i = 0; i < BLOCK_ELEMENTS - 5; i++) {
		struct check_element element = element_of(made, i);
		struct check_finding finding = check_one(&rule, &element);
		cr_assert(same(block.ratio[i], finding.ratio) && same(block.error[i], finding.error) &&
					  same(block.want[i], finding.want) && same(block.bound[i], finding.bound) &&
					  same(block.excess[i], finding.excess) &&
					  same(block.deviation[i], finding.deviation),
				  "%s: %zu: %a, %a", made->input.problem->name, i, block.ratio[i], finding.ratio);
	}
}

Test(block, all_levels_of_a_machine_give_the_same_bits)
{
	static struct made made;
	const struct block_functions *functions;
	for (uint32_t level = 0; (functions = block_functions_at(level)) != NULL; level++) {
		expect_drawn(functions);
		expect_loaded(functions);
		for (size_t p = 0; p < PROBLEMS; p++)
			for (size_t f = 0; f < 4; f++)
				for (int exact = 0; exact < 2; exact++) {
					make(&made, problem_names[p], factors[f][0], factors[f][1],
						 specs[exact ? 2 : 0], exact != 0);
					expect_found(functions, &made);
				}
	}
	cr_expect(block_functions_at(0) != NULL && block_functions_at(3) == NULL);
}
