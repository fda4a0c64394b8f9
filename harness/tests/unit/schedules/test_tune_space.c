/* links: schedules compile testcases base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedules/space.h"

static char folder[] = "/tmp/gemmjudge-space-XXXXXX";
static struct error err;
static struct space space;

static void make_folder(void)
{
	cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
}

static void remove_folder(void)
{
	char command[64];
	space_free(&space);
	snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert(chdir("/") == 0 && system(command) == 0);
}

TestSuite(tune_space, .init = make_folder, .fini = remove_folder);

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");
	cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool parse(const char *text)
{
	space_free(&space);
	return space_parse("x.cu", text, problem_find("sgemm"), &space, &err);
}

static void refused(const char *text, const char *line)
{
	cr_assert(!parse(text), "accepted: %s", text);
	cr_expect(strstr(err.message, line) == err.message, "\"%s\" does not begin: %s", line,
			  err.message);
	cr_expect(space.constant_count == 0);
}

#define TWO "// tune A = 2 : 1 2\n// tune B = 4 : 4\n"

Test(tune_space, takes_every_kind_of_line)
{
	cr_assert(parse("// A kernel.\n"
					"  // tune BLOCK_M = 128 : 16 32,64 128\r\n"
					"int x; // tune NOT = 1 : 1\n"
					"//tune SPLIT_K = 1:1..64*2 100..120+10 -3\n"
					"// tune let THREADS = BLOCK_M * 2\n"
					"// tune where THREADS <= gpu_threads_per_block\n"
					"// tune role block_m = BLOCK_M\n"),
			  "%s", err.message);
	cr_expect(space.constant_count == 2 && space.choice_count == 2 && space.rule_count == 3);
	cr_expect(strcmp(space.names[space.constants[1].place].name, "SPLIT_K") == 0);
	cr_expect(space.constants[0].standard == 128);
	const int64_t split[] = {1, 2, 4, 8, 16, 32, 64, 100, 110, 120, -3};
	cr_assert(space.choices[1].count == 11);
	cr_expect(memcmp(space.choices[1].values, split, sizeof split) == 0);
	cr_expect(space.rules[0].line == 5 && space.rules[2].place == TUNE_BLOCK_M);
	cr_expect(strcmp(space.rules[1].text, "THREADS <= gpu_threads_per_block") == 0);
}

Test(tune_space, a_wrong_line_is_named)
{
	refused("int main;\n", "x.cu: declares nothing to tune;");
	refused("// tune where 1\n", "x.cu: declares nothing to tune;");
	refused(TWO "// tune this for your GPU\n", "x.cu:3: 'this for your GPU' is none of: NAME =");
	refused(TWO "// tune A = 1 : 1\n", "x.cu:3: 'A' is declared twice, at first in line 1");
	refused(TWO "// tune let B = 1\n", "x.cu:3: 'B' is declared twice, at first in line 2");
	refused("// tune K = 1 : 1\n", "x.cu:1: the name 'K' is taken");
	refused("// tune 1A = 1 : 1\n", "x.cu:1: '1A' cannot be a name");
	refused("// tune A = 3 : 1 2\n", "x.cu:1: the default of A, 3, is not among its candidates");
	refused("// tune A = x : 1 2\n", "x.cu:1: A = 'x': the default is no whole number");
	refused("// tune A = 1\n", "x.cu:1: A has no candidates");
	refused("// tune A = 1 :\n", "x.cu:1: A: there are no candidates");
	refused("// tune A = 1 : 1 2 1\n", "x.cu:1: A: 1 is a candidate twice");
	refused("// tune A = 1 : 1 2 two\n", "x.cu:1: A: 'two' is no whole number");
	refused("// tune A = 1 : 1 99999999999999999999\n", "x.cu:1: A: '99999999999999999999' is no");
	refused("// tune A = 1 : 4..1\n", "x.cu:1: A: the range 4..1 does not rise");
	refused("// tune A = 1 : 1..4*1\n", "x.cu:1: A: the range 1..4*1 does not rise");
	refused("// tune A = 1 : 0..4*2\n", "x.cu:1: A: the range 0..4*2 does not rise");
	refused("// tune A = 1 : 1..\n", "x.cu:1: A: '1..' is no range");
	refused("// tune A = 1 : 1..100000\n", "x.cu:1: A: more than 4096 candidates");
	refused(TWO "// tune where A <= C\n", "x.cu:3: where: unknown name 'C'");
	refused(TWO "// tune where gpu_thread_per_block > A\n",
			"x.cu:3: where: unknown name 'gpu_thread_per_block'; did you mean "
			"'gpu_threads_per_block'?");
	refused(TWO "// tune where (A\n", "x.cu:3: where: it ends where ')' is needed");
	refused(TWO "// tune where D > 1\n// tune let D = A\n", "x.cu:3: where: unknown name 'D'");
	refused(TWO "// tune let D\n", "x.cu:3: let D: '= EXPRESSION' is missing");
	refused(TWO "// tune role block_m = A\n// tune role block_m = B\n",
			"x.cu:4: the role block_m is given twice, at first in line 3");
	refused(TWO "// tune role blok_m = A\n",
			"x.cu:3: unknown role 'blok_m'; did you mean 'block_m'?");
	refused(TWO "// tune rows missing.txt\n", "x.cu:3: missing.txt: No such file");
	refused(TWO "// tune rows /etc/passwd\n", "x.cu:3: rows /etc/passwd: the file lies in the");
	refused(TWO "// tune rows ../x\n", "x.cu:3: rows ../x: the file lies in the");
	refused(TWO "// tune rows .\n", "x.cu:3: .: is no regular file");
}

Test(tune_space, how_much_it_may_be)
{
	char text[16384] = "// tune A = 1 : 1", *end = text + strlen(text);
	memset(end, ' ', 1100);
	strcpy(end + 1100, "2\n");
	refused(text, "x.cu:1: the line has more than 1023 characters");
	strcpy(text, TWO "// tune where 1");
	end = text + strlen(text);
	for (size_t i = 0; i < 130; i++)
		strcpy(end + 2 * i, "+1");
	refused(text, "x.cu:3: where: the expression has more than 255 characters");
	text[0] = '\0';
	for (size_t i = 0; i < 33; i++)
		sprintf(text + strlen(text), "// tune A%zu = 1 : 1\n", i);
	refused(text, "x.cu:33: more than 32 constants");
	memset(text, '\n', 300);
	strcpy(text + 300, "// tune A = 1 : 1\n");
	refused(text, "x.cu:301: only the first 300 lines may declare what is tuned");
	strcpy(text, TWO);
	memset(text + strlen(TWO), '\n', 300);
	strcpy(text + strlen(TWO) + 300, "// tune this for your GPU\n");
	cr_expect(parse(text), "%s", err.message);
}

Test(tune_space, sizes_have_the_names_of_the_problem)
{
	cr_expect(parse(TWO "// tune where M * N * K * batch * group > A && beta_is_0\n"));
	space_free(&space);
	cr_expect(
		!space_parse("x.cu", TWO "// tune where K > A\n", problem_find("gemv-f32"), &space, &err));
	cr_assert(space_parse("x.cu", TWO, problem_find("gemv-f32"), &space, &err));
	struct tune_gpu gpu;
	int64_t values[SPACE_NAMES_MAX];
	const struct shape shape = {{1, 512, 1, 2048, 1}};
	struct test_case test = case_of_shape(space.problem, &shape, NULL, 1);
	cr_assert(gpu_find("a100", &gpu, &err));
	space_give(&space, &gpu, &test, values);
	for (size_t i = 0; i < space.given_count; i++) {
		const char *name = space.names[i].name;
		if (strcmp(name, "M") == 0)
			cr_expect(values[i] == 512);
		if (strcmp(name, "N") == 0) /* what gemv sums over */
			cr_expect(values[i] == 2048);
		if (strcmp(name, "batch") == 0 || strcmp(name, "beta_is_0") == 0)
			cr_expect(values[i] == 1);
		if (strcmp(name, "gpu_shared_per_block") == 0)
			cr_expect(values[i] == 163 * 1024);
		if (strcmp(name, "gpu_compute") == 0)
			cr_expect(values[i] == 80);
	}
}

Test(tune_space, tables)
{
	put("t.txt", "# tiles\nCUT TILE_M TILE_N # names\n\n0 128 64\n3 64 -64\n");
	cr_assert(parse("// tune CUT = 3\n// tune rows t.txt\n// tune where TILE_M > TILE_N\n"), "%s",
			  err.message);
	cr_assert(space.choice_count == 1 && space.choices[0].count == 2);
	cr_expect(space.choices[0].columns == 3 && space.choices[0].values[5] == -64);
	refused("// tune CUT = 2\n// tune rows t.txt\n",
			"x.cu:2: no row of t.txt has the defaults of its constants");
	refused("// tune CUT = 3 : 3\n// tune rows t.txt\n",
			"x.cu:2: CUT has candidates in line 1 and in t.txt");
	refused("// tune A = 3 : 3\n// tune rows t.txt\n",
			"x.cu:2: no column of t.txt is a constant that is declared");
	refused("// tune CUT = 3\n// tune rows t.txt\n// tune rows t.txt\n",
			"x.cu:3: CUT has candidates in line 1 and in t.txt");
	put("t.txt", "CUT A\n0 1\n0 2\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n",
			"x.cu:2: rows 1 and 2 of t.txt have the same constants");
	put("t.txt", "CUT A\n0 1\n\n2\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n", "x.cu:2: t.txt:4: 1 value for 2 names");
	put("t.txt", "CUT A\n0 x\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n", "x.cu:2: t.txt:2: 'x' is no whole number");
	put("t.txt", "CUT CUT\n0 1\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n", "x.cu:2: two columns of t.txt are called");
	put("t.txt", "CUT A A\n0 1 1\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n", "x.cu:2: a column of t.txt: 'A' is declared");
	put("t.txt", "CUT M\n0 1\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n",
			"x.cu:2: a column of t.txt: the name 'M' is taken");
	put("t.txt", "CUT\n");
	refused("// tune CUT = 0\n// tune rows t.txt\n", "x.cu:2: t.txt: a line of names and lines of");
}

static bool reads(const char *source)
{
	char text[2048];
	snprintf(text, sizeof text, "// tune A = 2 : 1 2\n%s", source);
	put("x.cu", text);
	space_free(&space);
	return space_read("x.cu", problem_find("sgemm"), &space, &err);
}

#define DEFINES_A "#ifndef A\n#define A 2\n#endif\n"

Test(tune_space, the_source_keeps_to_it)
{
	cr_expect(reads(DEFINES_A "int x = A;\n"), "%s", err.message);
	cr_expect(
		reads("#if !defined(A) // perhaps\n# define A\t(1+1) // two\n#endif\n#if A > 1\n#endif"),
		"%s", err.message);
	cr_expect(reads("#ifndef A\n#define A 1\n#else\n#endif\n" DEFINES_A "#define TWICE (2*A)\n"),
			  "%s", err.message);
	put("inner.cuh", DEFINES_A "int x[A];\n");
	cr_expect(reads("#include \"inner.cuh\"\n"), "%s", err.message);
}

static void unkept(const char *source, const char *why)
{
	cr_assert(!reads(source), "accepted: %s", source);
	cr_expect_str_eq(err.message, why);
}

Test(tune_space, the_source_does_not_keep_to_it)
{
	static const char unused[] = "x.cu:1: A is used nowhere in the source";
	unkept(DEFINES_A "int x = AB + B_A; // A\n/* A\n A */ const char *s = \"A \\\" A\", c = 'A';\n",
		   unused);
	unkept(DEFINES_A "#ifdef A\n#undef A\n#endif\n", unused);
	unkept("int x = A;\n", "x.cu:1: the source does not define A; its default stands there as "
						   "'#ifndef A', '#define A 2', '#endif'");
	unkept("#define A 2\nint x = A;\n", "x.cu:1: A is defined in line 2 of x.cu whatever was "
										"chosen: '#ifndef A' is missing before it");
	unkept("#ifndef A\n#define A 4\n#endif\nint x = A;\n",
		   "x.cu:1: the default of A is 2, and line 3 of x.cu defines it as '4'");
	cr_expect(!space_read("missing.cu", problem_find("sgemm"), &space, &err));
	cr_expect_str_eq(err.message, "missing.cu: No such file or directory");
	cr_expect(!space_read(".", problem_find("sgemm"), &space, &err));
	cr_expect_str_eq(err.message, ".: is no regular file");
}
