/* Tables of a page: a caption, a heading for each column (by which the script sorts), and the
 * first name of a row, or else its first cell, as its heading. Written from left to right, cell by
 * cell. */
#ifndef GEMMJUDGE_REPORT_HTML_TABLE_H
#define GEMMJUDGE_REPORT_HTML_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct html_column {
	const char *name;
	/* short ones, dates for instance, stay on one line */
	enum { COLUMN_WORDS, COLUMN_SHORT, COLUMN_NAME, COLUMN_SENTENCE, COLUMN_NUMBER } kind;
};

struct html_table {
	FILE *out;
	const struct html_column *columns;
	size_t count, at; /* at: the next cell of the row */
	size_t name;      /* which cell is the row's heading */
	size_t rows;
};

void html_table_open(struct html_table *table, FILE *out, const char *caption,
					 const struct html_column *columns, size_t count);
/* A row; `self`: of what the page is about, among others. Cells that are left out at its end are
 * written empty. */
void html_table_row(struct html_table *table, int self);
void html_table_close(struct html_table *table);

void html_table_text(struct html_table *table, const char *text);
/* What is sorted and copied is `value`; shown is the text. NaN: an empty cell. */
void html_table_number(struct html_table *table, double value, const char *shown);
__attribute__((format(printf, 3, 4))) void html_table_format(struct html_table *table, double value,
															 const char *format, ...);
/* `address` is of ours: "#file-3", "0123abcd.html". */
void html_table_link(struct html_table *table, const char *address, const char *text);
/* A cell whose content the caller writes. */
void html_table_cell_open(struct html_table *table);
void html_table_cell_close(struct html_table *table);

#endif
