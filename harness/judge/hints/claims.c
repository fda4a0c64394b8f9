#include "judge/hints/claims.h"

void hint_claims(const struct hint_context *facts, struct hint_claim claim)
{
	if (facts->claim != NULL)
		*facts->claim = claim;
}

/* ---- elements ----------------------------------------------------------------------------- */

bool hint_beyond_tiles(const struct hint_claim *claim, const struct case_result *result,
					   int32_t batch, int32_t row, int32_t column)
{
	(void)batch;
	int32_t m = hint_case_size(result, SIZE_M) / claim->number * claim->number;
	int32_t n = hint_case_size(result, SIZE_N) / claim->number * claim->number;
	if (!claim->rows || !claim->columns)
		return claim->rows ? row >= m : column >= n;
	return (m == 0 && n == 0) || (m > 0 && row >= m) || (n > 0 && column >= n);
}

bool hint_in_line(const struct hint_claim *claim, const struct case_result *result, int32_t batch,
				  int32_t row, int32_t column)
{
	(void)batch;
	int32_t last = hint_case_size(result, claim->rows ? SIZE_M : SIZE_N) - 1;
	return (claim->rows ? row : column) == (claim->number > 0 ? last : 0);
}

bool hint_of_residue(const struct hint_claim *claim, const struct case_result *result,
					 int32_t batch, int32_t row, int32_t column)
{
	(void)result, (void)batch;
	return claim->set[(claim->rows ? row : column) % claim->number];
}

bool hint_of_matrix(const struct hint_claim *claim, const struct case_result *result, int32_t batch,
					int32_t row, int32_t column)
{
	(void)row, (void)column;
	return claim->number > 0 ? batch == hint_case_size(result, SIZE_BATCH) - 1 : batch > 0;
}

bool hint_unwritten_beyond(const struct hint_claim *claim, const struct case_result *result,
						   int32_t batch, int32_t row, int32_t column)
{
	(void)batch;
	const struct wrong_pattern *wrong = result->wrong;
	int64_t at = (int64_t)row * hint_case_size(result, SIZE_N) + column;
	if (claim->number > 0)
		return wrong->written_end > 0 && at >= wrong->written_end;
	return wrong->written_rows > 0 &&
		   (row >= wrong->written_rows || column >= wrong->written_columns);
}

/* A cell of the map: its elements from `top` and `left` on, of rows counted through all batches. */
struct cell {
	uint64_t top, bottom; /* the first one, and behind the last one */
	int32_t left, right;
	uint32_t wrong;
};

static struct cell cell_at(const struct case_result *result, uint32_t i, uint32_t j)
{
	const struct wrong_map *map = &result->wrong->map;
	uint64_t rows = shape_rows(&result->test.shape), bottom = (uint64_t)(i + 1) * map->height;
	int32_t columns = hint_case_size(result, SIZE_N), right = (int32_t)((j + 1) * map->width);
	return (struct cell){.top = (uint64_t)i * map->height,
						 .bottom = bottom < rows ? bottom : rows,
						 .left = (int32_t)(j * map->width),
						 .right = right < columns ? right : columns,
						 .wrong = map->wrong[i][j]};
}

/* How many elements of a cell are among these. */
static uint64_t covered(const struct hint_claim *claim, hint_covers *covers,
						const struct case_result *result, const struct cell *cell)
{
	uint64_t m = (uint64_t)hint_case_size(result, SIZE_M), count = 0;
	for (uint64_t at = cell->top; at < cell->bottom; at++)
		for (int32_t column = cell->left; column < cell->right; column++)
			count += covers(claim, result, (int32_t)(at / m), (int32_t)(at % m), column);
	return count;
}

/* Whether no cell has more wrong elements than the claim covers. */
static bool covers_wrong(const struct hint_claim *claim, const struct case_result *result)
{
	const struct wrong_map *map = &result->wrong->map;
	for (uint32_t i = 0; i < map->rows; i++)
		for (uint32_t j = 0; j < map->columns; j++) {
			struct cell cell = cell_at(result, i, j);
			if (cell.wrong > 0 && cell.wrong > covered(claim, claim->covers, result, &cell))
				return false;
		}
	return true;
}

/* Whether nine in ten of these elements may be wrong; some are right by chance. */
static bool fills_with_wrong(const struct hint_claim *claim, const struct case_result *result)
{
	const struct wrong_map *map = &result->wrong->map;
	uint64_t all = 0, wrong = 0;
	for (uint32_t i = 0; i < map->rows; i++)
		for (uint32_t j = 0; j < map->columns; j++) {
			struct cell cell = cell_at(result, i, j);
			uint64_t of_cell = covered(claim, claim->fills, result, &cell);
			all += of_cell;
			wrong += of_cell < cell.wrong ? of_cell : cell.wrong;
		}
	return wrong * 10 >= all * 9;
}

/* ---- tiles -------------------------------------------------------------------------------- */

/* Whether the cell lies in one tile. */
static bool is_in_tile(const struct hint_claim *claim, const struct case_result *result,
					   const struct cell *cell)
{
	uint64_t m = (uint64_t)hint_case_size(result, SIZE_M);
	uint64_t first = cell->top % m, last = (cell->bottom - 1) % m;
	return cell->top / m == (cell->bottom - 1) / m &&
		   first / (uint64_t)claim->tile_rows == last / (uint64_t)claim->tile_rows &&
		   cell->left / claim->tile_columns == (cell->right - 1) / claim->tile_columns;
}

static bool are_of_one_tile(const struct hint_claim *claim, const struct case_result *result,
							const struct cell *one, const struct cell *other)
{
	struct cell both = {.top = one->top < other->top ? one->top : other->top,
						.bottom = one->bottom > other->bottom ? one->bottom : other->bottom,
						.left = one->left < other->left ? one->left : other->left,
						.right = one->right > other->right ? one->right : other->right};
	return is_in_tile(claim, result, &both);
}

static uint64_t area_of(const struct cell *cell)
{
	return (cell->bottom - cell->top) * (uint64_t)(cell->right - cell->left);
}

/* Whether the tile of this cell may be right, or wrong to 19 of 20 elements, by the cells that lie
 * in it. */
static bool tile_is_whole(const struct hint_claim *claim, const struct case_result *result,
						  const struct cell *of)
{
	const struct wrong_map *map = &result->wrong->map;
	uint64_t wrong = 0, right = 0;
	for (uint32_t i = 0; i < map->rows; i++)
		for (uint32_t j = 0; j < map->columns; j++) {
			struct cell cell = cell_at(result, i, j);
			if (!are_of_one_tile(claim, result, of, &cell))
				continue;
			wrong += cell.wrong;
			right += area_of(&cell) - cell.wrong;
		}
	return wrong == 0 || right * 20 <= (uint64_t)claim->tile_rows * (uint64_t)claim->tile_columns;
}

static bool tiles_are_whole(const struct hint_claim *claim, const struct case_result *result)
{
	const struct wrong_map *map = &result->wrong->map;
	for (uint32_t i = 0; i < map->rows; i++)
		for (uint32_t j = 0; j < map->columns; j++) {
			struct cell cell = cell_at(result, i, j);
			if (cell.wrong > 0 && is_in_tile(claim, result, &cell) &&
				!tile_is_whole(claim, result, &cell))
				return false;
		}
	return true;
}

/* ---- the claim ----------------------------------------------------------------------------- */

static bool is_true_of_elements(const struct hint_claim *claim, const struct case_result *result)
{
	return (claim->covers == NULL || covers_wrong(claim, result)) &&
		   (claim->fills == NULL || fills_with_wrong(claim, result)) &&
		   (claim->tile_rows == 0 || tiles_are_whole(claim, result));
}

bool hint_claim_is_true(const struct hint_context *facts, const struct hint_claim *claim)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		bool failed = hint_case_failed(result);
		if (result->wrong != NULL && !is_true_of_elements(claim, result))
			return false;
		if (claim->of_failing != NULL && (failed || hint_case_right(result)) &&
			claim->of_failing(facts->problem, &result->test, claim->number) != failed)
			return false;
	}
	return true;
}
