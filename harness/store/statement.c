/* Statements of a store, and what SQLite has against them. */
#include "store/database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* SQLite tries several ways to open a file, and keeps the errno of the last. */
static bool cannot_open(const struct store *store, struct error *err)
{
	char folder[PATHS_MAX];
	snprintf(folder, sizeof folder, "%s", store->path);
	char *slash = strrchr(folder, '/');
	strcpy(slash != NULL ? slash + 1 : folder, slash != NULL ? "" : ".");
	if (access(store->path, F_OK) == 0 && access(store->path, R_OK) != 0)
		return error_set(err, "the store %s: %s", store->path, strerror(errno));
	if (access(folder, W_OK | X_OK) != 0)
		return error_set(err, "the store %s cannot be made in its folder: %s", store->path,
						 strerror(errno));
	return error_set(err, "the store %s cannot be opened", store->path);
}

bool database_damaged(const struct store *store, struct error *err)
{
	return error_set(err,
					 "the store %s is damaged: move it away, and see what 'sqlite3 FILE .recover' "
					 "can read of it",
					 store->path);
}

bool database_refused(const struct store *store, struct error *err)
{
	sqlite3 *database = store->database;
	int why = sqlite3_system_errno(database);
	switch (sqlite3_errcode(database)) {
	case SQLITE_NOTADB:
		return error_set(err, "%s is no store of gemmjudge; it stays as it is", store->path);
	case SQLITE_CORRUPT: return database_damaged(store, err);
	case SQLITE_INTERRUPT:
		return error_set(err,
						 "the store %s took more than %d s: it is too large, or damaged; move it "
						 "away to begin a new one",
						 store->path, STORE_SECONDS);
	case SQLITE_TOOBIG:
		return error_set(err, "the store %s holds a value that is too long to be ours",
						 store->path);
	case SQLITE_BUSY:
		return error_set(err, "the store %s has been in use by another process for %d s",
						 store->path, STORE_BUSY_SECONDS);
	case SQLITE_FULL: return error_set(err, "the store %s: the disk is full", store->path);
	case SQLITE_CANTOPEN: return cannot_open(store, err);
	case SQLITE_READONLY: return error_set(err, "the store %s cannot be written", store->path);
	default:
		return error_set(err, "the store %s: %s%s%s", store->path, sqlite3_errmsg(database),
						 why != 0 ? ": " : "", why != 0 ? strerror(why) : "");
	}
}

bool database_execute(struct store *store, const char *sql, struct error *err)
{
	return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ||
		   database_refused(store, err);
}

sqlite3_stmt *database_prepare(struct store *store, const char *sql, struct error *err)
{
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
		database_refused(store, err);
	return statement;
}

bool database_next(struct store *store, sqlite3_stmt *statement, bool *failed, struct error *err)
{
	int result = sqlite3_step(statement);
	*failed = result != SQLITE_ROW && result != SQLITE_DONE;
	if (*failed)
		database_refused(store, err);
	return result == SQLITE_ROW;
}
