/* What the files behind suite.h share: a suite while it is read.
 *   suite.c         the INI file: lines, sections, keys
 *   suite_values.c  what stands behind a key
 *   suite_cases.c   a section becomes cases
 *   suite_fail.c    the first error
 * Functions that return an int are 1, or 0 after a failure: inih's words. */
#ifndef GEMMJUDGE_TESTCASES_SUITE_INSIDE_H
#define GEMMJUDGE_TESTCASES_SUITE_INSIDE_H

#include <stdio.h>

#include "testcases/shape.h"
#include "testcases/suite.h"

#define SUITE_LIST_MAX 512
#define SUITE_TUPLES_MAX 16
#define SUITE_SHAPES_MAX 64

/* One size: a list, or a power of the group's w. */
struct suite_sizes {
	size_t count;
	int size[SUITE_LIST_MAX];
	int power_of_w; /* 1: w, 2: w*w; 0: the list */
};

/* What `values`, `a`, `b`, `c` or an operand's own name say of an operand. */
struct suite_chosen {
	bool any;
	struct value_spec spec;
};

/* One [section]: its sizes are combined, every one with every tuple of scalars. */
struct suite_group {
	char name[32];
	int line;
	bool skipped; /* for problems of another type */
	struct suite_sizes w, sizes[SIZE_COUNT];
	size_t shape_count; /* instead of these, whole shapes */
	struct shape_text shapes[SUITE_SHAPES_MAX];
	size_t tuple_count;
	struct {
		size_t count;
		float value[SCALARS_MAX];
	} tuples[SUITE_TUPLES_MAX];
	struct suite_chosen values, of[OPERANDS_MAX];
	bool integer; /* `values = integer`, with scales chosen by case_make_exact */
};

/* The keys that say sizes. */
struct suite_size_key {
	const char *key;
	enum size size;
};
#define SUITE_SIZE_KEYS 5
extern const struct suite_size_key suite_size_keys[SUITE_SIZE_KEYS];

struct suite_loader {
	FILE *stream;
	int line;
	int section_line;     /* of the last [section]; inih tells no handler of it */
	char text_error[512]; /* the first error; empty so far */
	int error_line;
	const struct problem *problem;
	uint64_t seed;
	int max_dim;
	bool in_group;
	struct suite_group group;
	size_t capacity;
	struct suite *suite;
};

/* Records the first error, of this line. Returns 0. */
int suite_fail(struct suite_loader *loader, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* --- suite_values.c --- */
const char *suite_skip_spaces(const char *at);
/* The row whose limits a key has; the first where the problem has no such size. */
const struct problem_size *suite_inside_limits(const struct problem *problem, const char *key);
/* "16, 32..80 step 16": a list; more lines of the same key add to it. */
int suite_parse_sizes(struct suite_loader *loader, struct suite_sizes *list, const char *key,
					  const char *text);
/* "2x3x4, 5x6x7": whole shapes, in the order of the problem's table. */
int suite_parse_shapes(struct suite_loader *loader, const char *text);
/* "1 0, 0.5 0.5": alpha and beta, or all scalars of the problem in their order. */
int suite_parse_scalars(struct suite_loader *loader, const char *text);
/* "uniform 10", "zero", "positive 0.1 0.01"; the scale is 1 when left out. */
int suite_parse_values(struct suite_loader *loader, const char *key, const char *text,
					   struct suite_chosen *out);
/* As suite_parse_values() for all operands, or "integer". */
int suite_parse_all_values(struct suite_loader *loader, const char *text);
/* A type or an algebra; each `only` of a group must hold. */
int suite_parse_only(struct suite_loader *loader, const char *text);

/* --- suite_cases.c --- */
/* A [section] of this name begins at loader->section_line. */
int suite_start_group(struct suite_loader *loader, const char *name);
/* The group that has been read, if any, becomes cases. `place` counts those of the file. */
int suite_finish_group(struct suite_loader *loader, size_t *place);

#endif
