/* Tiles that are stored whole, over what lies behind the matrix: the next one of a batch. */
#include "judge/hints/claims.h"
#include "judge/hints/explanation.h"

#include <stdio.h>

#define TILE_LEAST 8
#define TILE_MOST 256

/* How many rows of the next matrix tiles of so many rows reach. */
static int32_t reach_of(const struct shape *shape, int32_t tile)
{
	int32_t m = shape->size[SIZE_M], reach = (m + tile - 1) / tile * tile - m;
	return reach < m ? reach : m;
}

/* Whether all wrong elements of the failing cases lie there, and in half of these fill it. */
static bool is_tile(const struct hint_facts *facts, int32_t tile)
{
	const struct case_result *result;
	size_t cases = 0, filled = 0;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL; cases++) {
		const struct wrong_places *places = &result->wrong->places;
		int32_t reach = reach_of(&result->test.shape, tile);
		if (places->first_batch < 1 || places->bottom >= reach)
			return false;
		filled += places->bottom + 1 == reach && reach < hint_case_size(result, SIZE_M);
	}
	return filled > 0 && filled * 2 >= cases;
}

/* The smallest such tile; 0: there is none. */
static int32_t find_tile(const struct hint_facts *facts)
{
	for (int32_t tile = TILE_LEAST; tile <= TILE_MOST; tile *= 2)
		if (is_tile(facts, tile))
			return tile;
	return 0;
}

bool hint_stored_beyond(const struct hint_facts *facts)
{
	return find_tile(facts) > 0;
}

static bool covers_beyond(const struct hint_claim *claim, const struct case_result *result,
						  int32_t batch, int32_t row, int32_t column)
{
	(void)column;
	return batch > 0 && row < reach_of(&result->test.shape, claim->number);
}

static bool stored_beyond(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char cases[64];
	int32_t tile = find_tile(facts);
	if (tile == 0 || explanation_of(facts).count > 0)
		return false;
	const char *m = hint_size(facts, SIZE_M), *name = hint_operand(facts, PART_RESULT);
	hint_claims(facts, (struct hint_claim){.covers = covers_beyond, .number = tile, .rows = true});
	snprintf(out, HINT_TEXT,
			 "%s all wrong elements lie where the last %d rows of tiles reach beyond %s, in the "
			 "first rows of the next matrix of the batch: store only where row < %s, as the end of "
			 "all of %s does not tell where a matrix ends",
			 hint_in_all(facts, cases), tile, m, m, name);
	return true;
}

const struct hint_row hints_of_batches[] = {
	{"stored-beyond", HINT_CAUSE, stored_beyond},
	{0},
};
