/* links: testcases */
#include <criterion/criterion.h>
#include <string.h>

#include "testcases/entry.h"

static void expect_name(const char *problem, const char *function, unsigned constant, char size,
						const char *expected)
{
	char name[ENTRY_NAME_TEXT];
	entry_mangle(problem_find(problem), function, constant, size, name);
	cr_expect_str_eq(name, expected, "%s", name);
}

/* As gcc and nvcc have them. */
Test(entry, has_the_names_that_compilers_make)
{
	expect_name("matmul-f32", "solve", 3, 'i', "_Z5solvePKfS0_Pfiii");
	expect_name("matmul-f32", "solve", 0, 'i', "_Z5solvePfS_S_iii");
	expect_name("matmul-f32", "solution", 3, 'm', "_Z8solutionPKfS0_Pfmmm");
	expect_name("gemm-f16", "solve", 3, 'i', "_Z5solvePK6__halfS1_PS_iiiff");
	expect_name("gemm-f16", "solve", 1, 'i', "_Z5solvePK6__halfPS_S2_iiiff");
	expect_name("gemm-bf16", "solve", 0, 'i', "_Z5solveP13__nv_bfloat16S0_S0_iiiff");
}

Test(entry, tensara_has_canonical_sizes)
{
	const struct problem *matmul = problem_find("matmul-f32");
	static const char *const names[] = {"M", "K", "N"};
	struct argument argument;
	for (size_t i = 0; i < 3; i++) {
		cr_assert(entry_argument(matmul, ENTRY_TENSARA, 3 + i, &argument));
		cr_expect_str_eq(matmul->sizes[argument.index].name, names[i]);
	}
	cr_expect_not(entry_argument(matmul, ENTRY_TENSARA, 6, &argument));
	cr_expect(entry_has_orders(matmul));
	cr_expect_not(entry_has_orders(problem_find("gemv-f32")));
	cr_expect_not(entry_takes_solution(problem_find("gemm-f16")));
	cr_expect(entry_takes_solution(problem_find("gemv-f32")));
}

Test(entry, a_header_declares_solve_and_its_types)
{
	char text[ENTRY_HEADER_TEXT];
	size_t count;
	const struct problem *problems = problem_table(&count);
	entry_header(problem_find("gemm-f16"), text);
	cr_expect_not_null(strstr(text, "#include <cuda_fp16.h>\n"), "%s", text);
	for (size_t i = 0; i < count; i++) {
		entry_header(&problems[i], text);
		cr_expect_not_null(strstr(text, "extern \"C\" void solve("), "%s", text);
		cr_expect_str_eq(text + strlen(text) - 3, ");\n", "%s is cut", problems[i].name);
	}
}
