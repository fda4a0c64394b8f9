#include "report/html/heat.h"

#include <stdbool.h>

#include "report/draw.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/table.h"

#define SIDE 230.0 /* the most that the map takes in either direction */
#define SHORTEST 24.0
#define LEFT 56.0
#define TOP 26.0

/* First and last of what a row or column of cells holds. */
struct range {
	uint64_t first, last;
};

static struct range range_of(size_t cell, uint64_t step, uint64_t size)
{
	uint64_t end = (cell + 1) * step;
	return (struct range){cell * step, (end < size ? end : size) - 1};
}

static uint64_t elements_of(struct range rows, struct range columns)
{
	return (rows.last - rows.first + 1) * (columns.last - columns.first + 1);
}

/* "in rows 64 to 127 and columns 0 to 255": the least rectangle that has all of them. */
static void finding_format(const struct html_heat *heat, char *out, size_t capacity)
{
	size_t top = heat->rows, bottom = 0, left = heat->columns, right = 0, cells = 0;
	uint64_t wrong = 0;
	for (size_t i = 0; i < heat->rows * heat->columns; i++) {
		size_t row = i / heat->columns, column = i % heat->columns;
		if (heat->wrong[i] == 0)
			continue;
		top = row < top ? row : top;
		bottom = row > bottom ? row : bottom;
		left = column < left ? column : left;
		right = column > right ? column : right;
		wrong += heat->wrong[i];
		cells++;
	}
	struct range rows = {range_of(top, heat->down, heat->height).first,
						 range_of(bottom, heat->down, heat->height).last};
	struct range columns = {range_of(left, heat->across, heat->width).first,
							range_of(right, heat->across, heat->width).last};
	snprintf(out, capacity,
			 "%llu wrong elements, in rows %llu to %llu and columns %llu to %llu of %llu x %llu; "
			 "%zu of %zu cells have some",
			 (unsigned long long)wrong, (unsigned long long)rows.first,
			 (unsigned long long)rows.last, (unsigned long long)columns.first,
			 (unsigned long long)columns.last, (unsigned long long)heat->height,
			 (unsigned long long)heat->width, cells, heat->rows * heat->columns);
}

/* What a map's sides measure, in the proportions of the result as far as both can be seen. */
static void sides_of(const struct html_heat *heat, double *width, double *height)
{
	double ratio = (double)heat->height / (double)heat->width;
	*width = ratio > 1.0 ? SIDE / ratio : SIDE;
	*height = ratio > 1.0 ? SIDE : SIDE * ratio;
	*width = *width < SHORTEST ? SHORTEST : *width;
	*height = *height < SHORTEST ? SHORTEST : *height;
}

static void cell_print(FILE *out, const struct html_heat *heat, size_t cell, double width,
					   double height)
{
	size_t row = cell / heat->columns, column = cell % heat->columns;
	struct range rows = range_of(row, heat->down, heat->height);
	struct range columns = range_of(column, heat->across, heat->width);
	double x0 = width * (double)columns.first / (double)heat->width;
	double x1 = width * (double)(columns.last + 1) / (double)heat->width;
	double y0 = height * (double)rows.first / (double)heat->height;
	double y1 = height * (double)(rows.last + 1) / (double)heat->height;
	double share = (double)heat->wrong[cell] / (double)elements_of(rows, columns);
	char paint[64];
	/* a single wrong element of a large cell must be seen */
	snprintf(paint, sizeof paint, "class=\"cell\" fill-opacity=\"%.2f\"",
			 0.3 + 0.7 * (share < 1.0 ? share : 1.0));
	draw_rect(out, LEFT + x0, TOP + y0, x1 - x0, y1 - y0, paint);
}

static void map_print(FILE *out, const struct html_heat *heat, const char *finding)
{
	double width, height;
	char text[64];
	sides_of(heat, &width, &height);
	fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %g %.0f\" role=\"img\" aria-label=\"",
			PLOT_WIDTH, TOP + height + 22);
	html_text(out, finding);
	fputs("\">\n", out);
	draw_rect(out, LEFT, TOP, width, height, "class=\"whole\"");
	for (size_t i = 0; i < heat->rows * heat->columns; i++)
		if (heat->wrong[i] > 0)
			cell_print(out, heat, i, width, height);
	draw_text(out, LEFT, TOP - 7, "start", "class=\"tick\"", 0, "column 0");
	snprintf(text, sizeof text, "%llu", (unsigned long long)heat->width - 1);
	draw_text(out, LEFT + width + 6, TOP - 7, "start", "class=\"tick\"", 0, text);
	draw_text(out, LEFT - 6, TOP + 10, "end", "class=\"tick\"", 0, "row 0");
	snprintf(text, sizeof text, "%llu", (unsigned long long)heat->height - 1);
	draw_text(out, LEFT - 6, TOP + height + 10, "end", "class=\"tick\"", 0, text);
	fputs("</svg>\n", out);
}

static void range_print(struct html_table *table, struct range range)
{
	char text[64];
	int used = snprintf(text, sizeof text, "%llu", (unsigned long long)range.first);
	if (range.last > range.first)
		snprintf(text + used, sizeof text - (size_t)used, " to %llu",
				 (unsigned long long)range.last);
	html_table_number(table, (double)range.first, text);
}

static void data_print(FILE *out, const struct html_heat *heat)
{
	static const struct html_column columns[] = {{"Rows", COLUMN_NUMBER},
												 {"Columns", COLUMN_NUMBER},
												 {"Wrong", COLUMN_NUMBER},
												 {"Of", COLUMN_NUMBER}};
	struct html_table table;
	html_data_open(out, "Data of the map");
	html_table_open(&table, out, "Cells that have wrong elements", columns, 4);
	for (size_t i = 0; i < heat->rows * heat->columns; i++) {
		struct range rows = range_of(i / heat->columns, heat->down, heat->height);
		struct range across = range_of(i % heat->columns, heat->across, heat->width);
		if (heat->wrong[i] == 0)
			continue;
		html_table_row(&table, 0);
		range_print(&table, rows);
		range_print(&table, across);
		html_table_format(&table, heat->wrong[i], "%u", heat->wrong[i]);
		html_table_format(&table, (double)elements_of(rows, across), "%llu",
						  (unsigned long long)elements_of(rows, across));
	}
	html_table_close(&table);
	html_details_close(out);
}

void html_heat(FILE *out, const struct html_heat *heat)
{
	char finding[256];
	bool any = false;
	for (size_t i = 0; i < heat->rows * heat->columns; i++)
		any = any || heat->wrong[i] > 0;
	if (!any)
		return;
	finding_format(heat, finding, sizeof finding);
	html_figure_open(out, "Where the wrong elements lie", finding);
	map_print(out, heat, finding);
	data_print(out, heat);
	html_figure_close(out);
}
