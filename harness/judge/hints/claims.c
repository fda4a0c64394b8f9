#include "judge/hints/claims.h"

void hint_claims(const struct hint_facts *facts, struct hint_claim claim)
{
	if (facts->claim != NULL)
		*facts->claim = claim;
}

/* ---- elements ----------------------------------------------------------------------------- */

bool hint_beyond_tiles(const struct hint_claim *claim, const struct shape *shape, int32_t batch,
					   int32_t row, int32_t column)
{
	(void)batch;
	int32_t m = shape->size[SIZE_M] / claim->number * claim->number;
	int32_t n = shape->size[SIZE_N] / claim->number * claim->number;
	if (!claim->rows || !claim->columns)
		return claim->rows ? row >= m : column >= n;
	return (m == 0 && n == 0) || (m > 0 && row >= m) || (n > 0 && column >= n);
}

bool hint_in_line(const struct hint_claim *claim, const struct shape *shape, int32_t batch,
				  int32_t row, int32_t column)
{
	(void)batch;
	int32_t last = shape->size[claim->rows ? SIZE_M : SIZE_N] - 1;
	return (claim->rows ? row : column) == (claim->number > 0 ? last : 0);
}

bool hint_of_residue(const struct hint_claim *claim, const struct shape *shape, int32_t batch,
					 int32_t row, int32_t column)
{
	(void)shape, (void)batch;
	return claim->set[(claim->rows ? row : column) % claim->number];
}

bool hint_of_matrix(const struct hint_claim *claim, const struct shape *shape, int32_t batch,
					int32_t row, int32_t column)
{
	(void)row, (void)column;
	return claim->number > 0 ? batch == shape->size[SIZE_BATCH] - 1 : batch > 0;
}

/* How many elements of a cell of the map the claim covers. */
static uint64_t covered(const struct hint_claim *claim, const struct case_result *result,
						uint32_t cell_row, uint32_t cell_column)
{
	const struct wrong_map *map = &result->wrong->map;
	const struct shape *shape = &result->test.shape;
	uint64_t m = (uint64_t)shape->size[SIZE_M], top = (uint64_t)cell_row * map->height;
	int32_t left = (int32_t)(cell_column * map->width);
	uint64_t count = 0;
	for (uint64_t at = top; at < top + map->height && at < shape_rows(shape); at++)
		for (int32_t column = left;
			 column < left + (int32_t)map->width && column < shape->size[SIZE_N]; column++)
			count += claim->covers(claim, shape, (int32_t)(at / m), (int32_t)(at % m), column);
	return count;
}

/* Whether no cell has more wrong elements than the claim covers. */
static bool true_of_elements(const struct hint_claim *claim, const struct case_result *result)
{
	const struct wrong_map *map = &result->wrong->map;
	for (uint32_t i = 0; i < map->rows; i++)
		for (uint32_t j = 0; j < map->columns; j++)
			if (map->wrong[i][j] > 0 && map->wrong[i][j] > covered(claim, result, i, j))
				return false;
	return true;
}

/* ---- the claim ----------------------------------------------------------------------------- */

bool hint_claim_is_true(const struct hint_facts *facts, const struct hint_claim *claim)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		bool failed = hint_case_failed(result);
		if (claim->covers != NULL && result->wrong != NULL && !true_of_elements(claim, result))
			return false;
		if (claim->of_failing != NULL && (failed || hint_case_right(result)) &&
			claim->of_failing(facts->problem, &result->test, claim->number) != failed)
			return false;
	}
	return true;
}
