/* Arithmetic over 64-bit integers, parsed once and evaluated often over an array of values:
 *   + - * / % == != < <= > >= && || ! ?: ( ) min(a,b) max(a,b) ceil_div(a,b) power_of_two(a)
 * with C's precedence. Division rounds towards 0, as in C; ceil_div rounds up, and both of its
 * operands are >= 0. Truth is 1 or 0; of && || ?: only the side that counts is evaluated. */
#ifndef GEMMJUDGE_BASE_EXPRESSION_H
#define GEMMJUDGE_BASE_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* No value: division by zero, a result beyond 64 bits, or made of such. May stand in the array of
 * values, too. */
#define EXPRESSION_UNDEFINED INT64_MIN

#define EXPRESSION_NODES_MAX 256
#define EXPRESSION_DEPTH_MAX 64 /* of parentheses, signs and what is nested otherwise */

/* Operands come before what uses them; the last node is the whole. */
struct expression_node {
	uint8_t operation;   /* of expression.c */
	int16_t operands[3]; /* numbers of nodes; -1: none */
	int64_t value;       /* a number, or the place of a name in the array of values */
};

struct expression {
	size_t count;
	struct expression_node *nodes; /* owned */
};

/* Who knows the names: the place of one in the array of values, or -1 with err saying why not. */
struct expression_names {
	int (*place)(void *context, const char *name, struct error *err);
	void *context;
};

/* The whole text or nothing; false with err (no file, no line: the caller adds them). `names` may
 * be NULL: there are none. */
bool expression_parse(const char *text, const struct expression_names *names,
					  struct expression *out, struct error *err);
void expression_free(struct expression *expression);

/* Its value, or EXPRESSION_UNDEFINED. */
int64_t expression_value(const struct expression *expression, const int64_t *values);

/* All marks[place] of the places that it reads, or-ed. */
uint64_t expression_marks(const struct expression *expression, const uint64_t *marks);

#endif
