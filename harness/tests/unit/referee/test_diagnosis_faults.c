/* links: referee_core testcases base */
/* Faults that are told from wrong elements, of results that solutions with known faults leave. */
#include "diagnosis_fixture.h"

/* ---- solutions ------------------------------------------------------------------- */

static double right(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, 0, play->k) + beta_of(play) * c;
}

static double whole_tiles_of_k(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, 0, play->k / 16 * 16) + beta_of(play) * c;
}

static double no_first(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, 1, play->k) + beta_of(play) * c;
}

static double no_alpha(const struct play *play, int b, int i, int j, double c)
{
	return product(play, b, i, j, 0, play->k) + beta_of(play) * c;
}

static double no_beta(const struct play *play, int b, int i, int j, double c)
{
	(void)c;
	return alpha_of(play) * product(play, b, i, j, 0, play->k);
}

static double beta_one(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, 0, play->k) + c;
}

static double factors_exchanged(const struct play *play, int b, int i, int j, double c)
{
	return beta_of(play) * product(play, b, i, j, 0, play->k) + alpha_of(play) * c;
}

static double alpha_on_all(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * (product(play, b, i, j, 0, play->k) + beta_of(play) * c);
}

/* A stored as K x M. */
static double left_transposed(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	for (int k = 0; k < play->k; k++)
		sum += play->left[b * play->m * play->k + k * play->m + i] *
			   play->right[b * play->k * play->n + k * play->n + j];
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double right_transposed(const struct play *play, int b, int i, int j, double c)
{
	const struct operand *operand = problem_part(play->problem, PART_RIGHT);
	double sum = 0;
	for (int k = 0; k < play->k; k++) {
		int at = operand->transposed ? k * play->n + j : j * play->k + k;
		sum +=
			play->left[(b * play->m + i) * play->k + k] * play->right[b * play->k * play->n + at];
	}
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* Element (i, j) of what is stored is element `at` of the transpose. */
static double result_transposed(const struct play *play, int b, int i, int j, double c)
{
	int at = i * play->n + j;
	return alpha_of(play) * product(play, b, at % play->m, at / play->m, 0, play->k) +
		   beta_of(play) * c;
}

static double all_transposed(const struct play *play, int b, int i, int j, double c)
{
	int at = i * play->n + j, row = at % play->m, column = at / play->m;
	double sum = 0;
	(void)b;
	for (int k = 0; k < play->k; k++)
		sum += play->left[k * play->m + row] * play->right[column * play->k + k];
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double exchanged(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < play->k; k++)
		sum += play->right[i * play->k + k] * play->left[k * play->n + j];
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double first_left(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	for (int k = 0; k < play->k; k++)
		sum += play->left[i * play->k + k] * play->right[(b * play->k + k) * play->n + j];
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double first_right(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	for (int k = 0; k < play->k; k++)
		sum += play->left[(b * play->m + i) * play->k + k] * play->right[k * play->n + j];
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* Rows of A as long as those of B. */
static double left_rows(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < play->k; k++)
		sum += play->left[i * play->n + k] * play->right[k * play->n + j];
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* Rows of B (as it is stored) as long as those of A. */
static double right_rows(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < play->k; k++)
		sum += play->left[i * play->k + k] * play->right[k * play->k + j];
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double narrowed(const struct play *play, int i, int j, enum dtype type)
{
	double sum = 0;
	for (int k = 0; k < play->k; k++)
		sum += through(type, play->left[i * play->k + k]) *
			   through(type, play->right[k * play->n + j]);
	return alpha_of(play) * sum;
}

static double bf16_inputs(const struct play *play, int b, int i, int j, double c)
{
	(void)b;
	return narrowed(play, i, j, DTYPE_BF16) + beta_of(play) * c;
}

static double bf16_weights(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b, (void)c;
	for (int k = 0; k < play->k; k++)
		sum += play->left[i * play->k + k] * through(DTYPE_BF16, play->right[j * play->k + k]);
	return sum;
}

static double f16_inputs(const struct play *play, int b, int i, int j, double c)
{
	(void)b;
	return narrowed(play, i, j, DTYPE_F16) + beta_of(play) * c;
}

static double last_tile(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, play->k / 16 * 16, play->k) + beta_of(play) * c;
}

static double added(const struct play *play, int b, int i, int j, double c)
{
	return right(play, b, i, j, c) + c;
}

static double beta_of_parts(const struct play *play, int b, int i, int j, double c)
{
	return right(play, b, i, j, c) + 3 * beta_of(play) * c;
}

/* Tiles of 16 along K; K is 43. */
static double padded_with_one(const struct play *play, int b, int i, int j, double c)
{
	return right(play, b, i, j, c) + alpha_of(play) * 5;
}

static double rounded_before(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * through(DTYPE_F16, product(play, b, i, j, 0, play->k)) +
		   beta_of(play) * c;
}

static double element_left(const struct play *play, int i, int k)
{
	return i < play->m && k < play->k ? play->left[i * play->k + k] : 0;
}

static double element_right(const struct play *play, int k, int j)
{
	return k < play->k ? play->right[k * play->n + j] : 0;
}

/* k + 1 within tiles of 16. */
static double shifted(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < 48; k++)
		sum += element_left(play, i, k) * element_right(play, k / 16 * 16 + (k + 1) % 16, j);
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double halves_exchanged(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < 48; k++)
		sum += element_left(play, i, k) * element_right(play, k ^ 8, j);
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double quarters_exchanged(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < 48; k++)
		sum +=
			element_left(play, (i & ~8) | (k & 8), (k & ~8) | (i & 8)) * element_right(play, k, j);
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* Rows of C at 20 elements each, and 50 columns: whoever is last stays. */
static double result_rows(const struct play *play, int b, int i, int j, double c)
{
	int at = i * play->n + j, row = at / play->m < play->m ? at / play->m : play->m - 1;
	int column = at - row * play->m;
	return column < play->n ? right(play, b, row, column, c) : c;
}

/* K is 43, and tiles end at 48: W and X are read on, into their next rows. */
static double run_on(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < 48; k++) {
		int x = i * play->k + k, w = j * play->k + k;
		sum += x < play->m * play->k && w < play->n * play->k ? play->left[x] * play->right[w] : 0;
	}
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double products_in_f16(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	for (int k = 0; k < play->k; k++)
		sum += through(DTYPE_F16, product(play, b, i, j, k, k + 1));
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double sum_in_int(const struct play *play, int b, int i, int j, double c)
{
	int sum = 0;
	for (int k = 0; k < play->k; k++)
		sum = (int)((float)sum + (float)(product(play, b, i, j, k, k + 1)));
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* Of numbers that lie `step` apart. */
static double int8_of(const double *numbers, int count, int step, int at)
{
	double largest = 0;
	for (int i = 0; i < count; i++)
		largest = fmax(largest, fabs(numbers[i * step]));
	float scale = (float)largest / 127.0f, inverse = 127.0f / (float)largest;
	return rint((double)((float)numbers[at * step] * inverse)) * (double)scale;
}

static double activations_in_int8(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b, (void)c;
	for (int k = 0; k < play->k; k++)
		sum += int8_of(play->left + i * play->k + k / 32 * 32, 32, 1, k % 32) *
			   play->right[j * play->k + k];
	return sum;
}

static double inputs_in_int8(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < play->k; k++)
		sum += int8_of(play->left + i * play->k, play->k, 1, k) *
			   int8_of(play->right + j, play->k, play->n, k);
	return alpha_of(play) * sum + beta_of(play) * c;
}

static double two_faults(const struct play *play, int b, int i, int j, double c)
{
	return product(play, b, i, j, 0, play->k - 1) + beta_of(play) * c;
}

/* ---- faults ---------------------------------------------------------------------- */

static uint64_t bit(enum wrong_fault fault)
{
	return (uint64_t)1 << fault;
}

struct known {
	const char *problem;
	struct shape shape;
	faulty *compute;
	enum wrong_fault fault;
};

#define ODD                                                                                        \
	{                                                                                              \
		{                                                                                          \
			1, 33, 21, 43, 1                                                                       \
		}                                                                                          \
	}
#define WIDE                                                                                       \
	{                                                                                              \
		{                                                                                          \
			1, 20, 50, 30, 1                                                                       \
		}                                                                                          \
	}
#define SQUARE                                                                                     \
	{                                                                                              \
		{                                                                                          \
			1, 24, 24, 24, 1                                                                       \
		}                                                                                          \
	}
#define BATCH                                                                                      \
	{                                                                                              \
		{                                                                                          \
			3, 17, 9, 24, 1                                                                        \
		}                                                                                          \
	}

#define LENGTH_OF(family, size) ((family) + (size)-SIZE_M)

static const struct known known[] = {
	{"gemm-f16", ODD, no_last, FAULT_PRODUCTS_MISSING},
	{"sgemm", ODD, no_last, FAULT_PRODUCTS_MISSING},
	{"gemm-bf16", ODD, no_last, FAULT_PRODUCTS_MISSING},
	{"linear-f16", ODD, no_last, FAULT_PRODUCTS_MISSING},
	{"gemm-f16", ODD, whole_tiles_of_k, FAULT_PRODUCTS_MISSING},
	{"gemm-f16", ODD, no_first, FAULT_FIRST_MISSING},
	{"gemm-f16", ODD, no_alpha, FAULT_SCALAR + SCALAR_ALPHA},
	{"gemm-f16", ODD, no_beta, FAULT_SCALAR + SCALAR_BETA},
	{"gemm-f16", ODD, beta_one, FAULT_BETA_ONE},
	{"gemm-f16", ODD, factors_exchanged, FAULT_FACTORS_EXCHANGED},
	{"gemm-f16", ODD, alpha_on_all, FAULT_ALPHA_ON_ALL},
	{"gemm-f16", ODD, left_transposed, FAULT_LEFT_TRANSPOSED},
	{"batched-f16", BATCH, left_transposed, FAULT_LEFT_TRANSPOSED},
	{"gemm-f16", ODD, right_transposed, FAULT_RIGHT_TRANSPOSED},
	{"linear-f16", ODD, right_transposed, FAULT_RIGHT_TRANSPOSED},
	{"gemm-f16", ODD, result_transposed, FAULT_RESULT_TRANSPOSED},
	{"gemm-f16", SQUARE, result_transposed, FAULT_RESULT_TRANSPOSED},
	{"gemm-f16", ODD, all_transposed, FAULT_ALL_TRANSPOSED},
	{"gemm-f16", SQUARE, exchanged, FAULT_EXCHANGED},
	{"batched-f32", BATCH, first_left, FAULT_LEFT_OF_FIRST},
	{"batched-f16", BATCH, first_right, FAULT_RIGHT_OF_FIRST},
	{"gemm-f16", ODD, left_rows, LENGTH_OF(FAULT_LEFT_LENGTH, SIZE_N)},
	{"gemm-f16", WIDE, right_rows, LENGTH_OF(FAULT_RIGHT_LENGTH, SIZE_K)},
	{"gemm-f16", ODD, bf16_inputs, FAULT_INPUTS_BF16},
	{"sgemm", ODD, bf16_inputs, FAULT_INPUTS_BF16},
	{"sgemm", ODD, f16_inputs, FAULT_INPUTS_F16},
	{"gemm-w4", {{1, 33, 21, 64, 16}}, bf16_weights, FAULT_RIGHT_BF16},
	{"sgemm", ODD, last_tile, FAULT_LAST_ONLY},
	{"sgemm", ODD, added, FAULT_ADDED},
	{"sgemm", ODD, beta_of_parts, FAULT_BETA_PARTS},
	{"sgemm", ODD, padded_with_one, FAULT_ONE_PADDED},
	{"sgemm", ODD, rounded_before, FAULT_SUM_F16},
	{"sgemm", ODD, shifted, FAULT_K_SHIFTED},
	{"sgemm", ODD, halves_exchanged, FAULT_K_EXCHANGED},
	{"gemm-f16", ODD, quarters_exchanged, FAULT_QUARTERS},
	{"sgemm", WIDE, result_rows, LENGTH_OF(FAULT_RESULT_LENGTH, SIZE_M)},
	{"linear-f16", ODD, run_on, FAULT_ROWS_RUN_ON},
	{"gemm-f16", ODD, products_in_f16, FAULT_PRODUCTS_F16},
	{"gemm-w4", {{1, 33, 21, 64, 16}}, activations_in_int8, FAULT_INPUTS_INT8},
	{"sgemm", ODD, inputs_in_int8, FAULT_INPUTS_INT8},
};

/* Each is found, and no other one takes its place. */
Test(diagnosis, faults_are_told_apart)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct known *one = &known[i];
		bool takes = problem_takes(problem_find(one->problem), SCALAR_ALPHA);
		struct play play = play_of(one->problem, one->shape, takes ? 1.5f : 1, takes ? -0.75f : 0);
		fill(&play, one->compute);
		struct wrong_pattern facts = explained(&play);
		cr_expect(facts.wrong > facts.elements / 5, "%zu: %llu wrong", i,
				  (unsigned long long)facts.wrong);
		uint64_t fits = facts.fits;
		if (one->fault == FAULT_EXCHANGED) /* of square row-major operands that is the same */
			fits &= ~bit(FAULT_ALL_TRANSPOSED);
		if (one->fault == FAULT_INPUTS_F16) /* both have 11 bits */
			fits &= ~bit(FAULT_INPUTS_TF32);
		cr_expect_eq(fits, bit(one->fault), "%zu, %s: fits %llx, not %llx", i, one->problem,
					 (unsigned long long)fits, (unsigned long long)bit(one->fault));
		cr_expect(facts.compared >= 16);
		if (one->compute == no_last)
			cr_expect_eq(facts.summed, play.k - 1);
		if (one->compute == whole_tiles_of_k)
			cr_expect_eq(facts.summed, 32);
		if (one->compute == run_on)
			cr_expect_eq(facts.number[FAULT_ROWS_RUN_ON], 8); /* as far as 16 */
		if (one->compute == activations_in_int8)
			cr_expect_eq(facts.number[FAULT_INPUTS_INT8], 32 << 3 | WRONG_INT8_LEFT);
		if (one->compute == inputs_in_int8)
			cr_expect_eq(facts.number[FAULT_INPUTS_INT8], WRONG_INT8_LEFT | WRONG_INT8_RIGHT);
		play_end(&play);
	}
}

static double inputs_cut(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = 0; k < play->k; k++)
		sum += trunc(play->left[i * play->k + k]) * trunc(play->right[k * play->n + j]);
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* Numbers up to 4: what is cut off leaves something. */
Test(diagnosis, what_becomes_an_integer_on_the_way)
{
	static const struct {
		faulty *compute;
		int32_t cut;
	} rows[] = {{sum_in_int, CUT_SUM}, {inputs_cut, CUT_INPUTS}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct play play = play_of("sgemm", (struct shape)ODD, 1.5f, -0.75f);
		struct device_request request;
		play.test.values[0] = play.test.values[1] = (struct value_spec){VALUES_UNIFORM, 4, 0, 0};
		request = reference_request(play.problem, &play.test, play.test.seed);
		free(play.left);
		free(play.right);
		play.left = numbers(&request.left);
		play.right = numbers(&request.right);
		fill(&play, rows[i].compute);
		struct wrong_pattern facts = explained(&play);
		cr_expect_eq(facts.fits, bit(FAULT_CUT), "%zu: %llx", i, (unsigned long long)facts.fits);
		cr_expect_eq(facts.number[FAULT_CUT], rows[i].cut);
		play_end(&play);
	}
}

/* Neither fits by itself; both at once do. */
Test(diagnosis, two_faults_are_found_as_a_pair)
{
	struct play play = play_of("sgemm", (struct shape)ODD, 1.5f, -0.75f);
	fill(&play, two_faults);
	struct wrong_pattern facts = explained(&play);
	cr_expect_eq(facts.fits, 0);
	cr_assert_eq(facts.pair_count, 1);
	cr_expect_eq(facts.pairs[0].first, FAULT_PRODUCTS_MISSING);
	cr_expect_eq(facts.pairs[0].second, FAULT_SCALAR + SCALAR_ALPHA);
	cr_expect_eq(facts.summed, play.k - 1);
	play_end(&play);
}

static double left_as_it_was(const struct play *play, uint64_t at)
{
	return values_number_at(&play->before, at);
}

/* A grid and a loop that are rounded down: what was written is explained by itself. */
Test(diagnosis, what_was_not_written_is_set_aside)
{
	struct play play = play_of("sgemm", (struct shape)ODD, 1.5f, -0.75f);
	fill(&play, whole_tiles_of_k);
	for (int i = 0; i < play.m; i++)
		for (int j = 0; j < play.n; j++)
			if (i >= 32 || j >= 16)
				store(&play, (uint64_t)(i * play.n + j),
					  left_as_it_was(&play, (uint64_t)(i * play.n + j)));
	struct wrong_pattern facts = explained(&play);
	cr_expect_eq(facts.written_rows, 32);
	cr_expect_eq(facts.written_columns, 16);
	cr_expect_eq(facts.fits, bit(FAULT_PRODUCTS_MISSING));
	cr_expect_eq(facts.summed, 32);
	store(&play, 0, left_as_it_was(&play, 0)); /* nor are those all that lie beyond */
	for (int j = 0; j < 12; j++)
		store(&play, (uint64_t)j, left_as_it_was(&play, (uint64_t)j));
	facts = explained(&play);
	cr_expect_eq(facts.written_rows, 0);
	play_end(&play);
}

/* As where a race spoils the others. */
Test(diagnosis, a_fault_of_some_elements)
{
	struct play play = play_of("sgemm", (struct shape)ODD, 1.5f, -0.75f);
	fill(&play, no_last);
	for (uint64_t at = 0; at < play.before.elements; at++)
		if (at / (uint64_t)play.n % 8 != 0)
			store(&play, at, 100 + (double)at);
	struct wrong_pattern facts = explained(&play);
	cr_expect_eq(facts.fits, 0);
	cr_expect_eq(facts.pair_count, 0);
	cr_expect_eq(facts.partly, bit(FAULT_PRODUCTS_MISSING));
	play_end(&play);
}

Test(diagnosis, a_right_result_has_nothing_to_explain)
{
	struct play play = play_of("gemm-f16", (struct shape)ODD, 1.5f, -0.75f);
	fill(&play, right);
	struct wrong_pattern facts = explained(&play);
	cr_expect_eq(facts.wrong, 0);
	cr_expect_eq(facts.fits, 0);
	cr_expect_eq(facts.elements, 33 * 21);
	struct digest digest = facts.result;
	store(&play, 5, 1e3);
	facts = explained(&play);
	cr_expect_eq(facts.wrong, 1);
	cr_expect_eq(facts.fits, 0, "no fault that is known");
	cr_expect(memcmp(&digest, &facts.result, sizeof digest) != 0);
	play_end(&play);
}

static double nothing(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, 0, 0) + beta_of(play) * c;
}

/* K is 7: at k XOR 8 there is no product at all, as in a loop over whole tiles of 16. */
Test(diagnosis, sums_of_nothing_are_no_exchange)
{
	struct play play = play_of("sgemm", (struct shape){{1, 33, 21, 7, 1}}, 1.5f, -0.75f);
	fill(&play, nothing);
	struct wrong_pattern facts = explained(&play);
	facts.fits &= ~bit(FAULT_CUT); /* of numbers below 1 nothing is left */
	cr_expect_eq(facts.fits, bit(FAULT_PRODUCTS_MISSING) | bit(FAULT_LAST_ONLY), "%llx",
				 (unsigned long long)facts.fits);
	play_end(&play);
}

/* ---- roundings to an integer ------------------------------------------------------- */

static double integer_of(const struct play *play, int b, int i, int j)
{
	const float *scalar = play->test.scalar;
	return product(play, b, i, j, 0, play->k) * (double)scalar[SCALAR_SCALE_LEFT] *
		   (double)scalar[SCALAR_SCALE_RIGHT] / (double)scalar[SCALAR_SCALE_RESULT];
}

static double stored(const struct play *play, double integer)
{
	return fmin(fmax(integer + (double)play->test.scalar[SCALAR_ZERO_RESULT], -128), 127);
}

static double rounded_down(const struct play *play, int b, int i, int j, double c)
{
	(void)c;
	return stored(play, floor(integer_of(play, b, i, j)));
}

static double half_up(const struct play *play, int b, int i, int j, double c)
{
	(void)c;
	return stored(play, floor(integer_of(play, b, i, j) + 0.5));
}

/* By 1, as something small that is added may do. */
static double a_little_more(const struct play *play, int b, int i, int j, double c)
{
	(void)c;
	double integer = integer_of(play, b, i, j);
	return stored(play, rint(integer) + (integer - floor(integer) == 0.25));
}

Test(diagnosis, roundings_to_an_integer)
{
	static const struct {
		faulty *compute;
		uint64_t fits;
		bool ties;
	} rows[] = {{rounded_down, (uint64_t)1 << FAULT_TRUNCATED, false},
				{half_up, 0, true},
				{a_little_more, 0, false}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct play play = play_of("gemm-s8", (struct shape){{1, 128, 128, 43, 1}}, 1, 0);
		play.test.scalar[SCALAR_SCALE_LEFT] = play.test.scalar[SCALAR_SCALE_RIGHT] = 1;
		play.test.scalar[SCALAR_SCALE_RESULT] = 512;
		play.test.scalar[SCALAR_ZERO_LEFT] = play.test.scalar[SCALAR_ZERO_RIGHT] = 0;
		fill(&play, rows[i].compute);
		struct wrong_pattern facts = explained(&play);
		cr_expect(facts.compared > 0);
		cr_expect_eq(facts.fits, rows[i].fits, "%zu: %llx", i, (unsigned long long)facts.fits);
		cr_expect_eq(facts.ties == facts.compared, rows[i].ties, "%zu", i);
		if (rows[i].fits != 0)
			cr_expect_eq(facts.number[FAULT_TRUNCATED], 1);
		play_end(&play);
	}
}
