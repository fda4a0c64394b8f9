/* links: judge */
/* When the compiler is asked how many arguments solve() takes, and what it may answer. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "judge/submission/arity.h"

static bool is_asked(const char *text, char out[ARITY_TEXT])
{
	FILE *file = fopen("arity.cu", "w");
	fputs(text, file);
	fclose(file);
	return arity_question(problem_find("gemv-f32"), "arity.cu", out);
}

/* Only where the text does not tell. */
Test(arity, asks_the_compiler_where_the_text_leaves_it_open)
{
	static const char *const open[] = {
		"#include \"solution.cuh\"\n",
		"#define ENTRY extern \"C\" void solve\nENTRY(float *A, int N) {}\n",
		"#define EXPORT extern \"C\"\nEXPORT void solve(float *A) {}\n",
		"#if A\nextern \"C\" void solve(int n) {}\n#else\nextern \"C\" void solve() {}\n#endif\n",
	};
	static const char *const plain[] = {
		"extern \"C\" void solve(float *A, int N) {}\n",
		"void solve(float *A, float *x, float *y, int M, int N) {}\n",
		"extern \"C\" __global__ void solve(float *A ARGUMENTS) {}\n",
		"extern \"C\" void solution(float *A, size_t N) {}\n",
		"#include <cstdio>\nwrong\n",
	};
	char text[ARITY_TEXT];
	for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
		cr_expect(is_asked(open[i], text), "%s", open[i]);
		cr_expect(
			strstr(text,
				   "own_takes == 5 || own_called<own_any, own_any, own_any, own_any, own_any>(") !=
			NULL);
		cr_expect(strlen(text) < ARITY_TEXT - 1 && strcmp(text + strlen(text) - 2, "}\n") == 0);
	}
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		cr_expect(!is_asked(plain[i], text), "%s", plain[i]);
}

Test(arity, takes_the_answer_from_the_messages)
{
	const struct problem *problem = problem_find("gemv-f32");
	struct error err;
	cr_expect_eq(arity_answer_of(problem,
								 "the number of arguments of solve()(19): error: static assertion "
								 "failed with \"gemmjudge: solve() takes 6 arguments\"\n",
								 &err),
				 ARITY_DIFFERS);
	cr_expect(strstr(err.message, "solve() takes 6 arguments, and gemv-f32 calls it with 5: ") ==
				  err.message,
			  "%s", err.message);
	cr_expect_eq(arity_answer_of(problem,
								 "the number of arguments of solve()(9): error: the global scope "
								 "has no \"solve\"\n",
								 &err),
				 ARITY_UNKNOWN);
	cr_expect_eq(arity_answer_of(problem,
								 "a.cu(1): error: this declaration has no storage class\n"
								 "the number of arguments of solve()(19): error: static assertion "
								 "failed with \"gemmjudge: solve() takes 14 arguments\"\n",
								 &err),
				 ARITY_UNKNOWN);
	cr_expect_eq(arity_answer_of(problem, "a.cu(9): error: expected a \";\"\n", &err),
				 ARITY_NO_ANSWER);
	cr_expect_eq(arity_answer_of(problem, NULL, &err), ARITY_NO_ANSWER);
}
