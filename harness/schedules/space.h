/* What a solution lets others choose: the lines `// tune ...` among its first SPACE_LINES.
 *
 *   // tune BLOCK_M = 128 : 16 32 64 128       a constant, its default, its candidates
 *   // tune SPLIT_K = 1 : 1..64*2              1 2 4 .. 64; 1..16 by steps of 1; 8..64+8 by 8
 *   // tune CUT = 3                            a constant whose candidates are a table's
 *   // tune let THREADS = BLOCK_M * 2          a name for an expression over what is above it
 *   // tune where THREADS <= gpu_threads_per_block        a constraint
 *   // tune role block_m = BLOCK_M             what the models need to know
 *   // tune rows hopper/configs.txt            a table in the solution's folder or below: names in
 *                                              its first line, values for all of them in each other
 *
 * Words: a constant is a macro of the solution; a schedule has one value for each; a choice is what
 * is chosen by itself: a constant, or a row of a table. */
#ifndef GEMMJUDGE_SCHEDULES_SPACE_H
#define GEMMJUDGE_SCHEDULES_SPACE_H

#include "base/expression.h"
#include "base/paths.h"
#include "schedules/gpu.h"
#include "testcases/case.h"

#define SPACE_LINES 300
#define SPACE_CONSTANTS_MAX 32
#define SPACE_CHOICES_MAX SPACE_CONSTANTS_MAX
#define SPACE_NAMES_MAX 128
#define SPACE_RULES_MAX 128
#define SPACE_CANDIDATES_MAX 4096 /* of one choice */
#define SPACE_NAME_MAX 64
#define SPACE_TEXT_MAX 256 /* of an expression */

/* What a constant, or an expression over constants, means to the models. */
enum tune_role {
	TUNE_BLOCK_M,
	TUNE_BLOCK_N,
	TUNE_BLOCK_K, /* depth of one load stage */
	TUNE_WARP_M,
	TUNE_WARP_N,
	TUNE_THREAD_M,
	TUNE_THREAD_N,
	TUNE_SPLIT_K,
	TUNE_SPLIT_ATOMIC, /* 1: atomics; 0: a reduction kernel */
	TUNE_SWIZZLE,
	TUNE_STAGES,
	TUNE_THREADS, /* of a block */
	TUNE_SHARED_BYTES,
	TUNE_REGISTERS,                 /* an estimate, a thread */
	TUNE_BLOCKS_PER_MULTIPROCESSOR, /* that launch bounds name */
	TUNE_UNIT,                      /* enum tune_unit */
	TUNE_BLOCKS,                    /* of the grid */
	TUNE_ROLES
};
const char *tune_role_name(enum tune_role role);          /* "block_m" */
bool tune_role_holds(enum tune_role role, int64_t value); /* whether it is in the role's range */

/* Those of one schedule. Sizes and counts are at least 1; no value is above 2^40. */
struct roles {
	uint32_t declared; /* 1 << TUNE_..; value[] of others is 0 */
	int64_t value[TUNE_ROLES];
};

static inline bool roles_have(const struct roles *roles, enum tune_role role)
{
	return (roles->declared >> role & 1) != 0;
}
static inline int64_t roles_or(const struct roles *roles, enum tune_role role, int64_t otherwise)
{
	return roles_have(roles, role) ? roles->value[role] : otherwise;
}

/* Each name has a place in the array of values that expressions are evaluated over: first those
 * that the problem and the GPU give, then constants and columns of tables, then lets. */
struct space_name {
	char name[SPACE_NAME_MAX];
	int line; /* where it is declared; 0: given */
	bool constant;
};

/* Candidates of one constant, or the rows of a table. */
struct space_choice {
	int line;
	size_t columns;
	int places[SPACE_CONSTANTS_MAX]; /* of the columns */
	size_t count;
	int64_t *values; /* count times columns; owned */
};

struct space_constant {
	int place;
	int64_t standard; /* the default, which the source has itself */
};

enum space_rule_kind { RULE_LET, RULE_WHERE, RULE_ROLE };
struct space_rule {
	enum space_rule_kind kind;
	int line;
	int place; /* let: of its name; role: enum tune_role */
	char text[SPACE_TEXT_MAX];
	struct expression expression; /* owned */
};

struct space {
	char file[PATHS_MAX];
	const struct problem *problem;
	size_t name_count, given_count; /* names; of these, given by the problem and the GPU */
	struct space_name names[SPACE_NAMES_MAX];
	size_t constant_count;
	struct space_constant constants[SPACE_CONSTANTS_MAX]; /* in the order of their lines */
	size_t choice_count;
	struct space_choice choices[SPACE_CHOICES_MAX]; /* the same */
	size_t rule_count;
	struct space_rule rules[SPACE_RULES_MAX]; /* the same */
};

/* Reads the declaration, and whether the source keeps to it: each constant is used, and defined as
 * its default unless somebody else did. `problem` says which sizes expressions may name. False with
 * err, a line that begins with FILE:LINE: where one line is at fault; *out is then empty. */
bool space_read(const char *file, const struct problem *problem, struct space *out,
				struct error *err);
void space_free(struct space *space);

/* As space_read() of a text that stands in for the file, and without looking at the source. Tables
 * lie beside `file`. */
bool space_parse(const char *file, const char *text, const struct problem *problem,
				 struct space *out, struct error *err);

/* Fills in what the problem and the GPU give: values[0 .. space->given_count). `test` has the
 * shape, and whether beta is 0. */
void space_give(const struct space *space, const struct tune_gpu *gpu, const struct test_case *test,
				int64_t values[SPACE_NAMES_MAX]);

#endif
