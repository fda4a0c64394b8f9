/* Where the wrong elements lie, in the cases that were looked at. */
#include "judge/hints/claims.h"
#include "judge/hints/explanation.h"

#include <stdio.h>
#include <string.h>

/* Walks the cases that were looked at; NULL behind the last. */
static const struct case_result *next(const struct hint_facts *facts, size_t *at)
{
	while (*at < facts->judgement->count) {
		const struct case_result *result = &facts->judgement->cases[(*at)++];
		if (result->wrong != NULL)
			return result;
	}
	return NULL;
}

/* Whether there are such cases, and it holds in all of them. */
static bool all(const struct hint_facts *facts, bool (*holds)(const struct case_result *result))
{
	const struct case_result *result;
	size_t at = 0, held = 0;
	for (; (result = next(facts, &at)) != NULL; held++)
		if (!holds(result))
			return false;
	return held > 0;
}

/* "in both failing cases", of rows that hold in all of them. */
static const char *in_all(const struct hint_facts *facts, char out[64])
{
	size_t explained = hint_explained_cases(facts);
	return hint_in_cases(explained, explained, out);
}

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

static bool never_written(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char cases[64];
	if (!all(facts, all_unwritten))
		return false;
	snprintf(out, HINT_TEXT,
			 "%s %s still holds what it held before the call: is a kernel launched at all, with a "
			 "grid and a block that are not empty, and does it store to the pointer that solve() "
			 "was given?",
			 in_all(facts, cases), hint_operand(facts, PART_RESULT));
	return true;
}

/* ---- a grid that is rounded down ------------------------------------------------------------ */

static int32_t size_of(const struct case_result *result, enum size size)
{
	return result->test.shape.size[size];
}

#define TILE_MOST 256

/* Whether tiles of this size end where the written rows (columns) of every case do. */
static bool ends_written(const struct hint_facts *facts, bool rows, int32_t tile)
{
	const struct case_result *result;
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		int32_t size = size_of(result, rows ? SIZE_M : SIZE_N);
		int32_t written = rows ? result->wrong->written_rows : result->wrong->written_columns;
		if (result->wrong->written_rows > 0 && size / tile * tile != written)
			return false;
	}
	return true;
}

/* The only power of two of which that is true; 0: there are several, or none. */
static int32_t tile_written(const struct hint_facts *facts, bool rows)
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
static bool tiles_end(const struct hint_facts *facts, bool rows)
{
	for (int32_t tile = 2; tile <= TILE_MOST; tile += tile < 8 ? tile : 8)
		if (ends_written(facts, rows, tile))
			return true;
	return false;
}

/* Rows of another length, which overlap, leave the end of the result unwritten, too. */
static bool overlaps(const struct hint_facts *facts)
{
	struct explanation explanation = explanation_of(facts);
	for (int i = 0; i < explanation.count; i++)
		if (explanation.faults[i] >= FAULT_RESULT_LENGTH && explanation.faults[i] < FAULT_SCALAR)
			return true;
	return false;
}

/* "(M + 15) / 16" */
static size_t say_rounded_up(const struct hint_facts *facts, bool rows, char out[48])
{
	const char *size = hint_size(facts, rows ? SIZE_M : SIZE_N);
	int32_t tile = tile_written(facts, rows);
	if (tile > 0)
		return (size_t)snprintf(out, 48, "(%.12s + %d) / %d", size, tile - 1, tile);
	return (size_t)snprintf(out, 48, "(%.12s + tile - 1) / tile", size);
}

static bool rows_overlap(const struct hint_facts *facts, char out[HINT_TEXT]);

/* Unwritten elements lie beyond whole tiles, all that lie there. */
static bool grid_rounded_down(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const struct case_result *result, *shown = NULL;
	size_t held = 0;
	bool rows = false, columns = false;
	char cases[64], up_rows[48], up_columns[48];
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		const struct wrong_facts *wrong = result->wrong;
		if (wrong->unwritten == 0 || result->facts.error[0] != '\0')
			continue;
		if (wrong->written_rows == 0) /* no tile is whole? */
			continue;
		shown = shown == NULL ? result : shown;
		rows = rows || wrong->written_rows < size_of(result, SIZE_M);
		columns = columns || wrong->written_columns < size_of(result, SIZE_N);
		held++;
	}
	char overlapping[HINT_TEXT];
	if (held == 0 || overlaps(facts) || rows_overlap(facts, overlapping) ||
		!tiles_end(facts, true) || !tiles_end(facts, false))
		return false;
	say_rounded_up(facts, true, up_rows);
	say_rounded_up(facts, false, up_columns);
	snprintf(
		out, HINT_TEXT,
		"%s the last %s of %s are never written (%s: only the first %d of %d rows and %d of %d "
		"columns are): round the grid up, %s%s%s blocks",
		hint_in_cases(held, hint_explained_cases(facts), cases),
		rows && columns ? "rows and columns"
		: rows          ? "rows"
						: "columns",
		hint_operand(facts, PART_RESULT), shown->test.name, shown->wrong->written_rows,
		size_of(shown, SIZE_M), shown->wrong->written_columns, size_of(shown, SIZE_N),
		rows ? up_rows : "", rows && columns ? " by " : "", columns ? up_columns : "");
	return true;
}

static bool partly_written(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char cases[64];
	char grid[HINT_TEXT];
	if (!all(facts, unwritten) || all(facts, all_unwritten) || grid_rounded_down(facts, grid))
		return false;
	snprintf(out, HINT_TEXT,
			 "%s the wrong elements were never written: the grid is too small, a condition leaves "
			 "them out, or an index passes them by",
			 in_all(facts, cases));
	return true;
}

/* ---- rows of the result that overlap -----------------------------------------------------------
 */

/* Another size of which rows of the result are as long, where so much is written; SIZE_COUNT: none.
 */
static enum size overlapping_rows(const struct case_result *result)
{
	static const enum size sizes[] = {SIZE_M, SIZE_K};
	int32_t rows = size_of(result, SIZE_M), columns = size_of(result, SIZE_N);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int64_t length = size_of(result, sizes[i]);
		if (rows > 2 && length < columns &&
			result->wrong->written_end == (rows - 1) * length + columns)
			return sizes[i];
	}
	return SIZE_COUNT;
}

/* Who wrote last is left open there, so that no fault fits where beta is not 0. */
static bool rows_overlap(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const struct case_result *result;
	char cases[64];
	size_t held = 0;
	enum size size = SIZE_COUNT;
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		enum size here = overlapping_rows(result);
		if (here == SIZE_COUNT || (size != SIZE_COUNT && here != size))
			continue;
		size = here;
		held++;
	}
	if (held == 0 || overlaps(facts))
		return false;
	const char *name = hint_operand(facts, PART_RESULT);
	snprintf(
		out, HINT_TEXT,
		"%s the end of %s is never written, as much as rows leave that are taken to be %s long: "
		"it is %s[row * %s + column]",
		hint_in_cases(held, hint_explained_cases(facts), cases), name, hint_size(facts, size), name,
		hint_size(facts, SIZE_N));
	return true;
}

/* ---- one row or column ----------------------------------------------------------------- */

struct line {
	const char *name;
	enum size size; /* of the matrix across it */
	bool (*holds)(const struct case_result *result);
};

static bool first_row(const struct case_result *result)
{
	return result->wrong->places.bottom == 0;
}
static bool last_row(const struct case_result *result)
{
	return result->wrong->places.top == size_of(result, SIZE_M) - 1;
}
static bool first_column(const struct case_result *result)
{
	return result->wrong->places.right == 0;
}
static bool last_column(const struct case_result *result)
{
	return result->wrong->places.left == size_of(result, SIZE_N) - 1;
}

static const struct line lines[] = {{"first row", SIZE_M, first_row},
									{"last row", SIZE_M, last_row},
									{"first column", SIZE_N, first_column},
									{"last column", SIZE_N, last_column}};

/* Whether it is not the only one in all cases. */
static bool has_others(const struct hint_facts *facts, const struct line *line)
{
	const struct case_result *result;
	for (size_t at = 0; (result = next(facts, &at)) != NULL;)
		if (size_of(result, line->size) > 1)
			return true;
	return false;
}

static const struct line *line_of(const struct hint_facts *facts)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (all(facts, lines[i].holds) && has_others(facts, &lines[i]))
			return &lines[i];
	return NULL;
}

static bool one_line(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char cases[64];
	const struct line *line = line_of(facts);
	if (line == NULL)
		return false;
	hint_claims(facts,
				(struct hint_claim){.covers = hint_in_line,
									.number = line->holds == last_row || line->holds == last_column,
									.rows = line->size == SIZE_M});
	snprintf(out, HINT_TEXT, "%s all wrong elements lie in the %s of %s", in_all(facts, cases),
			 line->name, hint_operand(facts, PART_RESULT));
	return true;
}

/* ---- beyond a multiple of a tile --------------------------------------------------------- */

/* What the cases say of tiles of 8 << t rows and columns. */
struct ragged {
	bool holds;         /* wrong elements lie beyond whole tiles only, */
	bool rows, columns; /* all of them in rows (in columns) there */
	size_t telling;     /* cases of which half lies elsewhere */
	size_t against;     /* right cases that reach beyond whole tiles, too */
};

/* Whether tiles cover at least half of the result, and leave a rest. */
static bool is_telling(const struct case_result *result, int32_t tile)
{
	int32_t m = size_of(result, SIZE_M), n = size_of(result, SIZE_N);
	double whole = (double)(m / tile * tile) * (double)(n / tile * tile);
	return whole * 2 >= (double)m * n && (m % tile != 0 || n % tile != 0);
}

static struct ragged ragged_of(const struct hint_facts *facts, int t)
{
	const struct case_result *result;
	struct ragged out = {.holds = true, .rows = true, .columns = true};
	int32_t tile = 8 << t;
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		const struct wrong_places *places = &result->wrong->places;
		out.holds = out.holds && (places->ragged >> t & 1) != 0;
		if (!is_telling(result, tile))
			continue;
		out.telling++;
		out.rows = out.rows && places->top >= size_of(result, SIZE_M) / tile * tile;
		out.columns = out.columns && places->left >= size_of(result, SIZE_N) / tile * tile;
	}
	for (size_t i = 0; i < facts->judgement->count; i++)
		out.against += hint_case_right(&facts->judgement->cases[i]) &&
					   is_telling(&facts->judgement->cases[i], tile);
	return out;
}

/* The smallest tile beyond whose multiples all wrong elements lie, which says most of where; 0:
 * there is none. */
static int32_t ragged_tile(const struct hint_facts *facts, struct ragged *best)
{
	for (int t = 0; t < WRONG_TILES; t++) {
		*best = ragged_of(facts, t);
		if (best->holds && best->telling > 0 && best->against <= best->telling)
			return 8 << t;
	}
	return 0;
}

static bool beyond_tiles(const struct hint_facts *facts, char out[HINT_TEXT])
{
	struct ragged ragged;
	char cases[64];
	int32_t tile = ragged_tile(facts, &ragged);
	char grid[HINT_TEXT];
	if (tile == 0 || line_of(facts) != NULL || all(facts, all_unwritten) ||
		grid_rounded_down(facts, grid))
		return false;
	hint_claims(facts, (struct hint_claim){.covers = hint_beyond_tiles,
										   .number = tile,
										   .rows = ragged.rows || !ragged.columns,
										   .columns = !ragged.rows});
	snprintf(out, HINT_TEXT,
			 "%s all wrong elements lie in the last %s, beyond a multiple of %d: look at how tiles "
			 "that are not whole are loaded, summed and stored",
			 in_all(facts, cases),
			 ragged.rows      ? "rows"
			 : ragged.columns ? "columns"
							  : "rows or columns",
			 tile);
	return true;
}

/* ---- whole tiles ------------------------------------------------------------------------- */

static bool has_tiles(const struct case_result *result)
{
	return result->wrong->places.tile_height > 0;
}

static bool whole_tiles(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const struct case_result *result, *shown = NULL;
	struct ragged ragged;
	int32_t height = INT32_MAX, width = INT32_MAX;
	if (!all(facts, has_tiles) || ragged_tile(facts, &ragged) != 0 || line_of(facts) != NULL)
		return false;
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		const struct wrong_places *places = &result->wrong->places;
		if (shown == NULL || places->tiles > shown->wrong->places.tiles)
			shown = result;
		height = places->tile_height < height ? places->tile_height : height;
		width = places->tile_width < width ? places->tile_width : width;
	}
	if (shown == NULL || shown->wrong->places.tiles < 4)
		return false;
	char cases[64];
	snprintf(out, HINT_TEXT,
			 "%s each tile of %d x %d elements is right or wrong as a whole (%s: %u of %u tiles of "
			 "%d x %d are wrong): look at what those blocks or warps do otherwise",
			 in_all(facts, cases), height, width, shown->test.name,
			 shown->wrong->places.tiles_wrong, shown->wrong->places.tiles,
			 shown->wrong->places.tile_height, shown->wrong->places.tile_width);
	return true;
}

/* ---- every so many rows or columns --------------------------------------------------------- */

struct residues {
	bool set[WRONG_PERIOD];
	int count;
};

/* Residues modulo `period` of the rows or columns with wrong elements, of all cases. */
static struct residues residues_of(const struct hint_facts *facts, bool rows, int period)
{
	const struct case_result *result;
	struct residues out = {.count = 0};
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		const struct wrong_places *places = &result->wrong->places;
		const uint64_t *bits = rows ? places->row_residues : places->column_residues;
		for (int r = 0; r < WRONG_PERIOD; r++) {
			bool *set = &out.set[r % period];
			if ((bits[r / 64] >> r % 64 & 1) == 0 || *set)
				continue;
			*set = true;
			out.count++;
		}
	}
	return out;
}

/* Whether nearly every row (column) with such a residue has wrong elements, in each case that is
 * two periods long, and there is such a case. */
static bool are_filled(const struct hint_facts *facts, bool rows, int period,
					   const struct residues *residues)
{
	const struct case_result *result;
	bool any = false;
	for (size_t at = 0; (result = next(facts, &at)) != NULL;) {
		int32_t size = size_of(result, rows ? SIZE_M : SIZE_N), such = 0;
		int32_t touched = rows ? result->wrong->places.rows : result->wrong->places.columns;
		for (int32_t i = 0; i < size; i++)
			such += residues->set[i % period];
		if (touched * 5 < such * 4)
			return false;
		any = any || size >= 2 * period;
	}
	return any;
}

/* "0, 4 to 7" */
static void say_residues(const struct residues *residues, int period, char out[96])
{
	int used = 0;
	out[0] = '\0';
	for (int r = 0; r < period && used < 72; r++) {
		int last = r;
		if (!residues->set[r])
			continue;
		while (last + 1 < period && residues->set[last + 1])
			last++;
		used += snprintf(out + used, 96 - (size_t)used, "%s%d", used > 0 ? ", " : "", r);
		if (last > r)
			used += snprintf(out + used, 96 - (size_t)used, " to %d", last);
		r = last;
	}
}

static bool periodic(const struct hint_facts *facts, bool rows, char out[HINT_TEXT])
{
	for (int period = 2; period <= WRONG_PERIOD; period *= 2) {
		struct residues residues = residues_of(facts, rows, period);
		char list[96], cases[64];
		if (residues.count == 0 || residues.count * 2 > period ||
			!are_filled(facts, rows, period, &residues))
			continue;
		struct hint_claim claim = {.covers = hint_of_residue, .number = period, .rows = rows};
		memcpy(claim.set, residues.set, sizeof claim.set);
		hint_claims(facts, claim);
		say_residues(&residues, period, list);
		snprintf(out, HINT_TEXT,
				 "%s all wrong elements lie in %s whose number is %s modulo %d: look at the index "
				 "that each thread of a row of %d computes",
				 in_all(facts, cases), rows ? "rows" : "columns", list, period, period);
		return true;
	}
	return false;
}

static bool every_so_many(const struct hint_facts *facts, char out[HINT_TEXT])
{
	struct ragged ragged;
	if (ragged_tile(facts, &ragged) != 0 || line_of(facts) != NULL)
		return false;
	return periodic(facts, true, out) || periodic(facts, false, out);
}

/* ---- matrices of a batch --------------------------------------------------------------------- */

static bool later_matrices(const struct case_result *result)
{
	const struct wrong_places *places = &result->wrong->places;
	return places->first_batch == 1 && places->batches == size_of(result, SIZE_BATCH) - 1;
}

static bool after_first_matrix(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char cases[64];
	if (!all(facts, later_matrices))
		return false;
	hint_claims(facts, (struct hint_claim){.covers = hint_of_matrix});
	snprintf(out, HINT_TEXT,
			 "%s the first matrix of the batch is right, and all others are wrong: look at how far "
			 "apart the matrices of each operand are taken to lie",
			 in_all(facts, cases));
	return true;
}

static bool last_matrix(const struct case_result *result)
{
	return result->wrong->places.first_batch == size_of(result, SIZE_BATCH) - 1;
}

static bool one_matrix(const struct case_result *result)
{
	return size_of(result, SIZE_BATCH) == 1;
}

static bool only_last_matrix(const struct hint_facts *facts, char out[HINT_TEXT])
{
	char cases[64];
	if (!all(facts, last_matrix) || all(facts, one_matrix))
		return false;
	hint_claims(facts, (struct hint_claim){.covers = hint_of_matrix, .number = 1});
	snprintf(out, HINT_TEXT, "%s only the last matrix of the batch is wrong", in_all(facts, cases));
	return true;
}

/* ---- no numbers ------------------------------------------------------------------------------ */

/* Whether NaN can come from what the operands hold. */
static bool has_special(const struct hint_facts *facts, const struct test_case *test)
{
	for (size_t i = 0; i < problem_operands(facts->problem); i++) {
		enum distribution distribution = test->values[i].distribution;
		if (facts->problem->operands[i].role != ROLE_OUTPUT &&
			(distribution == VALUES_SPECIAL || distribution == VALUES_NAN ||
			 distribution == VALUES_LARGE))
			return true;
	}
	return false;
}

static bool not_numbers(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const struct case_result *result;
	size_t held = 0;
	for (size_t at = 0; (result = next(facts, &at)) != NULL; held++)
		if (result->wrong->nan < result->wrong->wrong || has_special(facts, &result->test) ||
			result->check.read > 0) /* then it is known where they come from */
			return false;
	if (held == 0)
		return false;
	char cases[64];
	snprintf(out, HINT_TEXT,
			 "%s every wrong element is NaN, though all inputs are numbers: is something summed "
			 "that was never written (shared memory, an accumulator, a workspace)?",
			 in_all(facts, cases));
	return true;
}

const struct hint_row hints_of_places[] = {
	{"never-written", HINT_CAUSE, never_written},
	{"rows-overlap", HINT_CAUSE, rows_overlap},
	{"grid-rounded-down", HINT_CAUSE, grid_rounded_down},
	{"later-matrices", HINT_PLACE, after_first_matrix},
	{"last-matrix", HINT_PLACE, only_last_matrix},
	{"one-line", HINT_PLACE, one_line},
	{"beyond-tiles", HINT_PLACE, beyond_tiles},
	{"whole-tiles", HINT_PLACE, whole_tiles},
	{"every-so-many", HINT_PLACE, every_so_many},
	{"partly-written", HINT_KIND, partly_written},
	{"not-numbers", HINT_KIND, not_numbers},
	{0},
};
