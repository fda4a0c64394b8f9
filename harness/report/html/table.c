#include "report/html/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "report/html/page.h"

static const char *const classes[] = {[COLUMN_WORDS] = "",
									  [COLUMN_SHORT] = " class=\"short\"",
									  [COLUMN_NAME] = " class=\"name\"",
									  [COLUMN_SENTENCE] = " class=\"wide\"",
									  [COLUMN_NUMBER] = " class=\"n\""};

void html_table_open(struct html_table *table, FILE *out, const char *caption,
					 const struct html_column *columns, size_t count)
{
	*table = (struct html_table){.out = out, .columns = columns, .count = count};
	for (size_t i = count; i-- > 0;)
		if (columns[i].kind == COLUMN_NAME)
			table->name = i;
	/* a box that scrolls by itself must be reached by the keyboard, and have a name */
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	html_text(out, caption);
	fputs("\">\n<table>\n<caption><span>", out);
	html_text(out, caption);
	fputs("</span></caption>\n<thead><tr>", out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "<th scope=\"col\"%s>", classes[columns[i].kind]);
		html_text(out, columns[i].name);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void row_end(struct html_table *table)
{
	if (table->rows == 0)
		return;
	while (table->at < table->count)
		html_table_text(table, "");
	fputs("</tr>\n", table->out);
}

void html_table_row(struct html_table *table, int self)
{
	row_end(table);
	fputs(self ? "<tr class=\"self\">" : "<tr>", table->out);
	table->at = 0;
	table->rows++;
}

void html_table_close(struct html_table *table)
{
	row_end(table);
	fputs("</tbody>\n</table>\n</div>\n", table->out);
}

/* Of a number that is shown in full the words say enough. */
static void cell_open(struct html_table *table, double value, const char *shown)
{
	char full[32];
	snprintf(full, sizeof full, "%.9g", value);
	const char *class = classes[table->columns[table->at].kind];
	if (table->at == table->name)
		fprintf(table->out, "<th scope=\"row\"%s", class);
	else
		fprintf(table->out, "<td%s", class);
	if (isfinite(value) && strcmp(full, shown) != 0)
		fprintf(table->out, " data-value=\"%s\"", full);
	else if (isinf(value))
		fprintf(table->out, " data-value=\"%sInfinity\"", value < 0 ? "-" : "");
	fputc('>', table->out);
}

void html_table_cell_open(struct html_table *table)
{
	cell_open(table, NAN, "");
}

void html_table_cell_close(struct html_table *table)
{
	fputs(table->at == table->name ? "</th>" : "</td>", table->out);
	table->at++;
}

void html_table_text(struct html_table *table, const char *text)
{
	bool name = table->columns[table->at].kind == COLUMN_NAME;
	html_table_cell_open(table);
	if (name)
		html_name(table->out, text);
	else
		html_text(table->out, text);
	html_table_cell_close(table);
}

void html_table_number(struct html_table *table, double value, const char *shown)
{
	cell_open(table, value, shown);
	if (!isnan(value))
		html_text(table->out, shown);
	html_table_cell_close(table);
}

void html_table_format(struct html_table *table, double value, const char *format, ...)
{
	char shown[64];
	va_list args;
	va_start(args, format);
	vsnprintf(shown, sizeof shown, format, args);
	va_end(args);
	html_table_number(table, value, shown);
}

void html_table_link(struct html_table *table, const char *address, const char *text)
{
	html_table_cell_open(table);
	fprintf(table->out, "<a href=\"%s\">", address);
	html_name(table->out, text);
	fputs("</a>", table->out);
	html_table_cell_close(table);
}
