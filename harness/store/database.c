#include "store/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/clean.h"
#include "store/guard.h"

static bool read_number(struct store *store, const char *sql, int64_t *out, struct error *err)
{
	bool failed = true;
	sqlite3_stmt *statement = database_prepare(store, sql, err);
	if (statement == NULL)
		return false;
	if (database_next(store, statement, &failed, err))
		*out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return !failed;
}

static int64_t steps_of(const char *const *schema)
{
	int64_t count = 0;
	while (schema[count] != NULL)
		count++;
	return count;
}

/* The version of the store; 0 of a file that holds nothing at all. */
static bool version_read(struct store *store, int64_t newest, int64_t *version, struct error *err)
{
	int64_t application = 0, tables = 0;
	if (!read_number(store, "PRAGMA application_id", &application, err) ||
		!read_number(store, "PRAGMA user_version", version, err) ||
		!read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err))
		return false;
	bool empty = application == 0 && *version == 0 && tables == 0;
	if (application != STORE_APPLICATION && !empty)
		return error_set(err, "%s is a database of another program; it stays as it is",
						 store->path);
	if (*version > newest)
		return error_set(err,
						 "the store %s has version %lld, this gemmjudge knows versions up to %lld: "
						 "a newer gemmjudge wrote it",
						 store->path, (long long)*version, (long long)newest);
	return true;
}

/* The missing steps, in a transaction. Another process may have been quicker. */
static bool migrate(struct store *store, const char *const *schema, struct error *err)
{
	char pragma[128];
	int64_t version = 0, newest = steps_of(schema);
	if (!database_execute(store, "BEGIN IMMEDIATE", err))
		return false;
	bool ok = version_read(store, newest, &version, err);
	for (; ok && version < newest; version++)
		ok = database_execute(store, schema[version], err);
	snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %lld",
			 STORE_APPLICATION, (long long)newest);
	ok = ok && database_execute(store, pragma, err) && database_execute(store, "COMMIT", err);
	if (!ok)
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
	return ok;
}

/* SQLite takes a file of less than a page for an empty one, and would overwrite it. To be asked
 * before SQLite has the file open: closing it here would let go of SQLite's locks. */
static bool begins_as_database(const char *path, struct error *err)
{
	static const char magic[16] = "SQLite format 3"; /* the whole of it, with its zero */
	char begin[sizeof magic];
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return error_set(err, "the store %s: %s", path, strerror(errno));
	bool same = fread(begin, 1, sizeof begin, file) == sizeof begin &&
				memcmp(begin, magic, sizeof begin) == 0;
	fclose(file);
	return same || error_set(err, "%s is no store of gemmjudge; it stays as it is", path);
}

/* What SQLite would hang on, or give a meaning of its own. */
static bool path_suits(const char *path, bool writes, struct error *err)
{
	struct stat facts;
	size_t length = strlen(path);
	if (length == 0)
		return error_set(err, "the store needs a file name");
	bool there = stat(path, &facts) == 0;
	if (!there && errno != ENOENT)
		return error_set(err, "the store %s: %s", path, strerror(errno));
	if (!there && !writes)
		return error_set(err,
						 "there is no store %s yet: 'gemmjudge judge' makes one (--store names "
						 "another)",
						 path);
	if (path[length - 1] == '/' || (there && S_ISDIR(facts.st_mode)))
		return error_set(err, "the store %s: it is a folder", path);
	if (there && !S_ISREG(facts.st_mode))
		return error_set(err, "the store %s: it is no regular file", path);
	return !there ||
		   ((facts.st_size == 0 || begins_as_database(path, err)) && guard_journal(path, err));
}

/* A journal that a killed process left behind is played back here, also for who only reads. */
static bool connect(struct store *store, bool writes, struct error *err)
{
	char path[PATHS_MAX + 2];
	int flags = SQLITE_OPEN_READWRITE | (writes ? SQLITE_OPEN_CREATE : 0);
	/* ":memory:" is a file like any other */
	snprintf(path, sizeof path, "%s%s", store->path[0] == ':' ? "./" : "", store->path);
	if (sqlite3_open_v2(path, &store->database, flags, NULL) != SQLITE_OK)
		return store->database != NULL ? database_refused(store, err)
									   : error_set(err, "out of memory");
	guard_begin(store);
	if (writes && sqlite3_db_readonly(store->database, "main") == 1)
		return error_set(err, "the store %s cannot be written", store->path);
	sqlite3_busy_timeout(store->database, STORE_BUSY_SECONDS * 1000);
	return database_execute(store,
							"PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL; "
							"PRAGMA foreign_keys = ON",
							err);
}

static bool prepare(struct store *store, const char *const *schema, bool writes, struct error *err)
{
	int64_t version = 0, newest = steps_of(schema);
	if (!version_read(store, newest, &version, err))
		return false;
	if (version == 0 && !writes)
		return error_set(err, "the store %s holds nothing yet", store->path);
	if (!guard_schema(store, schema, version, err) || (!writes && !guard_pages(store, err)))
		return false;
	return version == newest || migrate(store, schema, err);
}

struct store *database_open(const char *path, const char *const *schema, bool writes,
							struct error *err)
{
	if (!path_suits(path, writes, err))
		return NULL;
	struct store *store = calloc(1, sizeof *store);
	if (store == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	snprintf(store->path, sizeof store->path, "%s", path);
	if (connect(store, writes, err) && prepare(store, schema, writes, err))
		return store;
	database_close(store);
	return NULL;
}

struct store *database_second(const struct store *first, struct error *err)
{
	struct store *store = calloc(1, sizeof *store);
	if (store == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	snprintf(store->path, sizeof store->path, "%s", first->path);
	if (connect(store, true, err))
		return store;
	database_close(store);
	return NULL;
}

void database_close(struct store *store)
{
	if (store != NULL)
		sqlite3_close(store->database);
	free(store);
}
