#include "store/guard.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/clean.h"

#define VALUE_BYTES (4 << 20)    /* no kernel's name and no list of passes comes near */
#define STATEMENT_BYTES 65536    /* a step of the schema has 5000 */
#define STEPS_BETWEEN_LOOKS 4096 /* of SQLite's machine: well below a millisecond */

/* ---- the journal -------------------------------------------------------------------- */

bool guard_journal(const char *path, struct error *err)
{
	/* what the name of a super-journal ends with, at the end of a journal */
	static const unsigned char mark[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	char real[PATH_MAX], journal[PATH_MAX + 16];
	unsigned char last[sizeof mark];
	if (realpath(path, real) == NULL) /* SQLite follows links, too */
		return error_set(err, "the store %s: %s", path, strerror(errno));
	snprintf(journal, sizeof journal, "%s-journal", real);
	FILE *file = fopen(journal, "re");
	if (file == NULL)
		return errno == ENOENT || error_set(err, "%s: %s", journal, strerror(errno));
	bool named = fseek(file, -(long)sizeof last, SEEK_END) == 0 &&
				 fread(last, sizeof last, 1, file) == 1 && memcmp(last, mark, sizeof last) == 0;
	fclose(file);
	return !named || error_set(err,
							   "%s names another file, as no journal of gemmjudge does: nothing is "
							   "read; move it away",
							   journal);
}

/* ---- bounds --------------------------------------------------------------------------- */

static int is_late(void *context)
{
	const struct store *store = context;
	return clock_seconds() > store->until;
}

void guard_bound(struct store *store, double seconds)
{
	store->until = clock_seconds() + seconds;
}

void guard_begin(struct store *store)
{
	static const int off[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
							  SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DDL,
							  SQLITE_DBCONFIG_DQS_DML};
	static const struct {
		int which, value;
	} limits[] = {{SQLITE_LIMIT_LENGTH, VALUE_BYTES},
				  {SQLITE_LIMIT_SQL_LENGTH, STATEMENT_BYTES},
				  {SQLITE_LIMIT_ATTACHED, 0},
				  {SQLITE_LIMIT_EXPR_DEPTH, 100},
				  {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		sqlite3_db_config(store->database, off[i], 0, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(store->database, limits[i].which, limits[i].value);
	guard_bound(store, STORE_SECONDS);
	sqlite3_progress_handler(store->database, STEPS_BETWEEN_LOOKS, is_late, store);
}

/* ---- the schema ------------------------------------------------------------------------- */

/* Alike but for blanks and quotes, which versions of SQLite put differently where a step renames.
 */
static bool same_words(const char *a, const char *b)
{
	for (;;) {
		while (isspace((unsigned char)*a) || *a == '"')
			a++;
		while (isspace((unsigned char)*b) || *b == '"')
			b++;
		if (*a != *b)
			return false;
		if (*a == '\0')
			return true;
		a++;
		b++;
	}
}

static const char *text_at(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);
	return text != NULL ? text : "";
}

/* What "ANALYZE" leaves, which somebody may have asked for. */
static const char objects[] =
	"SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE coalesce(sql, '') NOT IN ("
	"'CREATE TABLE sqlite_stat1(tbl,idx,stat)', "
	"'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)') ORDER BY type, name, tbl_name, sql";

/* Tells of the object at hand. Returns false. */
static bool is_strange(const struct store *store, const char *does, sqlite3_stmt *row,
					   struct error *err)
{
	char *kind = clean_line(text_at(row, 0)), *name = clean_line(text_at(row, 1));
	error_set(
		err,
		"the store %s is not as gemmjudge makes them: it %s the %.20s '%.60s'; it stays as it "
		"is (--store names another)",
		store->path, does, kind != NULL ? kind : "", name != NULL ? name : "");
	free(kind);
	free(name);
	return false;
}

/* Whether both statements give the same rows. Both orders are SQLite's own, so that the first
 * that differs is only in one, or is there with other words. */
static bool same_objects(struct store *store, sqlite3_stmt *found, sqlite3_stmt *made,
						 struct error *err)
{
	bool failed = false;
	for (;;) {
		bool more = database_next(store, found, &failed, err);
		if (failed)
			return false;
		bool wanted = sqlite3_step(made) == SQLITE_ROW;
		if (!more && !wanted)
			return true;
		int order = !more ? 1 : !wanted ? -1 : 0;
		for (int column = 0; column < 3 && order == 0; column++)
			order = strcmp(text_at(found, column), text_at(made, column));
		if (order != 0)
			return is_strange(store, order > 0 ? "lacks" : "also has", order > 0 ? made : found,
							  err);
		if (!same_words(text_at(found, 3), text_at(made, 3)))
			return is_strange(store, "changes", found, err);
	}
}

/* An empty database with these steps; NULL where that fails. */
static sqlite3 *reference_make(const char *const *schema, int64_t version)
{
	sqlite3 *database = NULL;
	bool ok = sqlite3_open(":memory:", &database) == SQLITE_OK;
	for (int64_t i = 0; i < version && ok; i++)
		ok = sqlite3_exec(database, schema[i], NULL, NULL, NULL) == SQLITE_OK;
	if (ok)
		return database;
	sqlite3_close(database);
	return NULL;
}

bool guard_schema(struct store *store, const char *const *schema, int64_t version,
				  struct error *err)
{
	sqlite3 *reference = reference_make(schema, version);
	sqlite3_stmt *made = NULL, *found = NULL;
	bool ok = false;
	if (reference == NULL || sqlite3_prepare_v2(reference, objects, -1, &made, NULL) != SQLITE_OK)
		error_set(err, "the store %s: no memory to look at its tables", store->path);
	else if ((found = database_prepare(store, objects, err)) != NULL)
		ok = same_objects(store, found, made, err);
	sqlite3_finalize(found);
	sqlite3_finalize(made);
	sqlite3_close(reference);
	return ok;
}

/* ---- the pages ---------------------------------------------------------------------------- */

bool guard_pages(struct store *store, struct error *err)
{
	bool failed = false;
	sqlite3_stmt *row = database_prepare(store, "PRAGMA quick_check(1)", err);
	if (row == NULL)
		return false;
	bool good = database_next(store, row, &failed, err) && strcmp(text_at(row, 0), "ok") == 0;
	if (!good && !failed)
		database_damaged(store, err);
	sqlite3_finalize(row);
	return good;
}
