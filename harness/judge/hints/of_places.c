/* Where the wrong elements lie, in the cases that were looked at. */
#include "judge/hints/claims.h"

#include <stdio.h>
#include <string.h>

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
	return result->wrong->places.top == hint_case_size(result, SIZE_M) - 1;
}
static bool first_column(const struct case_result *result)
{
	return result->wrong->places.right == 0;
}
static bool last_column(const struct case_result *result)
{
	return result->wrong->places.left == hint_case_size(result, SIZE_N) - 1;
}

static const struct line lines[] = {{"first row", SIZE_M, first_row},
									{"last row", SIZE_M, last_row},
									{"first column", SIZE_N, first_column},
									{"last column", SIZE_N, last_column}};

/* Whether it is not the only one in all cases. */
static bool has_others(const struct hint_context *facts, const struct line *line)
{
	const struct case_result *result;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;)
		if (hint_case_size(result, line->size) > 1)
			return true;
	return false;
}

static const struct line *line_of(const struct hint_context *facts)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (hint_all_explained(facts, lines[i].holds) && has_others(facts, &lines[i]))
			return &lines[i];
	return NULL;
}

static bool one_line(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	const struct line *line = line_of(facts);
	if (line == NULL)
		return false;
	hint_claims(facts,
				(struct hint_claim){.covers = hint_in_line,
									.number = line->holds == last_row || line->holds == last_column,
									.rows = line->size == SIZE_M});
	strbuf_setf(out, "%s all wrong elements lie in the %s of %s", hint_in_all(facts, cases),
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
	int32_t m = hint_case_size(result, SIZE_M), n = hint_case_size(result, SIZE_N);
	double whole = (double)(m / tile * tile) * (double)(n / tile * tile);
	return whole * 2 >= (double)m * n && (m % tile != 0 || n % tile != 0);
}

static struct ragged ragged_of(const struct hint_context *facts, int t)
{
	const struct case_result *result;
	struct ragged out = {.holds = true, .rows = true, .columns = true};
	int32_t tile = 8 << t;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		const struct wrong_places *places = &result->wrong->places;
		out.holds = out.holds && (places->ragged >> t & 1) != 0;
		if (!is_telling(result, tile))
			continue;
		out.telling++;
		out.rows = out.rows && places->top >= hint_case_size(result, SIZE_M) / tile * tile;
		out.columns = out.columns && places->left >= hint_case_size(result, SIZE_N) / tile * tile;
	}
	for (size_t i = 0; i < facts->judgement->count; i++)
		out.against += hint_case_right(&facts->judgement->cases[i]) &&
					   is_telling(&facts->judgement->cases[i], tile);
	return out;
}

/* The smallest tile beyond whose multiples all wrong elements lie, which says most of where; 0:
 * there is none. */
static int32_t ragged_tile(const struct hint_context *facts, struct ragged *best)
{
	for (int t = 0; t < WRONG_TILES; t++) {
		*best = ragged_of(facts, t);
		if (best->holds && best->telling > 0 && best->against <= best->telling &&
			best->telling * 2 >= hint_explained_cases(facts))
			return 8 << t;
	}
	return 0;
}

static bool beyond_tiles(const struct hint_context *facts, struct strbuf *out)
{
	struct ragged ragged;
	char cases[64];
	int32_t tile = ragged_tile(facts, &ragged);
	if (tile == 0 || line_of(facts) != NULL || hint_unwritten_known(facts))
		return false;
	hint_claims(facts, (struct hint_claim){.covers = hint_beyond_tiles,
										   .number = tile,
										   .rows = ragged.rows || !ragged.columns,
										   .columns = !ragged.rows});
	strbuf_setf(
		out,
		"%s all wrong elements lie in the last %s, beyond a multiple of %d: look at how tiles "
		"that are not whole are loaded, summed and stored",
		hint_in_all(facts, cases),
		ragged.rows      ? "rows"
		: ragged.columns ? "columns"
						 : "rows or columns",
		tile);
	return true;
}

/* ---- whole tiles ------------------------------------------------------------------------- */

/* Of tiles of 8 << i rows and 8 << j columns; as in `whole` of the facts. */
struct tile {
	int i, j;
};

static int32_t area_of(struct tile tile)
{
	return 1 << (tile.i + tile.j);
}

static int32_t tiles_in(const struct case_result *result, struct tile tile)
{
	int32_t height = 8 << tile.i, width = 8 << tile.j;
	return hint_case_size(result, SIZE_BATCH) *
		   ((hint_case_size(result, SIZE_M) + height - 1) / height) *
		   ((hint_case_size(result, SIZE_N) + width - 1) / width);
}

/* The largest tiles of which each is right or wrong as a whole in all cases, at least four of them
 * in one. False: there are none. */
static bool find_tile(const struct hint_context *facts, struct tile *best)
{
	const struct case_result *result;
	uint64_t whole = ~(uint64_t)0;
	bool found = false;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;)
		whole &= result->wrong->places.whole;
	for (struct tile tile = {0, 0}; tile.i < WRONG_TILES;
		 tile = tile.j + 1 < WRONG_TILES ? (struct tile){tile.i, tile.j + 1}
										 : (struct tile){tile.i + 1, 0}) {
		int32_t most = 0;
		if ((whole >> (tile.i * WRONG_TILES + tile.j) & 1) == 0)
			continue;
		for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;)
			most = tiles_in(result, tile) > most ? tiles_in(result, tile) : most;
		if (most < 4 || (found && area_of(tile) <= area_of(*best)))
			continue;
		*best = tile;
		found = true;
	}
	return found;
}

static bool whole_tiles(const struct hint_context *facts, struct strbuf *out)
{
	struct ragged ragged;
	struct tile tile = {0, 0};
	char cases[64];
	if (hint_explained_cases(facts) == 0 || !find_tile(facts, &tile) ||
		hint_unwritten_known(facts) || ragged_tile(facts, &ragged) != 0 || line_of(facts) != NULL ||
		hint_is_kept(facts))
		return false;
	hint_claims(facts, (struct hint_claim){.tile_rows = 8 << tile.i, .tile_columns = 8 << tile.j});
	strbuf_setf(out,
				"%s each tile of %d x %d elements is right or wrong as a whole: look at what those "
				"blocks or warps do otherwise",
				hint_in_all(facts, cases), 8 << tile.i, 8 << tile.j);
	return true;
}

/* ---- every so many rows or columns --------------------------------------------------------- */

struct residues {
	bool set[WRONG_PERIOD];
	int count;
};

/* Residues modulo `period` of the rows or columns with wrong elements, of all cases. */
static struct residues residues_of(const struct hint_context *facts, bool rows, int period)
{
	const struct case_result *result;
	struct residues out = {.count = 0};
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
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
static bool are_filled(const struct hint_context *facts, bool rows, int period,
					   const struct residues *residues)
{
	const struct case_result *result;
	bool any = false;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		int32_t size = hint_case_size(result, rows ? SIZE_M : SIZE_N), such = 0;
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
static void say_residues(const struct residues *residues, int period, struct strbuf *out)
{
	const char *between = "";
	for (int r = 0; r < period; r++) {
		int last = r;
		if (!residues->set[r])
			continue;
		while (last + 1 < period && residues->set[last + 1])
			last++;
		strbuf_addf(out, "%s%d", between, r);
		if (last > r)
			strbuf_addf(out, " to %d", last);
		between = ", ";
		r = last;
	}
}

static bool periodic(const struct hint_context *facts, bool rows, struct strbuf *out)
{
	for (int period = 2; period <= WRONG_PERIOD; period *= 2) {
		struct residues residues = residues_of(facts, rows, period);
		char cases[64];
		if (residues.count == 0 || residues.count * 2 > period ||
			!are_filled(facts, rows, period, &residues))
			continue;
		struct hint_claim claim = {.covers = hint_of_residue, .number = period, .rows = rows};
		memcpy(claim.set, residues.set, sizeof claim.set);
		hint_claims(facts, claim);
		strbuf_setf(out, "%s all wrong elements lie in %s whose number is ",
					hint_in_all(facts, cases), rows ? "rows" : "columns");
		say_residues(&residues, period, out);
		strbuf_addf(out, " modulo %d: look at the index that each thread of a row of %d computes",
					period, period);
		return true;
	}
	return false;
}

static bool every_so_many(const struct hint_context *facts, struct strbuf *out)
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
	return places->first_batch == 1 && places->batches == hint_case_size(result, SIZE_BATCH) - 1;
}

static bool after_first_matrix(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	if (!hint_all_explained(facts, later_matrices) || hint_stored_beyond(facts))
		return false;
	hint_claims(facts, (struct hint_claim){.covers = hint_of_matrix});
	strbuf_setf(
		out,
		"%s the first matrix of the batch is right, and all others are wrong: look at how far "
		"apart the matrices of each operand are taken to lie",
		hint_in_all(facts, cases));
	return true;
}

static bool last_matrix(const struct case_result *result)
{
	return result->wrong->places.first_batch == hint_case_size(result, SIZE_BATCH) - 1;
}

static bool one_matrix(const struct case_result *result)
{
	return hint_case_size(result, SIZE_BATCH) == 1;
}

static bool only_last_matrix(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	if (!hint_all_explained(facts, last_matrix) || hint_all_explained(facts, one_matrix))
		return false;
	hint_claims(facts, (struct hint_claim){.covers = hint_of_matrix, .number = 1});
	strbuf_setf(out, "%s only the last matrix of the batch is wrong", hint_in_all(facts, cases));
	return true;
}

/* ---- no numbers ------------------------------------------------------------------------------ */

/* Whether NaN can come from what the operands hold. */
static bool has_special(const struct hint_context *facts, const struct test_case *test)
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

static bool not_numbers(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *result;
	size_t held = 0;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL; held++)
		if (result->wrong->nan < result->wrong->wrong || has_special(facts, &result->test) ||
			result->check.read > 0) /* then it is known where they come from */
			return false;
	if (held == 0)
		return false;
	char cases[64];
	strbuf_setf(out,
				"%s every wrong element is NaN, though all inputs are numbers: is something summed "
				"that was never written (shared memory, an accumulator, a workspace)?",
				hint_in_all(facts, cases));
	return true;
}

const struct hint_row hints_of_places[] = {
	{"later-matrices", HINT_PLACE, after_first_matrix},
	{"last-matrix", HINT_PLACE, only_last_matrix},
	{"one-line", HINT_PLACE, one_line},
	{"beyond-tiles", HINT_PLACE, beyond_tiles},
	{"whole-tiles", HINT_PLACE, whole_tiles},
	{"every-so-many", HINT_PLACE, every_so_many},
	{"not-numbers", HINT_KIND, not_numbers},
	{0},
};
