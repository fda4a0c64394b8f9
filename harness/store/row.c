#include "store/row.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void row_add(struct table_row *row, const char *name, json_t *value)
{
	assert(row->count < ROW_COLUMNS);
	row->columns[row->count].name = name;
	row->columns[row->count].real = false;
	row->columns[row->count++].value = value;
}

static void add_members(struct table_row *row, const struct record_at *at)
{
	for (size_t i = 0; i < at->record->count; i++) {
		const struct record_member *member = &at->record->members[i];
		const struct record_at part = {
			.record = member->record, .of = (char *)at->of + member->at, .parent = at};
		if ((member->kind == RECORD_PART || member->kind == RECORD_SAME ||
			 member->kind == RECORD_INSIDE) &&
			!member->record->has_table)
			add_members(row, &part);
		if (member->column == NULL)
			continue;
		row_add(row, member->column, record_member_write(member, at));
		row->columns[row->count - 1].real = member->column_is_real;
	}
}

void row_add_record(struct table_row *row, const struct record *record, const void *from,
					const struct record_at *parent)
{
	const struct record_at at = {.record = record, .of = (void *)(uintptr_t)from, .parent = parent};
	add_members(row, &at);
}

/* "INSERT INTO table(a, b) VALUES(?, ?)" */
static char *insertion(const struct table_row *row, const char *table)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "INSERT INTO %s(", table);
	for (size_t i = 0; i < row->count; i++)
		fprintf(out, "%s%s", i > 0 ? ", " : "", row->columns[i].name);
	fputs(") VALUES(", out);
	for (size_t i = 0; i < row->count; i++)
		fputs(i > 0 ? ", ?" : "?", out);
	fputc(')', out);
	return fclose(out) == 0 ? sql : NULL;
}

/* Nine digits tell any two floats apart, and equal lists and objects are equal texts. */
static void bind_json(sqlite3_stmt *statement, int at, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
	sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
	free(text);
}

static void bind(sqlite3_stmt *statement, int at, const json_t *value, bool real)
{
	switch (value != NULL ? json_typeof(value) : JSON_NULL) {
	case JSON_STRING:
		if (real)
			sqlite3_bind_double(statement, at, record_real(value));
		else
			sqlite3_bind_text(statement, at, json_string_value(value), -1, SQLITE_TRANSIENT);
		break;
	case JSON_INTEGER: sqlite3_bind_int64(statement, at, json_integer_value(value)); break;
	case JSON_REAL: sqlite3_bind_double(statement, at, json_real_value(value)); break;
	case JSON_TRUE:
	case JSON_FALSE: sqlite3_bind_int(statement, at, json_is_true(value)); break;
	case JSON_OBJECT:
	case JSON_ARRAY: bind_json(statement, at, value); break;
	case JSON_NULL: sqlite3_bind_null(statement, at); break;
	}
}

void row_bind(const struct table_row *row, sqlite3_stmt *statement)
{
	for (size_t i = 0; i < row->count && statement != NULL; i++)
		bind(statement, (int)i + 1, row->columns[i].value, row->columns[i].real);
}

void row_free(struct table_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		json_decref(row->columns[i].value);
	row->count = 0;
}

int64_t row_insert(struct table_row *row, struct store *store, const char *table, struct error *err)
{
	int64_t id = -1;
	char *sql = insertion(row, table);
	sqlite3_stmt *statement = sql != NULL ? database_prepare(store, sql, err) : NULL;
	if (sql == NULL)
		error_set(err, "out of memory");
	free(sql);
	row_bind(row, statement);
	row_free(row);
	if (statement == NULL)
		return -1;
	if (sqlite3_step(statement) == SQLITE_DONE)
		id = sqlite3_last_insert_rowid(store->database);
	else
		database_refused(store, err);
	sqlite3_finalize(statement);
	return id;
}
