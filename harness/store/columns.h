/* Columns of the store beside the members that they are written from, or read into: a row each.
 * SQL, bound values and JSON are made of the same rows, so that no value can come to stand under
 * another one's name. */
#ifndef GEMMJUDGE_STORE_COLUMNS_H
#define GEMMJUDGE_STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum column_type {
	COLUMN_TEXT,   /* char[], cut where it is too long */
	COLUMN_STRING, /* const char *, NULL is NULL; where it is read a char * of its own, "" for NULL
					*/
	COLUMN_BOOL,
	COLUMN_INT,      /* int32_t */
	COLUMN_UNSIGNED, /* uint32_t */
	COLUMN_LONG,     /* int64_t */
	COLUMN_SIZE,     /* uint64_t */
	COLUMN_REAL,     /* double; NaN is NULL */
	/* Not to be told by the member's type: */
	COLUMN_KNOWN, /* double; what is not above 0 is NULL */
	COLUMN_JSON,  /* a string that is JSON itself */
};

struct column {
	const char *name; /* in SQL: a column, or where it is read an expression */
	const char *json; /* in documents of history, diff and leaderboard; NULL: in none */
	enum column_type type;
	size_t at, size;
};

/* The compiler finds the type: what no row of it names is an array of characters. */
#define COLUMN_TYPE(of, member)                                                                    \
	_Generic(&((of *)NULL)->member,                                                                \
		char **: COLUMN_STRING,                                                                    \
		const char **: COLUMN_STRING,                                                              \
		bool *: COLUMN_BOOL,                                                                       \
		int32_t *: COLUMN_INT,                                                                     \
		uint32_t *: COLUMN_UNSIGNED,                                                               \
		int64_t *: COLUMN_LONG,                                                                    \
		uint64_t *: COLUMN_SIZE,                                                                   \
		double *: COLUMN_REAL,                                                                     \
		default: COLUMN_TEXT)
#define COLUMN_AS(kind, name, of, member, json)                                                    \
	{                                                                                              \
		name, json, kind, offsetof(of, member), sizeof(((of *)NULL)->member)                       \
	}
#define COLUMN_SHOWN(name, of, member, json)                                                       \
	COLUMN_AS(COLUMN_TYPE(of, member), name, of, member, json)
#define COLUMN(name, of, member) COLUMN_SHOWN(name, of, member, NULL)

/* Columns of one struct; with `from` NULL there are none. */
struct column_part {
	const struct column *columns;
	size_t count;
	const void *from;
};
#define COLUMN_PART(columns, from)                                                                 \
	{                                                                                              \
		columns, sizeof(columns) / sizeof *(columns), from                                         \
	}

/* m, n, k, batch, group_size of a struct shape. */
#define SHAPE_COLUMNS 5
extern const struct column columns_of_shape[SHAPE_COLUMNS];

/* Puts members under their JSON names into an object (a json_t). */
void columns_show(void *object, const struct column *columns, size_t count, const void *from);

#endif
