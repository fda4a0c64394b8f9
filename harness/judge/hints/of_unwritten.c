/* What was never written, and what grid or index would leave just that out. */
#include "judge/hints/claims.h"
#include "judge/hints/explanation.h"

#include <stdio.h>

/* ---- never written ------------------------------------------------------------------- */

/* Where a call failed, it is known why nothing was written. */
static bool unwritten(const struct case_result *result)
{
	return result->facts.error[0] == '\0' && result->wrong->unwritten == result->wrong->wrong;
}

/* Some elements may be right by chance, as those of small integers. */
static bool all_unwritten(const struct case_result *result)
{
	return unwritten(result) && result->wrong->wrong >= result->wrong->elements / 10 * 9;
}

/* What a stage of the epilogue stores beside the result; NULL: nothing. */
static const struct chain_member *stored_beside(const struct chain *chain)
{
	for (uint32_t s = 0; chain != NULL && s < chain->count; s++)
		for (uint32_t i = 0; i < chain->stages[s].count; i++)
			if (chain->stages[s].members[i].kind >= CHAIN_OUTPUT)
				return &chain->stages[s].members[i];
	return NULL;
}

static bool never_written(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	if (!hint_all_explained(facts, all_unwritten) || hint_is_kept(facts))
		return false;
	const struct chain_member *beside = stored_beside(facts->chain);
	if (beside != NULL) {
		strbuf_setf(
			out,
			"%s %s still holds what it held before the call: what the epilogue makes of the "
			"product is stored there, too, and not only %s",
			hint_in_all(facts, cases), hint_operand(facts, PART_RESULT), beside->name);
		return true;
	}
	strbuf_setf(
		out,
		"%s %s still holds what it held before the call: is a kernel launched at all, with a "
		"grid and a block that are not empty, and does it store to the pointer that solve() "
		"was given?",
		hint_in_all(facts, cases), hint_operand(facts, PART_RESULT));
	return true;
}

#define TILE_MOST 256

/* ---- a grid whose x and y are exchanged --------------------------------------------------- */

/* How many rows (columns) a grid reaches that counts tiles of the other side. */
static int32_t reach_of(const struct case_result *result, bool rows, int32_t tile)
{
	int32_t size = hint_case_size(result, rows ? SIZE_M : SIZE_N);
	int32_t other = hint_case_size(result, rows ? SIZE_N : SIZE_M);
	int32_t reached = (other + tile - 1) / tile * tile;
	return reached < size ? reached : size;
}

/* Whether what was written of every failing case that was looked at ends there. */
static bool ends_exchanged(const struct hint_context *facts, bool rows, int32_t tile)
{
	const struct case_result *result;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;)
		if ((rows ? result->wrong->written_rows : result->wrong->written_columns) !=
			reach_of(result, rows, tile))
			return false;
	return true;
}

/* Whether such a grid covers those cases that are right, and leaves out something of all others. */
static bool covers_right(const struct hint_context *facts, int32_t row_tile, int32_t column_tile)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		bool covered = reach_of(result, true, row_tile) == hint_case_size(result, SIZE_M) &&
					   reach_of(result, false, column_tile) == hint_case_size(result, SIZE_N);
		if ((hint_case_right(result) || hint_case_wrong(result)) &&
			covered != hint_case_right(result))
			return false;
	}
	return true;
}

static bool finds_exchanged(const struct hint_context *facts)
{
	if (hint_explained_cases(facts) < 2)
		return false;
	for (int32_t rows = 1; rows <= TILE_MOST; rows *= 2)
		for (int32_t columns = 1; ends_exchanged(facts, true, rows) && columns <= TILE_MOST;
			 columns *= 2)
			if (ends_exchanged(facts, false, columns) && covers_right(facts, rows, columns))
				return true;
	return false;
}

static bool grid_exchanged(const struct hint_context *facts, struct strbuf *out)
{
	size_t at = 0;
	char cases[64];
	if (!finds_exchanged(facts) || hint_is_kept(facts))
		return false;
	const struct case_result *shown = hint_next_explained(facts, &at);
	hint_claims(facts, (struct hint_claim){.fills = hint_unwritten_beyond});
	const char *m = hint_size(facts, SIZE_M), *n = hint_size(facts, SIZE_N);
	strbuf_setf(
		out,
		"%s only as many rows of %s are written as tiles of %s reach, and columns as tiles of "
		"%s do (%s: the first %d of %d rows and %d of %d columns): x and y of the grid are "
		"exchanged, or blockIdx.x and blockIdx.y in the kernel",
		hint_in_all(facts, cases), hint_operand(facts, PART_RESULT), n, m, shown->test.name,
		shown->wrong->written_rows, hint_case_size(shown, SIZE_M), shown->wrong->written_columns,
		hint_case_size(shown, SIZE_N));
	return true;
}

/* ---- a grid that is rounded down ------------------------------------------------------------ */

/* Whether tiles of this size end where the written rows (columns) of every case do. */
static bool ends_written(const struct hint_context *facts, bool rows, int32_t tile)
{
	const struct case_result *result;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		int32_t size = hint_case_size(result, rows ? SIZE_M : SIZE_N);
		int32_t written = rows ? result->wrong->written_rows : result->wrong->written_columns;
		if (result->wrong->written_rows > 0 && size / tile * tile != written)
			return false;
	}
	return true;
}

/* The only power of two of which that is true; 0: there are several, or none. */
static int32_t tile_written(const struct hint_context *facts, bool rows)
{
	int32_t found = 0;
	for (int32_t tile = 2; tile <= TILE_MOST; tile *= 2) {
		if (!ends_written(facts, rows, tile))
			continue;
		if (found > 0)
			return 0;
		found = tile;
	}
	return found;
}

/* Whether some tiles of usual sizes may be all there are. */
static bool tiles_end(const struct hint_context *facts, bool rows)
{
	for (int32_t tile = 2; tile <= TILE_MOST; tile += tile < 8 ? tile : 8)
		if (ends_written(facts, rows, tile))
			return true;
	return false;
}

/* Rows of another length, which overlap, leave the end of the result unwritten, too. */
static bool overlaps(const struct hint_context *facts)
{
	struct explanation explanation = explanation_of(facts);
	for (int i = 0; i < explanation.count; i++)
		if (explanation.faults[i] >= FAULT_RESULT_LENGTH && explanation.faults[i] < FAULT_SCALAR)
			return true;
	return false;
}

/* "(M + 15) / 16" */
static void say_rounded_up(const struct hint_context *facts, bool rows, struct strbuf *out)
{
	const char *size = hint_size(facts, rows ? SIZE_M : SIZE_N);
	int32_t tile = tile_written(facts, rows);
	if (tile > 0)
		strbuf_addf(out, "(%s + %d) / %d", size, tile - 1, tile);
	else
		strbuf_addf(out, "(%s + tile - 1) / tile", size);
}

/* Unwritten elements lie beyond whole tiles, all that lie there. */
static bool grid_rounded_down(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *result, *shown = NULL;
	size_t held = 0;
	bool rows = false, columns = false;
	char cases[64];
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		const struct wrong_pattern *wrong = result->wrong;
		if (wrong->unwritten == 0 || result->facts.error[0] != '\0')
			continue;
		if (wrong->written_rows == 0) /* no tile is whole? */
			continue;
		shown = shown == NULL ? result : shown;
		rows = rows || wrong->written_rows < hint_case_size(result, SIZE_M);
		columns = columns || wrong->written_columns < hint_case_size(result, SIZE_N);
		held++;
	}
	if (held == 0 || hint_rows_overlap(facts) || finds_exchanged(facts) || hint_is_kept(facts) ||
		!tiles_end(facts, true) || !tiles_end(facts, false))
		return false;
	hint_claims(facts, (struct hint_claim){.fills = hint_unwritten_beyond});
	strbuf_setf(
		out,
		"%s the last %s of %s are never written (%s: only the first %d of %d rows and %d of %d "
		"columns are): round the grid up, ",
		hint_in_cases(held, hint_explained_cases(facts), cases),
		rows && columns ? "rows and columns"
		: rows          ? "rows"
						: "columns",
		hint_operand(facts, PART_RESULT), shown->test.name, shown->wrong->written_rows,
		hint_case_size(shown, SIZE_M), shown->wrong->written_columns,
		hint_case_size(shown, SIZE_N));
	if (rows)
		say_rounded_up(facts, true, out);
	if (rows && columns)
		strbuf_add(out, " by ");
	if (columns)
		say_rounded_up(facts, false, out);
	strbuf_add(out, " blocks");
	return true;
}

/* Nothing is claimed by who only asks. */
bool hint_unwritten_known(const struct hint_context *facts)
{
	struct strbuf ignored = {0};
	struct hint_context asked = *facts;
	asked.claim = NULL;
	const bool known = hint_all_explained(facts, all_unwritten) || finds_exchanged(facts) ||
					   grid_rounded_down(&asked, &ignored);
	strbuf_release(&ignored);
	return known;
}

/* With beta 1 an element holds its old value, too, where nothing was added to it. A case with
 * another beta tells of all. */
static bool tells_nothing(const struct case_result *result)
{
	return result->test.scalar[SCALAR_BETA] == 1.0f;
}

static bool partly_written(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	if (!hint_all_explained(facts, unwritten) || hint_unwritten_known(facts) || hint_is_kept(facts))
		return false;
	const bool certain = !hint_all_explained(facts, tells_nothing);
	strbuf_setf(
		out,
		"%s the wrong elements %s: the grid is too small, a condition leaves them out, or an "
		"index passes them by%s",
		hint_in_all(facts, cases),
		certain ? "were never written" : "hold what they held before the call",
		certain ? "" : "; or nothing is added to beta times what they held");
	return true;
}

/* ---- rows of the result that overlap -----------------------------------------------------------
 */

/* Another size of which rows of the result are as long, where so much is written; SIZE_COUNT: none.
 */
static enum size overlapping_rows(const struct case_result *result)
{
	static const enum size sizes[] = {SIZE_M, SIZE_K};
	int32_t rows = hint_case_size(result, SIZE_M), columns = hint_case_size(result, SIZE_N);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int64_t length = hint_case_size(result, sizes[i]);
		if (rows > 2 && length < columns &&
			result->wrong->written_end == (rows - 1) * length + columns)
			return sizes[i];
	}
	return SIZE_COUNT;
}

/* The size of which rows are as long in all failing cases in which it shows; SIZE_COUNT: none. Who
 * wrote last is left open there, so that no fault fits where beta is not 0. */
static enum size find_overlapping(const struct hint_context *facts, size_t *held)
{
	const struct case_result *result;
	enum size size = SIZE_COUNT;
	*held = 0;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		enum size here = overlapping_rows(result);
		if (here == SIZE_COUNT || (size != SIZE_COUNT && here != size))
			continue;
		size = here;
		++*held;
	}
	return overlaps(facts) || hint_is_kept(facts) ? SIZE_COUNT : size;
}

bool hint_rows_overlap(const struct hint_context *facts)
{
	size_t held;
	return overlaps(facts) || find_overlapping(facts, &held) != SIZE_COUNT;
}

static bool rows_overlap(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	size_t held;
	enum size size = find_overlapping(facts, &held);
	if (size == SIZE_COUNT)
		return false;
	hint_claims(facts, (struct hint_claim){.fills = hint_unwritten_beyond, .number = 1});
	const char *name = hint_operand(facts, PART_RESULT);
	strbuf_setf(
		out,
		"%s the end of %s is never written, as much as rows leave that are taken to be %s long: "
		"it is %s[row * %s + column]",
		hint_in_cases(held, hint_explained_cases(facts), cases), name, hint_size(facts, size), name,
		hint_size(facts, SIZE_N));
	return true;
}

const struct hint_row hints_of_unwritten[] = {
	{"never-written", HINT_CAUSE, never_written},
	{"rows-overlap", HINT_CAUSE, rows_overlap},
	{"grid-exchanged", HINT_CAUSE, grid_exchanged},
	{"grid-rounded-down", HINT_CAUSE, grid_rounded_down},
	{"partly-written", HINT_KIND, partly_written},
	{0},
};
