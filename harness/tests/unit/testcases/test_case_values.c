/* links: testcases base */
/* Values of cases, shapes, and their texts. */
#include "case_fixture.h"

/* The product of row `element` and column `element` of the first matrices, as far as they go. */
/* Elements of an operand in a case. */
static double number_at(const struct problem *problem, const struct test_case *test, size_t operand,
						uint64_t index)
{
	struct values values = values_of_operand(problem, test, test->seed, operand);
	return values_number_at(&values, index);
}

static double sum_of(const struct problem *problem, const struct test_case *test, uint64_t element)
{
	const struct operand *scales = problem_part(problem, PART_RIGHT_SCALES);
	size_t left = problem_part_index(problem, PART_LEFT);
	size_t right = problem_part_index(problem, PART_RIGHT);
	uint64_t inner = (uint64_t)size_of(test, SIZE_K), columns = (uint64_t)size_of(test, SIZE_N);
	uint64_t group = (uint64_t)size_of(test, SIZE_GROUP);
	double sum = 0;
	for (uint64_t k = 0; k < inner; k++) {
		bool transposed = problem->operands[right].transposed;
		double factor = number_at(problem, test, right,
								  transposed ? element * inner + k : k * columns + element);
		if (scales != NULL)
			factor *= number_at(problem, test, (size_t)(scales - problem->operands),
								element * (inner / group) + k / group);
		sum += number_at(problem, test, left, element * inner + k) * factor;
	}
	return sum;
}

Test(case, exact_cases_are_exact)
{
	for (size_t p = 0; problem_at(p) != NULL; p++) {
		const struct problem *problem = problem_at(p);
		size_t result = problem_part_index(problem, PART_RESULT), found = 0;
		const struct number_format *format = &type_of(problem->operands[result].type)->format;
		for (size_t i = 0; i < 120; i++) {
			struct test_case test = case_generate(problem, 17, i, CASE_SIZES_MIXED, 4096, 1);
			if (!test.exact || problem->algebra == ALGEBRA_SHORTEST_PATHS)
				continue;
			found++;
			cr_assert(test.values[0].distribution == VALUES_INTEGER && test.values[0].scale > 0);
			cr_assert(test.values[0].scale * test.values[1].scale * (float)size_of(&test, SIZE_K) <=
					  0x1p24f);
			double alpha = test.scalar[SCALAR_ALPHA] * test.scalar[SCALAR_SCALE_LEFT] *
						   test.scalar[SCALAR_SCALE_RIGHT];
			double beta = test.scalar[SCALAR_BETA];
			int side = size_of(&test, SIZE_M) < size_of(&test, SIZE_N) ? size_of(&test, SIZE_M)
																	   : size_of(&test, SIZE_N);
			for (uint64_t element = 0; element < 20 && element < (uint64_t)side; element++) {
				double out = alpha * sum_of(problem, &test, element);
				if (beta != 0)
					out += beta * number_at(problem, &test, result,
											element * (uint64_t)size_of(&test, SIZE_N) + element);
				cr_assert(values_to_double(format, values_from_double(format, out)) == out,
						  "%s %s: %g", problem->name, test.name, out);
			}
		}
		bool has_exact = problem->algebra == ALGEBRA_PLUS_TIMES && format->is_integer == 0;
		cr_assert(has_exact ? found >= 10 : found == 0, "%s: %zu exact", problem->name, found);
	}
}

Test(case, exactness_needs_simple_scalars)
{
	const struct problem *gemm = problem_at(0);
	struct shape shape = product(16, 16, 16);
	struct test_case test = case_of_shape(gemm, &shape, (float[]){0.3f, 1}, 1);
	cr_assert(!case_make_exact(gemm, &test) && !test.exact);
	test.scalar[SCALAR_ALPHA] = 0.5f;
	cr_assert(case_make_exact(gemm, &test) && test.exact);

	const struct problem *scaled = problem_find("gemm-e4m3");
	test = case_of_shape(scaled, &shape, (float[]){0.5f, 0.3f}, 1);
	cr_assert(!case_make_exact(scaled, &test) && !test.exact);
	test.scalar[SCALAR_SCALE_RIGHT] = 0.25f;
	cr_assert(case_make_exact(scaled, &test) && test.exact);
}

/* A plain case of a shape takes the scalars that it is given, or those of the large case. */
Test(case, a_case_of_a_shape_has_plain_scalars)
{
	struct shape shape = product(16, 16, 16);
	struct test_case test = case_of_shape(problem_find("sgemm"), &shape, NULL, 1);
	cr_assert(test.scalar[SCALAR_ALPHA] == 1 && test.scalar[SCALAR_BETA] == 0);
	cr_assert_eq(test.values[2].distribution, VALUES_MARKER);
	test = case_of_shape(problem_find("sgemm"), &shape, (float[]){2, 0.5f}, 1);
	cr_assert(test.scalar[SCALAR_ALPHA] == 2 && test.scalar[SCALAR_BETA] == 0.5f);
	cr_assert_eq(test.values[2].distribution, VALUES_UNIFORM);
	test = case_of_shape(problem_find("gemm-s8"), &shape, NULL, 1);
	cr_assert(test.scalar[SCALAR_SCALE_LEFT] == 0.1f && test.scalar[SCALAR_SCALE_RESULT] == 0.01f);
	cr_assert(test.scalar[SCALAR_ALPHA] == 1 && test.scalar[SCALAR_ZERO_RESULT] == 0);
	cr_assert(test.values[0].distribution == VALUES_CODES &&
			  test.values[2].distribution == VALUES_UNWRITTEN);
}

/* Whatever the problem: four in a row are of all kinds, each of the shape. */
Test(case, cases_of_a_given_shape_are_of_all_kinds)
{
	struct error err;
	size_t count;
	const struct problem *problems = problem_table(&count);
	for (size_t i = 0; i < count; i++) {
		const struct problem *problem = &problems[i];
		const struct shape *shape = &problem->large;
		bool factors = problem_takes(problem, SCALAR_ALPHA);
		for (size_t c = 0; c < 8; c++) {
			struct test_case test = case_generate_at(problem, shape, 7, c);
			float beta = test.scalar[SCALAR_BETA];
			cr_expect_eq(memcmp(&test.shape, shape, sizeof *shape), 0);
			cr_expect(case_holds(problem, &test, &err), "%s: %s", test.name, err.message);
			cr_expect(!factors || c % 4 != 0 || (test.scalar[SCALAR_ALPHA] == 1 && beta == 0));
			cr_expect(!factors || c % 4 != 1 || test.exact, "%s: %s", problem->name, test.name);
			cr_expect(!factors || c % 4 != 2 || beta != 0);
		}
	}
	struct test_case first = case_generate_at(problem_find("sgemm"), &problems[0].large, 7, 2);
	struct test_case other = case_generate_at(problem_find("sgemm"), &problems[0].large, 8, 2);
	cr_expect(first.scalar[SCALAR_ALPHA] != other.scalar[SCALAR_ALPHA]);
}

/* Pairs of products that do not fit into 16 bits: whatever the draw of integers. */
Test(case, the_lowest_code_stands_beside_itself_along_k_in_both_operands)
{
	const struct problem *problem = problem_find("gemm-s8");
	size_t cases_with_pairs = 0;
	for (size_t i = 0; i < 12; i++) {
		struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, 96, 1);
		uint64_t n = (uint64_t)size_of(&test, SIZE_N), k = (uint64_t)size_of(&test, SIZE_K);
		size_t pairs = 0;
		cr_expect(test.values[0].share > 0 && test.values[1].share > 0);
		for (uint64_t row = 0; row < (uint64_t)size_of(&test, SIZE_M); row++)
			for (uint64_t at = 0; at + 1 < k; at += 2) {
				if (number_at(problem, &test, 0, row * k + at) != -128 ||
					number_at(problem, &test, 0, row * k + at + 1) != -128)
					continue;
				for (uint64_t column = 0; column < n; column++)
					pairs += number_at(problem, &test, 1, at * n + column) == -128 &&
							 number_at(problem, &test, 1, (at + 1) * n + column) == -128;
			}
		cases_with_pairs += pairs > 0;
	}
	cr_assert(cases_with_pairs >= 6, "%zu", cases_with_pairs);
}

/* Real packers write negative scales, and 0 for a group of zeros. */
Test(case, scales_of_weights_have_both_signs_and_zeros)
{
	const struct problem *problem = problem_find("gemm-w4");
	size_t scales = problem_part_index(problem, PART_RIGHT_SCALES);
	for (size_t i = 0; i < 12; i++) {
		struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, 192, 1);
		size_t negative = 0, positive = 0, zeros = 0, negative_zeros = 0, count = 1000;
		for (uint64_t at = 0; at < count; at++) {
			double scale = number_at(problem, &test, scales, at);
			negative += scale < 0;
			positive += scale > 0;
			zeros += scale == 0 && !signbit(scale);
			negative_zeros += scale == 0 && signbit(scale);
		}
		cr_expect(negative > 400 && positive > 400 && zeros > 2 && negative_zeros > 2,
				  "%s: %zu, %zu, %zu, %zu", test.name, negative, positive, zeros, negative_zeros);
	}
}

/* Zero points are codes of the type, scales positive, and results fill the type. */
Test(case, quantised_cases_have_sensible_scalars)
{
	const struct problem *problem = problem_find("gemm-s8");
	size_t zero = 0, power = 0;
	for (size_t i = 0; i < 200; i++) {
		struct test_case test = case_generate(problem, 21, i, CASE_SIZES_MIXED, 1000, 1);
		for (int s = SCALAR_SCALE_LEFT; s <= SCALAR_SCALE_RESULT; s++)
			cr_assert(test.scalar[s] > 0 && isfinite(test.scalar[s]));
		for (int s = SCALAR_ZERO_LEFT; s <= SCALAR_ZERO_RESULT; s++)
			cr_assert(test.scalar[s] >= -128 && test.scalar[s] <= 127 &&
					  rintf(test.scalar[s]) == test.scalar[s]);
		int exponent;
		zero += test.scalar[SCALAR_ZERO_LEFT] == 0;
		power += frexpf(test.scalar[SCALAR_SCALE_LEFT], &exponent) == 0.5f;
	}
	cr_assert(zero > 20 && zero < 100 && power > 60 && power < 160, "%zu, %zu", zero, power);
}

/* Graphs: nothing on the diagonal, and with potentials no shorter way around a cycle. */
Test(case, graphs_have_no_negative_cycle)
{
	const struct problem *problem = problem_find("apsp-f32");
	size_t negative = 0, missing = 0;
	for (size_t i = 0; i < 60; i++) {
		struct test_case test = case_generate(problem, 5, i, CASE_SIZES_MIXED, 40, 1);
		uint64_t n = (uint64_t)size_of(&test, SIZE_N);
		cr_assert_eq(test.exact, test.values[0].distribution == VALUES_GRAPH_INTEGER);
		for (uint64_t from = 0; from < n; from++)
			for (uint64_t to = 0; to < n; to++) {
				double there = number_at(problem, &test, 0, from * n + to);
				double back = number_at(problem, &test, 0, to * n + from);
				cr_assert(!isnan(there) && there > -16);
				cr_assert(from != to || there == 0);
				cr_assert(from == to || there + back > 0);
				negative += there < 0;
				missing += isinf(there);
			}
	}
	cr_assert(negative > 100 && missing > 100, "%zu, %zu", negative, missing);
}

Test(case, shapes_are_parsed_or_refused)
{
	struct shape_text shape;
	struct error err;
	cr_assert(shape_parse("1024x512x64", 4096, &shape, &err) && shape.count == 3);
	cr_assert(shape.number[0] == 1024 && shape.number[1] == 512 && shape.number[2] == 64);
	cr_assert(shape_parse("300x17", 4096, &shape, &err) && shape.count == 2);
	cr_assert(shape.number[0] == 300 && shape.number[1] == 17);
	cr_assert(shape_parse("2048", 4096, &shape, &err) && shape.count == 1);
	cr_assert(shape_parse("32x256x256x64", 4096, &shape, &err) && shape.count == 4);
	cr_assert_eq(shape.number[3], 64);
	static const char *const bad[] = {"",
									  "1024x",
									  "1x",
									  "1x2 ",
									  "0x2",
									  "1x4097",
									  "1x2x3x4x5x6x7x8x9",
									  "0x1x1",
									  "1x1x-1",
									  "1x1x4097",
									  "1x1x1 ",
									  " 1x1x1",
									  "axbxc",
									  "1X1X1",
									  "1x1x",
									  "99999999999999999999x1x1"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert(!shape_parse(bad[i], 4096, &shape, &err), "%s", bad[i]);
		cr_assert(strstr(err.message, "MxNxK") != NULL);
	}
}

/* Numbers as the user wrote them become this problem's shape; NULL: they do, and come back so. */
static void fits(const char *name, const char *text, const char *refusal)
{
	const struct problem *problem = problem_find(name);
	struct shape_text numbers;
	struct shape shape;
	struct error err;
	char again[SHAPE_TEXT];
	cr_assert(shape_parse(text, 20000, &numbers, &err));
	bool good = shape_fit(problem, &numbers, &shape, &err);
	if (refusal != NULL) {
		cr_assert(!good, "%s takes %s", name, text);
		cr_assert_str_eq(err.message, refusal);
		return;
	}
	cr_assert(good, "%s", err.message);
	shape_print(problem, &shape, again);
	cr_assert_str_eq(again, text);
	cr_assert_str_eq(case_of_shape(problem, &shape, NULL, 1).name, text);
}

Test(case, a_shape_is_written_as_it_was_typed)
{
	fits("sgemm", "100x50x20", NULL);
	fits("gemv-f32", "300x17", NULL);
	fits("batched-f16", "8x100x50x20", NULL);
	fits("apsp-f32", "300", NULL);
	fits("gemm-w4", "30x50x60x20", NULL);
	fits("gemv-f32", "100x50x20", "100x50x20 is no shape of gemv-f32, which takes MxN");
	fits("sgemm", "300x17", "300x17 is no shape of sgemm, which takes MxNxK");
	fits("batched-f32", "10x20x30", "10x20x30 is no shape of batched-f32, which takes BxMxNxK");
	fits("apsp-f32", "300x300", "300x300 is no shape of apsp-f32, which takes N");
	fits("gemm-w4", "30x50x61x1", "30x50x61x1 is no shape of gemm-w4: K is a multiple of 2");
	fits("gemm-w4", "30x50x60x8",
		 "30x50x60x8 is no shape of gemm-w4: K is a multiple of group_size");
}

Test(case, sizes_of_a_shape_are_those_that_were_meant)
{
	struct shape shape;
	struct error err;
	struct shape_text text = {2, {300, 17}};
	cr_assert(shape_fit(problem_find("gemv-f32"), &text, &shape, &err));
	cr_assert(shape.size[SIZE_M] == 300 && shape.size[SIZE_N] == 1 && shape.size[SIZE_K] == 17);
	cr_assert(shape.size[SIZE_BATCH] == 1 && shape.size[SIZE_GROUP] == 1);
	text = (struct shape_text){1, {40}};
	cr_assert(shape_fit(problem_find("apsp-f32"), &text, &shape, &err));
	cr_assert(shape.size[SIZE_M] == 40 && shape.size[SIZE_N] == 40 && shape.size[SIZE_K] == 40);
	text = (struct shape_text){4, {3, 4, 5, 6}};
	cr_assert(shape_fit(problem_find("batched-f32"), &text, &shape, &err));
	cr_assert(shape.size[SIZE_BATCH] == 3 && shape.size[SIZE_K] == 6);
	/* a group that is left out: 128, or the largest power of two that divides K */
	text = (struct shape_text){3, {16, 16, 256}};
	cr_assert(shape_fit(problem_find("gemm-w4"), &text, &shape, &err));
	cr_assert_eq(shape.size[SIZE_GROUP], 128);
	text.number[2] = 24;
	cr_assert(shape_fit(problem_find("gemm-w4"), &text, &shape, &err));
	cr_assert_eq(shape.size[SIZE_GROUP], 8);
}

/* The elements of one operand, of one batch, are at most INT32_MAX. */
Test(case, an_int_counts_the_elements_of_a_shape)
{
	static const struct {
		const char *problem;
		struct shape_text text;
		bool countable;
	} rows[] = {
		{"sgemm", {3, {4, 8, 3000000}}, true},
		{"sgemm", {3, {38416, 38416, 4}}, true},
		{"sgemm", {3, {65536, 32768, 4}}, false},
		{"sgemm", {3, {4, 65536, 65536}}, false},
		{"gemm-f16", {3, {SIZE_LARGEST, SIZE_LARGEST, SIZE_LARGEST}}, false},
		{"gemv-f32", {2, {SIZE_LARGEST, 512}}, false},
		{"gemv-f32", {2, {SIZE_LARGEST, 511}}, true},
		{"batched-f32", {4, {SIZE_LARGEST, 32768, 32768, 4}}, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct problem *problem = problem_find(rows[i].problem);
		struct shape shape;
		struct error err;
		cr_assert(shape_fit(problem, &rows[i].text, &shape, &err), "%s", err.message);
		cr_assert_eq(shape_is_countable(problem, &shape, &err), rows[i].countable, "%zu", i);
	}
}

/* Of every problem, generated and large. */
Test(case, shapes_survive_being_text)
{
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t i = 0; i <= 50; i++) {
			const struct problem *problem = problem_at(p);
			int most = is_row(problem) ? 4096 : 192; /* what is not zero is counted each time */
			struct test_case test = case_generate(problem, 31, i, CASE_SIZES_MIXED, most, 1);
			struct shape first = i < 50 ? test.shape : problem->large, second;
			struct shape_text numbers;
			struct error err;
			char text[SHAPE_TEXT], legend[SHAPE_TEXT];
			shape_print(problem, &first, text);
			cr_assert(shape_parse(text, INT32_MAX, &numbers, &err), "%s", err.message);
			cr_assert(numbers.count == problem_sizes(problem) || !is_row(problem));
			cr_assert(shape_fit(problem, &numbers, &second, &err), "%s", err.message);
			cr_assert(memcmp(&first, &second, sizeof first) == 0, "%s %s", problem->name, text);
			size_t letters = 0;
			for (const char *at = shape_legend(problem, legend); *at != '\0'; at++)
				letters += *at == 'x' && (is_row(problem) || at[1] == ' '); /* " x " */
			cr_assert_eq(letters + 1, numbers.count, "%s", legend);
		}
}

Test(case, distributions_have_names)
{
	enum distribution found;
	for (int d = VALUES_UNIFORM; d <= VALUES_GRAPH_INTEGER; d++)
		cr_assert(distribution_parse(distribution_name((enum distribution)d), &found) &&
				  found == (enum distribution)d);
	cr_assert(!distribution_parse("gaussian", &found));
}
