/* Pages of boards: index.html, and all shapes of one problem on one device. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/html/page.h"
#include "site/pages.h"

#define LINE 1024

static void link_print(FILE *out, const char *address, const char *text)
{
	fprintf(out, "<a href=\"%s\">", address);
	html_text(out, text);
	fputs("</a>", out);
}

/* ---- the first page ----------------------------------------------------------------------- */

static void field_anchor(const struct site *site, const struct field *field, char out[SITE_ANCHOR])
{
	snprintf(out, SITE_ANCHOR, "board-%zu", (size_t)(field - site->fields) + 1);
}

static void contents_print(FILE *out, const struct site *site)
{
	fputs("<nav aria-label=\"Boards\">\n<ul>\n", out);
	for (size_t i = 0; i < site->field_count; i++) {
		const struct field *field = &site->fields[i];
		char title[SITE_TITLE], anchor[SITE_ANCHOR], address[SITE_ANCHOR + 1];
		site_title(field, title);
		field_anchor(site, field, anchor);
		snprintf(address, sizeof address, "#%s", anchor);
		fputs("<li>", out);
		link_print(out, address, title);
		fprintf(out, " (%zu ranked, %zu shape%s)</li>\n", field->main->count, field->count,
				text_plural(field->count));
	}
	if (site->all->left_out_count > 0)
		fprintf(out, "<li><a href=\"#not-ranked\">Not ranked</a> (%zu)</li>\n",
				site->all->left_out_count);
	fputs("</ul>\n</nav>\n", out);
}

static void summary_print(FILE *out, const struct field *field)
{
	char title[SITE_TITLE], shape[MEASURED_SHAPE], conditions[MEASURED_CONDITIONS], line[LINE];
	site_title(field, title);
	measured_shape(field->main->time, shape);
	measured_conditions(field->main->run, conditions);
	snprintf(line, sizeof line, "%s%s Judged on %s.", shape,
			 field->count > 1 ? ": the shape that most were timed at." : ".", conditions);
	html_paragraph(out, NULL, line);
	if (field->count == 1)
		return;
	snprintf(line, sizeof line, "All %zu shapes", field->count);
	fputs("<p>", out);
	link_print(out, field->page, line);
	fputs("</p>\n", out);
}

static void left_out_print(FILE *out, const struct site *site)
{
	static const struct html_column columns[] = {
		{"File", COLUMN_NAME},     {"Why", COLUMN_WORDS},    {"Last verdict", COLUMN_WORDS},
		{"Problem", COLUMN_SHORT}, {"Device", COLUMN_WORDS}, {"Date (UTC)", COLUMN_SHORT},
		{"Run", COLUMN_NUMBER},    {"Content", COLUMN_SHORT}};
	struct html_table table;
	char why[LEFT_OUT_WHY];
	if (site->all->left_out_count == 0)
		return;
	html_heading(out, 2, "not-ranked", "Not ranked");
	html_table_open(&table, out, "Contents that rank on no board, by their last run", columns,
					sizeof columns / sizeof *columns);
	for (size_t i = 0; i < site->all->left_out_count; i++) {
		const struct measured *run = site->all->left_out[i].run;
		html_table_row(&table, 0);
		site_file_cell(&table, site, run);
		left_out_why(&site->all->left_out[i], why);
		html_table_text(&table, why);
		site_verdict_cell(&table, run);
		html_table_text(&table, run->problem);
		html_table_text(&table, run->device);
		site_date_cell(&table, run);
		html_table_format(&table, (double)run->id, "#%lld", (long long)run->id);
		site_content_cell(&table, site, run);
	}
	html_table_close(&table);
}

void pages_index_print(FILE *out, const struct site *site)
{
	char line[LINE];
	html_open(out, "Leaderboard", site->version);
	fputs("<header>\n", out);
	html_heading(out, 1, NULL, "Leaderboard");
	size_t runs = site->all->runs.count;
	snprintf(line, sizeof line, "%zu submission%s in %zu run%s%s%.10s.", site->submission_count,
			 text_plural(site->submission_count), runs, text_plural(runs),
			 runs > 0 ? ", the last one on " : "",
			 runs > 0 ? site->all->runs.items[runs - 1].when : "");
	html_paragraph(out, "lead", line);
	fputs("</header>\n", out);
	contents_print(out, site);
	html_paragraph(out, "quiet",
				   "The fastest accepted run of each content ranks, by a time that sealed calls "
				   "confirmed, or a host-side time.");
	for (size_t i = 0; i < site->field_count; i++) {
		const struct field *field = &site->fields[i];
		char title[SITE_TITLE], anchor[SITE_ANCHOR];
		site_title(field, title);
		field_anchor(site, field, anchor);
		html_heading(out, 2, anchor, title);
		summary_print(out, field);
		board_print(out, site, field->main);
	}
	if (site->field_count == 0)
		html_paragraph(out, NULL,
					   "Nothing is ranked: no accepted run has a time that is confirmed.");
	left_out_print(out, site);
	html_close(out, site->version);
}

/* ---- all shapes ------------------------------------------------------------------------------ */

static void shapes_print(FILE *out, const struct site *site, const struct field *field)
{
	static const struct html_column columns[] = {{"Shape", COLUMN_NAME},
												 {"Ranked", COLUMN_NUMBER},
												 {"First", COLUMN_NAME},
												 {"Its median", COLUMN_NUMBER},
												 {"Of best library", COLUMN_NUMBER},
												 {"Library", COLUMN_SHORT}};
	struct html_table table;
	fputs("<div class=\"data\">\n", out);
	html_table_open(&table, out, "The first at each shape", columns,
					sizeof columns / sizeof *columns);
	for (size_t i = 0; i < field->count; i++) {
		const struct board *board = &field->boards[i];
		const struct measured_time *time = board->leaders[0].time;
		char anchor[SITE_ANCHOR], address[SITE_ANCHOR + 1], shape[MEASURED_SHAPE];
		site_anchor(field, board, anchor);
		snprintf(address, sizeof address, "#%s", anchor);
		measured_shape(time, shape);
		html_table_row(&table, 0);
		html_table_link(&table, address, shape);
		html_table_format(&table, (double)board->count, "%zu", board->count);
		site_file_cell(&table, site, board->leaders[0].run);
		site_time_cell(&table, time->median);
		site_ratio_cell(&table, measured_ratio(time));
		html_table_text(&table, time->library);
	}
	html_table_close(&table);
	fputs("</div>\n", out);
}

void field_print(FILE *out, const struct site *site, const struct field *field)
{
	char title[SITE_TITLE], anchor[SITE_ANCHOR], shape[MEASURED_SHAPE];
	site_title(field, title);
	html_open(out, title, site->version);
	fputs("<header>\n<p><a href=\"index.html\">Leaderboard</a></p>\n", out);
	html_heading(out, 1, NULL, title);
	fputs("</header>\n", out);
	ratios_print(out, field);
	shapes_print(out, site, field);
	for (size_t i = 0; i < field->count; i++) {
		site_anchor(field, &field->boards[i], anchor);
		measured_shape(field->boards[i].time, shape);
		html_heading(out, 2, anchor, shape);
		board_print(out, site, &field->boards[i]);
	}
	html_close(out, site->version);
}
