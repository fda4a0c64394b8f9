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
	for (size_t i = 0; i < audit->unit_count && i <= audit->units[i].version; i++)
		html_fact(out, "Libraries of", audit->units[i].folder);
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
	static const struct html_column columns[] = {
		{"Problem", COLUMN_NAME},       {"Library", COLUMN_WORDS},
		{"Cases", COLUMN_NUMBER},       {"Own choices", COLUMN_NUMBER},
		{"Algorithms", COLUMN_NUMBER},  {"Accurate mode", COLUMN_NUMBER},
		{"Worst error", COLUMN_NUMBER}, {"Other bits", COLUMN_NUMBER}};
	struct html_table table;
	html_heading(out, 2, "libraries", "Libraries");
	html_table_open(&table, out,
					"How many results are wrong, the largest error over its bound, and how many "
					"algorithms give other bits from call to call",
					columns, 8);
	for (size_t i = 0; i < audit->unit_count; i++) {
		const struct audit_unit *unit = &audit->units[i];
		const struct audit_sum sum = audit_sum_of(audit, i);
		char version[AUDIT_VERSION_TEXT], name[AUDIT_TEXT];
		snprintf(name, sizeof name, "%s %s", unit->label,
				 audit_version_print(unit->number, version));
		html_table_row(&table, 0);
		html_table_text(&table, unit->problem->name);
		html_table_text(&table, name);
		html_table_format(&table, (double)unit->audited, "%zu", unit->audited);
		count_cell(&table, sum.own_wrong, sum.own);
		count_cell(&table, sum.wrong, sum.algorithms);
		count_cell(&table, sum.accurate_wrong, sum.accurate);
		html_table_format(&table, sum.worst_ratio, "%.3g", sum.worst_ratio);
		html_table_format(&table, (double)sum.unrepeatable, "%zu", sum.unrepeatable);
	}
	html_table_close(&table);
}

/* What is wrong, and whether it is so in each call. */
static void wrong_cell(struct html_table *table, const struct audit_row *row)
{
	char text[AUDIT_TEXT], again[AUDIT_TEXT], both[2 * AUDIT_TEXT + 4];
	audit_words_wrong(row, text);
	audit_words_again(row, again);
	snprintf(both, sizeof both, "%s%s%s", text, again[0] != '\0' ? "; " : "", again);
	html_table_text(table, both);
}

static void rows_print(const struct audit *audit, FILE *out)
{
	static const struct html_column columns[] = {
		{"Case", COLUMN_WORDS},         {"Library", COLUMN_WORDS},
		{"Worst error", COLUMN_NUMBER}, {"What is wrong", COLUMN_WORDS},
		{"Algorithm", COLUMN_WORDS},    {"Cause", COLUMN_WORDS}};
	struct html_table table;
	char text[AUDIT_TEXT];
	html_heading(out, 2, "wrong", "Wrong, or not repeatable");
	html_table_open(&table, out,
					"Each algorithm at each case, in either mode; errors are over their bound",
					columns, 6);
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
		wrong_cell(&table, row);
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
