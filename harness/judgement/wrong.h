/* What the wrong elements of one result have in common. The referee gathers it, which sees the
 * whole result, once the verdict is there; judge/hints/ makes sentences of it. */
#ifndef GEMMJUDGE_JUDGEMENT_WRONG_H
#define GEMMJUDGE_JUDGEMENT_WRONG_H

#include <stdint.h>

#include "base/digest.h"
#include "testcases/problem.h"

/* How many wrong elements lie where. Rows of all batches are counted through. */
#define MAP_CELLS 32
struct wrong_map {
	uint32_t rows, columns; /* of cells; 0: there is no map */
	uint32_t height,
		width; /* of a cell, in elements: powers of two. The last ones may have fewer */
	uint32_t wrong[MAP_CELLS][MAP_CELLS];
};

/* Where they lie within their matrix. Rows and columns are counted from 0, and those of all
 * batches together, but for `whole`. */
#define WRONG_PERIOD 128
struct wrong_places {
	int32_t top, bottom, left, right; /* the smallest box that holds all of them */
	int32_t rows, columns;            /* that have one of them */
	/* Bit r % 64 of word r / 64: one of them has a row (a column) that is r modulo WRONG_PERIOD. */
	uint64_t row_residues[WRONG_PERIOD / 64], column_residues[WRONG_PERIOD / 64];
	/* Bit t: with tiles of 8 << t rows and columns all of them lie in the last row or column of
	 * tiles, where these are not whole. */
#define WRONG_TILES 6
	uint32_t ragged;
	int32_t batches;     /* that have one of them */
	int32_t first_batch; /* the first of these */
	/* Bit i * WRONG_TILES + j: of tiles of 8 << i rows and 8 << j columns each is right, or wrong
	 * as a whole (to 19 of 20 elements), and there are both. */
	uint64_t whole;
};

/* Parts of a fault's `number`. */
#define WRONG_INT8_LEFT 1
#define WRONG_INT8_RIGHT 2
#define WRONG_INT8_WHOLE 4
#define WRONG_INT8_BLOCK(number) ((number) >> 3)
#define WRONG_SATURATES 1 /* of FAULT_SUM_INT16, whose run of products is even */
#define WRONG_LENGTHS (SIZE_K - SIZE_M + 1)

/* Faults that are tried: what would the result be of a solution that has them? */
enum wrong_fault {
#define FAULT(name, choices, touches, add, sentence) FAULT_##name,
#define FAULT_FAMILY(name, count, touches, add)                                                    \
	FAULT_##name, FAULT_##name##_LAST = FAULT_##name + (count)-1,
#include "judgement/faults.def"
	FAULT_COUNT
};

/* How a result becomes an integer where it is not rounded to nearest, moved by the zero point, and
 * clamped. */
enum wrong_integer {
	INTEGER_TOWARD_ZERO,
	INTEGER_DOWN,
	INTEGER_UP,
	INTEGER_CLAMPED_EARLY, /* clamped, then moved, which wraps around, */
	INTEGER_CLAMPED_TWICE, /* or is clamped again */
	INTEGER_WRAPPED,       /* not clamped: its lowest 8 bits */
	INTEGER_WAYS
};

/* What becomes an integer, by having its fraction cut off, where all of it are numbers. */
enum wrong_cut { CUT_SUM, CUT_PRODUCTS, CUT_INPUTS, CUT_WAYS };

/* Sums that are rounded on the way, after every product or less often. */
enum wrong_sum { SUM_F16, SUM_BF16, SUM_COUNT };

/* Two faults at once. */
#define WRONG_PAIRS 8
struct wrong_pair {
	uint8_t first, second; /* enum wrong_fault, in its order */
};

/* Faults of an epilogue's chain that are tried: each stands for all stages that it can be had of.
 */
enum wrong_stage_fault {
	STAGE_LEFT_OUT,
	STAGE_TWICE,
	STAGE_MOVED,       /* to the place of stage `other` */
	STAGE_OTHER_INDEX, /* what has an element for each column is read by the row, or by the column
						  what has one for each row */
	STAGE_LOOKALIKE,   /* another function (`other`: enum wrong_function) */
	STAGE_BETA_BEHIND, /* of alpha_beta: beta * C is added behind stage `other` */
	STAGE_FAULTS,
};

/* Functions that are taken for one another. */
enum wrong_function {
	FUNCTION_RELU,
	FUNCTION_LEAKY_RELU, /* slope 0.01 */
	FUNCTION_SIGMOID,
	FUNCTION_TANH,
	FUNCTION_GELU,
	FUNCTION_GELU_ERF,
	FUNCTION_GELU_QUICK, /* x * sigmoid(1.702 x) */
	FUNCTION_SILU,
	FUNCTION_HARDSWISH,
	FUNCTION_COUNT,
};

struct wrong_stage {
	uint8_t fault; /* enum wrong_stage_fault */
	uint8_t stage, other;
};
#define WRONG_STAGES 16

/* What a gated stage writes, of which columns are taken for gate and up, and by which formula. */
enum wrong_gated_fault {
	GATED_EXCHANGED,   /* gate and up are */
	GATED_HALVES,      /* gate in the first half of a row, up in the second one */
	GATED_UP_PLUS_ONE, /* f(gate) * (up + 1) */
	GATED_PLAIN,       /* gate * up */
	GATED_LOOKALIKE,   /* another function than f (`other`: enum wrong_function) */
	GATED_FAULTS,
};

/* Wrong elements of what a gated stage writes beside the result, and the faults that explain all
 * of them which were looked at. */
#define WRONG_GATED 4
struct wrong_gated {
	uint32_t compared; /* 0: none were looked at */
	uint8_t stage, count;
	struct {
		uint8_t fault, other; /* enum wrong_gated_fault */
	} fits[WRONG_GATED];
};

struct wrong_pattern {
	uint64_t elements; /* of the result */
	uint64_t wrong;    /* 0: nothing is known */
	/* Of the wrong ones: hold what they held before the call; are NaN, are infinite, are 0, but
	 * should be something else. */
	uint64_t unwritten, nan, infinite, zero;
	uint32_t flushed; /* of those that are compared: 0 where a number below the smallest normal f32
						 belongs */
	uint32_t ties; /* of those: integers beside the middle of two, of which the other one is even */
	uint64_t wrong_leetgpu; /* with the tolerance that LeetGPU has for the problem */
	struct wrong_places places;
	/* Of each matrix only the first so many rows and columns were written, and all of these; 0:
	 * unwritten elements lie in another way, or there are none. */
	int32_t written_rows, written_columns;
	/* Of each matrix only the first so many elements were, row after row; 0 as above. */
	int64_t written_end;
	struct wrong_map map;
	uint32_t compared; /* wrong elements that faults were tried at, of those that were written; 0:
						  none were tried */
	uint64_t fits;     /* bit f: these are, within the bound, what fault f makes of them */
	uint64_t partly;   /* bit f: some of them are, and others are not */
	/* Where no fault fits by itself: pairs that do, the first ones found. */
	uint32_t pair_count;
	struct wrong_pair pairs[WRONG_PAIRS];
	/* Of an epilogue: faults of its stages that fit, the first ones found. */
	uint32_t stage_count;
	struct wrong_stage stages[WRONG_STAGES];
	struct wrong_gated gated;    /* also where `wrong` is 0 */
	int32_t summed;              /* FAULT_PRODUCTS_MISSING: products of each sum */
	int32_t number[FAULT_COUNT]; /* of faults that have one, as it fits */
	/* The root mean square of the errors of right and wrong elements (but for their last rounding),
	 * over that of sums that are rounded after every product, and after every WRONG_ROUNDED of
	 * them; 0: not tried, or sums are too short to tell. */
#define WRONG_ROUNDED 16 /* products of one mma, of most types */
	double errors_of[SUM_COUNT], errors_of_tiles[SUM_COUNT];
	/* Of shortest paths: wrong elements that are longer than the shortest one, of those that are
	 * compared, and how many edges paths may have for all to be as they are, from the least to the
	 * most; 0: no number does that. */
	uint32_t longer;
	int32_t path_edges, path_edges_most;
	struct digest result; /* of its bits */
	/* Of a problem of a file: which faults of its reference make the result what it is; bits as
	 * harness/reference/faults.cuh has them. 0: none, or none were tried. */
	uint64_t step_faults;
};

/* The kinds of fault of a step, in that order of bits, of so many steps from the first; then for
 * each input a bit where it is read as its transpose, and one where it is left out; and one where
 * the output is stored as its transpose. */
enum wrong_step {
	STEP_LAST,
	STEP_FIRST,
	STEP_FUNCTION,
	STEP_CONSTANT,
	STEP_ADDED,
	STEP_11_BITS,
	STEP_8_BITS,
	STEP_KEPT_11,
	STEP_KEPT_8,
	STEP_FAULTS
};
#define WRONG_STEPS 4
#define WRONG_TRANSPOSED (WRONG_STEPS * STEP_FAULTS)
#define WRONG_LEFT_OUT (WRONG_TRANSPOSED + OPERANDS_MAX)
#define WRONG_OUTPUT (WRONG_LEFT_OUT + OPERANDS_MAX)

#endif
