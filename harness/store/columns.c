#include "store/columns.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/document.h"
#include "store/database.h"
#include "testcases/case.h"

const struct column columns_of_shape[SHAPE_COLUMNS] = {
	COLUMN("m", struct shape, size[SIZE_M]),
	COLUMN("n", struct shape, size[SIZE_N]),
	COLUMN("k", struct shape, size[SIZE_K]),
	COLUMN("batch", struct shape, size[SIZE_BATCH]),
	COLUMN("group_size", struct shape, size[SIZE_GROUP]),
};

/* ---- SQL ------------------------------------------------------------------------------ */

void columns_names(FILE *sql, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(sql, "%s%s", i > 0 ? ", " : "", columns[i].name);
}

void columns_match(FILE *sql, const struct column_part *parts, size_t count)
{
	int next = 1;
	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; i < parts[p].count; i++, next++)
			fprintf(sql, "%s%s = ?%d", next > 1 ? " AND " : "", parts[p].columns[i].name, next);
}

/* ---- values in -------------------------------------------------------------------------- */

/* Made valid UTF-8; NULL is NULL. */
static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	char *clean = text != NULL ? clean_text(text) : NULL;
	sqlite3_bind_text(statement, at, clean, -1, SQLITE_TRANSIENT);
	free(clean);
}

static void bind_known(sqlite3_stmt *statement, int at, double value)
{
	if (value > 0)
		sqlite3_bind_double(statement, at, value);
	else
		sqlite3_bind_null(statement, at);
}

static void bind_one(sqlite3_stmt *statement, int at, const struct column *column, const void *from)
{
	const void *member = (const char *)from + column->at;
	switch (column->type) {
	case COLUMN_TEXT: bind_text(statement, at, member); break;
	case COLUMN_STRING:
	case COLUMN_JSON: bind_text(statement, at, *(const char *const *)member); break;
	case COLUMN_BOOL: sqlite3_bind_int(statement, at, *(const bool *)member); break;
	case COLUMN_INT: sqlite3_bind_int(statement, at, *(const int32_t *)member); break;
	case COLUMN_UNSIGNED: sqlite3_bind_int64(statement, at, *(const uint32_t *)member); break;
	case COLUMN_LONG: sqlite3_bind_int64(statement, at, *(const int64_t *)member); break;
	case COLUMN_SIZE:
		sqlite3_bind_int64(statement, at, (int64_t) * (const uint64_t *)member);
		break;
	case COLUMN_REAL: sqlite3_bind_double(statement, at, *(const double *)member); break;
	case COLUMN_KNOWN: bind_known(statement, at, *(const double *)member); break;
	}
}

void columns_bind(sqlite3_stmt *statement, const struct column_part *parts, size_t count)
{
	int next = 1;
	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; i < parts[p].count && parts[p].from != NULL; i++)
			bind_one(statement, next++, &parts[p].columns[i], parts[p].from);
}

/* "INSERT INTO table(a, b) VALUES(?, ?)" */
static char *insertion(const char *table, const struct column_part *parts, size_t count)
{
	char *sql = NULL;
	size_t size, values = 0;
	FILE *out = open_memstream(&sql, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "INSERT INTO %s(", table);
	for (size_t p = 0; p < count; p++) {
		if (parts[p].from == NULL)
			continue;
		fputs(values > 0 ? ", " : "", out);
		columns_names(out, parts[p].columns, parts[p].count);
		values += parts[p].count;
	}
	fputs(") VALUES(", out);
	for (size_t i = 0; i < values; i++)
		fputs(i > 0 ? ", ?" : "?", out);
	fputc(')', out);
	return fclose(out) == 0 ? sql : NULL;
}

int64_t database_row_insert(struct store *store, const char *table, const struct column_part *parts,
							size_t count, struct error *err)
{
	int64_t id = -1;
	char *sql = insertion(table, parts, count);
	sqlite3_stmt *statement = sql != NULL ? database_prepare(store, sql, err) : NULL;
	if (sql == NULL)
		error_set(err, "out of memory");
	free(sql);
	if (statement == NULL)
		return id;
	columns_bind(statement, parts, count);
	if (sqlite3_step(statement) == SQLITE_DONE)
		id = sqlite3_last_insert_rowid(store->database);
	else
		database_refused(store, err);
	sqlite3_finalize(statement);
	return id;
}

/* ---- values out -------------------------------------------------------------------------- */

/* Somebody else may have written the file. */
static bool take_string(sqlite3_stmt *statement, int at, char **out)
{
	const char *text = (const char *)sqlite3_column_text(statement, at);
	*out = clean_text(text != NULL ? text : "");
	return *out != NULL;
}

/* In a line, too. */
static void take_text(sqlite3_stmt *statement, int at, char *out, size_t size)
{
	char *text = NULL;
	bool taken = take_string(statement, at, &text);
	snprintf(out, size, "%s", taken ? text : "");
	for (char *p = out; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	free(text);
}

static bool take_one(sqlite3_stmt *statement, int at, const struct column *column, void *into)
{
	void *member = (char *)into + column->at;
	const int64_t whole = sqlite3_column_int64(statement, at);
	switch (column->type) {
	case COLUMN_TEXT: take_text(statement, at, member, column->size); return true;
	case COLUMN_STRING:
	case COLUMN_JSON: return take_string(statement, at, member);
	case COLUMN_BOOL: *(bool *)member = whole != 0; return true;
	case COLUMN_INT: *(int32_t *)member = (int32_t)whole; return true;
	case COLUMN_UNSIGNED: *(uint32_t *)member = (uint32_t)whole; return true;
	case COLUMN_LONG: *(int64_t *)member = whole; return true;
	case COLUMN_SIZE: *(uint64_t *)member = (uint64_t)whole; return true;
	case COLUMN_REAL:
	case COLUMN_KNOWN: *(double *)member = sqlite3_column_double(statement, at); return true;
	}
	return false;
}

bool columns_take(sqlite3_stmt *statement, int first, const struct column *columns, size_t count,
				  void *into)
{
	bool ok = true;
	for (size_t i = 0; i < count; i++) /* all of them, so that all strings are there or NULL */
		ok = take_one(statement, first + (int)i, &columns[i], into) && ok;
	return ok;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *shown(const struct column *column, const void *from)
{
	const void *member = (const char *)from + column->at;
	double real;
	switch (column->type) {
	case COLUMN_TEXT: return document_text(member);
	case COLUMN_STRING: return document_text(*(const char *const *)member);
	case COLUMN_JSON: return json_loads(*(const char *const *)member, 0, NULL);
	case COLUMN_BOOL: return json_boolean(*(const bool *)member);
	case COLUMN_INT: return json_integer(*(const int32_t *)member);
	case COLUMN_UNSIGNED: return json_integer(*(const uint32_t *)member);
	case COLUMN_LONG: return json_integer(*(const int64_t *)member);
	case COLUMN_SIZE: return json_integer((json_int_t) * (const uint64_t *)member);
	case COLUMN_REAL: return json_real(*(const double *)member);
	case COLUMN_KNOWN:
		real = *(const double *)member;
		return real > 0.0 ? json_real(real) : json_null();
	}
	return NULL;
}

void columns_show(void *object, const struct column *columns, size_t count, const void *from)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].json != NULL)
			json_object_set_new(object, columns[i].json, shown(&columns[i], from));
}
