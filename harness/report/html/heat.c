#include "report/html/heat.h"

#include <math.h>
#include <stdbool.h>

#include "report/draw.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/table.h"

#define SIDE 230.0 /* the most that the map takes in either direction */
#define SHORTEST 24.0
#define LEFT 56.0
#define TOP 26.0
#define COLUMN_0 58.0 /* what the words take, in the larger letters of small windows */

/* First and last of what a row or column of cells holds. */
struct range {
	uint64_t first, last;
};

struct heat {
	const struct wrong_pattern *facts;
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

/* Five shades, so that a single wrong element of a large cell is seen, and a cell that is not all
 * wrong told from one that is. 0: nothing is wrong. */
static int shade_of(const struct heat *heat, size_t row, size_t column)
{
	uint32_t wrong = heat->map->wrong[row][column];
	double share =
		(double)wrong / (double)elements_of(rows_of(heat, row), columns_of(heat, column));
	return wrong == 0      ? 0
		   : share >= 1.0  ? 5
		   : share >= 0.5  ? 4
		   : share >= 0.2  ? 3
		   : share >= 0.05 ? 2
						   : 1;
}

/* On a grid that is written without rounding: cells that touch have one edge, and no seam. */
static double snap(double at)
{
	return rint(2.0 * at) / 2.0;
}

/* Cells of one row and shade, from `first` to before `end`. */
static void cells_print(FILE *out, const struct heat *heat, size_t row, size_t first, size_t end)
{
	double width, height;
	sides_of(heat, &width, &height);
	struct range rows = rows_of(heat, row);
	uint64_t left = columns_of(heat, first).first, right = columns_of(heat, end - 1).last + 1;
	double across = width / (double)heat->width, down = height / (double)heat->height;
	char paint[32];
	snprintf(paint, sizeof paint, "class=\"cell h%d\"", shade_of(heat, row, first));
	double from = snap(LEFT + across * (double)left), to = snap(LEFT + across * (double)right);
	double top = snap(TOP + down * (double)rows.first);
	double bottom = snap(TOP + down * (double)(rows.last + 1));
	draw_rect(out, from, top, to - from, bottom - top, paint);
}

static void row_print(FILE *out, const struct heat *heat, size_t row)
{
	for (size_t first = 0, end; first < heat->map->columns; first = end) {
		int shade = shade_of(heat, row, first);
		for (end = first + 1; end < heat->map->columns && shade_of(heat, row, end) == shade;)
			end++;
		if (shade > 0)
			cells_print(out, heat, row, first, end);
	}
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
		row_print(out, heat, row);
	draw_text(out, LEFT, TOP - 7, "start", "class=\"tick\"", "column 0");
	snprintf(text, sizeof text, "%llu", (unsigned long long)heat->width - 1);
	draw_text(out, LEFT + fmax(width, COLUMN_0) + 6, TOP - 7, "start", "class=\"tick\"", text);
	draw_text(out, LEFT - 6, TOP + 10, "end", "class=\"tick\"", "row 0");
	snprintf(text, sizeof text, "%llu", (unsigned long long)heat->height - 1);
	draw_text(out, LEFT - 6, TOP + height + 10, "end", "class=\"tick\"", text);
	fputs("</svg>\n", out);
}

static void range_format(struct range range, char out[48])
{
	int used = snprintf(out, 48, "%llu", (unsigned long long)range.first);
	if (range.last > range.first)
		snprintf(out + used, 48 - (size_t)used, " to %llu", (unsigned long long)range.last);
}

/* The map once more in numbers. */
static void data_print(FILE *out, const struct heat *heat)
{
	char names[MAP_CELLS + 1][48];
	struct html_column columns[MAP_CELLS + 1] = {{"Rows", COLUMN_WORDS}};
	struct html_table table;
	for (size_t column = 0; column < heat->map->columns; column++) {
		range_format(columns_of(heat, column), names[column + 1]);
		columns[column + 1] = (struct html_column){names[column + 1], COLUMN_NUMBER};
	}
	html_data_open(out, "Data of the map");
	html_table_open(&table, out, "How many elements are wrong, by rows and columns", columns,
					heat->map->columns + 1);
	for (size_t row = 0; row < heat->map->rows; row++) {
		range_format(rows_of(heat, row), names[0]);
		html_table_row(&table, 0);
		html_table_text(&table, names[0]);
		for (size_t column = 0; column < heat->map->columns; column++)
			html_table_format(&table, heat->map->wrong[row][column], "%u",
							  heat->map->wrong[row][column]);
	}
	html_table_close(&table);
	html_details_close(out);
}

void html_heat(FILE *out, const struct wrong_pattern *wrong, const struct shape *shape)
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
