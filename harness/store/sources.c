#include "store/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/database.h"

bool sources_add(struct sources *sources, char *name, char *text, size_t length)
{
	size_t bytes = length;
	for (size_t i = 0; i < sources->count; i++)
		bytes += sources->files[i].length;
	if (name == NULL || text == NULL || sources->count == SOURCES_FILES || bytes > SOURCES_BYTES) {
		free(name);
		free(text);
		return false;
	}
	sources->files[sources->count++] = (struct source_file){name, text, length};
	return true;
}

void sources_free(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->files[i].name);
		free(sources->files[i].text);
	}
	*sources = (struct sources){.count = 0};
}

/* ---- in ---------------------------------------------------------------------------- */

static bool keep_file(struct store *store, const struct sources *sources, size_t number,
					  struct error *err)
{
	const struct source_file *file = &sources->files[number];
	sqlite3_stmt *statement = database_prepare(
		store, "INSERT OR IGNORE INTO source (content, number, name, text) VALUES (?1, ?2, ?3, ?4)",
		err);
	if (statement == NULL)
		return false;
	sqlite3_bind_text(statement, 1, sources->content, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)number);
	sqlite3_bind_text(statement, 3, file->name, -1, SQLITE_STATIC);
	sqlite3_bind_blob64(statement, 4, file->text, file->length, SQLITE_STATIC);
	const bool ok = sqlite3_step(statement) == SQLITE_DONE || database_refused(store, err);
	sqlite3_finalize(statement);
	return ok;
}

bool sources_keep(const char *path, const struct sources *sources, struct error *err)
{
	struct store *store = database_open(path, store_schema, true, err);
	bool ok = store != NULL && database_execute(store, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; i < sources->count && ok; i++)
		ok = keep_file(store, sources, i, err);
	ok = ok && database_execute(store, "COMMIT", err);
	database_close(store); /* what is not committed is rolled back */
	return ok;
}

/* ---- out --------------------------------------------------------------------------- */

static char *copy_of(const void *bytes, size_t length)
{
	char *copy = malloc(length + 1);
	if (copy == NULL)
		return NULL;
	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

/* One row; those of a content come one after the other, from 0 on. */
static bool take_row(sqlite3_stmt *statement, const char *hash, struct sources *out,
					 struct error *err)
{
	const char *content = (const char *)sqlite3_column_text(statement, 0);
	const char *name = (const char *)sqlite3_column_text(statement, 2);
	const void *text = sqlite3_column_blob(statement, 3);
	const size_t length = (size_t)sqlite3_column_bytes(statement, 3);
	if (content == NULL || strlen(content) >= sizeof out->content)
		return error_set(err, "the sources of %s are damaged", hash);
	if (out->count == 0)
		snprintf(out->content, sizeof out->content, "%s", content);
	if (strcmp(out->content, content) != 0)
		return error_set(err, "%s is the beginning of several hashes: %.12s, %.12s", hash,
						 out->content, content);
	if ((size_t)sqlite3_column_int64(statement, 1) != out->count || name == NULL ||
		!sources_add(out, copy_of(name, strlen(name)), copy_of(text, length), length))
		return error_set(err, "the sources of %s are damaged", hash);
	return true;
}

bool sources_find(const char *path, const char *hash, struct sources *out, struct error *err)
{
	bool failed = false, ok = true;
	*out = (struct sources){.count = 0};
	struct store *store = database_open(path, store_schema, false, err);
	sqlite3_stmt *statement =
		store == NULL
			? NULL
			: database_prepare(store,
							   "SELECT content, number, name, text FROM source WHERE "
							   "substr(content, 1, length(?1)) = ?1 ORDER BY content, number",
							   err);
	ok = statement != NULL;
	if (ok)
		sqlite3_bind_text(statement, 1, hash, -1, SQLITE_STATIC);
	while (ok && database_next(store, statement, &failed, err))
		ok = take_row(statement, hash, out, err);
	ok = ok && !failed;
	if (statement != NULL)
		sqlite3_finalize(statement);
	database_close(store);
	if (ok && out->count == 0)
		ok = error_set(err, "no source with the hash %s is kept", hash);
	if (!ok)
		sources_free(out);
	return ok;
}
