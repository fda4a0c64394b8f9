/* The problems that gemmjudge can judge. Adding one of the GEMM family is
 * adding a row to the table in problem.c; nothing else names a problem, and
 * where problems differ the code asks for a member of this struct.
 *
 * Throughout the program M, N, K are canonical: A is M x K, B is K x N and C is
 * M x N, all row-major and dense (leading dimension = row length). A problem
 * whose solve() orders or names its sizes otherwise says so in `size_order`. */
#ifndef GEMMJUDGE_TESTCASES_PROBLEM_H
#define GEMMJUDGE_TESTCASES_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype { DTYPE_F16, DTYPE_BF16, DTYPE_F32 };

/* How the judge calls solve(). */
enum call_form {
	CALL_SIZES_SCALARS, /* solve(A, B, C, size0, size1, size2, alpha, beta) */
	CALL_SIZES,         /* solve(A, B, C, size0, size1, size2) */
	CALL_MATRIX_VECTOR, /* solve(A, x, y, size0, size1); N is 1 in every case */
};

/* Over which pair of operations A and B are multiplied. */
enum algebra {
	ALGEBRA_PLUS_TIMES, /* C_ij: the sum over k of A_ik * B_kj */
	ALGEBRA_MIN_PLUS,   /* C_ij: the least over k of A_ik + B_kj, each rounded to f32: the
						   same in every order, so that it is demanded bit for bit */
};

/* What bounds the problem, and so stands beside the times in its tables. */
enum metric {
	METRIC_FLOPS, /* TFLOP/s: two operations for each term of each element of C */
	METRIC_BYTES, /* GB/s: every operand read once, C written once */
};

struct shape {
	int m, n, k;
};

struct problem {
	const char *name;      /* "gemm-f16": what the user types */
	const char *folder;    /* "gemm_f16": its folder below solutions/ */
	const char *summary;   /* one line for `gemmjudge list` */
	const char *solve;     /* the exact C++ prototype, for `new` and messages */
	const char *arguments; /* what each argument means, for `new` and `list` */
	const char *include;   /* header that a starter file needs, "cuda_fp16.h" or "" */
	const char *element;   /* C++ element type: "half" */
	enum dtype dtype;      /* of A, B and C */
	enum algebra algebra;
	enum metric metric;
	enum call_form call;
	char operands[4];                  /* what solve() calls A, B and C: "ABC", "Axy" */
	char size_order[4];                /* canonical sizes in solve()'s order: "MNK", or "MKN"
										  for LeetGPU's Matrix Multiplication, "MK" without N */
	double leetgpu_atol, leetgpu_rtol; /* what `--tolerance leetgpu` means */
	struct shape large;                /* the case that is timed by default */
	float large_alpha, large_beta;
	int min_dim, max_dim; /* limits of generated sizes: 16..4096, or 1..4096 */
	int common_dim;       /* seven of eight generated cases stay at or below it; 0: all may
							 reach max_dim */
};

/* The table and its length. */
const struct problem *problem_table(size_t *count);

/* By name ("gemm-f16"); NULL when unknown. */
const struct problem *problem_find(const char *name);

/* By the folder that holds `path` ("solutions/gemm_f16/01_naive.cu" gives
 * gemm-f16): the nearest parent folder that names a problem; NULL when none. */
const struct problem *problem_of_path(const char *path);

size_t dtype_size(enum dtype type);      /* bytes per element */
const char *dtype_name(enum dtype type); /* "f16", "bf16", "f32" */

const char *algebra_name(enum algebra algebra); /* "plus-times", "min-plus" */

/* Unit roundoff u = 2^-p of the type, p its significand bits (f16 11, bf16 8,
 * f32 24), and the smallest positive subnormal. Higham, Accuracy and Stability
 * of Numerical Algorithms, 2nd ed., section 2.1. */
double dtype_unit_roundoff(enum dtype type);
double dtype_smallest(enum dtype type);
/* Largest finite value (f16 65504). */
double dtype_largest(enum dtype type);

/* Whether solve() takes alpha and beta; where it does not they are 1 and 0. */
bool problem_has_scalars(const struct problem *problem);

/* Whether B and C are vectors: N is 1 in every case, and solve() does not take it. */
bool problem_has_vectors(const struct problem *problem);

#endif
