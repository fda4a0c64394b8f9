/* Tiles that are stored whole, over what lies behind: the next row, or the next matrix of a batch.
 */
#include "judge/hints/claims.h"

#include <stdio.h>

#define TILE_LEAST 8
#define TILE_MOST 256

#define FILLED_LEAST 2 /* cases; in a single one it may be chance */

/* Tiles of so many rows of a batch's matrices, or of so many columns. */
struct tiles {
	int32_t length; /* 0: there are none */
	bool rows;
};

/* How many rows of the next matrix, or columns of the next row, such tiles reach. */
static int32_t reach_of(const struct shape *shape, struct tiles tiles)
{
	int32_t size = shape->size[tiles.rows ? SIZE_M : SIZE_N];
	int32_t reach = (size + tiles.length - 1) / tiles.length * tiles.length - size;
	return reach < size ? reach : size;
}

/* Whether all wrong elements of the case lie there; where they begin nothing can be reached. */
static bool lie_there(const struct case_result *result, struct tiles tiles)
{
	const struct wrong_places *places = &result->wrong->places;
	int32_t reach = reach_of(&result->test.shape, tiles);
	if (tiles.rows)
		return places->first_batch >= 1 && places->bottom < reach;
	return places->right < reach && (places->top >= 1 || places->first_batch >= 1);
}

static bool fill_it(const struct case_result *result, struct tiles tiles)
{
	const struct wrong_places *places = &result->wrong->places;
	int32_t reach = reach_of(&result->test.shape, tiles);
	return (tiles.rows ? places->bottom : places->right) + 1 == reach &&
		   reach < hint_case_size(result, tiles.rows ? SIZE_M : SIZE_N);
}

/* Whether all wrong elements of the failing cases lie there, and in half of these fill it. */
static bool are_stored_whole(const struct hint_context *facts, struct tiles tiles)
{
	const struct case_result *result;
	size_t cases = 0, filled = 0;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL; cases++) {
		if (!lie_there(result, tiles))
			return false;
		filled += fill_it(result, tiles);
	}
	return filled >= FILLED_LEAST && filled * 2 >= cases;
}

/* The smallest such tiles. */
static struct tiles find_tiles(const struct hint_context *facts)
{
	for (int rows = 1; rows >= 0; rows--)
		for (int32_t length = TILE_LEAST; length <= TILE_MOST; length *= 2) {
			struct tiles tiles = {.length = length, .rows = rows == 1};
			if (are_stored_whole(facts, tiles))
				return tiles;
		}
	return (struct tiles){.length = 0};
}

bool hint_stored_beyond(const struct hint_context *facts)
{
	return find_tiles(facts).length > 0;
}

static bool covers_beyond(const struct hint_claim *claim, const struct case_result *result,
						  int32_t batch, int32_t row, int32_t column)
{
	struct tiles tiles = {.length = claim->number, .rows = claim->rows};
	int32_t reach = reach_of(&result->test.shape, tiles);
	return claim->rows ? batch > 0 && row < reach : (batch > 0 || row > 0) && column < reach;
}

static bool stored_beyond(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	struct tiles tiles = find_tiles(facts);
	if (tiles.length == 0)
		return false;
	const char *size = hint_size(facts, tiles.rows ? SIZE_M : SIZE_N);
	hint_claims(facts, (struct hint_claim){.covers = covers_beyond,
										   .number = tiles.length,
										   .rows = tiles.rows,
										   .columns = !tiles.rows});
	strbuf_setf(out,
				"%s all wrong elements lie where the last %d %s of tiles reach beyond %s, in the "
				"first %s: store only where %s < %s, as the end of all of %s does not tell where a "
				"%s ends",
				hint_in_all(facts, cases), tiles.length, tiles.rows ? "rows" : "columns", size,
				tiles.rows ? "rows of the next matrix of the batch" : "columns of the next row",
				tiles.rows ? "row" : "column", size, hint_operand(facts, PART_RESULT),
				tiles.rows ? "matrix" : "row");
	return true;
}

const struct hint_row hints_of_batches[] = {
	{"stored-beyond", HINT_CAUSE, stored_beyond},
	{0},
};
