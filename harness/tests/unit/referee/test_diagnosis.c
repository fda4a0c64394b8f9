/* links: referee_core testcases base */
/* What wrong elements have in common, but for the faults that they come of. */
#include "diagnosis_fixture.h"

/* ---- sums of narrow types ------------------------------------------------------------- */

static double f16_sum(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	(void)b;
	for (int k = play->k - 1; k >= 0; k--) /* in another order than the referee's */
		sum = through(DTYPE_F16, sum + play->left[i * play->k + k] * play->right[k * play->n + j]);
	return alpha_of(play) * sum + beta_of(play) * c;
}

Test(diagnosis, errors_of_narrow_sums_are_as_large_as_they_say)
{
	struct play play = play_of("gemm-f16", (struct shape){{1, 40, 40, 200, 1}}, 1.5f, -0.75f);
	fill(&play, f16_sum);
	struct wrong_pattern facts = explained(&play);
	cr_expect(facts.wrong > facts.elements / 4);
	cr_expect_eq(facts.fits, 0);
	cr_expect(facts.errors_of[SUM_F16] > 0.5 && facts.errors_of[SUM_F16] < 2, "%g",
			  facts.errors_of[SUM_F16]);
	cr_expect(facts.errors_of[SUM_BF16] < 0.25, "%g", facts.errors_of[SUM_BF16]);
	fill(&play, no_last);
	facts = explained(&play);
	cr_expect(facts.errors_of[SUM_F16] > 10, "%g", facts.errors_of[SUM_F16]);
	store(&play, 3, NAN);
	facts = explained(&play);
	cr_expect_eq(facts.errors_of[SUM_F16], 0, "not where something is no number");
	cr_expect_eq(facts.nan, 1);
	cr_expect_eq(facts.fits, 0);
	play_end(&play);
}

static double f16_tiles(const struct play *play, int b, int i, int j, double c)
{
	double sum = 0;
	for (int k = 0; k < play->k; k += 16)
		sum = through(DTYPE_F16,
					  sum + product(play, b, i, j, k, k + 16 < play->k ? k + 16 : play->k));
	return alpha_of(play) * sum + beta_of(play) * c;
}

/* As mma with accumulators in half does; what few products are summed to tells nothing. */
Test(diagnosis, errors_of_sums_that_are_rounded_after_a_tile)
{
	struct play play = play_of("gemm-f16", (struct shape){{1, 40, 40, 200, 1}}, 1.5f, -0.75f);
	fill(&play, f16_tiles);
	struct wrong_pattern facts = explained(&play);
	cr_expect(facts.errors_of_tiles[SUM_F16] > 0.5 && facts.errors_of_tiles[SUM_F16] < 1.5, "%g",
			  facts.errors_of_tiles[SUM_F16]);
	cr_expect(facts.errors_of[SUM_F16] < 0.5, "%g", facts.errors_of[SUM_F16]);
	play_end(&play);
	play = play_of("gemm-f16", (struct shape){{1, 40, 40, 32, 1}}, 1.5f, -0.75f);
	fill(&play, f16_tiles);
	facts = explained(&play);
	cr_expect(facts.wrong > 0 && facts.errors_of[SUM_F16] == 0 &&
			  facts.errors_of_tiles[SUM_F16] == 0);
	play_end(&play);
}

/* ---- shortest paths ---------------------------------------------------------------------- */

#define NODES 40

/* The lengths of the shortest paths of at most so many edges. */
static void fill_paths(struct play *play, int edges)
{
	static double lengths[NODES][NODES], next[NODES][NODES];
	memcpy(lengths, play->left, sizeof lengths);
	for (; edges > 1; edges--) {
		memcpy(next, lengths, sizeof next);
		for (int i = 0; i < NODES; i++)
			for (int k = 0; k < NODES; k++)
				for (int j = 0; j < NODES; j++)
					next[i][j] = fmin(next[i][j], lengths[i][k] + play->left[k * NODES + j]);
		memcpy(lengths, next, sizeof next);
	}
	for (uint64_t at = 0; at < (uint64_t)NODES * NODES; at++)
		store(play, at, lengths[at / NODES][at % NODES]);
}

Test(diagnosis, paths_of_few_edges)
{
	struct play play = play_of("apsp-f32", (struct shape){{1, NODES, NODES, NODES, 1}}, 1, 0);
	for (int edges = 1; edges <= 2; edges++) {
		fill_paths(&play, edges);
		struct wrong_pattern facts = explained(&play);
		cr_expect(facts.wrong > 0 && facts.compared > 0 && facts.longer == facts.compared);
		cr_expect(facts.path_edges <= edges && facts.path_edges_most == edges, "%d to %d",
				  facts.path_edges, facts.path_edges_most);
	}
	fill_paths(&play, NODES);
	struct wrong_pattern facts = explained(&play);
	cr_expect_eq(facts.wrong, 0);
	store(&play, 1, 1e6);
	facts = explained(&play);
	cr_expect(facts.path_edges == 0 && facts.longer == 1 && facts.compared == 1);
	store(&play, 1, -1e6);
	facts = explained(&play);
	cr_expect(facts.path_edges == 0 && facts.longer == 0 && facts.compared == 1);
	play_end(&play);
}

/* ---- places ------------------------------------------------------------------------- */

#define M 70
#define N 100

typedef bool place(int i, int j);

static struct wrong_pattern placed(int batch, place *wrong)
{
	static struct wrong_pattern facts;
	const struct shape shape = {{batch, M, N, 1, 1}};
	uint8_t *marks = calloc((size_t)batch * M, N);
	for (int i = 0; i < batch * M; i++)
		for (int j = 0; j < N; j++)
			marks[i * N + j] = wrong(i, j);
	facts = (struct wrong_pattern){.elements = (uint64_t)batch * M * N};
	cr_assert(diagnosis_places(marks, &shape, &facts));
	free(marks);
	return facts;
}

static bool in_corner(int i, int j)
{
	return i == M - 1 && j == N - 1;
}
static bool in_a_tile(int i, int j)
{
	return i >= 32 && i < 48 && j >= 64 && j < 96;
}
static bool beyond_64_or_96(int i, int j)
{
	return i >= 64 || j >= 96;
}
static bool beyond_60(int i, int j)
{
	return i >= 60 && j >= 0;
}
static bool every_eighth(int i, int j)
{
	return i >= 0 && j % 8 == 5;
}
static bool in_second_batch(int i, int j)
{
	return i >= M && i < 2 * M && j >= 0;
}

Test(diagnosis, places_have_a_box_and_residues)
{
	struct wrong_pattern facts = placed(1, in_corner);
	cr_expect(facts.places.top == M - 1 && facts.places.bottom == M - 1);
	cr_expect(facts.places.left == N - 1 && facts.places.right == N - 1);
	cr_expect(facts.places.rows == 1 && facts.places.columns == 1);
	facts = placed(1, every_eighth);
	cr_expect(facts.places.rows == M && facts.places.columns == 12);
	for (int r = 0; r < WRONG_PERIOD; r++)
		cr_expect_eq(facts.places.column_residues[r / 64] >> r % 64 & 1, r < N && r % 8 == 5);
	cr_expect_eq(facts.places.whole, 0);
	facts = placed(3, in_second_batch);
	cr_expect(facts.places.batches == 1 && facts.places.first_batch == 1);
	cr_expect(facts.places.rows == M && facts.places.bottom == M - 1);
}

Test(diagnosis, places_have_tiles)
{
	struct wrong_pattern facts = placed(1, in_a_tile);
	/* 8 and 16 rows by 8, 16 and 32 columns: a larger one has right elements beside them */
	cr_expect_eq(facts.places.whole, (uint64_t)7 | (uint64_t)7 << WRONG_TILES);
	cr_expect_eq(facts.places.ragged >> 1 & 1, 0, "it is a whole tile of 16");
	cr_expect_eq(facts.places.ragged >> 3 & 1, 1, "of 64 the tile at column 64 is none");
}

Test(diagnosis, places_beyond_whole_tiles)
{
	struct wrong_pattern facts = placed(1, beyond_64_or_96);
	cr_expect_eq(facts.places.ragged, (1u << WRONG_TILES) - 1);
	facts = placed(1, beyond_60);
	cr_expect_eq(facts.places.ragged, (1u << WRONG_TILES) - 1 - 15, "row 60 is one of whole tiles");
	facts = placed(2, beyond_64_or_96); /* all of the second matrix has rows beyond 64 */
	cr_expect_eq(facts.places.ragged & 15, 0);
}

Test(diagnosis, maps_count_every_element)
{
	static const int sizes[][3] = {{1, 1, 1}, {1, 33, 21}, {3, 17, 9}, {1, 64, 1}, {2, 100, 1000}};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		int batch = sizes[s][0], m = sizes[s][1], n = sizes[s][2];
		const struct shape shape = {{batch, m, n, 1, 1}};
		static struct wrong_pattern facts;
		uint8_t *marks = calloc((size_t)(batch * m), (size_t)n);
		uint64_t wrong = 0, counted = 0;
		facts = (struct wrong_pattern){.elements = (uint64_t)(batch * m) * (uint64_t)n};
		for (int i = 0; i < batch * m * n; i++) {
			marks[i] = i % 3 == 0;
			wrong += marks[i];
		}
		cr_assert(diagnosis_places(marks, &shape, &facts));
		const struct wrong_map *map = &facts.map;
		cr_expect(map->rows <= MAP_CELLS && map->columns <= MAP_CELLS);
		cr_expect((uint64_t)map->rows * map->height >= (uint64_t)(batch * m));
		cr_expect((map->rows - 1) * map->height < (uint32_t)(batch * m));
		cr_expect((map->columns - 1) * map->width < (uint32_t)n);
		for (uint32_t i = 0; i < MAP_CELLS; i++)
			for (uint32_t j = 0; j < MAP_CELLS; j++) {
				counted += map->wrong[i][j];
				cr_expect(map->wrong[i][j] == 0 || (i < map->rows && j < map->columns));
			}
		cr_expect_eq(counted, wrong);
		free(marks);
	}
}
