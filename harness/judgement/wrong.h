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
	FAULT_PRODUCTS_MISSING, /* the last products of each sum are left out: `summed` are there */
	FAULT_FIRST_MISSING,    /* the first product of each sum is */
	FAULT_LAST_ONLY,       /* the last product or tile of each sum is all that is there, or nothing:
									 `number` is where they begin */
	FAULT_LEFT_TRANSPOSED, /* the operand is read as if it were stored transposed */
	FAULT_RIGHT_TRANSPOSED,
	FAULT_RESULT_TRANSPOSED, /* the result is stored transposed */
	FAULT_ALL_TRANSPOSED,    /* all three */
	FAULT_EXCHANGED,         /* the right operand times the left one */
	FAULT_LEFT_OF_FIRST,     /* every matrix of a batch takes the first one's operand */
	FAULT_RIGHT_OF_FIRST,
	FAULT_BETA_ONE,          /* beta taken for 1 */
	FAULT_FACTORS_EXCHANGED, /* alpha taken for beta and beta for alpha */
	FAULT_ALPHA_ON_ALL,      /* alpha * (A*B + beta*C) */
	FAULT_ADDED,             /* to what the result held: beta + 1 taken for beta */
	FAULT_BETA_PARTS,        /* beta * C is added several times: `number` is how often */
	FAULT_INPUTS_TF32_CUT,   /* both inputs narrowed: their last bits cut off, */
	FAULT_INPUTS_TF32,       /* or rounded */
	FAULT_INPUTS_F16,
	FAULT_INPUTS_BF16,
	FAULT_INPUTS_E4M3,
	FAULT_INPUTS_INT8, /* codes of -127 to 127 and a scale: `number` has WRONG_INT8_LEFT and _RIGHT,
						  and in WRONG_INT8_BLOCK elements along K that share a scale; 0: a row or
						  column does, or all of the operand (WRONG_INT8_WHOLE) */
	FAULT_NO_SCALES,   /* scales of both operands are left out */
	FAULT_NO_ZEROS,    /* zero points of both operands are */
	FAULT_ZERO_PADDED, /* a least sum that a 0 takes part in */
	FAULT_ONE_PADDED,  /* tiles along K end with products of 1 and 1 (a least sum: with 2) */
	FAULT_CODE_PADDED, /* tiles along K end with codes of 0, and not with the zero points */
	FAULT_TRUNCATED,   /* an integer that is made in another way: `number` is a wrong_integer */
	FAULT_SUM_F16,     /* the sum is rounded before alpha and beta */
	FAULT_SUM_BF16,
	FAULT_PRODUCTS_F16, /* each product is rounded, and the sum is not */
	FAULT_PRODUCTS_BF16,
	FAULT_CUT,       /* made an integer on the way: `number` is a wrong_cut */
	FAULT_SUM_INT16, /* of codes: `number` products at a time (0: all) are summed in 16 bits, which
						wrap around; with WRONG_SATURATES they are cut off */
	FAULT_ROWS_RUN_ON, /* sums go on to the next multiple of `number`, into the next row */
	FAULT_K_SHIFTED,   /* products of k in one operand and of k + 1 in the other, within a tile */
	FAULT_K_EXCHANGED, /* products of k in one operand and of k with one bit flipped (`number`) in
						  the other */
	FAULT_QUARTERS,    /* of each 16 x 16 of the left operand, two quarters are exchanged */
	FAULT_GROUP,       /* of the right operand's scales: taken to be `number` long; 0: the scales
						  are read as if a group's lay beside each other */
	FAULT_PAIRS,       /* of the right operand, whose codes are two a byte: which comes first; with
						  `number` 1 those of k and k + 16 share one */
	FAULT_OFFSET,      /* of the right operand: that some code stands for 0 */
	FAULT_RIGHT_BF16,  /* a right operand with scales is narrowed, the left one is not */
	FAULT_CODES_READ,  /* codes read as another type's: s8 as unsigned, u4 as two's complement, e4m3
						  as  e5m2 */
	FAULT_ZEROS_ADDED, /* zero points of both operands are added */
	FAULT_SCALE_MULTIPLIED, /* by the scale of the result, in place of dividing */
	FAULT_SCALE_SIGN,       /* of the right operand's scales: the sign is left out */
	/* + a size less SIZE_M, which is M, N or K: rows of the operand are taken to be so long */
	FAULT_LEFT_LENGTH,
	FAULT_RIGHT_LENGTH = FAULT_LEFT_LENGTH + WRONG_LENGTHS,
	FAULT_RESULT_LENGTH = FAULT_RIGHT_LENGTH + WRONG_LENGTHS,
	FAULT_SCALAR = FAULT_RESULT_LENGTH + WRONG_LENGTHS, /* + a scalar of solve(): it is left out */
	FAULT_COUNT = FAULT_SCALAR + SCALAR_COUNT,
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

struct wrong_facts {
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
};

#endif
