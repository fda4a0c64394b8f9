/* One open store, and SQL in few words. Internal to store/. */
#ifndef GEMMJUDGE_STORE_DATABASE_H
#define GEMMJUDGE_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/paths.h"
#include "store/columns.h"

struct store {
	char path[PATHS_MAX];
	sqlite3 *database;
	double until; /* of clock_seconds(): what takes longer is given up (guard.h) */
};

/* ---- the file ------------------------------------------------------------------- */

#define STORE_APPLICATION 0x676d6a75 /* "gmju": what the header of our files says they are */

#define STORE_BUSY_SECONDS 10 /* for another process to be done with it */
#define STORE_SECONDS 60      /* that a connection works at most */

/* Steps of the schema: a file of version v has had the first v of them. */
extern const char *const store_schema[]; /* NULL behind the last */

/* Opens the file; with `writes` it is made where there is none. What is no store of ours, of a
 * newer version, or with other tables than the schema's, is refused and stays as it is, as is,
 * unless it is to be written, a damaged one; an older one gets the missing steps, all or none of
 * them. NULL with err. */
struct store *database_open(const char *path, const char *const *schema, bool writes,
							struct error *err);
/* Another connection of this process to a store that it has open, which database_open() would cost
 * SQLite's locks. NULL with err. */
struct store *database_second(const struct store *first, struct error *err);
void database_close(struct store *store);

/* Sets an error that says why SQLite refused, in a line about the file. Returns false. */
bool database_refused(const struct store *store, struct error *err);

/* That it is damaged. Returns false. */
bool database_damaged(const struct store *store, struct error *err);

/* Statements without results. */
bool database_execute(struct store *store, const char *sql, struct error *err);

/* ---- columns (columns.h) ------------------------------------------------------------ */

/* Inserts a row of these parts. Its id, or -1 with err. */
int64_t database_row_insert(struct store *store, const char *table, const struct column_part *parts,
							size_t count, struct error *err);

/* "a, b, c", for what columns_take() then takes from column `first` on. False where memory runs
 * out; strings are then there or NULL. */
void columns_names(FILE *sql, const struct column *columns, size_t count);
bool columns_take(sqlite3_stmt *statement, int first, const struct column *columns, size_t count,
				  void *into);

/* "a = ?1 AND b = ?2", for what columns_bind() binds. */
void columns_match(FILE *sql, const struct column_part *parts, size_t count);
void columns_bind(sqlite3_stmt *statement, const struct column_part *parts, size_t count);

/* ---- rows out ---------------------------------------------------------------------- */

/* A statement whose parameters are texts ("" as well) or numbers; NULL with err. */
sqlite3_stmt *database_prepare(struct store *store, const char *sql, struct error *err);
/* The next row; false at the end, and when it failed: *failed says which, with err. */
bool database_next(struct store *store, sqlite3_stmt *statement, bool *failed, struct error *err);

#endif
