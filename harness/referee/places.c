/* Where wrong elements lie: a map, the box around them, tiles. */
#include <stdlib.h>

#include "referee/diagnosis.h"

#define GRAIN 8 /* the smallest tiles that are told apart */

/* The smallest power of two of which `cells` cover `size`. */
static uint32_t cell_size(uint64_t size, uint64_t cells)
{
	uint32_t step = 1;
	while (step * cells < size)
		step *= 2;
	return step;
}

static uint64_t divided_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* What the walk over the elements leaves for afterwards. */
struct walk {
	uint64_t batch, m, n;
	uint64_t grains_m, grains_n; /* grains of a matrix */
	uint8_t *row, *column;       /* of a matrix: has a wrong element in any batch */
	uint8_t *grain;              /* wrong elements in each, of all batches: at most 64 */
};

static void map_open(const struct walk *walk, struct wrong_map *map)
{
	map->height = cell_size(walk->batch * walk->m, MAP_CELLS);
	map->width = cell_size(walk->n, MAP_CELLS);
	map->rows = (uint32_t)divided_up(walk->batch * walk->m, map->height);
	map->columns = (uint32_t)divided_up(walk->n, map->width);
}

static void walk_elements(const struct walk *walk, const uint8_t *marks,
						  struct wrong_pattern *facts)
{
	struct wrong_map *map = &facts->map;
	struct wrong_places *places = &facts->places;
	places->first_batch = -1;
	for (uint64_t b = 0; b < walk->batch; b++) {
		bool any = false;
		for (uint64_t i = 0; i < walk->m; i++) {
			const uint8_t *line = marks + (b * walk->m + i) * walk->n;
			uint8_t *grain = walk->grain + (b * walk->grains_m + i / GRAIN) * walk->grains_n;
			uint32_t *cells = map->wrong[(b * walk->m + i) / map->height];
			for (uint64_t j = 0; j < walk->n; j++) {
				if (line[j] == 0)
					continue;
				any = true;
				walk->row[i] = walk->column[j] = 1;
				grain[j / GRAIN]++;
				cells[j / map->width]++;
			}
		}
		places->batches += any;
		if (any && places->first_batch < 0)
			places->first_batch = (int32_t)b;
	}
}

/* Of rows or of columns: how many, the first and the last, and the residues. */
static int32_t sum_up(const uint8_t *touched, uint64_t count, int32_t *first, int32_t *last,
					  uint64_t residues[WRONG_PERIOD / 64])
{
	int32_t many = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (touched[i] == 0)
			continue;
		uint64_t residue = i % WRONG_PERIOD;
		residues[residue / 64] |= (uint64_t)1 << residue % 64;
		if (many++ == 0)
			*first = (int32_t)i;
		*last = (int32_t)i;
	}
	return many;
}

/* ---- tiles ---------------------------------------------------------------------- */

struct tiling {
	uint64_t height, width; /* elements */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Wrong elements of the tile whose first element this is. */
static uint64_t tile_wrong(const struct walk *walk, const struct tiling *tiling, uint64_t b,
						   uint64_t top, uint64_t left)
{
	uint64_t wrong = 0;
	uint64_t bottom = least(top + tiling->height, walk->m);
	uint64_t right = least(left + tiling->width, walk->n);
	for (uint64_t i = top / GRAIN; i < divided_up(bottom, GRAIN); i++)
		for (uint64_t j = left / GRAIN; j < divided_up(right, GRAIN); j++)
			wrong += walk->grain[(b * walk->grains_m + i) * walk->grains_n + j];
	return wrong;
}

/* Whether each tile is right, or wrong as a whole, and there are both. */
static bool tiles_are_whole(const struct walk *walk, const struct tiling *tiling)
{
	bool any_right = false, any_wrong = false;
	for (uint64_t b = 0; b < walk->batch; b++)
		for (uint64_t i = 0; i < walk->m; i += tiling->height)
			for (uint64_t j = 0; j < walk->n; j += tiling->width) {
				uint64_t wrong = tile_wrong(walk, tiling, b, i, j);
				uint64_t area =
					least(tiling->height, walk->m - i) * least(tiling->width, walk->n - j);
				if (wrong > 0 && wrong * 20 < area * 19)
					return false;
				any_right = any_right || wrong == 0;
				any_wrong = any_wrong || wrong > 0;
			}
	return any_right && any_wrong;
}

static void find_tiles(const struct walk *walk, struct wrong_places *places)
{
	for (int i = 0; i < WRONG_TILES; i++)
		for (int j = 0; j < WRONG_TILES; j++) {
			struct tiling tiling = {.height = GRAIN << i, .width = GRAIN << j};
			if (tiling.height <= walk->m && tiling.width <= walk->n &&
				tiles_are_whole(walk, &tiling))
				places->whole |= (uint64_t)1 << (i * WRONG_TILES + j);
		}
}

/* Whether tiles of this size that lie in whole tiles' rows and columns are right. */
static bool whole_tiles_right(const struct walk *walk, uint64_t tile)
{
	for (uint64_t b = 0; b < walk->batch; b++)
		for (uint64_t i = 0; i < walk->m / tile * tile / GRAIN; i++)
			for (uint64_t j = 0; j < walk->n / tile * tile / GRAIN; j++)
				if (walk->grain[(b * walk->grains_m + i) * walk->grains_n + j] != 0)
					return false;
	return true;
}

bool diagnosis_places(const uint8_t *marks, const struct shape *shape, struct wrong_pattern *facts)
{
	struct wrong_places *places = &facts->places;
	struct walk walk = {.batch = (uint64_t)shape->size[SIZE_BATCH],
						.m = (uint64_t)shape->size[SIZE_M],
						.n = (uint64_t)shape->size[SIZE_N]};
	walk.grains_m = divided_up(walk.m, GRAIN);
	walk.grains_n = divided_up(walk.n, GRAIN);
	walk.row = calloc(walk.m, 1);
	walk.column = calloc(walk.n, 1);
	walk.grain = calloc(walk.batch * walk.grains_m, walk.grains_n);
	bool good = walk.row != NULL && walk.column != NULL && walk.grain != NULL;
	if (good) {
		map_open(&walk, &facts->map);
		walk_elements(&walk, marks, facts);
		places->rows =
			sum_up(walk.row, walk.m, &places->top, &places->bottom, places->row_residues);
		places->columns =
			sum_up(walk.column, walk.n, &places->left, &places->right, places->column_residues);
		find_tiles(&walk, places);
		for (int t = 0; t < WRONG_TILES; t++)
			if (whole_tiles_right(&walk, (uint64_t)GRAIN << t))
				places->ragged |= 1u << t;
	}
	free(walk.row);
	free(walk.column);
	free(walk.grain);
	return good;
}

/* ---- what was not written ---------------------------------------------------------- */

/* How many of the first `length` elements of a row (of a column) were not written, in all matrices.
 * Some of these may be right by chance. */
static uint64_t unwritten_of(const uint8_t *marks, const struct walk *walk, bool rows, uint64_t at,
							 uint64_t length)
{
	uint64_t unwritten = 0;
	for (uint64_t b = 0; b < walk->batch; b++)
		for (uint64_t i = 0; i < length; i++) {
			uint64_t row = rows ? at : i, column = rows ? i : at;
			uint8_t mark = marks[(b * walk->m + row) * walk->n + column];
			unwritten += (mark & CHECK_UNWRITTEN) != 0;
		}
	return unwritten;
}

/* The first of the last rows (columns) of which nearly nothing was written, of their first `length`
 * elements. */
static uint64_t written_end(const uint8_t *marks, const struct walk *walk, bool rows,
							uint64_t length)
{
	uint64_t end = rows ? walk->m : walk->n;
	while (end > 0 &&
		   unwritten_of(marks, walk, rows, end - 1, length) * 10 >= walk->batch * length * 9)
		end--;
	return end;
}

/* The first rows and columns, behind which nearly nothing was written. Of a narrow strip of rows
 * most of each column is unwritten, too, so that one of the two has to be taken first. */
struct box {
	uint64_t rows, columns;
};

static struct box written_box(const uint8_t *marks, const struct walk *walk)
{
	struct box by_rows, by_columns;
	by_rows.rows = written_end(marks, walk, true, walk->n);
	by_rows.columns = written_end(marks, walk, false, by_rows.rows);
	by_columns.columns = written_end(marks, walk, false, walk->m);
	by_columns.rows = written_end(marks, walk, true, by_columns.columns);
	return by_rows.rows * by_rows.columns >= by_columns.rows * by_columns.columns ? by_rows
																				  : by_columns;
}

/* The first of the last elements of each matrix of which nearly nothing was written; 0 where some
 * before it were not, either. */
static uint64_t written_elements(const uint8_t *marks, const struct walk *walk)
{
	uint64_t matrix = walk->m * walk->n, end = 0, unwritten = 0, before = 0;
	for (uint64_t i = 0; i < walk->batch * matrix; i++) {
		bool written = (marks[i] & CHECK_UNWRITTEN) == 0;
		end = written && i % matrix >= end && marks[i] != 0 ? i % matrix + 1 : end;
		unwritten += !written;
	}
	for (uint64_t i = 0; i < walk->batch * matrix; i++)
		before += i % matrix < end && (marks[i] & CHECK_UNWRITTEN) != 0;
	return before == 0 && unwritten * 10 >= walk->batch * (matrix - end) * 9 ? end : 0;
}

void diagnosis_unwritten(const uint8_t *marks, const struct shape *shape,
						 struct wrong_pattern *facts)
{
	struct walk walk = {.batch = (uint64_t)shape->size[SIZE_BATCH],
						.m = (uint64_t)shape->size[SIZE_M],
						.n = (uint64_t)shape->size[SIZE_N]};
	const struct box box = written_box(marks, &walk);
	uint64_t rows = box.rows, columns = box.columns, inside = 0;
	facts->written_end = (int64_t)written_elements(marks, &walk);
	for (uint64_t b = 0; b < walk.batch; b++)
		for (uint64_t i = 0; i < rows; i++)
			for (uint64_t j = 0; j < columns; j++)
				inside += (marks[(b * walk.m + i) * walk.n + j] & CHECK_UNWRITTEN) != 0;
	if (inside * 100 > walk.batch * rows * columns || rows * columns == 0 ||
		(rows == walk.m && columns == walk.n))
		return;
	facts->written_rows = (int32_t)rows;
	facts->written_columns = (int32_t)columns;
}
