/* A row of a table, put together of records (judgement/record.def) and of what no record has.
 * Internal to store/. */
#ifndef GEMMJUDGE_STORE_ROW_H
#define GEMMJUDGE_STORE_ROW_H

#include "report/record.h"
#include "store/database.h"

#define ROW_COLUMNS 48

struct table_row {
	size_t count;
	struct {
		const char *name;
		bool real; /* the texts "nan" and "inf" are numbers */
		json_t *value;
	} columns[ROW_COLUMNS];
};

/* One column. Takes the value over: a text, a number, true or false; NULL and null are NULL; lists
 * and objects are stored as their JSON. */
void row_add(struct table_row *row, const char *name, json_t *value);

/* All columns of the rows of record.def, those of its parts as well. Those of a part that is not
 * there are NULL. */
void row_add_record(struct table_row *row, const struct record *record, const void *from,
					const struct record_at *parent);

/* Binds its values as ?1, ?2, ...; nothing where the statement is NULL. */
void row_bind(const struct table_row *row, sqlite3_stmt *statement);
void row_free(struct table_row *row);

/* Inserts it and lets go of its values. Its id, or -1 with err. */
int64_t row_insert(struct table_row *row, struct store *store, const char *table,
				   struct error *err);

#endif
