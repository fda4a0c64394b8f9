#include "testcases/problem.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testcases/rules.h"

/* ---- rows that problems share ------------------------------------------------------ */

#define IS(size) (1u << SIZE_##size)
#define PRODUCT_SIZES(low, high)                                                                   \
	{                                                                                              \
		{"M", "M", IS(M), low, high, 0}, {"N", "N", IS(N), low, high, 0},                          \
		{                                                                                          \
			"K", "K", IS(K), low, high, 0                                                          \
		}                                                                                          \
	}
#define BATCHED_SIZES(high)                                                                        \
	{                                                                                              \
		{"BATCH", "B", IS(BATCH), 1, 128, 0}, {"M", "M", IS(M), 1, high, 0},                       \
			{"N", "N", IS(N), 1, high, 0},                                                         \
		{                                                                                          \
			"K", "K", IS(K), 1, high, 0                                                            \
		}                                                                                          \
	}
#define SHAPE(b, m, n, k, g)                                                                       \
	{                                                                                              \
		{                                                                                          \
			[SIZE_BATCH] = b, [SIZE_M] = m, [SIZE_N] = n, [SIZE_K] = k, [SIZE_GROUP] = g           \
		}                                                                                          \
	}

/* alpha A B + beta C */
#define FACTORS                                                                                    \
	{                                                                                              \
		{"alpha", SCALAR_ALPHA, SCALAR_DRAW_FACTOR, false},                                        \
		{                                                                                          \
			"beta", SCALAR_BETA, SCALAR_DRAW_FACTOR, false                                         \
		}                                                                                          \
	}

#define LEFT(name, type, draw)                                                                     \
	{                                                                                              \
		name, ROLE_INPUT, type, PART_LEFT, false, false, EXTENT(BATCH, M, K), draw, NULL           \
	}
#define RIGHT(name, type, draw)                                                                    \
	{                                                                                              \
		name, ROLE_INPUT, type, PART_RIGHT, false, false, EXTENT(BATCH, K, N), draw, NULL          \
	}
#define RIGHT_TRANSPOSED(name, type, draw)                                                         \
	{                                                                                              \
		name, ROLE_INPUT, type, PART_RIGHT, true, false, EXTENT(BATCH, N, K), draw, NULL           \
	}
#define RESULT(name, type)                                                                         \
	{                                                                                              \
		name, ROLE_OUTPUT, type, PART_RESULT, false, false, EXTENT(BATCH, M, N), DRAW_NOTHING,     \
			NULL                                                                                   \
	}
#define RESULT_ADDED(name, type)                                                                   \
	{                                                                                              \
		name, ROLE_BOTH, type, PART_RESULT, false, false, EXTENT(BATCH, M, N), DRAW_NUMBERS, NULL  \
	}

#define GEMM(type)                                                                                 \
	{                                                                                              \
		LEFT("A", type, DRAW_NUMBERS), RIGHT("B", type, DRAW_NUMBERS), RESULT_ADDED("C", type)     \
	}
#define LINEAR(type)                                                                               \
	{                                                                                              \
		LEFT("X", type, DRAW_NUMBERS), RIGHT_TRANSPOSED("W", type, DRAW_NUMBERS),                  \
			RESULT_ADDED("Y", type)                                                                \
	}
#define BATCHED(type)                                                                              \
	{                                                                                              \
		LEFT("A", type, DRAW_NUMBERS), RIGHT("B", type, DRAW_NUMBERS), RESULT("C", type)           \
	}

#define GEMM_FORMULA "C = alpha*A*B + beta*C, accumulated in f32"
#define LINEAR_FORMULA "Y = alpha*X*W^T + beta*Y, accumulated in f32"

/* ---- the problems ------------------------------------------------------------------ */

static const struct problem problems[] = {
	{
		.name = "gemm-f16",
		.also = "hgemm f16 fp16 half float16 gemm-fp16 gemm-half fp16-gemm leetgpu-gemm "
				"general-matrix-multiplication matmul-f16 matmul-fp16 matmul-half",
		.folder = "gemm_f16",
		.summary = "LeetGPU's General Matrix Multiplication (GEMM): half in and out",
		.formula = GEMM_FORMULA,
		.sizes = PRODUCT_SIZES(16, 4096),
		.scalars = FACTORS,
		.operands = GEMM(DTYPE_F16),
		.call = "A B C M N K alpha beta",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = SHAPE(1, 1024, 1024, 1024, 1),
		.large_scalars = {1, 1},
	},
	{
		.name = "gemm-bf16",
		.also = "bgemm bf16 bfloat16 gemm-bfloat16 bf16-gemm",
		.folder = "gemm_bf16",
		.summary = "the same GEMM in bfloat16",
		.formula = GEMM_FORMULA,
		.sizes = PRODUCT_SIZES(16, 4096),
		.scalars = FACTORS,
		.operands = GEMM(DTYPE_BF16),
		.call = "A B C M N K alpha beta",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = SHAPE(1, 1024, 1024, 1024, 1),
		.large_scalars = {1, 1},
	},
	{
		.name = "sgemm",
		.also = "gemm-f32 gemm-fp32 gemm-float f32 fp32 float float32 single",
		.folder = "sgemm",
		.summary = "the same GEMM in float",
		.formula = GEMM_FORMULA,
		.sizes = PRODUCT_SIZES(16, 4096),
		.scalars = FACTORS,
		.operands = GEMM(DTYPE_F32),
		.call = "A B C M N K alpha beta",
		.leetgpu_atol = 1e-4,
		.leetgpu_rtol = 1e-4,
		.large = SHAPE(1, 4096, 4096, 4096, 1),
		.large_scalars = {1, 0},
	},
	{
		.name = "matmul-f32",
		.also = "mm matrix-multiplication matrix-multiply matmul-fp32 square-matmul",
		.also_says = "and sgemm has alpha and beta",
		.folder = "matmul_f32",
		.summary = "LeetGPU's Matrix Multiplication: float, no alpha or beta, its own M, N, K",
		.formula = "N is the summed size, K the width of the result; C = A*B, accumulated in f32",
		.sizes = {{"M", "M", IS(M), 1, 4096, 0},
				  {"K", "N", IS(N), 1, 4096, 0},
				  {"N", "K", IS(K), 1, 4096, 0}},
		.operands = BATCHED(DTYPE_F32),
		.call = "A B C M N K",
		.leetgpu_atol = 1e-4,
		.leetgpu_rtol = 1e-4,
		.large = SHAPE(1, 8192, 4096, 6144, 1),
	},
	{
		.name = "gemv-f32",
		.also = "sgemv matvec mat-vec mv matrix-vector matrix-vector-multiplication",
		.folder = "gemv",
		.summary = "a matrix times a vector, in float",
		.formula = "y = A*x",
		.metric = METRIC_BYTES,
		.sizes = {{"M", "M", IS(M), 16, 16384, 0}, {"N", "N", IS(K), 16, 16384, 0}},
		.operands = {LEFT("A", DTYPE_F32, DRAW_NUMBERS), RIGHT("x", DTYPE_F32, DRAW_NUMBERS),
					 RESULT("y", DTYPE_F32)},
		.call = "A x y M N",
		.leetgpu_atol = 1e-4,
		.leetgpu_rtol = 1e-4,
		.large = SHAPE(1, 16384, 1, 16384, 1),
		.common = 4096,
	},
	{
		.name = "minplus-f32",
		.also = "min-plus tropical distance-product",
		.folder = "minplus",
		.summary = "the product of shortest paths: min in place of the sum, + of the product",
		.formula = "C[i][j] = the least A[i][k] + B[k][j] over all k, bit for bit",
		.algebra = ALGEBRA_MIN_PLUS,
		.sizes = PRODUCT_SIZES(16, 4096),
		.operands = {LEFT("A", DTYPE_F32, DRAW_LENGTHS), RIGHT("B", DTYPE_F32, DRAW_LENGTHS),
					 RESULT("C", DTYPE_F32)},
		.call = "A B C M N K",
		.large = SHAPE(1, 4096, 4096, 4096, 1),
	},
	{
		.name = "batched-f32",
		.also = "bmm bmm-f32 batched-matmul batched-gemm batched-sgemm sgemm-batched "
				"batched-matrix-multiplication",
		.also_says = "batched-f16 is the same in half",
		.folder = "batched_f32",
		.summary = "LeetGPU's Batched Matrix Multiplication, in float",
		.formula = "C[b] = A[b]*B[b] for each of the BATCH matrices, which lie one after the "
				   "other; accumulated in f32",
		.sizes = BATCHED_SIZES(1024),
		.operands = BATCHED(DTYPE_F32),
		.call = "A B C BATCH M N K",
		.leetgpu_atol = 1e-5,
		.leetgpu_rtol = 1e-5,
		.large = SHAPE(32, 256, 256, 256, 1),
	},
	{
		.name = "batched-f16",
		.also = "bmm-f16 batched-hgemm hgemm-batched batched-fp16 fp16-batched-matmul",
		.folder = "batched_f16",
		.summary = "LeetGPU's FP16 Batched Matrix Multiplication: half in and out",
		.formula = "C[b] = A[b]*B[b] for each of the BATCH matrices, which lie one after the "
				   "other; accumulated in f32",
		.sizes = BATCHED_SIZES(1024),
		.operands = BATCHED(DTYPE_F16),
		.call = "A B C BATCH M N K",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = SHAPE(32, 256, 256, 256, 1),
	},
	{
		.name = "gemm-s8",
		.also = "igemm int8 i8 s8 w8a8 gemm-int8 gemm-i8 int8-gemm int8-matmul quantized-matmul "
				"int8-quantized-matmul",
		.folder = "gemm_s8",
		.summary = "LeetGPU's INT8 Quantized MatMul: scales, zero points, an exact result",
		.formula = "C = clamp(round(sum((A - zero_point_A) * (B - zero_point_B)) * scale_A * "
				   "scale_B / scale_C) + zero_point_C, -128, 127), the sum exact, half rounded to "
				   "even",
		.sizes = {{"M", "M", IS(M), 1, 8192, 0},
				  {"N", "N", IS(N), 1, 8192, 0},
				  {"K", "K", IS(K), 1, 4096, 0}},
		.scalars = {{"scale_A", SCALAR_SCALE_LEFT, SCALAR_DRAW_SCALE, false},
					{"scale_B", SCALAR_SCALE_RIGHT, SCALAR_DRAW_SCALE, false},
					{"scale_C", SCALAR_SCALE_RESULT, SCALAR_DRAW_RESULT_SCALE, false},
					{"zero_point_A", SCALAR_ZERO_LEFT, SCALAR_DRAW_ZERO, true},
					{"zero_point_B", SCALAR_ZERO_RIGHT, SCALAR_DRAW_ZERO, true},
					{"zero_point_C", SCALAR_ZERO_RESULT, SCALAR_DRAW_ZERO, true}},
		.operands = {LEFT("A", DTYPE_S8, DRAW_CODES), RIGHT("B", DTYPE_S8, DRAW_CODES),
					 RESULT("C", DTYPE_S8)},
		.call = "A B C M N K scale_A scale_B scale_C zero_point_A zero_point_B zero_point_C",
		.large = SHAPE(1, 8192, 4096, 2048, 1),
		.large_scalars = {0.1f, 0.1f, 0.01f, 0, 0, 0},
		.common = 2048,
	},
	{
		.name = "gemm-w4",
		.also = "w4 w4a16 int4 gptq awq weight-only gemm-int4 gemm-w4a16 int4-matmul",
		.folder = "gemm_w4",
		.summary = "LeetGPU's INT4 Weight-Only Quantized MatMul: half times four-bit weights",
		.formula =
			"y = x*W^T with W[n][k] = (nibble - 8) * scales[n][k / group_size], rounded to "
			"half or not; a byte of w_q holds an even k in its high half and the next one in its "
			"low half; accumulated in f32",
		.sizes = {{"M", "M", IS(M), 1, 8192, 0},
				  {"N", "N", IS(N), 1, 8192, 0},
				  {"K", "K", IS(K), 2, 8192, 2},
				  {"group_size", "G", IS(GROUP), 2, 128, 2}},
		.operands = {LEFT("x", DTYPE_F16, DRAW_NUMBERS),
					 RIGHT_TRANSPOSED("w_q", DTYPE_U4, DRAW_CODES),
					 {"scales", ROLE_INPUT, DTYPE_F16, PART_RIGHT_SCALES, true, true,
					  EXTENT(BATCH, N, K), DRAW_SCALES, NULL},
					 RESULT("y", DTYPE_F16)},
		.call = "x w_q scales y M N K group_size",
		.leetgpu_atol = 0.01,
		.leetgpu_rtol = 0.01,
		.large = SHAPE(1, 4096, 4096, 4096, 128),
		.common = 4096,
	},
	{
		.name = "apsp-f32",
		.also = "floyd floyd-warshall floydwarshall shortest-paths all-pairs-shortest-paths",
		.folder = "apsp",
		.summary = "LeetGPU's All-Pairs Shortest Paths: Floyd and Warshall's result",
		.formula =
			"output[i][j] = the length of the shortest path from i to j; dist has the "
			"edges, +infinity where there is none, 0 on its diagonal; lengths may be negative, "
			"cycles are not",
		.algebra = ALGEBRA_SHORTEST_PATHS,
		.sizes = {{"N", "N", IS(M) | IS(N) | IS(K), 1, 4096, 0}},
		.operands = {LEFT("dist", DTYPE_F32, DRAW_GRAPH), RESULT("output", DTYPE_F32)},
		.call = "dist output N",
		.leetgpu_atol = 0.01,
		.leetgpu_rtol = 0.01,
		.large = SHAPE(1, 2048, 2048, 2048, 1),
		.common = 512,
	},
	{
		.name = "linear-f16",
		.also = "linear linear-layer nn-linear gemm-nt gemm-tn",
		.also_says = "linear-bf16 in bfloat16",
		.folder = "linear_f16",
		.summary = "a network's linear layer: weights N x K, both operands K-contiguous, half",
		.formula = LINEAR_FORMULA,
		.sizes = PRODUCT_SIZES(16, 4096),
		.scalars = FACTORS,
		.operands = LINEAR(DTYPE_F16),
		.call = "X W Y M N K alpha beta",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = SHAPE(1, 4096, 4096, 4096, 1),
		.large_scalars = {1, 0},
	},
	{
		.name = "linear-bf16",
		.folder = "linear_bf16",
		.summary = "the same linear layer in bfloat16",
		.formula = LINEAR_FORMULA,
		.sizes = PRODUCT_SIZES(16, 4096),
		.scalars = FACTORS,
		.operands = LINEAR(DTYPE_BF16),
		.call = "X W Y M N K alpha beta",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = SHAPE(1, 4096, 4096, 4096, 1),
		.large_scalars = {1, 0},
	},
	{
		.name = "gemm-e4m3",
		.also = "fp8 f8 e4m3 e5m2 gemm-fp8 gemm-f8 fp8-gemm gemm-e5m2",
		.folder = "gemm_e4m3",
		.summary = "fp8 in, bfloat16 out, both operands K-contiguous, f32 accumulation",
		.formula = "C = scale_A*scale_B * A*B^T, accumulated in f32; Hopper's tensor cores keep 14 "
				   "bits of an fp8 sum, so theirs may reach over 128 of K at most",
		.sizes = PRODUCT_SIZES(16, 4096),
		.scalars = {{"scale_A", SCALAR_SCALE_LEFT, SCALAR_DRAW_SCALE, false},
					{"scale_B", SCALAR_SCALE_RIGHT, SCALAR_DRAW_SCALE, false}},
		.operands = {LEFT("A", DTYPE_E4M3, DRAW_NUMBERS),
					 RIGHT_TRANSPOSED("B", DTYPE_E4M3, DRAW_NUMBERS), RESULT("C", DTYPE_BF16)},
		.call = "A B C M N K scale_A scale_B",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = SHAPE(1, 4096, 4096, 4096, 1),
		.large_scalars = {0.5f, 0.5f},
	},
};

static const struct problem stage = {
	.name = PROBLEM_STAGE,
	.folder = "",
	.summary = "a stage of an epilogue by itself",
	.formula = "Y = stage(X)",
	.sizes = PRODUCT_SIZES(1, 4096),
	.scalars = FACTORS,
	.operands = {LEFT("X", DTYPE_F32, DRAW_NUMBERS), RESULT("C", DTYPE_F32),
				 RESULT("Y", DTYPE_F32)},
	.call = "X C Y M N alpha beta",
};

static const struct problem calibration = {
	.name = PROBLEM_CALIBRATION,
	.folder = "",
	.summary = "a call that takes a known time",
	.formula = "nothing, for so many nanoseconds",
	.sizes = {{"nanoseconds", "M", IS(M), 1, 1000000000, 0},
			  {"kibibytes", "N", IS(N), 0, 1 << 24, 0}},
	.operands = {RESULT("C", DTYPE_F32)},
	.call = "C nanoseconds kibibytes",
};

/* ---- finding --------------------------------------------------------------------------- */

const struct problem *problem_rows(size_t *count)
{
	*count = sizeof problems / sizeof problems[0];
	return problems;
}

const struct problem *problem_inner(const char *name)
{
	if (strcmp(name, PROBLEM_CALIBRATION) == 0)
		return &calibration;
	return strcmp(name, PROBLEM_STAGE) == 0 ? &stage : NULL;
}

const char *algebra_name(enum algebra algebra)
{
	static const char *const names[] = {[ALGEBRA_PLUS_TIMES] = "plus-times",
										[ALGEBRA_MIN_PLUS] = "min-plus",
										[ALGEBRA_SHORTEST_PATHS] = "shortest-paths",
										[ALGEBRA_REFERENCE] = "reference"};
	return names[algebra];
}

float scalar_neutral(enum scalar scalar)
{
	static const float neutral[SCALAR_COUNT] = {[SCALAR_ALPHA] = 1,
												[SCALAR_SCALE_LEFT] = 1,
												[SCALAR_SCALE_RIGHT] = 1,
												[SCALAR_SCALE_RESULT] = 1};
	return scalar >= SCALAR_NAMED ? 1 : neutral[scalar];
}

/* ---- walking --------------------------------------------------------------------------- */

size_t problem_operands(const struct problem *problem)
{
	size_t count = 0;
	while (problem->operands[count].name != NULL)
		count++;
	return count;
}

size_t problem_scalars(const struct problem *problem)
{
	size_t count = 0;
	while (problem->scalars[count].name != NULL)
		count++;
	return count;
}

size_t problem_sizes(const struct problem *problem)
{
	size_t count = 0;
	while (problem->sizes[count].name != NULL)
		count++;
	return count;
}

const struct operand *problem_part(const struct problem *problem, enum part part)
{
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		if (operand->part == part)
			return operand;
	return NULL;
}

size_t problem_part_index(const struct problem *problem, enum part part)
{
	return (size_t)(problem_part(problem, part) - problem->operands);
}

bool problem_takes(const struct problem *problem, enum scalar scalar)
{
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		if (row->is == scalar)
			return true;
	return false;
}

const struct problem_size *problem_size_of(const struct problem *problem, enum size size)
{
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		if ((row->is & 1u << size) != 0)
			return row;
	return NULL;
}

bool problem_has_epilogue(const struct problem *problem)
{
	return problem->algebra == ALGEBRA_PLUS_TIMES &&
		   !type_of(problem_part(problem, PART_RESULT)->type)->format.is_integer;
}

static bool same_word(const char *name, const char *word, size_t length)
{
	return strlen(name) == length && memcmp(name, word, length) == 0;
}

bool problem_argument(const struct problem *problem, size_t index, struct argument *out)
{
	const char *word = problem->call;
	for (size_t i = 0; i < index && *word != '\0'; i++) {
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	size_t length = strcspn(word, " ");
	if (length == 0)
		return false;
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (same_word(problem->operands[i].name, word, length)) {
			*out = (struct argument){ARGUMENT_OPERAND, i};
			return true;
		}
	for (size_t i = 0; problem->sizes[i].name != NULL; i++)
		if (same_word(problem->sizes[i].name, word, length)) {
			*out = (struct argument){ARGUMENT_SIZE, i};
			return true;
		}
	for (size_t i = 0; problem->scalars[i].name != NULL; i++)
		if (same_word(problem->scalars[i].name, word, length)) {
			*out = (struct argument){ARGUMENT_SCALAR, i};
			return true;
		}
	return false;
}

/* ---- words ----------------------------------------------------------------------------- */

/* Text that grows up to a capacity. */
struct text {
	char *at;
	size_t used, capacity;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format,
														   ...)
{
	va_list args;
	va_start(args, format);
	int length = vsnprintf(text->at + text->used, text->capacity - text->used, format, args);
	va_end(args);
	text->used += (size_t)length;
	if (text->used >= text->capacity)
		text->used = text->capacity - 1;
}

void problem_prototype(const struct problem *problem, char out[PROTOTYPE_TEXT])
{
	struct text text = {.at = out, .capacity = PROTOTYPE_TEXT};
	struct argument argument;
	text_add(&text, "extern \"C\" void solve(");
	for (size_t i = 0; problem_argument(problem, i, &argument); i++) {
		const struct operand *operand = &problem->operands[argument.index];
		const struct problem_scalar *scalar = &problem->scalars[argument.index];
		text_add(&text, "%s", i > 0 ? ", " : "");
		switch (argument.kind) {
		case ARGUMENT_OPERAND:
			text_add(&text, "%s%s *%s", operand->role == ROLE_INPUT ? "const " : "",
					 type_of(operand->type)->element, operand->name);
			break;
		case ARGUMENT_SIZE: text_add(&text, "int %s", problem->sizes[argument.index].name); break;
		case ARGUMENT_SCALAR:
			text_add(&text, "%s %s", scalar->is_integer ? "int" : "float", scalar->name);
			break;
		}
	}
	text_add(&text, ")");
}

/* "M x K", by the names that solve() uses; a size that the problem has not is left out. */
static void explain_extents(struct text *text, const struct problem *problem,
							const struct operand *operand)
{
	bool any = false;
	for (size_t i = 0; operand->rules != NULL && i < operand->rules->rank; i++)
		text_add(text, strpbrk(operand->rules->text[i], "+-/%") != NULL ? "%s(%s)" : "%s%s",
				 i > 0 ? " x " : "", operand->rules->text[i]);
	for (size_t i = 0; operand->rules == NULL && i < EXTENTS_MAX; i++) {
		const struct problem_size *size = problem_size_of(problem, operand->extent[i]);
		if (size == NULL)
			continue;
		text_add(text, "%s%s", any ? " x " : "", size->name);
		any = true;
		if (operand->grouped && i + 1 == EXTENTS_MAX)
			text_add(text, "/%s", problem_size_of(problem, SIZE_GROUP)->name);
	}
	if (type_of(operand->type)->format.bits < 8)
		text_add(text, " of %u bits each", (unsigned)type_of(operand->type)->format.bits);
}

void problem_explain(const struct problem *problem, char out[EXPLANATION_TEXT])
{
	struct text text = {.at = out, .capacity = EXPLANATION_TEXT};
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		text_add(&text, "%s%s is ", operand > problem->operands ? ", " : "", operand->name);
		explain_extents(&text, problem, operand);
	}
	text_add(&text, ", row-major and dense, in device memory; %s", problem->formula);
}

/* ---- shapes and operands ----------------------------------------------------------------- */

uint64_t operand_columns(const struct operand *operand, const struct shape *shape)
{
	if (operand->rules != NULL)
		return extent_of(operand->rules, operand->rules->rank - 1, shape);
	uint64_t columns = (uint64_t)shape->size[operand->extent[EXTENTS_MAX - 1]];
	return operand->grouped ? columns / (uint64_t)shape->size[SIZE_GROUP] : columns;
}

uint64_t operand_elements(const struct operand *operand, const struct shape *shape)
{
	uint64_t elements = operand_columns(operand, shape);
	for (size_t i = 0; operand->rules != NULL && i + 1 < operand->rules->rank; i++)
		elements *= extent_of(operand->rules, i, shape);
	for (size_t i = 0; operand->rules == NULL && i + 1 < EXTENTS_MAX; i++)
		elements *= (uint64_t)shape->size[operand->extent[i]];
	return elements;
}

uint64_t operand_bytes(const struct operand *operand, const struct shape *shape)
{
	return type_bytes(type_of(operand->type), operand_elements(operand, shape));
}

double shape_terms(const struct shape *shape)
{
	return (double)shape->size[SIZE_BATCH] * shape->size[SIZE_M] * shape->size[SIZE_N] *
		   shape->size[SIZE_K];
}
