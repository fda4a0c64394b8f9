/* links: testcases base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "testcases/problem.h"

Test(problem, table_is_complete_and_distinct)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	cr_assert(count >= 14);
	for (size_t i = 0; i < count; i++) {
		cr_assert(problem_find(table[i].name) == &table[i]);
		cr_assert(table[i].summary[0] != '\0' && table[i].formula[0] != '\0');
		cr_assert((problem_part(&table[i], PART_LEFT) != NULL) == (table[i].file == NULL));
		cr_assert(problem_part(&table[i], PART_RESULT)->role != ROLE_INPUT);
		for (size_t s = 0; s < problem_sizes(&table[i]); s++) {
			const struct problem_size *size = &table[i].sizes[s];
			cr_assert(size->shown != NULL && size->is != 0);
			bool counted = size->max == INT32_MAX; /* what is not zero of an operand of a file */
			cr_assert(size->min >= !counted && size->min < size->max);
		}
		for (size_t j = 0; j < i; j++)
			cr_assert(strcmp(table[i].folder, table[j].folder) != 0);
	}
	cr_assert(problem_find("gemm") == NULL);
	cr_assert(problem_find(PROBLEM_STAGE) != NULL);
}

static size_t words_of(const char *text)
{
	size_t words = 0;
	for (; *text != '\0'; text += strspn(text, " ")) {
		words++;
		text += strcspn(text, " ");
	}
	return words;
}

/* Operands, sizes and scalars: each is an argument once, and every word is one of them. */
static void check_call(const struct problem *problem)
{
	size_t passed[3][8] = {{0}}, count = 0;
	struct argument argument;
	while (problem_argument(problem, count, &argument)) {
		passed[argument.kind][argument.index]++;
		count++;
	}
	cr_assert_eq(count, words_of(problem->call), "%s: word %zu of \"%s\" is nothing that it has",
				 problem->name, count, problem->call);
	for (size_t i = 0; i < problem_operands(problem); i++)
		cr_assert_eq(passed[ARGUMENT_OPERAND][i], 1, "%s", problem->operands[i].name);
	for (size_t i = 0; i < problem_scalars(problem); i++)
		cr_assert_eq(passed[ARGUMENT_SCALAR][i], 1, "%s", problem->scalars[i].name);
	for (size_t i = 0; i < problem_sizes(problem); i++) /* a stage needs no K */
		cr_assert(passed[ARGUMENT_SIZE][i] == 1 || strcmp(problem->name, PROBLEM_STAGE) == 0, "%s",
				  problem->sizes[i].name);
}

Test(problem, every_operand_size_and_scalar_is_passed_once)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	for (size_t i = 0; i < count; i++)
		check_call(&table[i]);
	check_call(problem_find(PROBLEM_STAGE));
}

/* Every size of an operand is one that the problem has, or 1. test_shipped_problems.c has those of
 * files. */
Test(problem, operands_have_their_extents)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	for (size_t i = 0; i < count; i++)
		for (const struct operand *operand = table[i].operands;
			 table[i].file == NULL && operand->name != NULL; operand++) {
			uint64_t elements = 1;
			for (size_t e = 0; e < EXTENTS_MAX; e++)
				elements *= (uint64_t)table[i].large.size[operand->extent[e]];
			if (operand->grouped)
				elements /= (uint64_t)table[i].large.size[SIZE_GROUP];
			cr_assert_eq(operand_elements(operand, &table[i].large), elements, "%s %s",
						 table[i].name, operand->name);
		}
	const struct problem *w4 = problem_find("gemm-w4");
	struct shape shape = {{1, 3, 5, 8, 4}};
	cr_assert_eq(operand_bytes(&w4->operands[0], &shape), 3 * 8 * 2);
	cr_assert_eq(operand_bytes(&w4->operands[1], &shape), 5 * 4);
	cr_assert_eq(operand_bytes(&w4->operands[2], &shape), 5 * 2 * 2);
	cr_assert_eq(operand_bytes(&w4->operands[3], &shape), 3 * 5 * 2);
	cr_assert_eq(operand_columns(&w4->operands[2], &shape), 2);
}

static void prototype_is(const char *name, const char *arguments)
{
	char text[PROTOTYPE_TEXT], want[PROTOTYPE_TEXT];
	problem_prototype(problem_find(name), text);
	snprintf(want, sizeof want, "extern \"C\" void solve(%s)", arguments);
	cr_assert_str_eq(text, want);
}

/* Of LeetGPU's challenges 2, 22, 30, 32, 57, 73 and 81, as published. */
Test(problem, prototypes_are_those_of_leetgpu)
{
	prototype_is("matmul-f32", "const float *A, const float *B, float *C, int M, int N, int K");
	prototype_is("gemm-f16", "const half *A, const half *B, half *C, int M, int N, int K, "
							 "float alpha, float beta");
	prototype_is("batched-f32",
				 "const float *A, const float *B, float *C, int BATCH, int M, int N, int K");
	prototype_is("gemm-s8", "const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, "
							"float scale_A, float scale_B, float scale_C, int zero_point_A, "
							"int zero_point_B, int zero_point_C");
	prototype_is("batched-f16",
				 "const half *A, const half *B, half *C, int BATCH, int M, int N, int K");
	prototype_is("apsp-f32", "const float *dist, float *output, int N");
	prototype_is("gemm-w4", "const half *x, const uint8_t *w_q, const half *scales, half *y, "
							"int M, int N, int K, int group_size");
}

/* Of challenges 6, 9, 10, 11, 17, 18, 37, 53, 56, 58, 75, 80, 84 and 85, which are files. */
Test(problem, prototypes_of_files_are_those_of_leetgpu)
{
#define Q_K_V "const float *Q, const float *K, const float *V, float *output, "
#define CONVOLUTION "const float *input, const float *kernel, float *output, "
	prototype_is("attention", Q_K_V "int M, int N, int d");
	prototype_is("causal-attention", Q_K_V "int M, int d");
	prototype_is("linear-attention", Q_K_V "int M, int d");
	prototype_is("grouped-query-attention",
				 Q_K_V "int num_q_heads, int num_kv_heads, int seq_len, int head_dim");
	prototype_is("conv1d", CONVOLUTION "int input_size, int kernel_size");
	prototype_is("conv2d",
				 CONVOLUTION "int input_rows, int input_cols, int kernel_rows, int kernel_cols");
	prototype_is("conv3d",
				 CONVOLUTION "int input_depth, int input_rows, int input_cols, int kernel_depth, "
							 "int kernel_rows, int kernel_cols");
	prototype_is("dot-f32", "const float *A, const float *B, float *result, int N");
	prototype_is("dot-f16", "const half *A, const half *B, half *result, int N");
	prototype_is("spmv", "const float *A, const float *x, float *y, int M, int N, int nnz");
	prototype_is("spmm", "const float *A, const float *B, float *C, int M, int N, int K, int nnz");
	prototype_is("matrix-power", "const float *input, float *output, int N, int P");
	prototype_is("lora", "const float *x, const float *W, const float *A, const float *B, "
						 "float *output, int batch, int d_in, int d_out, int rank, "
						 "float lora_scale");
	prototype_is("swiglu", "const float *x, const float *W_gate, const float *W_up, "
						   "const float *W_down, float *output, int M, int d_model, int d_ffn");
}

/* Nothing of a prototype or an explanation is cut off. */
Test(problem, texts_have_room)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	for (size_t i = 0; i < count; i++) {
		char prototype[PROTOTYPE_TEXT], explanation[EXPLANATION_TEXT];
		problem_prototype(&table[i], prototype);
		problem_explain(&table[i], explanation);
		cr_assert_eq(prototype[strlen(prototype) - 1], ')');
		cr_assert(strstr(explanation, table[i].formula) != NULL, "%s", explanation);
	}
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
	static const struct {
		enum dtype type;
		char name[8];
		uint64_t bytes_of_6;
		double unit_roundoff, largest, smallest;
	} rows[] = {
		{DTYPE_F16, "f16", 12, 0x1p-11, 65504, 0x1p-24},
		{DTYPE_BF16, "bf16", 12, 0x1p-8, 3.3895313892515355e38, 0x1p-133},
		{DTYPE_F32, "f32", 24, 0x1p-24, 3.4028234663852886e38, 0x1p-149},
		{DTYPE_S8, "s8", 6, 0, 127, 1},
		{DTYPE_E4M3, "e4m3", 6, 0x1p-4, 448, 0x1p-9},
		{DTYPE_U4, "u4", 3, 0, 7, 1},
	};
	size_t count = sizeof rows / sizeof *rows;
	for (size_t i = 0; i < count; i++) {
		const struct type *type = type_of(rows[i].type);
		cr_assert_str_eq(type->name, rows[i].name);
		cr_assert_eq(type_bytes(type, 6), rows[i].bytes_of_6);
		cr_assert(type->unit_roundoff == rows[i].unit_roundoff);
		cr_assert(type->largest == rows[i].largest && type->smallest == rows[i].smallest);
		cr_assert(type_at(i) != NULL);
	}
	cr_assert(type_at(count) == NULL);
	cr_assert_eq(type_bytes(type_of(DTYPE_U4), 5), 3);
}

Test(problem, leetgpu_matmul_keeps_its_own_order)
{
	const struct problem *matmul = problem_find("matmul-f32");
	cr_assert(!problem_takes(matmul, SCALAR_ALPHA));
	cr_assert(problem_takes(problem_find("sgemm"), SCALAR_ALPHA));
	/* LeetGPU's M, N, K = 8192, 6144, 4096: N is summed over, K is C's width */
	cr_assert_str_eq(problem_size_of(matmul, SIZE_K)->name, "N");
	cr_assert_str_eq(problem_size_of(matmul, SIZE_N)->name, "K");
	const int32_t *size = matmul->large.size;
	cr_assert(size[SIZE_M] == 8192 && size[SIZE_K] == 6144 && size[SIZE_N] == 4096);
}

Test(problem, one_size_may_be_all)
{
	const struct problem *paths = problem_find("apsp-f32");
	cr_assert(problem_size_of(paths, SIZE_M) == problem_size_of(paths, SIZE_K));
	cr_assert(problem_size_of(paths, SIZE_BATCH) == NULL);
	cr_assert(problem_part(paths, PART_RIGHT) == NULL);
	struct shape shape = {{4, 3, 5, 7, 1}};
	cr_assert(shape_rows(&shape) == 12 && shape_columns(&shape) == 5);
	cr_assert(shape_terms(&shape) == 420);
}

Test(problem, epilogues_are_for_sums_that_become_floating_point)
{
	cr_assert(problem_has_epilogue(problem_find("batched-f16")));
	cr_assert(problem_has_epilogue(problem_find("gemm-e4m3")));
	cr_assert(!problem_has_epilogue(problem_find("gemm-s8")));
	cr_assert(!problem_has_epilogue(problem_find("minplus-f32")));
	cr_assert(!problem_has_epilogue(problem_find("apsp-f32")));
}
