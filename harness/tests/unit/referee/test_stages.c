/* links: referee_core chain testcases base */
/* The bound through a chain: an honest f32 computation passes, a wrong stage, a
 * wrong order and wrong inputs fail. */
#include "stages_fixture.h"

static float bias_silu(struct trial *trial, float x, int i, int j)
{
	(void)i;
	x += (float)draw_extra(trial, 0, (uint64_t)j);
	return x * logistic(x);
}

static float bias_along_rows(struct trial *trial, float x, int i, int j)
{
	(void)j;
	x += (float)draw_extra(trial, 0, (uint64_t)i);
	return x * logistic(x);
}

static float silu_then_bias(struct trial *trial, float x, int i, int j)
{
	(void)i;
	return x * logistic(x) + (float)draw_extra(trial, 0, (uint64_t)j);
}

static float bias_alone(struct trial *trial, float x, int i, int j)
{
	(void)i;
	return x + (float)draw_extra(trial, 0, (uint64_t)j);
}

static float bias_quick_silu(struct trial *trial, float x, int i, int j)
{
	(void)i;
	x += (float)draw_extra(trial, 0, (uint64_t)j);
	return x * logistic(1.02f * x);
}

Test(stages, order_and_inputs_matter)
{
	static struct trial trial;
	static kernel *const faults[] = {bias_along_rows, silu_then_bias, silu_alone, bias_alone,
									 bias_quick_silu};
	for (size_t p = 0; p < 3; p++) {
		begin(&trial, problem_names[p], "bias,silu", 1, 0);
		struct check_summary reply = check(&trial, bias_silu);
		cr_assert_eq(reply.wrong, 0, "%s: %g", problem_names[p], reply.worst_ratio);
		for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
			reply = check(&trial, faults[i]);
			cr_assert_gt(reply.wrong, M * N / 10, "%s: fault %zu", problem_names[p], i);
		}
	}
}

static float scaled_relu(struct trial *trial, float x, int i, int j)
{
	const float *scalar = trial->test.scalar;
	float c = (float)draw(trial, RESULT, (uint64_t)(i * N + j));
	x = scalar[SCALAR_ALPHA] * x + scalar[SCALAR_BETA] * c;
	store(trial, trial->saved, i * N + j, x);
	return x < 0 ? 0 : x;
}

static float saved_too_late(struct trial *trial, float x, int i, int j)
{
	float y = scaled_relu(trial, x, i, j);
	store(trial, trial->saved, i * N + j, y);
	return y;
}

static float saved_one_wrong(struct trial *trial, float x, int i, int j)
{
	float y = scaled_relu(trial, x, i, j);
	if (i == 5 && j == 7)
		store(trial, trial->saved, i * N + j, x + 3);
	return y;
}

static float no_beta(struct trial *trial, float x, int i, int j)
{
	scaled_relu(trial, x, i, j);
	x *= trial->test.scalar[SCALAR_ALPHA];
	return x < 0 ? 0 : x;
}

Test(stages, what_a_stage_saved_is_checked)
{
	static struct trial trial;
	for (size_t p = 0; p < 3; p++) {
		begin(&trial, problem_names[p], "alpha_beta,save,relu", 0.75f, -1.5f);
		struct check_summary reply = check(&trial, scaled_relu);
		cr_assert(reply.wrong == 0 && reply.extra_wrong == 0, "%g", reply.worst_ratio);
		reply = check(&trial, saved_too_late);
		cr_assert(reply.wrong == 0 && reply.extra_wrong > M * N / 4);
		char name[BUFFER_NAME_MAX];
		buffers_name(trial.problem, &trial.chain, reply.extra_buffer, name);
		cr_assert_str_eq(name, "save.saved");
		reply = check(&trial, saved_one_wrong);
		cr_assert(reply.wrong == 0 && reply.extra_wrong == 1);
		cr_assert(reply.extra_first.row == 5 && reply.extra_first.column == 7);
		reply = check(&trial, no_beta);
		cr_assert(reply.wrong > M * N / 4 && reply.extra_wrong == 0);
	}
}

static float clamped_sum(struct trial *trial, float x, int i, int j)
{
	x += (float)draw_extra(trial, 0, (uint64_t)j) + (float)draw_extra(trial, 1, (uint64_t)i);
	return x < -2 ? -2 : x > 3 ? 3 : x;
}

static float clamped_sum_off_by_a_bit(struct trial *trial, float x, int i, int j)
{
	float y = clamped_sum(trial, x, i, j);
	return i == M - 1 && j == N - 1 ? nextafterf(y, 100) : y;
}

Test(stages, exact_cases_stay_exact)
{
	static struct trial trial;
	begin(&trial, "sgemm", "bias,bias_rows,clamp:-2:3", 1, 0);
	cr_assert(case_make_exact(trial.problem, &trial.test));
	struct trial exact = trial;
	begin(&trial, "sgemm", "bias,bias_rows,clamp:-2:3", 1, 0);
	trial.test = exact.test;
	for (int i = 0; i < M * N; i++)
		trial.product[i] = trial.sums[i] = (float)(i % 9 - 4);
	cr_assert_eq(check(&trial, clamped_sum).wrong, 0);
	cr_assert_eq(check(&trial, clamped_sum).worst_ratio, 0);
	cr_assert_eq(check(&trial, clamped_sum_off_by_a_bit).wrong, 1);
}

/* ---- special values ------------------------------------------------------------- */

static struct carried through_at(const char *name, double x, float error, bool exact,
								 const struct stage_coordinate *place)
{
	struct chain_stage stage = {.shipped = 1};
	const double members[CHAIN_MEMBERS_MAX] = {0, 6};
	struct carried value = {.x = x, .error = error, .exact = exact};
	snprintf(stage.name, sizeof stage.name, "%s", name);
	const struct stage_reference *reference = stage_find(&stage);
	cr_assert_not_null(reference, "%s", name);
	stage_carry(reference, members, place, &value);
	return value;
}

static struct carried through(const char *name, double x, float error, bool exact)
{
	struct stage_coordinate place = {.type = type_of(DTYPE_F16), .alpha = 1};
	return through_at(name, x, error, exact, &place);
}

Test(stages, ends_of_the_range)
{
	static const struct {
		char name[16];
		double low, high; /* at -inf and +inf */
	} ends[] = {
		{"sigmoid", 0, 1}, {"silu", 0, INFINITY}, {"gelu", 0, INFINITY}, {"gelu_erf", 0, INFINITY},
		{"tanh", -1, 1},   {"relu", 0, INFINITY}, {"clamp", 0, 6}};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		cr_assert_eq(through(ends[i].name, -INFINITY, 0, false).x, ends[i].low, "%s", ends[i].name);
		cr_assert_eq(through(ends[i].name, INFINITY, 0, false).x, ends[i].high, "%s", ends[i].name);
		cr_assert_eq(through(ends[i].name, -1e30, 0, false).x, ends[i].low, "%s", ends[i].name);
		struct carried nan = through(ends[i].name, NAN, 0, false);
		cr_assert(isnan(nan.x) && !nan.exact);
	}
}

Test(stages, errors_grow_and_shrink_with_the_slope)
{
	cr_assert_lt(through("sigmoid", 20, 0.5f, false).error, 2.5 * 0x1p-11);
	cr_assert_gt(through("sigmoid", 0, 0.5f, false).error, 0.12f);
	cr_assert_eq(through("relu", -3, 0.5f, false).error, 0);
	cr_assert_gt(through("relu", -0.25, 0.5f, false).error, 0.24f);
	cr_assert_gt(through("clamp", 8, 1.0f, false).error, -1);
	cr_assert_eq(through("clamp", 8, 1.0f, false).error, 0);
}

Test(stages, alpha_beta_scales_and_adds)
{
	struct stage_coordinate place = {
		.type = type_of(DTYPE_F16), .alpha = 0.5, .beta = 2, .c = 3, .accumulation = 0x1p-20};
	struct carried value = through_at("alpha_beta", 8, 0.25f, true, &place);
	cr_assert(value.x == 10 && value.exact && value.error == 0);
	value = through_at("alpha_beta", 8, 0.25f, false, &place);
	cr_assert(value.x == 10 && !value.exact);
	/* half of the error, and what C's own part may lose */
	cr_assert(value.error >= 0.125f + 6 * 0x1p-20f && value.error < 0.125f + 9 * 0x1p-20f);
	place.alpha = 0.1;
	cr_assert_not(through_at("alpha_beta", 7, 0, true, &place).exact);
	place.beta = place.c = 0;
	cr_assert(through_at("alpha_beta", 7, 0, true, &place).x == 0.1 * 7);
}

Test(stages, exactness_ends_with_a_function)
{
	cr_assert(through("relu", 3, 0.5f, true).exact);
	cr_assert_eq(through("relu", 3, 0.5f, true).error, 0);
	cr_assert_not(through("tanh", 3, 0.5f, true).exact);
}

Test(stages, beyond_f32_is_infinite)
{
	struct carried value = {.x = 1e39, .error = 1};
	stage_settle(&value);
	cr_assert(isinf(value.x) && value.error == 0);
	value = (struct carried){.x = 3.4e38, .error = 1e38f};
	stage_settle(&value);
	cr_assert(value.x == 3.4e38 && isinf(value.error));
}

Test(stages, unknown_ones_are_somebody_elses)
{
	struct chain_stage stage = {.shipped = 1, .name = "mish"}, own = {.name = "relu"};
	struct chain_stage scale = {.shipped = 1, .name = "alpha_beta"};
	cr_assert_null(stage_find(&stage));
	cr_assert_null(stage_find(&own)); /* a file of that name may do anything */
	cr_assert_not_null(stage_find(&scale));
}

/* The first value is the output itself. */
static float special_silu(struct trial *trial, float x, int i, int j)
{
	return i == 0 && j == 0 ? x : silu_alone(trial, x, i, j);
}

/* A NaN or an infinity in the product is as certain as it is without an epilogue. */
Test(stages, special_products)
{
	static const struct {
		double product;
		float right, wrong;
	} cases[] = {{INFINITY, INFINITY, 3}, {-INFINITY, 0, 3}, {NAN, NAN, 0}};
	static struct trial trial;
	begin(&trial, "sgemm", "silu", 1, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		trial.product[0] = cases[i].product;
		trial.magnitude[0] = INFINITY;
		trial.sums[0] = cases[i].right;
		struct check_summary reply = check(&trial, special_silu);
		cr_assert_eq(reply.wrong, 0, "%zu: %g", i, reply.worst_ratio);
		trial.sums[0] = cases[i].wrong;
		cr_assert_eq(check(&trial, special_silu).wrong, 1, "%zu", i);
	}
}

/* ---- stages that were computed elsewhere ------------------------------------------ */

Test(stages, a_custom_stage_is_taken_at_its_word)
{
	const struct type *f16 = type_of(DTYPE_F16);
	struct carried value = {.x = 3, .error = 0.5f};
	stage_take((const float[]){10, 9, 12}, f16, &value);
	cr_assert(value.x == 10 && !value.exact);
	cr_assert(value.error >= 2 + 2 * 0x1p-7f && value.error < 2.1f); /* and two units of f16 */
	value = (struct carried){.x = 3, .error = INFINITY};
	stage_take((const float[]){10, 10, 10}, f16, &value);
	cr_assert(isinf(value.error), "of what is not known nothing becomes known");
	value = (struct carried){.x = 3, .error = 0.5f};
	stage_take((const float[]){INFINITY, INFINITY, INFINITY}, f16, &value);
	cr_assert(isinf(value.x) && value.error == 0);
	value = (struct carried){.x = 3, .error = 0.5f};
	stage_take((const float[]){1, NAN, 1}, f16, &value);
	cr_assert(isinf(value.error));
}

/* bias, a stage of the user's own, relu: what comes before it is carried, its values are taken. */
static float bias_doubled_relu(struct trial *trial, float x, int i, int j)
{
	x = 2 * bias_alone(trial, x, i, j);
	return x < 0 ? 0 : x;
}

Test(stages, the_chain_goes_on_behind_a_custom_stage)
{
	static struct trial trial;
	static float values[STAGE_SETS][M * N];
	begin(&trial, "gemm-f16", "bias,silu,relu", 1, 0);
	trial.chain.stages[1].shipped = 0; /* a file of that name: here it doubles */
	cr_assert_null(stage_find(&trial.chain.stages[1]));
	for (int wrong = 0; wrong < 2; wrong++) {
		for (int i = 0; i < M * N; i++)
			store(&trial, trial.out, i,
				  wrong ? bias_alone(&trial, trial.sums[i], i / N, i % N)
						: bias_doubled_relu(&trial, trial.sums[i], i / N, i % N));
		struct check_input input = {.problem = trial.problem,
									.test = &trial.test,
									.seed = trial.test.seed,
									.out = trial.out,
									.product = {.product_f64 = trial.product,
												.magnitude = trial.magnitude,
												.unit_roundoff = 0x1p-53},
									.chain = &trial.chain,
									.to = 1,
									.carried = trial.carried};
		struct check_summary reply = {0};
		check_outputs(&input, &reply);
		cr_assert(reply.wrong == 0 && reply.shown == 0, "nothing is compared before the end");
		for (int i = 0; i < M * N; i++)
			for (int set = 0; set < STAGE_SETS; set++) {
				const struct carried *carried = &trial.carried[i];
				float side = set == 0 ? 0 : set == 1 ? -carried->error : carried->error;
				values[set][i] = 2 * (float)(carried->x + (double)side);
			}
		struct check_stage computed = {.values = {values[0], values[1], values[2]}};
		input.from = 1;
		input.to = trial.chain.count;
		input.computed = &computed;
		check_outputs(&input, &reply);
		cr_assert(wrong ? reply.wrong > M * N / 2 : reply.wrong == 0, "%llu",
				  (unsigned long long)reply.wrong);
	}
}
