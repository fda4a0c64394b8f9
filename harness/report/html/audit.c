/* An audit of libraries as a page. */
#include "report/audit.h"

#include <stdlib.h>
#include <string.h>

#include "report/facts.h"
#include "report/html/page.h"
#include "report/html/table.h"

static void head_print(const struct audit *audit, FILE *out)
{
	char text[AUDIT_TEXT], device[FACTS_DEVICE];
	html_open(out, "Are the libraries right?", GEMMJUDGE_VERSION);
	fputs("<header>\n", out);
	html_heading(out, 1, NULL, "Are the libraries right?");
	fputs("</header>\n", out);
	audit_words_all(audit, text);
	html_paragraph(out, audit_finds_wrong(audit) ? "note bad" : "lead", text);
	html_facts_open(out);
	html_fact(out, "Device", facts_device(&audit->facts, device));
	html_fact(out, "Began", audit->facts.started);
	html_fact(out, "Tolerance", audit->facts.tolerance);
	html_facts_close(out);
	if (audit->facts.command[0] != '\0')
		html_command(out, audit->facts.command);
}

static void count_cell(struct html_table *table, size_t wrong, size_t all)
{
	if (all == 0)
		html_table_text(table, "");
	else
		html_table_format(table, (double)wrong, "%zu of %zu", wrong, all);
}

static void units_print(const struct audit *audit, FILE *out)
{
	static const struct html_column columns[] = {{"Problem", COLUMN_NAME},
												 {"Library", COLUMN_SHORT},
												 {"Version", COLUMN_SHORT},
												 {"Folder", COLUMN_NAME},
												 {"Cases", COLUMN_NUMBER},
												 {"Own choices wrong", COLUMN_NUMBER},
												 {"Algorithms wrong", COLUMN_NUMBER},
												 {"Accurate mode wrong", COLUMN_NUMBER},
												 {"Worst error, of its bound", COLUMN_NUMBER},
												 {"Not repeatable", COLUMN_NUMBER}};
	struct html_table table;
	html_heading(out, 2, "libraries", "Libraries");
	html_table_open(&table, out, "What of each library is wrong", columns, 10);
	for (size_t i = 0; i < audit->unit_count; i++) {
		const struct audit_unit *unit = &audit->units[i];
		const struct audit_sum sum = audit_sum_of(audit, i);
		char version[AUDIT_VERSION_TEXT];
		html_table_row(&table, 0);
		html_table_text(&table, unit->problem->name);
		html_table_text(&table, unit->label);
		html_table_text(&table, audit_version_print(unit->number, version));
		html_table_text(&table, unit->folder);
		html_table_format(&table, (double)unit->audited, "%zu", unit->audited);
		count_cell(&table, sum.own_wrong, sum.own);
		count_cell(&table, sum.wrong, sum.algorithms);
		count_cell(&table, sum.accurate_wrong, sum.accurate);
		html_table_format(&table, sum.worst_ratio, "%.3g", sum.worst_ratio);
		html_table_format(&table, (double)sum.unrepeatable, "%zu", sum.unrepeatable);
	}
	html_table_close(&table);
}

static void rows_print(const struct audit *audit, FILE *out)
{
	static const struct html_column columns[] = {{"Case", COLUMN_WORDS},
												 {"Library", COLUMN_WORDS},
												 {"Error, of its bound", COLUMN_NUMBER},
												 {"Wrong elements", COLUMN_NUMBER},
												 {"Where", COLUMN_WORDS},
												 {"Again", COLUMN_WORDS},
												 {"Algorithm", COLUMN_SENTENCE},
												 {"Cause", COLUMN_SENTENCE}};
	struct html_table table;
	char text[AUDIT_TEXT];
	html_heading(out, 2, "wrong", "Wrong, or not repeatable");
	html_table_open(&table, out, "Each algorithm at each case, in either mode", columns, 8);
	for (size_t i = 0; i < audit->row_count; i++) {
		const struct audit_row *row = &audit->rows[i];
		if (audit_is_right(row) && audit_is_repeatable(row))
			continue;
		html_table_row(&table, audit_is_own_choice(row));
		audit_words_case(audit, row, text);
		html_table_text(&table, text);
		audit_words_who(audit, row, text);
		html_table_text(&table, text);
		html_table_format(&table, row->worst_ratio, "%.3g", row->worst_ratio);
		html_table_format(&table, (double)row->wrong, "%llu", (unsigned long long)row->wrong);
		html_table_text(&table, row->verdict == VERDICT_WRONG_ANSWER ? row->places : row->detail);
		audit_words_again(row, text);
		html_table_text(&table, text);
		audit_words_how(row, text);
		html_table_text(&table, text);
		audit_words_cause(row, text);
		html_table_text(&table, text);
	}
	html_table_close(&table);
}

static void changes_print(const struct audit *audit, FILE *out)
{
	static const struct html_column columns[] = {
		{"Case", COLUMN_WORDS}, {"Library", COLUMN_WORDS}, {"What changed", COLUMN_SENTENCE}};
	struct audit_changes changes = audit_changes_of(audit);
	struct html_table table;
	char text[AUDIT_TEXT];
	if (changes.count > 0) {
		html_heading(out, 2, "versions", "From version to version");
		html_table_open(&table, out, "Own choices that differ", columns, 3);
		for (size_t i = 0; i < changes.count; i++) {
			html_table_row(&table, changes.items[i].verdict);
			audit_words_case(audit, changes.items[i].before, text);
			html_table_text(&table, text);
			audit_words_who(audit, changes.items[i].before, text);
			html_table_text(&table, text);
			audit_words_change(audit, &changes.items[i], text);
			html_table_text(&table, text);
		}
		html_table_close(&table);
	}
	free(changes.items);
}

static void left_print(const struct audit *audit, FILE *out)
{
	char text[AUDIT_TEXT];
	bool any = false;
	for (size_t i = 0; i < audit->unit_count; i++) {
		if (!audit_words_left(&audit->units[i], text))
			continue;
		if (!any)
			html_heading(out, 2, "left", "Not audited");
		any = true;
		html_paragraph(out, NULL, text);
	}
	if (audit->unasked[0] != '\0')
		html_block(out, audit->unasked);
}

void report_audit_html(const void *what, FILE *out)
{
	const struct audit *audit = what;
	head_print(audit, out);
	units_print(audit, out);
	rows_print(audit, out);
	changes_print(audit, out);
	left_print(audit, out);
	html_close(out, GEMMJUDGE_VERSION);
}
