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

struct heat {
	const struct wrong_facts *facts;
	const struct wrong_map *map;
	uint64_t height, width; /* of the result, rows of all batches counted through */
	bool batched;
};

static struct range range_of(size_t cell, uint64_t step, uint64_t size)
{
	uint64_t end = (cell + 1) * step;
	return (struct range){cell * step, (end < size ? end : size) - 1};
}

static struct range rows_of(const struct heat *heat, size_t cell)
{
	return range_of(cell, heat->map->height, heat->height);
}

static struct range columns_of(const struct heat *heat, size_t cell)
{
	return range_of(cell, heat->map->width, heat->width);
}

static uint64_t elements_of(struct range rows, struct range columns)
{
	return (rows.last - rows.first + 1) * (columns.last - columns.first + 1);
}

/* "12 wrong elements, in rows 64 to 127 and columns 0 to 255 of ...": the least box that holds all
 * of them, by the cells where there are batches, whose rows are counted through in the map alone.
 */
static void finding_format(const struct heat *heat, char *out, size_t capacity)
{
	const struct wrong_places *places = &heat->facts->places;
	unsigned long long top = heat->height, bottom = 0, left = heat->width, right = 0;
	size_t cells = 0;
	for (size_t row = 0; row < heat->map->rows; row++)
		for (size_t column = 0; column < heat->map->columns; column++) {
			struct range rows = rows_of(heat, row), columns = columns_of(heat, column);
			if (heat->map->wrong[row][column] == 0)
				continue;
			top = rows.first < top ? rows.first : top;
			bottom = rows.last > bottom ? rows.last : bottom;
			left = columns.first < left ? columns.first : left;
			right = columns.last > right ? columns.last : right;
			cells++;
		}
	if (!heat->batched) {
		top = (unsigned long long)places->top;
		bottom = (unsigned long long)places->bottom;
		left = (unsigned long long)places->left;
		right = (unsigned long long)places->right;
	}
	snprintf(out, capacity,
			 "%llu wrong elements of a result of %llu x %llu, all in rows %llu to %llu and columns "
			 "%llu to %llu; %zu of %u cells have some.",
			 (unsigned long long)heat->facts->wrong, (unsigned long long)heat->height,
			 (unsigned long long)heat->width, top, bottom, left, right, cells,
			 heat->map->rows * heat->map->columns);
}

/* What a map's sides measure, in the proportions of the result as far as both can be seen. */
static void sides_of(const struct heat *heat, double *width, double *height)
{
	double ratio = (double)heat->height / (double)heat->width;
	*width = ratio > 1.0 ? SIDE / ratio : SIDE;
	*height = ratio > 1.0 ? SIDE : SIDE * ratio;
	*width = *width < SHORTEST ? SHORTEST : *width;
	*height = *height < SHORTEST ? SHORTEST : *height;
}

static void cell_print(FILE *out, const struct heat *heat, size_t row, size_t column, double width,
					   double height)
{
	struct range rows = rows_of(heat, row), columns = columns_of(heat, column);
	double x0 = width * (double)columns.first / (double)heat->width;
	double x1 = width * (double)(columns.last + 1) / (double)heat->width;
	double y0 = height * (double)rows.first / (double)heat->height;
	double y1 = height * (double)(rows.last + 1) / (double)heat->height;
	double share = (double)heat->map->wrong[row][column] / (double)elements_of(rows, columns);
	char paint[64];
	/* a single wrong element of a large cell must be seen */
	snprintf(paint, sizeof paint, "class=\"cell\" fill-opacity=\"%.2f\"",
			 0.3 + 0.7 * (share < 1.0 ? share : 1.0));
	draw_rect(out, LEFT + x0, TOP + y0, x1 - x0, y1 - y0, paint);
}

static void map_print(FILE *out, const struct heat *heat, const char *finding)
{
	double width, height;
	char text[64];
	sides_of(heat, &width, &height);
	fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %g %.0f\" role=\"img\" aria-label=\"",
			PLOT_WIDTH, TOP + height + 22);
	html_text(out, finding);
	fputs("\">\n", out);
	draw_rect(out, LEFT, TOP, width, height, "class=\"whole\"");
	for (size_t row = 0; row < heat->map->rows; row++)
		for (size_t column = 0; column < heat->map->columns; column++)
			if (heat->map->wrong[row][column] > 0)
				cell_print(out, heat, row, column, width, height);
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

static void data_print(FILE *out, const struct heat *heat)
{
	static const struct html_column columns[] = {{"Rows", COLUMN_NUMBER},
												 {"Columns", COLUMN_NUMBER},
												 {"Wrong", COLUMN_NUMBER},
												 {"Of", COLUMN_NUMBER}};
	struct html_table table;
	html_data_open(out, "Data of the map");
	html_table_open(&table, out, "Cells that have wrong elements", columns, 4);
	for (size_t i = 0; i < (size_t)MAP_CELLS * MAP_CELLS; i++) {
		uint32_t wrong = heat->map->wrong[i / MAP_CELLS][i % MAP_CELLS];
		if (i / MAP_CELLS >= heat->map->rows || i % MAP_CELLS >= heat->map->columns || wrong == 0)
			continue;
		struct range rows = rows_of(heat, i / MAP_CELLS);
		struct range across = columns_of(heat, i % MAP_CELLS);
		html_table_row(&table, 0);
		range_print(&table, rows);
		range_print(&table, across);
		html_table_format(&table, wrong, "%u", wrong);
		html_table_format(&table, (double)elements_of(rows, across), "%llu",
						  (unsigned long long)elements_of(rows, across));
	}
	html_table_close(&table);
	html_details_close(out);
}

void html_heat(FILE *out, const struct wrong_facts *wrong, const struct shape *shape)
{
	const struct heat heat = {.facts = wrong,
							  .map = &wrong->map,
							  .height = shape_rows(shape),
							  .width = shape_columns(shape),
							  .batched = shape->size[SIZE_BATCH] > 1};
	char finding[256];
	if (wrong->map.rows - 1 >= MAP_CELLS || wrong->map.columns - 1 >= MAP_CELLS)
		return;
	finding_format(&heat, finding, sizeof finding);
	html_figure_open(out, "Where the wrong elements lie", finding);
	map_print(out, &heat, finding);
	data_print(out, &heat);
	html_figure_close(out);
}
