/* links: testcases base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "testcases/suite.h"

static struct error err;

/* Loads the text as a suite file. */
static bool load_text(const char *text, const char *problem, int max_dim, struct suite *out)
{
	char path[] = "/tmp/gemmjudge-suite-XXXXXX.ini";
	int fd = mkstemps(path, 4);
	cr_assert(fd >= 0);
	cr_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	bool good = suite_load(path, "/nowhere", problem_find(problem), 1, max_dim, out, &err);
	unlink(path);
	return good;
}

static void refused(const char *text, int line, const char *why)
{
	struct suite suite;
	char where[32];
	cr_assert(!load_text(text, "gemm-f16", 0, &suite), "accepted: %s", text);
	cr_assert(suite.cases == NULL && suite.count == 0);
	snprintf(where, sizeof where, ".ini:%d: ", line);
	cr_assert(strstr(err.message, where) != NULL, "expected line %d: %s", line, err.message);
	cr_assert(strstr(err.message, why) != NULL, "expected \"%s\": %s", why, err.message);
}

static bool load_shipped(const char *name, const char *problem, int max_dim, struct suite *out)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	cr_assert(paths_source(source, &err), "%s", err.message);
	cr_assert(paths_join(folder, source, "testcases/suites", &err));
	return suite_load(name, folder, problem_find(problem), 1, max_dim, out, &err);
}

Test(suite, shipped_suites_load)
{
	static const char *const names[] = {"leetgpu-gemm", "edges", "blas-strict", "square", "large-n",
										"large-k",      "flat",  "cuda-l2",     "decode"};
	struct suite suite;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		cr_assert(load_shipped(names[i], "gemm-f16", 0, &suite), "%s", err.message);
		cr_assert(strcmp(suite.name, names[i]) == 0 && suite.summary[0] != '\0');
		cr_assert(suite.count > 0);
		suite_free(&suite);
	}
	cr_assert(!load_shipped("leetgpu-matmul", "gemm-f16", 0, &suite));
	cr_assert(strstr(err.message, "for matmul-f32, not for gemm-f16") != NULL);
}

/* The shape whose place among CUDA-L2's is `number`: K turns fastest. */
static bool is_of_cuda_l2(const struct test_case *test, size_t number)
{
	static const int32_t sizes[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384};
	const int32_t *size = test->shape.size;
	return size[SIZE_M] == sizes[number / 100] && size[SIZE_N] == sizes[number / 10 % 10] &&
		   size[SIZE_K] == sizes[number % 10];
}

Test(suite, cuda_l2_is_its_grid_of_sizes)
{
	struct suite suite;
	cr_assert(load_shipped("cuda-l2", "gemm-f16", 0, &suite), "%s", err.message);
	cr_assert_eq(suite.count, 1000);
	for (size_t i = 0; i < suite.count; i++)
		cr_assert(is_of_cuda_l2(&suite.cases[i], i), "%s", suite.cases[i].name);
	suite_free(&suite);
	cr_assert(load_shipped("cuda-l2", "linear-f16", 128, &suite), "%s", err.message);
	cr_assert_eq(suite.count, 8);
	suite_free(&suite);
}

/* Its M are smaller than those of generated cases. */
Test(suite, decode_has_few_rows_and_wide_weights)
{
	static const int32_t rows[] = {1, 4, 8, 16, 24, 32, 48, 64};
	static const int32_t weights[][2] = {
		{4096, 4096}, {6144, 4096}, {28672, 4096}, {4096, 14336}, {8192, 28672}};
	static const char *const problems[] = {"gemm-f16", "linear-f16", "gemm-bf16", "linear-bf16"};
	for (size_t p = 0; p < sizeof problems / sizeof problems[0]; p++) {
		struct suite suite;
		cr_assert(load_shipped("decode", problems[p], 0, &suite), "%s", err.message);
		cr_assert_eq(suite.count, 40);
		for (size_t i = 0; i < suite.count; i++) {
			const int32_t *size = suite.cases[i].shape.size;
			cr_assert_eq(size[SIZE_M], rows[i % 8]);
			cr_assert_eq(size[SIZE_N], weights[i / 8][0]);
			cr_assert_eq(size[SIZE_K], weights[i / 8][1]);
		}
		suite_free(&suite);
	}
}

Test(suite, edges_walk_every_dimension_and_limit)
{
	struct suite suite;
	cr_assert(load_shipped("edges", "gemm-f16", 0, &suite), "%s", err.message);
	bool seen_m[4097] = {false}, seen_n[4097] = {false}, seen_k[4097] = {false};
	for (size_t i = 0; i < suite.count; i++) {
		seen_m[suite.cases[i].shape.size[SIZE_M]] = true;
		seen_n[suite.cases[i].shape.size[SIZE_N]] = true;
		seen_k[suite.cases[i].shape.size[SIZE_K]] = true;
	}
	for (int size = 16; size <= 80; size += 3)
		cr_assert(seen_m[size] && seen_n[size] && seen_k[size], "%d", size);
	cr_assert(seen_m[4096] && seen_n[4096] && seen_k[4096]);
	suite_free(&suite);
}

Test(suite, lists_ranges_and_w)
{
	struct suite suite;
	cr_assert(load_text("[suite]\nsummary = s\n[g]\nm = 16, 20..30 step 5 ; comment\n"
						"n = 16\nn = 17\nk = min\nscalars = 1 0, 0.5 -2\n"
						"a = normal 2\n[h]\nw = 16..18\nm = w\nn = w*w\nk = w\nvalues = integer\n",
						"sgemm", 0, &suite),
			  "%s", err.message);
	cr_assert(suite.count == 4 * 2 * 2 + 3);
	cr_assert(suite.cases[0].shape.size[SIZE_M] == 16 && suite.cases[4].shape.size[SIZE_M] == 20);
	cr_assert(suite.cases[1].scalar[SCALAR_ALPHA] == 0.5f &&
			  suite.cases[1].scalar[SCALAR_BETA] == -2);
	cr_assert(suite.cases[0].values[0].distribution == VALUES_NORMAL &&
			  suite.cases[0].values[0].scale == 2);
	cr_assert(suite.cases[0].values[1].distribution == VALUES_UNIFORM);
	cr_assert(strcmp(suite.cases[0].name, "g/16x16x16") == 0);
	cr_assert(suite.cases[18].shape.size[SIZE_M] == 18 &&
			  suite.cases[18].shape.size[SIZE_N] == 324);
	cr_assert(suite.cases[18].exact && !suite.cases[0].exact);
	suite_free(&suite);
}

Test(suite, max_dim_and_missing_scalars_drop_cases_only)
{
	const char *text = "[g]\nm = 16..64 step 16\nn = 16\nk = 16\nscalars = 1 0, 1 1\n";
	struct suite all, some, plain;
	cr_assert(load_text(text, "sgemm", 0, &all));
	cr_assert(load_text(text, "sgemm", 32, &some));
	cr_assert(load_text(text, "matmul-f32", 0, &plain));
	cr_assert(all.count == 8 && some.count == 4 && plain.count == 4);
	cr_assert(some.cases[3].seed == all.cases[3].seed);
	suite_free(&all);
	suite_free(&some);
	suite_free(&plain);
	cr_assert(load_text(text, "sgemm", 8, &all) && all.count == 0);
	suite_free(&all);
}

/* Also those of files, whose sizes have names of their own: no M. */
Test(suite, every_problem_has_a_min_and_a_max)
{
	static const char *const keys[] = {"m", "n", "k", "batch", "group", "w"};
	const struct problem *problem;
	size_t problems;
	problem = problem_table(&problems);
	for (size_t i = 0; i < problems; i++)
		for (size_t key = 0; key < sizeof keys / sizeof keys[0]; key++) {
			struct suite suite;
			char text[64];
			snprintf(text, sizeof text, "[g]\n%s = min..max step max\n", keys[key]);
			if (load_text(text, problem[i].name, 0, &suite))
				suite_free(&suite);
			else
				cr_assert(strstr(err.message, "[g] ") != NULL, "%s: %s", problem[i].name,
						  err.message);
		}
}

Test(suite, errors_name_the_line)
{
	refused("[g]\nm = 16\nn = 16\nk = banana\n", 4, "expected a size");
	refused("[g]\nm = 16\nn = 16\nk 16\n", 4, "expected");
	refused("m = 16\n", 1, "before any [section]");
	refused("[g]\nm = 16\nn = 16\n", 1, "has no k");
	refused("\n[g]\nm = 16\nn = 16\nk = 0\n", 2, "k = 0 is outside 1..32768");
	refused("[g]\nm = 16\nn = 16\nk = 99999999999999\n", 1, "outside");
	refused("[g]\nm = 16\nn = 16\nk = -4\n", 4, "expected a size");
	refused("[g]\nm = 30..20\nn = 16\nk = 16\n", 2, "empty");
	refused("[g]\nm = 16..20 step 0\nn = 16\nk = 16\n", 2, "step");
	refused("[g]\nm = 16\nn = 16\nk = 16\nscalars = 1\n", 5, "pairs");
	refused("[g]\nm = 16\nn = 16\nk = 16\nscalars = nan 1\n", 5, "finite");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = gaussian\n", 5, "graph-integer, graph-chain");
	refused("[g]\nm = 16\nn = 16\nk = 16\nonly = f64\n", 5,
			"known: f16, bf16, f32, s8, e4m3, u4, plus-times, ");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = uniform -1\n", 5, "positive");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = wide 1000\n", 5, "the scale of wide is at most");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = graph-integer 1e9\n", 5, "at most 1.04858e+06");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = graph 1 0 1e9\n", 5, "share of graph");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = positive 1 1e38\n", 5, "lowest value");
	refused("[g]\nm = 16\nn = 16\nk = 16\ncolour = red\n", 5, "unknown key");
	refused("[g]\nm = w\nn = 16\nk = 16\n", 1, "does not set it");
	refused("[g]\nw = 16\nm = 16\nn = 16\nk = 16\n", 1, "does not use it");
	refused("[g]\nm = 16 17\nn = 16\nk = 16\n", 2, "cannot read");
	refused("[g]\nm = 16\nn = 16\nk = 16\nscalars = 0.3 1\nvalues = integer\n", 1, "integer");
	refused("[suite]\nproblem = gemm\n[g]\nm = 16\nn = 16\nk = 16\n", 2, "unknown");
	refused("[suite]\nauthor = me\n", 2, "knows summary and problem");
	refused("[g]\nm = 16\nn = 16\nk = 16\nonly = f64\n", 5, "no type");
	refused("[two words]\nm = 16\nn = 16\nk = 16\n", 1, "letters");
	refused("[g]\nm = 16..32768\nn = 16\nk = 16\n", 2, "more than");
	refused("[g]\nm = 16..400\nn = 16..400\nk = 16\n", 1, "more than 20000 cases");
}

/* solve() gets them as int. */
Test(suite, zero_points_are_small_integers)
{
	static const char *const scalars[] = {"1 1 1 0.5 0 0", "1 1 1 0 1e30 0", "1 1 1 0 0 -40000"};
	struct suite suite;
	char text[160];
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
		snprintf(text, sizeof text,
				 "[suite]\nproblem = gemm-s8\n[g]\nm = 16\nn = 16\nk = 16\nscalars = %s\n",
				 scalars[i]);
		cr_expect(!load_text(text, "gemm-s8", 0, &suite), "accepted: %s", scalars[i]);
		cr_expect_not_null(strstr(err.message, "is an integer of at most 32768"), "%s",
						   err.message);
	}
}

Test(suite, long_lines_and_odd_bytes_are_refused)
{
	char text[1200] = "[g]\nm = ";
	for (int i = 0; i < 100; i++)
		strcat(text, "16, ");
	refused(strcat(text, "16\nn = 16\nk = 16\n"), 2, "longer than");
	struct suite suite;
	cr_assert(!load_text("\x01\x02\xff\xfe garbage", "sgemm", 0, &suite));
	cr_assert(!load_text("", "sgemm", 0, &suite));
	cr_assert(strstr(err.message, "no case") != NULL);
	cr_assert(!load_text("[suite]\nsummary = nothing\n", "sgemm", 0, &suite));
}

Test(suite, files_that_are_not_there)
{
	struct suite suite;
	cr_assert(!load_shipped("no-such", "sgemm", 0, &suite));
	cr_assert(strstr(err.message, "no suite \"no-such\"") != NULL);
	cr_assert(!load_shipped("/tmp/no-such-file.ini", "sgemm", 0, &suite));
	cr_assert(strstr(err.message, "No such file") != NULL);
	cr_assert(!load_shipped("/tmp/", "sgemm", 0, &suite));
	cr_assert(strstr(err.message, "directory") != NULL, "%s", err.message);
}

/* gemv: a vector has no width to walk, so that nothing comes twice. */
Test(suite, vectors_take_each_case_once)
{
	struct suite suite;
	cr_assert(load_shipped("edges", "gemv-f32", 200, &suite), "%s", err.message);
	bool seen[201][201] = {{false}};
	for (size_t i = 0; i < suite.count; i++) {
		struct shape shape = suite.cases[i].shape;
		cr_assert(shape.size[SIZE_N] == 1 && strstr(suite.cases[i].name, "x1x") == NULL);
		seen[shape.size[SIZE_M]][shape.size[SIZE_K]] = true;
	}
	for (int size = 16; size <= 80; size += 3)
		cr_assert(seen[size][35] && seen[33][size], "%d", size);
	suite_free(&suite);
	cr_assert(load_text("[g]\nm = 16\nn = 17, 18, 19\nk = 20\n", "gemv-f32", 0, &suite));
	cr_assert(suite.count == 1);
	cr_assert_str_eq(suite.cases[0].name, "g/16x20");
	suite_free(&suite);
}

Test(suite, groups_are_for_an_algebra)
{
	struct suite suite;
	cr_assert(load_shipped("blas-strict", "minplus-f32", 0, &suite), "%s", err.message);
	cr_assert(suite.count > 0);
	for (size_t i = 0; i < suite.count; i++)
		cr_assert(suite.cases[i].values[0].distribution != VALUES_SPECIAL);
	suite_free(&suite);
	static const char group[] = "[g]\nm = 16\nn = 16\nk = 16\n";
	static const struct {
		char problem[16];
		size_t count;
	} takes[] = {{"sgemm", 2}, {"minplus-f32", 1}, {"gemm-f16", 1}};
	char text[128];
	snprintf(text, sizeof text, "%s[f32]\nm = 16\nn = 16\nk = 16\n%s", group,
			 "only = f32\nonly = plus-times\na = special\n");
	for (size_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
		cr_assert(load_text(text, takes[i].problem, 0, &suite), "%s", err.message);
		cr_assert(suite.count == takes[i].count, "%s", takes[i].problem);
		suite_free(&suite);
	}
	snprintf(text, sizeof text, "%sb = special\n", group);
	cr_assert(!load_text(text, "minplus-f32", 0, &suite));
	cr_assert(strstr(err.message, "only = plus-times") != NULL, "%s", err.message);
}

/* What a file says of batches and groups; those that it does not are few and small. */
Test(suite, batches_and_groups_are_sizes)
{
	struct suite suite;
	static const char batches[] = "[g]\nbatch = 1, 5\nm = 2\nn = 3\nk = 4\n";
	cr_assert(load_text(batches, "batched-f32", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 2 && suite.cases[1].shape.size[SIZE_BATCH] == 5);
	cr_assert_str_eq(suite.cases[1].name, "g/5x2x3x4");
	suite_free(&suite);
	static const char plain[] = "[g]\nbatch = 1, 5\ngroup = 2, 8\nm = 16\nn = 16\nk = 32\n";
	cr_assert(load_text(plain, "sgemm", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 1 && suite.cases[0].shape.size[SIZE_BATCH] == 1);
	suite_free(&suite);
	cr_assert(load_text(plain, "gemm-w4", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 2 && suite.cases[1].shape.size[SIZE_GROUP] == 8);
	suite_free(&suite);
	static const char neither[] = "[g]\nm = 16\nn = 16\nk = 64\n";
	cr_assert(load_text(neither, "batched-f16", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 1 && suite.cases[0].shape.size[SIZE_BATCH] == 3);
	suite_free(&suite);
	cr_assert(load_text(neither, "gemm-w4", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 1 && suite.cases[0].shape.size[SIZE_GROUP] == 32);
	suite_free(&suite);
	/* a group that does not divide K has no case */
	cr_assert(load_text("[g]\ngroup = 4, 6\nm = 16\nn = 16\nk = 16\n", "gemm-w4", 0, &suite));
	cr_assert(suite.count == 1 && suite.cases[0].shape.size[SIZE_GROUP] == 4);
	suite_free(&suite);
}

/* One size that stands for all three is walked once. */
Test(suite, one_size_takes_each_case_once)
{
	struct suite suite;
	cr_assert(load_text("[g]\nm = 4, 9\nn = 16, 17, 18\nk = 20\n", "apsp-f32", 0, &suite));
	cr_assert(suite.count == 2 && suite.cases[1].shape.size[SIZE_K] == 9);
	cr_assert_str_eq(suite.cases[0].name, "g/4");
	cr_assert(suite.cases[0].values[0].distribution == VALUES_GRAPH);
	suite_free(&suite);
}

Test(suite, operands_are_named_as_the_problem_names_them)
{
	struct suite suite;
	static const char text[] = "[suite]\nproblem = gemm-w4\n[g]\nm = 16\nn = 16\nk = 64\n"
							   "x = zero\nscales = positive 0.5 0.25\nw_q = codes 3\n";
	cr_assert(load_text(text, "gemm-w4", 0, &suite), "%s", err.message);
	const struct value_spec *values = suite.cases[0].values;
	cr_assert(values[0].distribution == VALUES_ZERO);
	cr_assert(values[1].distribution == VALUES_CODES && values[1].scale == 3);
	cr_assert(values[2].distribution == VALUES_POSITIVE && values[2].scale == 0.5f &&
			  values[2].low == 0.25f);
	cr_assert(values[3].distribution == VALUES_UNWRITTEN);
	suite_free(&suite);
	/* a and b are the operands that the product takes for them; other problems' names are known */
	static const char letters[] = "[g]\nm = 16\nn = 16\nk = 64\na = normal\nb = uniform 3\n"
								  "dist = zero\n";
	cr_assert(load_text(letters, "linear-f16", 0, &suite), "%s", err.message);
	cr_assert(suite.cases[0].values[0].distribution == VALUES_NORMAL);
	cr_assert(suite.cases[0].values[1].scale == 3);
	suite_free(&suite);
	/* a suite for all problems leaves codes and scales alone */
	cr_assert(load_text(letters, "gemm-w4", 0, &suite), "%s", err.message);
	cr_assert(suite.cases[0].values[0].distribution == VALUES_NORMAL);
	cr_assert(suite.cases[0].values[1].distribution == VALUES_CODES);
	suite_free(&suite);
}

Test(suite, graphs_have_a_lowest_length_and_a_share)
{
	struct suite suite;
	static const char text[] = "[suite]\nproblem = apsp-f32\n[g]\nm = 8\nn = 8\nk = 8\n"
							   "dist = graph-signed 10 0.5 0.25\n";
	cr_assert(load_text(text, "apsp-f32", 0, &suite), "%s", err.message);
	struct value_spec spec = suite.cases[0].values[0];
	cr_assert(spec.distribution == VALUES_GRAPH_SIGNED && spec.scale == 10);
	cr_assert(spec.low == 0.5f && spec.share == 0.25f);
	suite_free(&suite);
}

/* As many as the problem has, in the order of its table. */
Test(suite, scalars_may_be_six)
{
	struct suite suite;
	static const char six[] = "[suite]\nproblem = gemm-s8\n[g]\nm = 2\nn = 3\nk = 5\n"
							  "scalars = 0.5 0.25 0.125 1 -2 3, 1 1 1 1 3 5\n";
	cr_assert(load_text(six, "gemm-s8", 0, &suite), "%s", err.message);
	cr_assert_eq(suite.count, 2);
	const float *scalar = suite.cases[0].scalar;
	cr_assert(scalar[SCALAR_SCALE_LEFT] == 0.5f && scalar[SCALAR_SCALE_RIGHT] == 0.25f);
	cr_assert(scalar[SCALAR_SCALE_RESULT] == 0.125f && scalar[SCALAR_ZERO_LEFT] == 1);
	cr_assert(scalar[SCALAR_ZERO_RIGHT] == -2 && scalar[SCALAR_ZERO_RESULT] == 3);
	cr_assert(scalar[SCALAR_ALPHA] == 1 && scalar[SCALAR_BETA] == 0);
	suite_free(&suite);
	/* alpha and beta of a suite for all are no scales: 1 0 stands for its plain product */
	static const char pairs[] = "[g]\nm = 16\nn = 16\nk = 16\nscalars = 1 0, 0.5 0.5\n";
	cr_assert(load_text(pairs, "gemm-e4m3", 0, &suite), "%s", err.message);
	cr_assert_eq(suite.count, 1);
	cr_assert(suite.cases[0].scalar[SCALAR_SCALE_LEFT] == 0.5f);
	suite_free(&suite);
	cr_assert(load_text(pairs, "gemm-s8", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 1 && suite.cases[0].scalar[SCALAR_SCALE_RESULT] == 0.01f);
	suite_free(&suite);
}

/* Every suite by M, N and K has cases of every problem that has them; max_dim leaves their seeds
 * alone. */
Test(suite, shipped_suites_fit_every_problem)
{
	static const char *const names[] = {"edges",   "blas-strict", "square", "large-n",
										"large-k", "flat",        "cuda-l2"};
	size_t count;
	const struct problem *table = problem_table(&count);
	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; table[p].file == NULL && i < sizeof names / sizeof names[0]; i++) {
			struct suite suite;
			cr_assert(load_shipped(names[i], table[p].name, 0, &suite), "%s", err.message);
			cr_assert(suite.count > 0, "%s has no case of %s", names[i], table[p].name);
			for (size_t c = 0; c < suite.count; c++) {
				cr_assert(shape_holds(&table[p], &suite.cases[c].shape, &err), "%s", err.message);
				for (size_t d = 0; d < c && suite.count < 100; d++)
					cr_assert(suite.cases[c].seed != suite.cases[d].seed);
			}
			suite_free(&suite);
		}
}

/* A problem of a file has sizes of its own, and so suites of its own. */
Test(suite, files_have_suites_by_their_own_sizes)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	for (size_t p = 0; p < count; p++) {
		struct suite suite;
		char name[64];
		if (table[p].file == NULL)
			continue;
		snprintf(name, sizeof name, "leetgpu-%s", table[p].name);
		cr_assert(load_shipped(name, table[p].name, 0, &suite), "%s", err.message);
		cr_assert(suite.count > 0);
		for (size_t c = 0; c < suite.count; c++)
			cr_assert(shape_holds(&table[p], &suite.cases[c].shape, &err), "%s", err.message);
		suite_free(&suite);
		cr_assert_not(load_shipped("edges", table[p].name, 0, &suite));
		cr_assert_not_null(strstr(err.message, "[walk-m] has M, N and K, and "), "%s", err.message);
	}
}
