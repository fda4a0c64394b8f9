#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/audit.h"
#include "report/clean.h"
#include "report/facts.h"
#include "report/wrap.h"

#define NAME_WIDTH 28
#define SHOWN 8 /* rows of each list, but with --verbose */

struct page {
	const struct audit *audit;
	FILE *out;
	int width;
	bool verbose;
};

static void say(const struct page *page, int indent, const char *text)
{
	if (text[0] != '\0')
		wrap_print(page->out, page->width, 0, indent, text);
}

static void head_print(const struct page *page)
{
	const struct run_description *facts = &page->audit->facts;
	char line[AUDIT_TEXT], device[FACTS_DEVICE];
	text_format(line, sizeof line, "gemmjudge %s audits on %s", facts->version,
				facts_device(facts, device));
	say(page, 0, line);
	text_format(line, sizeof line, "seed 0x%llx, uniform values, tolerance %s, %zu calls of each",
				(unsigned long long)facts->seed, facts->tolerance, page->audit->repeats + 1);
	say(page, 0, line);
	fputc('\n', page->out);
}

/* ---- the table of libraries -------------------------------------------------------------------
 */

static void unit_print(const struct page *page, size_t i)
{
	const struct audit_unit *unit = &page->audit->units[i];
	const struct audit_sum sum = audit_sum_of(page->audit, i);
	char version[AUDIT_VERSION_TEXT], name[AUDIT_TEXT], accurate[32] = "-";
	version[0] = '\0';
	if (unit->number > 0)
		audit_version_print(unit->number, version);
	const size_t taken =
		strlen(unit->problem->name) + 1 + (version[0] != '\0' ? strlen(version) + 1 : 0);
	text_format(name, sizeof name, "%s %.*s%s%s", unit->problem->name,
				(int)(taken < NAME_WIDTH ? NAME_WIDTH - taken : 0), unit->label,
				version[0] != '\0' ? " " : "", version);
	if (sum.accurate > 0)
		snprintf(accurate, sizeof accurate, "%zu/%zu", sum.accurate_wrong, sum.accurate);
	char own[32], others[32];
	snprintf(own, sizeof own, "%zu/%zu", sum.own_wrong, sum.own);
	snprintf(others, sizeof others, "%zu/%zu", sum.wrong, sum.algorithms);
	clean_print_line(page->out, name);
	fprintf(page->out, "%*s %5zu %8s %9s %9s %9.3g %6zu\n",
			(int)(strlen(name) < NAME_WIDTH ? NAME_WIDTH - strlen(name) : 0), "", unit->audited,
			own, others, accurate, sum.worst_ratio, sum.unrepeatable);
}

static void table_print(const struct page *page)
{
	fprintf(page->out, "%-28s %5s %8s %9s %9s %9s %6s\n", "wrong of", "cases", "own", "all",
			"accurate", "worst", "other");
	fprintf(page->out, "%-28s %5s %8s %9s %9s %9s %6s\n", "", "", "choices", "algor.", "mode",
			"of bound", "bits");
	for (size_t i = 0; i < page->audit->unit_count; i++)
		unit_print(page, i);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static void row_print(const struct page *page, const struct audit_row *row)
{
	char text[AUDIT_TEXT], who[AUDIT_TEXT], line[2 * AUDIT_TEXT + 4];
	audit_words_case(page->audit, row, text);
	audit_words_who(page->audit, row, who);
	snprintf(line, sizeof line, "%s: %s", text, who);
	say(page, 2, line);
	audit_words_wrong(row, text);
	say(page, 4, text);
	audit_words_how(row, text);
	say(page, 4, text);
	audit_words_again(row, text);
	if (page->verbose || !audit_is_repeatable(row) || row->wrong_call > 1)
		say(page, 4, text);
	audit_words_cause(row, text);
	say(page, 4, text);
}

static bool is_own_wrong(const struct audit_row *row)
{
	return audit_is_own_choice(row) && !audit_is_right(row);
}
static bool is_other_wrong(const struct audit_row *row)
{
	return !audit_is_own_choice(row) && row->mode == LIBRARY_DEFAULT && !audit_is_right(row);
}
static bool is_accurate_wrong(const struct audit_row *row)
{
	return row->mode == LIBRARY_ACCURATE && !audit_is_right(row);
}
static bool is_unrepeatable(const struct audit_row *row)
{
	return audit_is_right(row) && !audit_is_repeatable(row);
}
static bool is_right(const struct audit_row *row)
{
	return audit_is_right(row) && audit_is_repeatable(row);
}

static void list_print(const struct page *page, const char *heading,
					   bool (*belongs)(const struct audit_row *row))
{
	const struct audit *audit = page->audit;
	size_t count = 0;
	for (size_t i = 0; i < audit->row_count; i++) {
		if (!belongs(&audit->rows[i]))
			continue;
		if (count == 0)
			fprintf(page->out, "\n%s\n", heading);
		if (count++ < SHOWN || page->verbose)
			row_print(page, &audit->rows[i]);
	}
	if (count > SHOWN && !page->verbose)
		fprintf(page->out, "  ... and %zu more (--verbose)\n", count - SHOWN);
}

/* ---- versions, and the end ---------------------------------------------------------- */

static void changes_print(const struct page *page)
{
	const struct audit *audit = page->audit;
	struct audit_changes changes = audit_changes_of(audit);
	char text[AUDIT_TEXT], who[AUDIT_TEXT], line[2 * AUDIT_TEXT + 4];
	if (changes.pairs > 0)
		fprintf(page->out, "\nfrom version to version: %zu of %zu own choices differ\n",
				changes.count, changes.pairs);
	for (size_t i = 0; i < changes.count && (i < SHOWN || page->verbose); i++) {
		audit_words_case(audit, changes.items[i].before, text);
		audit_words_who(audit, changes.items[i].before, who);
		snprintf(line, sizeof line, "%s: %s", text, who);
		say(page, 2, line);
		audit_words_change(audit, &changes.items[i], text);
		say(page, 4, text);
	}
	if (changes.count > SHOWN && !page->verbose)
		fprintf(page->out, "  ... and %zu more (--verbose)\n", changes.count - SHOWN);
	free(changes.items);
}

static void left_print(const struct page *page)
{
	const struct audit *audit = page->audit;
	char text[AUDIT_TEXT];
	bool any = false;
	for (size_t i = 0; i < audit->unit_count; i++) {
		if (!audit_words_left(&audit->units[i], text))
			continue;
		if (!any)
			fputs("\nnot audited\n", page->out);
		any = true;
		say(page, 2, text);
	}
	if (audit->unasked[0] != '\0') {
		fputs(any ? "" : "\nnot audited\n", page->out);
		for (const char *line = audit->unasked; *line != '\0'; line += *line == '\n') {
			const size_t length = strcspn(line, "\n");
			text_format(text, sizeof text, "%.*s", (int)length, line);
			say(page, 2, text);
			line += length;
		}
	}
}

void report_audit_text(const struct audit *audit, const struct report_style *style, FILE *out)
{
	const struct page page = {.audit = audit,
							  .out = out,
							  .width = style->width > 0 ? style->width : 80,
							  .verbose = style->verbose};
	char text[AUDIT_TEXT];
	head_print(&page);
	table_print(&page);
	list_print(&page, "wrong, and chosen by the library itself", is_own_wrong);
	list_print(&page, "wrong, of its other algorithms", is_other_wrong);
	list_print(&page, "wrong, in its accurate mode", is_accurate_wrong);
	list_print(&page, "right, with other bits from call to call", is_unrepeatable);
	if (page.verbose)
		list_print(&page, "right", is_right);
	changes_print(&page);
	left_print(&page);
	fputc('\n', out);
	audit_words_all(audit, text);
	say(&page, 0, text);
	if (audit->facts.command[0] != '\0') {
		fputs("again: ", out);
		clean_print_line(out, audit->facts.command);
		fputc('\n', out);
	}
}
