#include "judgement/places.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define NEARLY 0.9 /* of all elements */
#define SPARSE 4   /* no more than one element of so many, of the rows and columns that have any */

/* Rows or columns from `first` to `last` of so many; "" where these are all. */
static void line_print(const char *one, int32_t first, int32_t last, int32_t size, char out[40])
{
	const int32_t count = last - first + 1;
	out[0] = '\0';
	if (count >= size)
		return;
	if (count == 1 && last == size - 1)
		snprintf(out, 40, "the last %s", one);
	else if (count == 1)
		snprintf(out, 40, "%s %d", one, first);
	else if (last == size - 1)
		snprintf(out, 40, "the last %d %ss", count, one);
	else if (first == 0)
		snprintf(out, 40, "the first %d %ss", count, one);
	else
		snprintf(out, 40, "%ss %d to %d", one, first, last);
}

/* The largest tile of those that are right or wrong as a whole; false: there is none. */
static bool find_tile(const struct wrong_places *places, int *rows, int *columns)
{
	*rows = *columns = 0;
	for (int i = 0; i < WRONG_TILES; i++)
		for (int j = 0; j < WRONG_TILES; j++)
			if ((places->whole >> (i * WRONG_TILES + j) & 1) != 0 &&
				(8 << i) * (8 << j) > *rows * *columns) {
				*rows = 8 << i;
				*columns = 8 << j;
			}
	return *rows > 0;
}

/* Of a batch: which matrices, where these are not all. */
static void batch_print(const struct wrong_places *places, int32_t batch, char out[40])
{
	out[0] = '\0';
	if (places->batches >= batch)
		return;
	if (places->batches == 1)
		snprintf(out, 40, "matrix %d", places->first_batch);
	else
		snprintf(out, 40, "%d matrices", places->batches);
}

const char *places_print(const struct wrong_pattern *wrong, const struct shape *shape,
						 char out[PLACES_TEXT])
{
	const struct wrong_places *places = &wrong->places;
	char parts[3][40], tile[40] = "";
	int rows, columns;
	out[0] = '\0';
	if (wrong->wrong == 0)
		return out;
	batch_print(places, shape->size[SIZE_BATCH], parts[0]);
	line_print("row", places->top, places->bottom, shape->size[SIZE_M], parts[1]);
	line_print("column", places->left, places->right, shape->size[SIZE_N], parts[2]);
	if (find_tile(places, &rows, &columns))
		snprintf(tile, sizeof tile, "tiles of %dx%d", rows, columns);
	const double box = (double)places->rows * places->columns;
	const bool sparse = (double)wrong->wrong * SPARSE < box;
	size_t used = 0;
	for (int i = 0; i < 3; i++)
		if (parts[i][0] != '\0')
			used += (size_t)snprintf(out + used, PLACES_TEXT - used, "%s%s",
									 used > 0 ? ", "
									 : sparse ? "scattered in "
											  : "",
									 parts[i]);
	if (used == 0)
		text_format(out, PLACES_TEXT, "%s",
					wrong->wrong == wrong->elements ? "everywhere"
					: tile[0] != '\0'               ? tile
					: (double)wrong->wrong > NEARLY * (double)wrong->elements
						? "nearly everywhere"
						: "scattered over all of it");
	return out;
}
