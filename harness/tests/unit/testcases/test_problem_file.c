/* links: testcases base */
/* Problems as files: what a wrong problem.ini says, and what a right one becomes. */
#include "../folder_fixture.h"

#include <string.h>
#include <sys/stat.h>

#include "base/paths.h"
#include "testcases/problem_file.h"

TestSuite(problem_file, .init = folder_begin, .fini = folder_end);

static const char good_file[] =
	"[problem]\n"
	"title = A test\n"
	"prototype = const half *A, const float *B, float *C, int M, int N, "
	"int count, float alpha\n"
	"formula = C = alpha A B\n"
	"tolerance = leetgpu 1e-4 1e-3\n"
	"work = M * N\n"
	"large = M 8, N 4, alpha 0.5\n"
	"[sizes]\n"
	"M = 1..64, common 32\n"
	"N = 1..32, at most M\n"
	"[scalars]\n"
	"alpha = factor\n"
	"count = nonzeros of B\n"
	"[buffers]\n"
	"A = M x N, numbers scaled N\n"
	"B = N, numbers, zeros 0.5 ; mostly\n"
	"C = M\n"
	"[steps]\n"
	"blocks = M\n"
	"row = M x N - 1 + 1, f16\n";

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The file with the first `old` replaced. */
static void changed(const char *old, const char *new, char out[2048])
{
	const char *at = strstr(good_file, old);
	cr_assert_not_null(at, "%s", old);
	snprintf(out, 2048, "%.*s%s%s", (int)(at - good_file), good_file, new, at + strlen(old));
}

static bool add_text(const char *name, const char *text, const struct problem **out,
					 struct error *err)
{
	char path[256];
	mkdir(name, 0755);
	snprintf(path, sizeof path, "%s/reference.cuh", name);
	write_text(path, "");
	snprintf(path, sizeof path, "%s/problem.ini", name);
	write_text(path, text);
	return problem_add(name, out, err);
}

/* ---- what is wrong ------------------------------------------------------------------------- */

struct wrong {
	const char *old, *new;
	int line; /* 0: of the file as a whole */
	const char *says;
};

static void expect_wrong(const struct wrong *wrong)
{
	const struct problem *problem;
	struct error err = {{0}};
	char text[2048], place[64];
	changed(wrong->old, wrong->new, text);
	cr_expect_not(add_text("wrong-problem", text, &problem, &err), "'%s' is taken", wrong->new);
	snprintf(place, sizeof place, wrong->line > 0 ? "/wrong-problem/problem.ini:%d: " : "%.0d",
			 wrong->line);
	cr_expect_not_null(strstr(err.message, place), "no '%s': %s", place, err.message);
	cr_expect_not_null(strstr(err.message, "/wrong-problem/problem.ini:"), "%s", err.message);
	cr_expect_not_null(strstr(err.message, wrong->says), "no '%s': %s", wrong->says, err.message);
	cr_expect_null(strchr(err.message, '\n'), "%s", err.message);
}

static void expect_all_wrong(const struct wrong *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_wrong(&all[i]);
}
#define EXPECT_ALL_WRONG(all) expect_all_wrong(all, sizeof(all) / sizeof *(all))

Test(problem_file, what_is_no_file_of_a_problem)
{
	static const struct wrong all[] = {
		{"[sizes]", "[size]", 9, "[size] is no section: problem, sizes, scalars, buffers, steps"},
		{"M = 1..64", "M 1..64", 9, "expected [SECTION] or KEY = VALUE"},
		{"[scalars]", "[scalars", 11, "expected [SECTION] or KEY = VALUE"},
		{"[problem]\n", "", 1, "[problem] with its prototype comes first"},
		{"formula", "formulas", 4, "'formulas' is no key of [problem]: title, also, formula"},
		{"title = A test\n", "work = 1\n", 2, "'work' stands before the prototype"},
		{"title = A test\n", "", 0, "title: [problem] does not say it"},
		{"formula = C = alpha A B\n", "", 0, "formula: [problem] does not say it"},
		{"work = M * N\n", "", 0, "work: [problem] does not say it"},
		{"leetgpu 1e-4 1e-3", "leetgpu 1e-4", 5, "expected 'leetgpu ATOL RTOL', not 'leetgpu 1e-4"},
		{"work = M * N", "work = M * K", 6, "'K' is no size: [sizes] has none of this name"},
		{"work = M * N", "work = M *", 6, "'M *': "},
		{"work = M * N", "work = M * N\nmetric = flops", 7, "metric: 'bytes', or leave it out"},
		{"A test", "\x1b[31m\nM", 3, "expected [SECTION] or KEY = VALUE"},
		{"work = M * N", "work = \x1b[31m", 6, "'?[31m': "},
	};
	EXPECT_ALL_WRONG(all);
}

Test(problem_file, prototypes_that_are_none)
{
	static const struct wrong all[] = {
		{"int M", "long M", 3, "prototype: 'long M' is no argument; one is 'int M'"},
		{"int M", "int *M", 3, "a pointer to 'int'; the judge has float, half and __nv_bfloat16"},
		{"int M", "const int M", 3, "'const int M' is no argument"},
		{"int M", "int", 3, "'int' is no argument"},
		{"int M", "int M[2]", 3, "'int M[2]' is no argument"},
		{"int M,", ",", 3, "'' is no argument"},
		{"int M, ", "int M, int a, int b, int c, int d, int e, int f, ", 3, "more than 8 ints"},
		{"float alpha", "float a, float b, float c, float d, float alpha", 3, "more than 4 floats"},
		{"int M", "float *a, float *b, float *c, float *d, int M", 3, "more than 6 pointers"},
		{"float *C", "const float *C", 17, "C is an input: behind its shape stands how"},
		{"int M", "float *D, int M", 0, "D: [buffers] does not have it"},
		{"[buffers]", "[buffers]\nD = M", 15, "[buffers] has 'D', and the prototype has no such"},
	};
	EXPECT_ALL_WRONG(all);
}

Test(problem_file, one_output_and_no_other)
{
	const struct problem *problem;
	struct error err;
	cr_assert_not(add_text("wrong-problem",
						   "[problem]\ntitle = a\nformula = b\nprototype = const float *A, int M\n"
						   "work = M\nlarge = M 2\n[sizes]\nM = 1..9\n[buffers]\nA = M, numbers\n",
						   &problem, &err));
	cr_expect_not_null(strstr(err.message, "it has to have one output, a pointer without const"));
	cr_assert_not(add_text("wrong-problem",
						   "[problem]\ntitle = a\nformula = b\nprototype = float *A, float *B, "
						   "int M\nwork = M\nlarge = M 2\n[sizes]\nM = 1..9\n[buffers]\nA = M\n"
						   "B = M\n",
						   &problem, &err));
	cr_expect_not_null(strstr(err.message, "it has to have one output, a pointer without const"));
}

Test(problem_file, sizes_and_scalars_that_are_none)
{
	static const struct wrong all[] = {
		{"N = 1..32, at most M\n", "", 0, "N: this int is neither in [sizes] nor in [scalars]"},
		{"count = nonzeros of B\n", "", 0, "count: this int is neither in [sizes] nor in"},
		{"N = 1..32", "K = 1..32", 10, "[sizes] has 'K', and the prototype has no such int"},
		{"1..64", "64", 9, "M: expected its limits, as in 1..4096, to 1000000000 at most, not '64"},
		{"1..64", "1..99999999999", 9, "M: expected its limits"},
		{"1..64", "1..2147483647", 9, "M: expected its limits"},
		{"nonzeros of B", "nonzeros of C", 13, "'nonzeros of BUFFER', an input"},
		{"A = M x N", "A = M x count", 15, "'count' is counted, and so no extent"},
		{"A = M x N", "A = M x 010", 15, "'010': a number does not begin with 0"},
		{"M * N", "M / 0", 0, "work: it is no number above 0 at the large case"},
		{"row = M", "C = M", 0, "C: a step has the name of the output"},
		{"row = M", "a b = M", 20, "'a b' is no name of a step"},
		{"M x N - 1 + 1", "M x N - 1", 0, "the smallest sizes: 1x1 is no shape of"},
		{"1..64", "0..64", 9, "M: expected its limits"},
		{"1..64", "64..1", 9, "M: expected its limits"},
		{"common 32", "common", 9, "M: 'common' is none of: common NUMBER, uniform, at most SIZE"},
		{"common 32", "common 0", 9, "M: 'common 0' is none of"},
		{"common 32", "unifrom", 9, "M: 'unifrom' is none of"},
		{"at most M", "at most K", 10, "N: 'at most K' is none of"},
		{"at most M", "multiple of 0", 10, "N: 'multiple of 0' is none of"},
		{"alpha = factor", "beta = factor", 12, "[scalars] has 'beta', and the prototype has it"},
		{"alpha = factor", "alpha = two", 12,
		 "alpha: a float is a 'factor' or a number, not 'two'"},
		{"nonzeros of B", "nonzeros of D", 13, "count: an int in [scalars] is 'nonzeros of BUFFER"},
		{"nonzeros of B", "factor", 13, "count: an int in [scalars] is 'nonzeros of BUFFER"},
	};
	EXPECT_ALL_WRONG(all);
}

Test(problem_file, large_cases_that_are_none)
{
	static const struct wrong all[] = {
		{"M 8, N 4", "M 8", 0, "N: 'large' does not say this size"},
		{"M 8, N 4", "M 8, K 4", 7, "large: 'K 4' is no size or scalar with its number, as in M"},
		{"M 8, N 4", "M 8, N", 7, "large: 'N' is no size or scalar with its number"},
		{"M 8, N 4", "M 8, N 4x", 7, "large: 'N 4x' is no size or scalar with its number"},
		{"M 8, N 4", "M 8, N 0.5", 7, "large: 'N 0.5' is no size or scalar with its number"},
		{"M 8, N 4", "M 8, N 1e12", 7, "large: 'N 1e12' is no size or scalar with its number"},
		{"M 8, N 4", "M 8, N 9", 0, "large: 8x9 is no shape of wrong-problem: N is at most M"},
		{"M 8, N 4", "M 65, N 4", 0, "M: 'large' has it outside of its limits in [sizes]"},
		{"C = M\n", "C = M - 8\n", 0, "8x4 is no shape of wrong-problem: C has no element"},
		{"at most M", "multiple of M", 0, "8x4 is no shape of wrong-problem: N is a multiple of M"},
	};
	EXPECT_ALL_WRONG(all);
}

Test(problem_file, buffers_and_steps_that_are_none)
{
	static const struct wrong all[] = {
		{"C = M\n", "", 0, "C: [buffers] does not have it"},
		{"A = M x N, numbers scaled N", "A = M x N", 15, "A is an input: behind its shape stands"},
		{"C = M\n", "C = M, numbers\n", 17, "C is an output: it says its shape alone"},
		{"numbers scaled N", "numbers scaled K", 15,
		 "A: 'numbers scaled K' is none of: numbers, numbers scaled SIZE, zeros SHARE"},
		{"zeros 0.5", "zeros 1", 16, "B: 'zeros 1' is none of"},
		{"zeros 0.5", "small", 16, "B: 'small' is none of"},
		{"A = M x N", "A = M x K", 15, "'K' is no size: [sizes] has none of this name"},
		{"A = M x N", "A = M x N x M x N", 15, "a shape has at most 3 extents"},
		{"M x N - 1 + 1", "M x N x M x N", 20, "a shape has at most 3 extents"},
		{"M x N - 1 + 1", "M x K", 20, "'K' is no size: [sizes] has none of this name"},
		{"f16", "f64", 20, "row: 'f64' is none of: f32, f16, bf16, in order"},
		{"row", "sum", 0, "sum: a word of references, and so no name of a buffer or step"},
		{"row", "x", 0, "x: a word of references"},
		{"blocks = M", "blocks = N", 0, "blocks: no step has this for its first extent"},
	};
	EXPECT_ALL_WRONG(all);
}

Test(problem_file, nothing_stands_twice)
{
	static const struct wrong all[] = {
		{"formula", "title = B\nformula", 4, "[problem] has 'title' twice: leave one out"},
		{"[sizes]\n", "[sizes]\nM = 1..9\n", 10, "[sizes] has 'M' twice: leave one out"},
		{"[buffers]\n", "[buffers]\nA = M x N, numbers\n", 16, "[buffers] has 'A' twice"},
		{"[scalars]\n", "[scalars]\nalpha = factor\n", 13, "[scalars] has 'alpha' twice"},
		{"blocks", "row = M x N\nblocks", 21, "[steps] has 'row' twice: leave one out"},
		{"blocks = M\n", "blocks = M\nblocks = M\n", 20, "[steps] has 'blocks' twice"},
		{"[scalars]\n", "[scalars]\nM = nonzeros of B\n", 12, "M stands in [sizes], too"},
		{"int N", "int M", 3, "prototype: 'M' stands in it twice: rename one"},
		{"float alpha", "float A", 3, "prototype: 'A' stands in it twice: rename one"},
		{"title = A test\n", "prototype = int M\n", 3, "prototype: 'M' stands in it twice"},
	};
	EXPECT_ALL_WRONG(all);
}

Test(problem_file, a_long_line_is_refused_and_a_long_prototype_goes_on)
{
	const struct problem *problem;
	struct error err;
	char text[2048];
	changed("title = A test",
			"title = 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
			"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
			"0123456789 0123456789 0123456789 0123456789",
			text);
	cr_assert_not(add_text("wrong-problem", text, &problem, &err));
	cr_expect_not_null(strstr(err.message, "/problem.ini:2: this line is longer than 198 char"),
					   "%s", err.message);
	changed("int M, ", "\n  prototype = int M, ", text);
	cr_assert(add_text("two-lines", text, &problem, &err), "%s", err.message);
	cr_expect_str_eq(problem->call, "A B C M N count alpha ");
}

/* ---- folders -------------------------------------------------------------------------------- */

static void expect_refused(const char *folder_name, const char *says)
{
	const struct problem *problem;
	struct error err = {{0}};
	cr_expect_not(add_text(folder_name, good_file, &problem, &err), "%s", folder_name);
	cr_expect_not_null(strstr(err.message, says), "%s: %s", folder_name, err.message);
	cr_expect_null(strchr(err.message, '\n'));
}

Test(problem_file, names_that_are_taken_or_none)
{
	expect_refused("gemm-f16", "/gemm-f16: there is a problem of this name already: rename the");
	expect_refused("attention", "there is a problem of this name already: rename the folder");
	expect_refused("calibration", "there is a problem of this name already: rename the folder");
	expect_refused("a-name-of-exactly-32-characters-", "31 at most: rename the folder");
	expect_refused("my problem", "of letters, digits, '-' and '_', 31 at most: rename the folder");
	expect_refused("my.problem", "of letters, digits, '-' and '_', 31 at most: rename the folder");

	const struct problem *problem;
	struct error err;
	cr_assert(add_text("a-name-of-exactly-31-characters", good_file, &problem, &err));
	cr_expect_str_eq(problem->name, "a-name-of-exactly-31-characters");
	cr_expect_str_eq(problem->folder, "a_name_of_exactly_31_characters");
}

Test(problem_file, folders_that_have_no_problem)
{
	const struct problem *problem;
	struct error err = {{0}};
	cr_assert_not(problem_add("nowhere", &problem, &err));
	cr_expect_not_null(strstr(err.message, "nowhere/problem.ini: No such file or directory (a "
										   "problem is a folder with problem.ini and"),
					   "%s", err.message);
	cr_assert_eq(mkdir("half", 0755), 0);
	write_text("half/problem.ini", good_file);
	cr_assert_not(problem_add("half", &problem, &err));
	cr_expect_not_null(strstr(err.message, "half/reference.cuh: No such file or directory"), "%s",
					   err.message);
	cr_assert_eq(mkdir("deep", 0755), 0);
	cr_assert_eq(mkdir("deep/problem.ini", 0755), 0); /* root may read all but what is no file */
	cr_assert_not(problem_add("deep", &problem, &err));
	cr_expect_not_null(strstr(err.message, "deep/problem.ini: "), "%s", err.message);
	write_text("file", "");
	cr_assert_not(problem_add("file", &problem, &err));
	cr_expect_not_null(strstr(err.message, "file/problem.ini: Not a directory"), "%s", err.message);
	cr_assert_eq(mkdir("empty", 0755), 0);
	write_text("empty/problem.ini", "");
	cr_assert_not(problem_add("empty", &problem, &err));
	cr_expect_not_null(strstr(err.message, "empty/problem.ini: title: [problem] does not say it"),
					   "%s", err.message);
}

Test(problem_file, a_folder_is_added_once)
{
	const struct problem *first, *again;
	struct error err;
	size_t before, after;
	problem_table(&before);
	cr_assert(add_text("mine", good_file, &first, &err), "%s", err.message);
	cr_assert(problem_add("./mine/", &again, &err), "%s", err.message);
	cr_expect_eq(first, again);
	cr_expect_eq(problem_find("mine"), first);
	problem_table(&after);
	cr_expect_eq(after, before + 1);
	cr_expect(problem_add(problem_find("attention")->file, &again, &err), "%s", err.message);
	cr_expect_eq(again, problem_find("attention"));
}

/* ---- what a file becomes -------------------------------------------------------------------- */

Test(problem_file, a_file_becomes_a_row)
{
	const struct problem *problem;
	struct error err;
	char text[PROTOTYPE_TEXT];
	cr_assert(add_text("mine", good_file, &problem, &err), "%s", err.message);
	problem_prototype(problem, text);
	cr_expect_str_eq(text,
					 "extern \"C\" void solve(const half *A, const float *B, float *C, int M, "
					 "int N, int count, float alpha)",
					 "%s", text);
	cr_expect(problem->leetgpu_atol == 1e-4 && problem->leetgpu_rtol == 1e-3);
	cr_expect(problem->metric == METRIC_FLOPS && problem->large_scalars[0] == 0.5f);
	cr_expect(problem->sizes[0].max == 64 && problem->rules->sizes[0].common == 32);
	cr_expect(problem->rules->sizes[1].at_most[0] == 0);
	cr_expect(problem->rules->operands[1].zeros == 0.5f);
	cr_expect(problem->rules->operands[0].scaled == SIZE_NAMED + 1);
	cr_expect_eq(problem->rules->step_count, 2);
	cr_expect_str_eq(problem->rules->steps[0].element, "half");
	cr_expect(problem->rules->steps[0].blocked && problem->rules->steps[1].blocked);
	cr_expect_eq(operand_elements(&problem->operands[0], &problem->large), 32);
}

Test(problem_file, a_header_has_its_names)
{
	static const char *const lines[] = {
		"operand<R, half, 2> A;",
		"operand<R, float, 1> B;",
		"matrix<R, half, 2> row;",
		"matrix<R, float, 1> C;",
		"float alpha;",
		"int count;",
		"row.extent[1] = (size_t)(N - 1 + 1);",
		"row.blocked = 1;",
		"#define REFERENCE_INPUTS(X) X(A, p.N, 0) X(B, 1, 0.5)\n",
		"#define REFERENCE_STEPS(X) X(row) X(C)\n",
		"#define REFERENCE_OUTPUT C\n",
		("#define REFERENCE_PARAMETERS const half *A, const float *B, reference::bound *C, int M, "
		 "int N, int count, float alpha\n"),
		"#define REFERENCE_ARGUMENTS A, B, C, M, N, count, alpha\n",
	};
	const struct problem *problem;
	struct error err;
	cr_assert(add_text("mine", good_file, &problem, &err), "%s", err.message);
	char *header = problem_reference_header(problem);
	cr_assert_not_null(header);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_expect_not_null(strstr(header, lines[i]), "no '%s' in %s", lines[i], header);
	free(header);
}
