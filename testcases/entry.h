/* Under which name, and with its sizes in which order, a file's function may be called. */
#ifndef GEMMJUDGE_TESTCASES_ENTRY_H
#define GEMMJUDGE_TESTCASES_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "testcases/problem.h"

enum entry_kind {
	ENTRY_SOLVE,     /* extern "C" void solve(...) */
	ENTRY_SOLVE_CXX, /* the same without extern "C", its pointers to const or not */
	/* Tensara's void solution(...): the problem's buffers, then its sizes as size_t. */
	ENTRY_SOLUTION,
};

/* The order in which solution() gets its sizes. */
enum entry_order {
	ENTRY_NOT_TAKEN, /* solution() is not called: the file's does not fit the problem */
	ENTRY_TENSARA,   /* M, N, K where C is M x N and K is summed over */
	ENTRY_SITE,      /* as the problem's solve() has them */
};

/* Whether the problem has nothing but buffers and sizes, as solution() takes them. */
bool entry_takes_solution(const struct problem *problem);

/* Whether the two orders differ: not where the problem calls its sizes as Tensara does. */
bool entry_has_orders(const struct problem *problem);

/* Argument `index` of solution(): the problem's own, with its sizes in this order. False: there is
 * no such. */
bool entry_argument(const struct problem *problem, enum entry_order order, size_t index,
					struct argument *out);

/* The Itanium C++ ABI's name of a function without extern "C" that takes the problem's arguments:
 * bit i of `constant` is set where its operand i points to const, `size` is the letter of its
 * sizes' type ('i' int, 'm' size_t). */
#define ENTRY_NAME_TEXT 160
void entry_mangle(const struct problem *problem, const char *function, unsigned constant, char size,
				  char out[ENTRY_NAME_TEXT]);

/* LeetGPU's "solve.h" of the problem. */
#define ENTRY_HEADER_TEXT (PROTOTYPE_TEXT + 256)
void entry_header(const struct problem *problem, char out[ENTRY_HEADER_TEXT]);

#endif
