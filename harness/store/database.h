/* One open store, and SQL in few words. Internal to store/. */
#ifndef GEMMJUDGE_STORE_DATABASE_H
#define GEMMJUDGE_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/paths.h"

struct store {
	char path[PATHS_MAX];
	sqlite3 *database;
};

/* ---- the file ------------------------------------------------------------------- */

#define STORE_APPLICATION 0x676d6a75 /* "gmju": what the header of our files says they are */

/* Steps of the schema: a file of version v has had the first v of them. */
extern const char *const store_schema[]; /* NULL behind the last */

/* Opens the file; with `writes` it is made where there is none. What is no store of ours, or of a
 * newer version, is refused and stays as it is; an older one gets the missing steps, all or none
 * of them. NULL with err. */
struct store *database_open(const char *path, const char *const *schema, bool writes,
							struct error *err);
void database_close(struct store *store);

/* What SQLite has against it, in a line about the file. Returns false. */
bool database_refused(const struct store *store, struct error *err);

/* Statements without results. */
bool database_execute(struct store *store, const char *sql, struct error *err);

/* ---- one row in ------------------------------------------------------------------- */

/* Values in the order of the columns. Nothing happens any more once something failed. */
struct row_in {
	struct store *store;
	sqlite3_stmt *statement; /* NULL: failed */
	int next;
	struct error *err;
};
struct row_in row_in(struct store *store, const char *table, const char *columns,
					 struct error *err);
void row_text(struct row_in *row, const char *text); /* NULL is NULL */
/* The same of what comes from outside: it is made valid UTF-8. */
void row_clean(struct row_in *row, const char *text);
void row_integer(struct row_in *row, int64_t value);
void row_real(struct row_in *row, double value); /* NaN is NULL */
void row_null(struct row_in *row);
/* Its id, or -1. */
int64_t row_insert(struct row_in *row);

/* ---- rows out ---------------------------------------------------------------------- */

/* A statement whose parameters are texts ("" as well) or numbers; NULL with err. */
sqlite3_stmt *database_prepare(struct store *store, const char *sql, struct error *err);
/* The next row; false at the end, and when it failed: *failed says which, with err. */
bool database_next(struct store *store, sqlite3_stmt *statement, bool *failed, struct error *err);
/* Copies a column, "" for NULL, cut where it is too long. */
void column_copy(sqlite3_stmt *statement, int column, char *out, size_t capacity);

#endif
