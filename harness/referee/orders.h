/* Ways in which a kernel may honestly sum K products in f32, and ways in which it
 * may cheat or be wrong: what the bound of check.h must tell apart. For calibrate
 * and for tests; no part of the referee. */
#ifndef GEMMJUDGE_REFEREE_ORDERS_H
#define GEMMJUDGE_REFEREE_ORDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "testcases/case.h"
#include "testcases/problem.h"

enum order_kind {
	ORDER_SEQUENTIAL, /* first to last, fused multiply-add */
	ORDER_UNFUSED,    /* first to last, product rounded before it is added */
	ORDER_REVERSED,
	ORDER_PERMUTED, /* a random order */
	ORDER_PAIRWISE, /* a binary tree */
	ORDER_SPLIT,    /* `parts` ranges summed apart, then added: split-K */
	ORDER_STRIDED,  /* `parts` interleaved sums, then added: a warp's lanes */
	ORDER_BLOCKED,  /* a fresh sum for each `parts` products, added to the total */
	ORDER_TENSOR,   /* a tensor core: `parts` products and the total aligned to the largest
					   of them, cut to 24 + `extra` bits, summed, cut to f32 */
	ORDER_FP8,      /* a Hopper tensor core that multiplies fp8: `parts` products and the total
					   aligned to the largest of them and cut to 14 bits; the total is moved to
					   an f32 sum after every `promoted` products (0: never). DeepSeek-V3
					   Technical Report (2024), sections 3.3.2 and 3.5.2 */
	ORDER_TF32X3,   /* f32 from three TF32 products of high and low halves */
	ORDER_TF32X3_REVERSED,
	ORDER_TF32X3_TENSOR, /* the same by a tensor core as above; `promoted` as of ORDER_FP8 */
	ORDER_AFTER_C,       /* first to last, behind beta*C; alpha in each product */
	/* faults from here on */
	ORDER_F16,        /* the total rounded to f16 after every product */
	ORDER_F16_TENSOR, /* the total rounded to f16 after every `parts` products */
	ORDER_BF16,       /* the total rounded to bf16 after every product */
};

enum narrowing { NARROW_NONE, NARROW_BF16, NARROW_FP8, NARROW_TF32, NARROW_F16 };

struct order {
	char name[32];
	enum order_kind kind;
	char types[24]; /* of inputs for which the order makes sense: "f16 f32"; "": all */
	int parts, extra, promoted;
	enum narrowing inputs;      /* applied to A and B first */
	enum narrowing left, right; /* applied to one of them */
	double share;               /* of the K products, the first ones alone; 0: all */
	int dropped;                /* products left out at the end */
	bool without_c;             /* beta*C forgotten */
	int shows_from;             /* faults: the smallest K at which they are found */
};

/* The tables. Whether an order makes sense for inputs of a type, `order_suits` tells. */
const struct order *orders_honest(size_t *count);
const struct order *orders_faulty(size_t *count);
bool order_suits(const struct order *order, const struct type *type);

/* Operands of a case with one batch as numbers: the left one row by row, the right one column by
 * column, the result before the call. */
struct operands {
	size_t m, n, k;
	float *a, *b, *c;
	double *product, *magnitude; /* M*N, in f64 */
	double *squares;             /* as in device_product, in f64 */
	double *rest;                /* device_product.rest; 0 where the right one has no scales */
};
bool operands_draw(struct operands *out, const struct problem *problem,
				   const struct test_case *test);
void operands_free(struct operands *operands);

/* alpha*(A*B)_ij + beta*C_ij, alpha with the operands' scales, as a kernel of this order has it
 * before the last rounding. `scratch` holds 2*K floats. */
float order_element(const struct order *order, const struct operands *operands,
					const struct test_case *test, size_t row, size_t column, float *scratch);

#endif
