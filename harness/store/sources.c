#include "store/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* SQLite frees what it was given. */
static bool bind_compressed(sqlite3_stmt *statement, int at, const struct source_file *file,
							struct error *err)
{
	uLongf size = compressBound(file->length);
	unsigned char *packed = sqlite3_malloc64(size);
	if (packed == NULL || compress2(packed, &size, (const unsigned char *)file->text, file->length,
									Z_BEST_COMPRESSION) != Z_OK) {
		sqlite3_free(packed);
		return error_set(err, "out of memory");
	}
	sqlite3_bind_blob64(statement, at, packed, size, sqlite3_free);
	return true;
}

static bool keep_file(struct store *store, const struct sources *sources, size_t number,
					  struct error *err)
{
	const struct source_file *file = &sources->files[number];
	sqlite3_stmt *statement = database_prepare(
		store,
		"INSERT OR IGNORE INTO source (content, number, name, length, text) VALUES (?1, ?2, ?3, "
		"?4, ?5)",
		err);
	if (statement == NULL)
		return false;
	sqlite3_bind_text(statement, 1, sources->content, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)number);
	sqlite3_bind_text(statement, 3, file->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 4, (sqlite3_int64)file->length);
	const bool bound = bind_compressed(statement, 5, file, err);
	const bool ok =
		bound && (sqlite3_step(statement) == SQLITE_DONE || database_refused(store, err));
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

/* The text of a row, with a 0 behind it. NULL: memory is short, or its bytes are not what its
 * length says. */
static char *text_of(sqlite3_stmt *statement, size_t *length)
{
	const void *bytes = sqlite3_column_blob(statement, 3);
	const size_t size = (size_t)sqlite3_column_bytes(statement, 3);
	*length = (size_t)sqlite3_column_int64(statement, 4);
	char *text = *length <= SOURCES_BYTES ? calloc(1, *length + 1) : NULL;
	uLongf got = *length;
	if (text == NULL || *length == 0)
		return text;
	if (uncompress((unsigned char *)text, &got, bytes, size) == Z_OK && got == *length)
		return text;
	free(text);
	return NULL;
}

/* One row; those of a content come one after the other, from 0 on. */
static bool take_row(sqlite3_stmt *statement, const char *hash, struct sources *out,
					 struct error *err)
{
	const char *content = (const char *)sqlite3_column_text(statement, 0);
	const char *name = (const char *)sqlite3_column_text(statement, 2);
	size_t length;
	if (content == NULL || strlen(content) >= sizeof out->content)
		return error_set(err, "the sources of %s are damaged", hash);
	if (out->count == 0)
		snprintf(out->content, sizeof out->content, "%s", content);
	if (strcmp(out->content, content) != 0)
		return error_set(err, "%s is the beginning of several hashes: %.12s, %.12s", hash,
						 out->content, content);
	if ((size_t)sqlite3_column_int64(statement, 1) != out->count || name == NULL)
		return error_set(err, "the sources of %s are damaged", hash);
	char *text = text_of(statement, &length);
	return sources_add(out, strdup(name), text, length) ||
		   error_set(err, "the sources of %s are damaged", hash);
}

/* By a range, for which SQLite has the key: what is behind all digits comes behind their hashes. */
static bool find(struct store *store, const char *hash, struct sources *out, struct error *err)
{
	bool failed = false, ok = true;
	*out = (struct sources){.count = 0};
	sqlite3_stmt *statement =
		database_prepare(store,
						 "SELECT content, number, name, text, length FROM source WHERE "
						 "content >= ?1 AND content < ?1 || 'g' ORDER BY content, number",
						 err);
	if (statement == NULL)
		return false;
	sqlite3_bind_text(statement, 1, hash, -1, SQLITE_STATIC);
	while (ok && database_next(store, statement, &failed, err))
		ok = take_row(statement, hash, out, err);
	sqlite3_finalize(statement);
	if (!ok || failed)
		sources_free(out);
	return ok && !failed;
}

bool sources_find(const char *path, const char *hash, struct sources *out, struct error *err)
{
	*out = (struct sources){.count = 0};
	struct store *store = database_open(path, store_schema, false, err);
	const bool ok = store != NULL && find(store, hash, out, err);
	database_close(store);
	return ok && (out->count > 0 || error_set(err, "no source with the hash %s is kept", hash));
}

bool sources_each(const char *path, const char *const *hashes, size_t count,
				  bool (*take)(void *context, size_t i, struct sources *sources, struct error *err),
				  void *context, struct error *err)
{
	struct sources *sources = calloc(1, sizeof *sources);
	if (sources == NULL)
		return error_set(err, "out of memory");
	struct store *store = database_open(path, store_schema, false, err);
	bool ok = store != NULL;
	for (size_t i = 0; i < count && ok; i++) {
		if (hashes[i][0] == '\0') /* the content is not known, and every hash begins so */
			continue;
		ok = find(store, hashes[i], sources, err) &&
			 (sources->count == 0 || take(context, i, sources, err));
		sources_free(sources);
	}
	database_close(store);
	free(sources);
	return ok;
}
