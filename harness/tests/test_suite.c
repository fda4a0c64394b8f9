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
	static const char *const names[] = {"leetgpu-gemm", "edges",   "blas-strict", "square",
										"large-n",      "large-k", "flat"};
	struct suite suite;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		cr_assert(load_shipped(names[i], "gemm-f16", 0, &suite), "%s", err.message);
		cr_assert(strcmp(suite.name, names[i]) == 0 && suite.summary[0] != '\0');
		cr_assert(suite.count > 0);
		suite_free(&suite);
	}
	cr_assert(load_shipped("leetgpu-matmul", "matmul-f32", 0, &suite), "%s", err.message);
	cr_assert(suite.count == 10);
	cr_assert(suite.cases[9].shape.m == 8192 && suite.cases[9].shape.n == 4096);
	cr_assert(suite.cases[9].shape.k == 6144 && suite.cases[9].a.scale == 10);
	suite_free(&suite);
	cr_assert(!load_shipped("leetgpu-matmul", "gemm-f16", 0, &suite));
	cr_assert(strstr(err.message, "for matmul-f32, not for gemm-f16") != NULL);
}

Test(suite, edges_walk_every_dimension_and_limit)
{
	struct suite suite;
	cr_assert(load_shipped("edges", "gemm-f16", 0, &suite), "%s", err.message);
	bool seen_m[4097] = {false}, seen_n[4097] = {false}, seen_k[4097] = {false};
	for (size_t i = 0; i < suite.count; i++) {
		seen_m[suite.cases[i].shape.m] = true;
		seen_n[suite.cases[i].shape.n] = true;
		seen_k[suite.cases[i].shape.k] = true;
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
	cr_assert(suite.cases[0].shape.m == 16 && suite.cases[4].shape.m == 20);
	cr_assert(suite.cases[1].alpha == 0.5f && suite.cases[1].beta == -2);
	cr_assert(suite.cases[0].a.distribution == VALUES_NORMAL && suite.cases[0].a.scale == 2);
	cr_assert(suite.cases[0].b.distribution == VALUES_UNIFORM);
	cr_assert(strcmp(suite.cases[0].name, "g/16x16x16") == 0);
	cr_assert(suite.cases[18].shape.m == 18 && suite.cases[18].shape.n == 324);
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

Test(suite, errors_name_the_line)
{
	refused("[g]\nm = 16\nn = 16\nk = banana\n", 4, "expected a size");
	refused("[g]\nm = 16\nn = 16\nk 16\n", 4, "expected");
	refused("m = 16\n", 1, "before any [section]");
	refused("[g]\nm = 16\nn = 16\n", 1, "has no k");
	refused("\n[g]\nm = 16\nn = 16\nk = 5\n", 2, "k = 5 is outside 16..16384");
	refused("[g]\nm = 16\nn = 16\nk = 99999999999999\n", 1, "outside");
	refused("[g]\nm = 16\nn = 16\nk = -4\n", 4, "expected a size");
	refused("[g]\nm = 30..20\nn = 16\nk = 16\n", 2, "empty");
	refused("[g]\nm = 16..20 step 0\nn = 16\nk = 16\n", 2, "step");
	refused("[g]\nm = 16\nn = 16\nk = 16\nscalars = 1\n", 5, "pairs");
	refused("[g]\nm = 16\nn = 16\nk = 16\nscalars = nan 1\n", 5, "finite");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = gaussian\n", 5, "unknown values");
	refused("[g]\nm = 16\nn = 16\nk = 16\nvalues = uniform -1\n", 5, "positive");
	refused("[g]\nm = 16\nn = 16\nk = 16\ncolour = red\n", 5, "unknown key");
	refused("[g]\nm = w\nn = 16\nk = 16\n", 1, "does not set it");
	refused("[g]\nw = 16\nm = 16\nn = 16\nk = 16\n", 1, "does not use it");
	refused("[g]\nm = 16 17\nn = 16\nk = 16\n", 2, "cannot read");
	refused("[g]\nm = 16\nn = 16\nk = 16\nscalars = 0.3 1\nvalues = integer\n", 1, "integer");
	refused("[suite]\nproblem = gemm\n[g]\nm = 16\nn = 16\nk = 16\n", 2, "unknown");
	refused("[suite]\nauthor = me\n", 2, "knows summary and problem");
	refused("[g]\nm = 16\nn = 16\nk = 16\nonly = f64\n", 5, "no type");
	refused("[two words]\nm = 16\nn = 16\nk = 16\n", 1, "letters");
	refused("[g]\nm = 16..16384\nn = 16\nk = 16\n", 2, "more than");
	refused("[g]\nm = 16..400\nn = 16..400\nk = 16\n", 1, "more than 20000 cases");
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
		cr_assert(shape.n == 1 && strstr(suite.cases[i].name, "x1x") == NULL);
		seen[shape.m][shape.k] = true;
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
		cr_assert(suite.cases[i].a.distribution != VALUES_SPECIAL);
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
