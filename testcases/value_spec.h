/* How the values of an operand are drawn; values.h has the numbers themselves. */
#ifndef GEMMJUDGE_TESTCASES_VALUE_SPEC_H
#define GEMMJUDGE_TESTCASES_VALUE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum distribution {
	VALUES_UNIFORM,  /* uniform in [-scale, scale) */
	VALUES_NORMAL,   /* about normal, mean 0, standard deviation `scale` */
	VALUES_INTEGER,  /* integers in [-scale, scale]; with scale < 1: -1 or 1 with probability
						`scale`, else 0. case_make_exact chooses the scale */
	VALUES_WIDE,     /* random sign and significand, exponent uniform over `scale` binades
						around 1 (wide dynamic range) */
	VALUES_POSITIVE, /* uniform in [low, low + scale): with low 0 the worst case for rounding */
	VALUES_ZERO,
	VALUES_NAN,           /* every value NaN: for what must not be read */
	VALUES_SPECIAL,       /* uniform, with a NaN, +Inf or -Inf at about one place in 4096 */
	VALUES_LARGE,         /* uniform in magnitude near `scale`: for overflow of the output */
	VALUES_CODES,         /* any code of the type that is a number, each as likely */
	VALUES_MARKER,        /* finite, of either sign, and larger than results are: for what is
							 overwritten without being used */
	VALUES_UNWRITTEN,     /* all bits set, a NaN; integers: any code. For outputs */
	VALUES_GRAPH,         /* lengths of edges: 0 on the diagonal; elsewhere with probability `share`
							 uniform in [low, low + scale), else infinite */
	VALUES_GRAPH_SIGNED,  /* the same, then potentials from 0 to 15 are added at the one end and
							 taken away at the other: no cycle becomes negative */
	VALUES_GRAPH_INTEGER, /* integers from 1 to scale, with the same potentials: sums are exact */
	VALUES_GRAPH_CHAIN, /* as VALUES_GRAPH_SIGNED, and from each node to the next there is an edge:
						   with a small share, paths have as many edges as can be */
	VALUES_SIGNED, /* magnitude uniform in [low, low + scale), random sign, and 0 or -0 at about
					  one place in 32: scales, as quantisers write them */
	/* What a sample of an operand does not tell of the rest. `scale` as of VALUES_WIDE: */
	VALUES_WIDE_LATE, /* uniform in [-1, 1), and in the last quarter of the elements wide */
	VALUES_WIDE_ROWS, /* uniform in [-1, 1), and in about one row of 16 wide */
	VALUES_BLOCKS,    /* uniform, and zero in about half of the squares of 16 x 16 */
	VALUES_SPARSE,    /* uniform, and zero at a `share` of the places, whatever the seed */
};

struct value_spec {
	enum distribution distribution;
	float scale;
	float low;
	/* Of edges, in graphs. Of integer codes: the share of squares of 2 x 2 that hold only the
	 * lowest or only the highest code of the type, so that these stand beside each other along k in
	 * both operands of a product. */
	float share;
};

/* Whether elements can be drawn like that: the numbers are finite, not negative, and no larger than
 * what is computed with them can hold. */
bool value_spec_holds(const struct value_spec *spec, struct error *err);

const char *distribution_name(enum distribution distribution); /* "uniform", ... */
bool distribution_parse(const char *text, enum distribution *out);
const char *distribution_list(char *out, size_t size); /* "uniform, ..."; returns `out` */

#endif
