/* The problems that gemmjudge can judge, as tables: what solve() takes (operands, scalars,
 * sizes, in which order), how values are drawn, what is timed. Adding a problem is adding a
 * row to problem.c. Nothing else names a problem, an operand or a size: where problems
 * differ, the code walks these tables.
 *
 * Sizes are canonical inside the program: a product sums over K, and its result is
 * M x N, `batch` times. What solve() calls them is in the problem's own rows. */
#ifndef GEMMJUDGE_TESTCASES_PROBLEM_H
#define GEMMJUDGE_TESTCASES_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/suggest.h"
#include "testcases/type.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sizes --------------------------------------------------------------------- */

/* A problem of a file has its own sizes by name, in the order of its table, and M, N and K follow
 * from them: rows and columns of the result, and the terms of all sums for each of its elements. */
#define SIZES_MAX 8
enum size {
	SIZE_BATCH,
	SIZE_M,
	SIZE_N,
	SIZE_K,
	SIZE_GROUP,
	SIZE_NAMED,
	SIZE_COUNT = SIZE_NAMED + SIZES_MAX
};
#define SIZE_LARGEST (1 << 22) /* of any of them that a referee takes, but for those of files */

/* 1 where a problem has no such size; 0 those by name that it has not. */
struct shape {
	int32_t size[SIZE_COUNT];
};
#define SHAPE_OF_ONES                                                                              \
	(struct shape)                                                                                 \
	{                                                                                              \
		{                                                                                          \
			1, 1, 1, 1, 1                                                                          \
		}                                                                                          \
	}

/* One size that solve() takes. */
struct problem_size {
	const char *name;  /* as solve() calls it; NULL ends the table */
	const char *shown; /* in reports and shapes, which keep to the canonical names */
	unsigned is;       /* 1 << SIZE_..: which canonical sizes it is, one or more */
	int min, max;      /* limits of generated cases, and the smallest at all */
	int multiple;      /* each is one of this; 0: any */
};

/* ---- scalars ------------------------------------------------------------------- */

enum scalar {
	SCALAR_ALPHA,
	SCALAR_BETA,
	SCALAR_SCALE_LEFT, /* of quantised operands: a value is scale * (code - zero point) */
	SCALAR_SCALE_RIGHT,
	SCALAR_SCALE_RESULT,
	SCALAR_ZERO_LEFT,
	SCALAR_ZERO_RIGHT,
	SCALAR_ZERO_RESULT,
	SCALAR_NAMED, /* and on: factors of a problem of a file, in the order of its table */
	SCALAR_COUNT = SCALAR_NAMED + 4
};

/* How generated cases draw it. */
enum scalar_draw {
	SCALAR_DRAW_FACTOR,       /* alpha and beta: 0, 1, 0.5, thousandths up to 2 */
	SCALAR_DRAW_SCALE,        /* a power of two, or hundredths up to 0.5: always positive */
	SCALAR_DRAW_RESULT_SCALE, /* the same, as large as the results are, so that they fill the type
							   */
	SCALAR_DRAW_ZERO,         /* a code of the type: 0, small, or any */
	SCALAR_DRAW_FIXED,        /* what the timed case has, as an epsilon is */
};

#define SCALARS_MAX 6
struct problem_scalar {
	const char *name; /* as solve() calls it; NULL ends the table */
	enum scalar is;
	enum scalar_draw draw;
	bool is_integer; /* passed as int, else as float */
};

/* What a scalar is where a problem has it not: alpha 1, beta 0, scales 1, zero points 0. */
float scalar_neutral(enum scalar scalar);

/* ---- operands ------------------------------------------------------------------ */

enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_BOTH /* read where beta is not 0, and written */ };

/* The part that an operand has in the reference. */
enum part {
	PART_LEFT,         /* M x K */
	PART_RIGHT,        /* K x N */
	PART_RIGHT_SCALES, /* N x K / group: factors of the right operand, a group along K has one */
	PART_RESULT,       /* M x N */
	PART_NAMED,        /* of a problem of a file: its reference knows it by its name */
};

/* How generated cases draw its values. */
enum draw {
	DRAW_NUMBERS, /* of both signs, of several distributions */
	DRAW_LENGTHS, /* mostly not negative */
	DRAW_CODES,   /* integers: any code of the type, or small ones */
	DRAW_SCALES,  /* 0.01 to 0.11 */
	DRAW_GRAPH,   /* lengths of edges: infinite where there is none, 0 on the diagonal */
	DRAW_NOTHING, /* outputs: what shows when it is not overwritten */
};

#define OPERANDS_MAX 6
#define EXTENTS_MAX 3
#define EXTENT(a, b, c)                                                                            \
	{                                                                                              \
		SIZE_##a, SIZE_##b, SIZE_##c                                                               \
	}
/* One buffer that solve() takes; its elements lie row-major by its extents, and dense. */
struct operand {
	const char *name; /* as solve() calls it; NULL ends the table */
	enum role role;
	enum dtype type;
	enum part part;
	bool transposed; /* stored as its transpose: a right operand as N x K */
	bool grouped;    /* its last extent counts groups: it is divided by the group size */
	enum size extent[EXTENTS_MAX]; /* of which its rows are the product of all but the last */
	enum draw draw;
	const struct operand_rules
		*rules; /* of a file, instead of `extent`; NULL: a row of problem.c */
};

/* ---- problems ------------------------------------------------------------------ */

/* The algebra of the product. */
enum algebra {
	ALGEBRA_PLUS_TIMES,     /* C_ij: the sum over k of A_ik * B_kj */
	ALGEBRA_MIN_PLUS,       /* C_ij: the least over k of A_ik + B_kj, each rounded to f32: the
							   same in every order, so that it is demanded bit for bit */
	ALGEBRA_SHORTEST_PATHS, /* the closure of the left operand, a graph's edges, over min-plus */
	ALGEBRA_REFERENCE,      /* what the problem's reference.cuh says (problem_file.h) */
};

/* What bounds the problem, and so stands beside the times in its tables. */
enum metric {
	METRIC_FLOPS, /* TFLOP/s: two operations for each term of each element of C */
	METRIC_BYTES, /* GB/s: every operand read once, C written once */
};

struct problem {
	const char *name; /* "gemm-f16": what the user types */
	const char *file; /* the folder of problem.ini and reference.cuh; NULL: a row of problem.c */
	const char *also; /* words of other tools for it (base/suggest.h); NULL: none */
	const char *also_says; /* what else is to be known of them; NULL: nothing */
	const char *folder;    /* "gemm_f16": its folder below solutions/ */
	const char *summary;   /* one line for `gemmjudge list` */
	const char *formula;   /* what solve() computes, for `new` and `list` */
	enum algebra algebra;
	enum metric metric;
	struct problem_size sizes[SIZES_MAX + 1]; /* in the order of shapes: 1024x512x64 */
	struct problem_scalar scalars[SCALARS_MAX + 1];
	struct operand operands[OPERANDS_MAX + 1];
	const char *call; /* the arguments of solve(), by name and in order: "A B C M N K" */
	double leetgpu_atol, leetgpu_rtol; /* what `--tolerance leetgpu` means */
	struct shape large;                /* the case that is timed by default */
	float large_scalars[SCALARS_MAX];  /* by the table of scalars */
	int common; /* seven of eight generated cases stay at or below it; 0: all may reach the largest
				 */
	const struct problem_rules *rules; /* of a file (rules.h) */
};

/* The table and its length: the rows of problem.c, then the problems of files. */
const struct problem *problem_table(size_t *count);

/* Parts of it, for whoever puts it together: the rows, and what is in no table. */
const struct problem *problem_rows(size_t *count);
const struct problem *problem_inner(const char *name);

/* By name ("gemm-f16"); NULL when unknown. */
const struct problem *problem_find(const char *name);

/* Reads a problem of a file (problem_file.h), so that it is found by its name later; "": there is
 * none to be read. False with err. */
bool problem_know(const char *folder, struct error *err);

/* What the name of no problem may have meant, as the end of an error line: "; did you mean
 * 'gemm-f16'?", or "". Always returns `out`. */
const char *problem_suggest(char out[SUGGEST_TEXT], const char *word);

/* By the folder that holds `path` ("solutions/gemm_f16/01_naive.cu" gives
 * gemm-f16): the nearest parent folder that names a problem; NULL when none. */
const struct problem *problem_of_path(const char *path);

/* Not a problem, and not in the table: how a stage of an epilogue is run by itself. X holds the
 * values that the stage gets, Y takes what it makes of them, C is the C of the judged call.
 * problem_find(PROBLEM_STAGE) gives it. */
#define PROBLEM_STAGE "epilogue-stage"
enum { PROBLEM_STAGE_VALUES, PROBLEM_STAGE_RESULT, PROBLEM_STAGE_OUT }; /* its operands: X, C, Y */

/* Not a problem either: the signature of the program that sealed calls are compared with, which
 * takes M nanoseconds. Its only buffer is an output of which it reads N KiB. */
#define PROBLEM_CALIBRATION "calibration"

const char *algebra_name(enum algebra algebra); /* "plus-times", ... */

/* ---- walking a problem's tables --------------------------------------------------- */

size_t problem_operands(const struct problem *problem); /* how many */
size_t problem_scalars(const struct problem *problem);
size_t problem_sizes(const struct problem *problem);

/* The operand that the reference takes for `part`, and its number. NULL: it has none. */
const struct operand *problem_part(const struct problem *problem, enum part part);
size_t problem_part_index(const struct problem *problem, enum part part);

/* Whether solve() takes this scalar. */
bool problem_takes(const struct problem *problem, enum scalar scalar);

/* The row of this canonical size; NULL: the problem has it not. */
const struct problem_size *problem_size_of(const struct problem *problem, enum size size);

/* Whether a case may be run with an epilogue: sums in f32 become a floating-point type. */
bool problem_has_epilogue(const struct problem *problem);

/* Argument number `index` of solve(), in the order of the call. False: there is no such. */
enum argument_kind { ARGUMENT_OPERAND, ARGUMENT_SIZE, ARGUMENT_SCALAR };
struct argument {
	enum argument_kind kind;
	size_t index; /* in the problem's table of that kind */
};
bool problem_argument(const struct problem *problem, size_t index, struct argument *out);

/* "extern "C" void solve(const half *A, ...)" */
#define PROTOTYPE_TEXT 512
void problem_prototype(const struct problem *problem, char out[PROTOTYPE_TEXT]);

/* "A is M x K, B is K x N, C is M x N, row-major and dense, in device memory; C = ..." */
#define EXPLANATION_TEXT 768
void problem_explain(const struct problem *problem, char out[EXPLANATION_TEXT]);

/* ---- shapes and operands ------------------------------------------------------------ */

/* Elements of an operand, and the length of its rows. */
uint64_t operand_elements(const struct operand *operand, const struct shape *shape);
uint64_t operand_columns(const struct operand *operand, const struct shape *shape);
uint64_t operand_bytes(const struct operand *operand, const struct shape *shape);

/* M N K batch: terms of all sums. */
double shape_terms(const struct shape *shape);

/* Rows of the result, those of all batches together, and its columns. */
static inline uint64_t shape_rows(const struct shape *shape)
{
	return (uint64_t)shape->size[SIZE_BATCH] * (uint64_t)shape->size[SIZE_M];
}
static inline uint64_t shape_columns(const struct shape *shape)
{
	return (uint64_t)shape->size[SIZE_N];
}

#ifdef __cplusplus
}
#endif

#endif
