/* links: referee_core chain testcases base */
/* A chain that blocks of elements go through: what is said of them is what is said of elements that
 * go through it one by one, to the bit. A chain in two parts is always gone through so. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/paths.h"
#include "referee/check.h"
#include "testcases/values.h"

#define ROWS 21
#define COLUMNS 37
#define ELEMENTS (ROWS * COLUMNS)
#define DEPTH 96

/* Each ends with a stage that the test can compute: its values are those before it, or 0. */
static const char *const chains[] = {
	"relu,relu",
	"bias,relu",
	"gelu,relu",
	"alpha_beta,silu,relu",
	"bias_rows,leaky_relu:0.25,clamp:-1:2,relu",
	"residual,tanh,scale_cols,relu",
	"scale_rows,hardswish,sigmoid,relu",
	"relu_grad,gelu_erf,relu",
	"dropout:0.25:7,scale_blocks,bias,relu",
	"alpha_beta,bias,residual,gelu,scale_cols,relu",
};
#define CHAINS (sizeof chains / sizeof chains[0])

static const char *const problem_names[] = {"gemm-f16", "gemm-bf16", "sgemm"};
static const float betas[] = {0, 1, -0.75f};

struct trial {
	struct chain chain;
	struct chain_files files;
	struct test_case test;
	struct check_input input;
	const struct type *type;
	double product[ELEMENTS];
	float magnitude[ELEMENTS], squares[ELEMENTS];
	uint8_t out[ELEMENTS * 4], marks[ELEMENTS], marks_alone[ELEMENTS];
	struct carried carried[ELEMENTS];
	uint64_t random;
};

static double uniform(struct trial *trial)
{
	trial->random = trial->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(trial->random >> 11) * 0x1p-53;
}

static void begin(struct trial *trial, const char *problem, const char *text, float beta,
				  bool exact)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct error err = {{0}};
	struct check_input *input = &trial->input;
	*trial = (struct trial){.random = 3};
	cr_assert(paths_source(source, &err) && paths_join(folder, source, "epilogues", &err));
	cr_assert(chain_parse(text, folder, &trial->chain, &trial->files, &err), "%s", err.message);
	input->problem = problem_find(problem);
	const float scalars[SCALARS_MAX] = {1.5f, beta};
	struct shape shape = {{1, ROWS, COLUMNS, DEPTH, 1}};
	trial->test = case_of_shape(input->problem, &shape, scalars, 77);
	trial->test.exact = exact;
	trial->type = type_of(problem_part(input->problem, PART_RESULT)->type);
	for (size_t i = 0; i < ELEMENTS; i++) {
		double product = (uniform(trial) - 0.5) * 8;
		trial->product[i] = exact ? rint(product) : product;
		trial->magnitude[i] = (float)(fabs(product) + 4 * uniform(trial));
		trial->squares[i] = (float)(0.05 * uniform(trial));
	}
	input->test = &trial->test;
	input->seed = trial->test.seed;
	input->product = (struct device_product){.product_f64 = trial->product,
											 .magnitude = trial->magnitude,
											 .squares = trial->squares,
											 .unit_roundoff = 0x1p-24};
	input->out = trial->out;
	input->threads = 2;
	input->chain = &trial->chain;
	input->carried = trial->carried;
}

/* Values that no f32 code has for certain, or none at all. */
static void make_odd(struct trial *trial)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 3.4e38, -3.5e38, 1e300, -0.0, 1e-310};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		trial->product[97 * i] = odd[i];
		trial->magnitude[97 * i + 1] = i % 2 == 0 ? INFINITY : NAN;
	}
}

/* What the stages make of the first elements up to the last stage, by themselves. */
static struct check_summary check_part(struct trial *trial, uint32_t from, uint32_t to,
									   struct check_summary reply, uint8_t *marks)
{
	trial->input.from = from;
	trial->input.to = to;
	trial->input.marks = marks;
	check_outputs(&trial->input, &reply);
	return reply;
}

static void store_results(struct trial *trial, bool faulty)
{
	static const double faults[] = {NAN, INFINITY, -INFINITY, 300, 0};
	for (size_t i = 0; i < ELEMENTS; i++) {
		double x = trial->carried[i].x;
		x += 0.3 * (uniform(trial) - 0.5) * (double)trial->carried[i].error;
		x = x < 0 ? 0 : x;
		if (faulty && i % 113 == 5)
			x = faults[i / 113 % 5];
		values_store(&trial->type->format, trial->out, i,
					 values_from_double(&trial->type->format, x));
	}
}

static bool same(double x, double y)
{
	uint64_t a, b;
	memcpy(&a, &x, sizeof a);
	memcpy(&b, &y, sizeof b);
	return a == b;
}

static void expect_same(const struct trial *trial, const struct check_summary *a,
						const struct check_summary *b)
{
	const char *problem = trial->input.problem->name, *text = trial->files.text;
	cr_expect(a->wrong == b->wrong && a->untouched == b->untouched && a->suspect == b->suspect,
			  "%s %s: %llu, %llu", problem, text, (unsigned long long)a->wrong,
			  (unsigned long long)b->wrong);
	cr_expect(same(a->worst_ratio, b->worst_ratio), "%s %s: %a, %a", problem, text, a->worst_ratio,
			  b->worst_ratio);
	cr_expect(a->worst_row == b->worst_row && a->worst_column == b->worst_column, "%s %s", problem,
			  text);
	cr_expect(same(a->worst_error, b->worst_error), "%s %s", problem, text);
	cr_expect(same(a->rms_ratio, b->rms_ratio), "%s %s", problem, text);
	cr_expect(same(a->spread.squares, b->spread.squares), "%s %s", problem, text);
	cr_expect(same(a->spread.expected, b->spread.expected), "%s %s", problem, text);
	cr_expect(same(a->spread.fourth, b->spread.fourth), "%s %s", problem, text);
	cr_expect(memcmp(trial->marks, trial->marks_alone, ELEMENTS) == 0, "%s %s", problem, text);
	cr_assert(a->shown == b->shown);
	for (uint32_t i = 0; i < a->shown; i++)
		cr_expect(a->first[i].row == b->first[i].row && a->first[i].column == b->first[i].column &&
					  same(a->first[i].got, b->first[i].got) &&
					  same(a->first[i].want, b->first[i].want) &&
					  same(a->first[i].bound, b->first[i].bound),
				  "%s %s: element %u", problem, text, i);
}

static struct check_summary compare(struct trial *trial, bool faulty)
{
	uint32_t count = trial->chain.count;
	struct check_summary none = {0};
	check_part(trial, 0, count - 1, none, NULL);
	store_results(trial, faulty);
	struct check_summary whole = check_part(trial, 0, count, none, trial->marks);
	for (uint32_t split = 1; split < count; split++) {
		struct check_summary alone = check_part(trial, 0, split, none, NULL);
		alone = check_part(trial, split, count, alone, trial->marks_alone);
		expect_same(trial, &whole, &alone);
	}
	return whole;
}

Test(block_chain, values_go_through_stages_as_one_by_one)
{
	static struct trial trial;
	for (size_t p = 0; p < 3; p++)
		for (size_t c = 0; c < CHAINS; c++)
			for (size_t b = 0; b < 3; b++)
				for (int exact = 0; exact < 2; exact++) {
					begin(&trial, problem_names[p], chains[c], betas[b], exact != 0);
					struct check_summary found = compare(&trial, false);
					cr_expect(exact || found.wrong == 0, "%s %s: %llu", problem_names[p], chains[c],
							  (unsigned long long)found.wrong);
					cr_expect(compare(&trial, true).wrong >= 4, "%s %s", problem_names[p],
							  chains[c]);
				}
}

Test(block_chain, odd_values_go_through_stages_as_one_by_one)
{
	static struct trial trial;
	for (size_t p = 0; p < 3; p++)
		for (size_t c = 0; c < CHAINS; c++)
			for (int exact = 0; exact < 2; exact++) {
				begin(&trial, problem_names[p], chains[c], 0, exact != 0);
				make_odd(&trial);
				compare(&trial, false);
			}
}

Test(block_chain, a_flat_tolerance_is_kept_as_one_by_one)
{
	static struct trial trial;
	for (size_t c = 0; c < CHAINS; c++) {
		begin(&trial, "gemm-f16", chains[c], 1, false);
		trial.input.tolerance = (struct tolerance){.kind = TOLERANCE_FLAT, .atol = 1e-3};
		compare(&trial, false);
	}
}
