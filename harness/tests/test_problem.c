/* links: testcases base */
#include <criterion/criterion.h>
#include <string.h>

#include "testcases/problem.h"

Test(problem, table_is_complete_and_distinct)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	cr_assert(count >= 4);
	for (size_t i = 0; i < count; i++) {
		cr_assert(problem_find(table[i].name) == &table[i]);
		cr_assert(strstr(table[i].solve, "solve(") != NULL);
		cr_assert(strstr(table[i].solve, table[i].element) != NULL);
		cr_assert(table[i].summary[0] != '\0' && table[i].arguments[0] != '\0');
		size_t sizes = problem_has_vectors(&table[i]) ? 2 : 3;
		cr_assert(strlen(table[i].size_order) == sizes);
		cr_assert(strspn(table[i].size_order, "MNK") == sizes);
		cr_assert(strlen(table[i].operands) == 3);
		for (size_t o = 0; o < 3; o++) { /* the prototype has them by these names */
			char name[] = {'*', table[i].operands[o], '\0'};
			cr_assert_not_null(strstr(table[i].solve, name));
		}
		cr_assert(table[i].min_dim >= 1 && table[i].min_dim < table[i].max_dim);
		for (size_t j = 0; j < i; j++)
			cr_assert(strcmp(table[i].folder, table[j].folder) != 0);
	}
	cr_assert(problem_find("gemm") == NULL);
}

Test(problem, is_inferred_from_the_nearest_folder)
{
	const struct problem *f16 = problem_find("gemm-f16"), *sgemm = problem_find("sgemm");
	cr_assert(problem_of_path("solutions/gemm_f16/01_naive.cu") == f16);
	cr_assert(problem_of_path("/a/gemm_f16/sgemm/x.cu") == sgemm);
	cr_assert(problem_of_path("sgemm/deep/er/x.cu") == sgemm);
	cr_assert(problem_of_path("./sgemm//x.cu") == sgemm);
	cr_assert(problem_of_path("/tmp/sgemm.cu") == NULL);
	cr_assert(problem_of_path("gemm_f16") == NULL);
	cr_assert(problem_of_path("") == NULL);
	cr_assert(problem_of_path("/") == NULL);
}

Test(problem, types_have_their_constants)
{
	cr_assert(dtype_size(DTYPE_F16) == 2 && dtype_size(DTYPE_BF16) == 2);
	cr_assert(dtype_size(DTYPE_F32) == 4);
	cr_assert(dtype_unit_roundoff(DTYPE_F16) == 0x1p-11);
	cr_assert(dtype_unit_roundoff(DTYPE_BF16) == 0x1p-8);
	cr_assert(dtype_largest(DTYPE_F16) == 65504);
	cr_assert(dtype_largest(DTYPE_BF16) == 3.3895313892515355e38);
	cr_assert(dtype_largest(DTYPE_F32) == 3.4028234663852886e38);
	cr_assert(dtype_smallest(DTYPE_F16) == 0x1p-24);
	cr_assert(dtype_smallest(DTYPE_F32) == 0x1p-149);
}

Test(problem, leetgpu_matmul_keeps_its_own_order)
{
	const struct problem *matmul = problem_find("matmul-f32");
	cr_assert(!problem_has_scalars(matmul) && problem_has_scalars(problem_find("sgemm")));
	/* LeetGPU's M, N, K = 8192, 6144, 4096: N is summed over, K is C's width */
	cr_assert(strcmp(matmul->size_order, "MKN") == 0);
	cr_assert(matmul->large.m == 8192 && matmul->large.k == 6144 && matmul->large.n == 4096);
}
