/* links: referee_core chain testcases base */
/* What stages of a chain write besides the result, of types of their own, for pairs of columns, or
 * as sums and maxima; each with a wrong twin. */
#include "stages_fixture.h"

static void store_as(struct trial *trial, enum dtype type, int i, double x)
{
	const struct number_format *format = &type_of(type)->format;
	values_store(format, trial->saved, (uint64_t)i, values_from_double(format, x));
}

static float quantised_s8(struct trial *trial, float x, int i, int j)
{
	store_as(trial, DTYPE_S8, i * N + j, x * (float)draw_extra(trial, 0, 0));
	return x;
}

static float cut_s8(struct trial *trial, float x, int i, int j)
{
	store_as(trial, DTYPE_S8, i * N + j, truncf(x * (float)draw_extra(trial, 0, 0)));
	return x;
}

/* Numbers of this size are beyond e4m3, and saturate. */
static float quantised_e4m3(struct trial *trial, float x, int i, int j)
{
	store_as(trial, DTYPE_E4M3, i * N + j, x * (float)draw_extra(trial, 0, 0));
	return x;
}

static float wrapped_e4m3(struct trial *trial, float x, int i, int j)
{
	float y = x * (float)draw_extra(trial, 0, 0);
	store_as(trial, DTYPE_E4M3, i * N + j, fabsf(y) > 448 ? NAN : y);
	return x;
}

static float summed_until(struct trial *trial, float x, int i, int j, int end)
{
	float sum;
	memcpy(&sum, &trial->saved[i * 4], sizeof sum);
	sum = j == 0 ? x : j < end ? sum + x : sum;
	memcpy(&trial->saved[i * 4], &sum, sizeof sum);
	return x;
}

static float summed(struct trial *trial, float x, int i, int j)
{
	return summed_until(trial, x, i, j, N);
}

static float summed_but_one(struct trial *trial, float x, int i, int j)
{
	return summed_until(trial, x, i, j, N - 1);
}

static float largest(struct trial *trial, float x, int i, int j)
{
	float most = 0;
	if (i + j > 0)
		memcpy(&most, trial->saved, sizeof most);
	most = fmaxf(most, fabsf(x));
	memcpy(trial->saved, &most, sizeof most);
	return x;
}

static float smaller_than_largest(struct trial *trial, float x, int i, int j)
{
	largest(trial, x, i, j);
	float most;
	memcpy(&most, trial->saved, sizeof most);
	most = i == M - 1 && j == N - 1 ? most * 0.99f : most;
	memcpy(trial->saved, &most, sizeof most);
	return x;
}

static float scale(struct trial *trial, float x, int i, int j)
{
	largest(trial, x, i, j);
	float most;
	memcpy(&most, trial->saved, sizeof most);
	most = i == M - 1 && j == N - 1 ? 448.0f / most : most;
	memcpy(trial->saved, &most, sizeof most);
	return x;
}

/* The last column has no neighbour: its up is 0. */
static float swiglu(struct trial *trial, float x, int i, int j)
{
	float up = j + 1 < N ? trial->sums[i * N + j + 1] : 0;
	if (j % 2 == 0)
		store(trial, trial->saved, i * ((N + 1) / 2) + j / 2, x * logistic(x) * up);
	return x;
}

static float swiglu_swapped(struct trial *trial, float x, int i, int j)
{
	float up = j + 1 < N ? trial->sums[i * N + j + 1] : 0;
	if (j % 2 == 0)
		store(trial, trial->saved, i * ((N + 1) / 2) + j / 2, x * up * logistic(up));
	return x;
}

Test(written, what_stages_write_has_a_wrong_twin_that_is_refused)
{
	static const struct {
		char text[24];
		kernel *right, *wrong;
		uint64_t found; /* at least */
	} rows[] = {
		{"quantise_s8", quantised_s8, cut_s8, M * N / 4},
		{"quantise_e4m3", quantised_e4m3, wrapped_e4m3, 1},
		{"row_sums", summed, summed_but_one, M / 2},
		{"amax", largest, smaller_than_largest, 1},
		{"scale_for_e4m3", scale, largest, 1},
		{"row_sums_deterministic", summed, summed_but_one, M / 2},
		{"swiglu", swiglu, swiglu_swapped, M * N / 4},
	};
	static struct trial trial;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t p = 0; p < 3; p += 2) {
			begin(&trial, problem_names[p], rows[i].text, 1, 0);
			if (i == 1) { /* large ones */
				for (int j = 0; j < M * N; j++) {
					trial.product[j] *= 300;
					trial.magnitude[j] *= 300;
					trial.sums[j] *= 300;
				}
			}
			struct check_summary reply = check(&trial, rows[i].right);
			cr_assert(reply.wrong == 0 && reply.extra_wrong == 0, "%s of %s: %llu, %g",
					  rows[i].text, problem_names[p], (unsigned long long)reply.extra_wrong,
					  reply.worst_ratio);
			reply = check(&trial, rows[i].wrong);
			cr_assert(reply.wrong == 0 && reply.extra_wrong >= rows[i].found, "%s of %s: %llu",
					  rows[i].text, problem_names[p], (unsigned long long)reply.extra_wrong);
		}
}

static float hardswish(struct trial *trial, float x, int i, int j)
{
	(void)trial, (void)i, (void)j;
	return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
}

static float rows_scaled(struct trial *trial, float x, int i, int j)
{
	(void)j;
	return x * (float)draw_extra(trial, 0, (uint64_t)i);
}

static float columns_scaled(struct trial *trial, float x, int i, int j)
{
	(void)i;
	return x * (float)draw_extra(trial, 0, (uint64_t)(j % M));
}

static float one_block(struct trial *trial, float x, int i, int j)
{
	(void)i, (void)j;
	return x * (float)draw_extra(trial, 0, 0);
}

static float never_dropped(struct trial *trial, float x, int i, int j)
{
	(void)trial, (void)i, (void)j;
	return x * (1 / (1 - 0.1f));
}

Test(written, values_of_the_newer_ones)
{
	static const struct {
		char text[24];
		kernel *right, *wrong;
	} rows[] = {
		{"hardswish", hardswish, silu_alone},
		{"scale_rows", rows_scaled, columns_scaled},
		{"scale_blocks", one_block, never_dropped},
	};
	static struct trial trial;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(&trial, "sgemm", rows[i].text, 1, 0);
		cr_assert_eq(check(&trial, rows[i].right).wrong, 0, "%s", rows[i].text);
		cr_assert_gt(check(&trial, rows[i].wrong).wrong, M * N / 10, "%s", rows[i].text);
	}
	begin(&trial, "sgemm", "dropout", 1, 0);
	uint64_t dropped = check(&trial, never_dropped).wrong;
	cr_assert(dropped > M * N / 20 && dropped < M * N / 5, "%llu", (unsigned long long)dropped);
}
