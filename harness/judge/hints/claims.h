/* What a sentence says of elements or of cases, in a form that is held against all of them before
 * it is shown. Where it is not so, the sentence is dropped. */
#ifndef GEMMJUDGE_JUDGE_HINTS_CLAIMS_H
#define GEMMJUDGE_JUDGE_HINTS_CLAIMS_H

#include "judge/hints/hints.h"

struct hint_claim;

/* Whether the claim speaks of an element of a case's result; its row is that of its matrix. */
typedef bool hint_covers(const struct hint_claim *claim, const struct case_result *result,
						 int32_t batch, int32_t row, int32_t column);

/* Something that a case has; `number` is whose. */
typedef bool hint_trait(const struct problem *problem, const struct test_case *test,
						int32_t number);

struct hint_claim {
	hint_covers *covers;    /* all wrong elements are among these. NULL: it does not say so */
	hint_covers *fills;     /* nearly all of these are wrong */
	hint_trait *of_failing; /* all failing cases have it, and no right one. NULL: it
							 speaks of no cases */
	int32_t number;         /* as the function has it: of a tile, a period */
	bool rows, columns;     /* it speaks of rows, of columns */
	bool set[WRONG_PERIOD]; /* residues modulo `number` */
	/* Tiles of so many rows and columns are right or wrong as a whole; 0: it does not say so. */
	int32_t tile_rows, tile_columns;
};

/* A row calls it with what its sentence claims. */
void hint_claims(const struct hint_context *facts, struct hint_claim claim);

/* Whether it is true of all cases whose results were compared: of elements as closely as the map of
 * wrong elements has them. */
bool hint_claim_is_true(const struct hint_context *facts, const struct hint_claim *claim);

/* Beyond the last multiple of `number`, of rows or of columns. Of both, a side that is shorter
 * tells nothing, unless both are. */
hint_covers hint_beyond_tiles;
/* The first (number 0) or the last (1) row or column. */
hint_covers hint_in_line;
/* Of a row or a column whose number modulo `number` is one of the set. */
hint_covers hint_of_residue;
/* Of all matrices but the first (number 0), or of the last one (1). */
hint_covers hint_of_matrix;
/* Beyond the rows and columns, or with number 1 behind the elements, that were written. */
hint_covers hint_unwritten_beyond;

#endif
