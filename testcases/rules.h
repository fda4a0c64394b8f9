/* What a problem of a file has beside the tables that all problems have: shapes as expressions over
 * its sizes, how sizes and values are drawn, the steps of its reference. */
#ifndef GEMMJUDGE_TESTCASES_RULES_H
#define GEMMJUDGE_TESTCASES_RULES_H

#include "base/expression.h"
#include "base/paths.h"
#include "testcases/problem.h"

/* A buffer's shape and values. Expressions are over a shape's sizes. */
struct operand_rules {
	size_t rank;
	char *text[EXTENTS_MAX]; /* as the file has them; owned */
	struct expression extent[EXTENTS_MAX];
	enum size scaled; /* its numbers are divided by the root of this size; 0: they are not */
	float zeros;      /* the share of its elements that are 0 */
	bool drawn;       /* the file says how */
};

/* How a size is drawn, by rows of the problem's table: -1 where there is none. */
#define SIZE_LIMITS_MAX 2
struct size_rules {
	int common;   /* seven of eight generated cases stay at or below it; 0: no such */
	bool uniform; /* no extent, but any number with the same probability */
	int at_most[SIZE_LIMITS_MAX];
	int multiple_of;
	int nonzeros_of; /* it is no size of its own: it counts what this operand has of them */
};

#define STEPS_MAX 16
struct step_rules {
	char *name;          /* owned */
	const char *element; /* "float" */
	struct operand_rules shape;
	bool blocked, in_order, is_output;
};

struct problem_rules {
	struct size_rules sizes[SIZES_MAX];
	struct operand_rules operands[OPERANDS_MAX];
	struct step_rules steps[STEPS_MAX + 2]; /* of the reference; the output is the last */
	size_t step_count;
	struct expression work;
	char reference[PATHS_MAX]; /* reference.cuh, absolute */
};

/* What an expression over the sizes by name is; 0 where it is no number above 0. */
static inline uint64_t rules_value(const struct expression *expression, const struct shape *shape)
{
	int64_t values[SIZES_MAX];
	for (int i = 0; i < SIZES_MAX; i++)
		values[i] = shape->size[SIZE_NAMED + i];
	int64_t value = expression_value(expression, values);
	return value < 1 ? 0 : (uint64_t)value; /* EXPRESSION_UNDEFINED is below, too */
}

/* Elements along an extent. */
static inline uint64_t extent_of(const struct operand_rules *rules, size_t index,
								 const struct shape *shape)
{
	return rules_value(&rules->extent[index], shape);
}

#endif
