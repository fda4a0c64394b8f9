/* Element types, one row each. Whatever differs from type to type stands in the row: nothing else
 * in the program compares types with one another. A new type is a new row in type.c. */
#ifndef GEMMJUDGE_TESTCASES_TYPE_H
#define GEMMJUDGE_TESTCASES_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dtype { DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_S8, DTYPE_E4M3, DTYPE_U4 };

/* What the bits of an element mean. Plain numbers, so that kernels can have it too. */
struct number_format {
	uint32_t bits;       /* of an element: 32, 16, 8; 4: two a byte, the first in the high half */
	uint32_t is_integer; /* else binary floating point, as IEEE 754 lays it out */
	/* Floating point: significand bits, the hidden one included, and the exponent of the
	 * smallest normal number. Integers: bits of the largest magnitude. */
	int32_t precision, smallest_exponent;
	int32_t lowest, highest, zero; /* integers: their range; which code stands for 0 */
	uint32_t sign;                 /* the sign bit; 0: there is none */
	uint32_t overflow;             /* what a number beyond the range becomes, sign apart */
	uint32_t infinity;             /* 0: there is none, and overflow is the largest number */
	uint32_t nan;                  /* the quiet one that rounding makes; 0: there is none */
	uint32_t nan_first;            /* from this magnitude on bits are a NaN */
};

struct type {
	const char *name;    /* "f16" */
	const char *element; /* in C++: "half"; what a pointer to packed elements points to */
	const char *mangled; /* as the Itanium C++ ABI has that type in names */
	const char *include; /* the header that declares it; "" none */
	const char *widen;   /* the C++ function that makes a float of it; "" none is needed */
	const char *narrow;  /* and back */
	struct number_format format;
	/* Unit roundoff u = 2^-p, the smallest positive (subnormal) and the largest finite number;
	 * Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 2.1. Integers: 0,
	 * 1 and the largest. */
	double unit_roundoff, smallest, largest;
	/* What tensor cores cut off sums of such products, in the error bound (referee/README.md):
	 * `truncation` times K 2^-24 of the result, and `cut` of |A||B| / sqrt(K)
	 * and half of `cut` of the result. */
	double truncation, cut;
	/* How far generated values go so that sums stay inside the range: the larger bound of
	 * uniform ones, and the binades of wide ones. */
	float uniform_most, wide_most;
};

/* The row of a type. */
const struct type *type_of(enum dtype type);

/* Walks the rows: NULL behind the last. */
const struct type *type_at(size_t index);

/* Bytes that so many elements take. */
uint64_t type_bytes(const struct type *type, uint64_t elements);

#ifdef __cplusplus
}
#endif

#endif
