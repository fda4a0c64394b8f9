/* links: judge */
/* Sentences that the map of wrong elements, or a case, contradicts are not shown. */
#include "hints_fixture.h"

#include "judge/hints/claims.h"

/* One wrong cell of 8 x 8 elements. */
static void only_wrong(struct wrong_pattern *wrong, uint32_t row, uint32_t column,
					   uint32_t elements)
{
	wrong->map = (struct wrong_map){.rows = 18, .columns = 18, .height = 8, .width = 8};
	wrong->map.wrong[row][column] = elements;
}

Test(hint_claims, a_row_that_the_map_contradicts)
{
	struct made_up *made = made_up(3, 2);
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].places.top = made->wrong[i].places.bottom = 99;
		only_wrong(&made->wrong[i], 12, 3, 8);
	}
	shows(made, "in the last row of C");
	only_wrong(&made->wrong[1], 12, 3, 9); /* the row has eight there */
	hides(made, "in the last row of C");
	only_wrong(&made->wrong[1], 10, 3, 1);
	hides(made, "in the last row of C");
	free(made);
}

Test(hint_claims, tiles_that_the_map_contradicts)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].places.ragged = 1u << 4; /* 128 */
		made->cases[i].test.shape = (struct shape){{1, 100, 90, 64, 1}};
		only_wrong(&made->wrong[i], 2, 2, 60);
	}
	made->cases[0].test.shape = (struct shape){{1, 130, 140, 64, 1}};
	only_wrong(&made->wrong[0], 0, 16, 64); /* columns from 128 on */
	shows(made, "beyond a multiple of 128");
	made->cases[1].test.shape = (struct shape){{1, 100, 140, 64, 1}}; /* its columns are not */
	hides(made, "beyond a multiple of 128");
	free(made);
}

Test(hint_claims, a_tile_that_is_neither_right_nor_wrong)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].places.whole = (uint64_t)1 << (1 * WRONG_TILES + 1); /* 16 x 16 */
		only_wrong(&made->wrong[i], 2, 2, 64);
		made->wrong[i].map.wrong[2][3] = made->wrong[i].map.wrong[3][2] = 64;
		made->wrong[i].map.wrong[3][3] = 52; /* 244 of 256 */
	}
	shows(made, "each tile of 16 x 16");
	made->wrong[1].map.wrong[3][3] = 51;
	hides(made, "each tile of 16 x 16");
	free(made);
}

Test(hint_claims, cells_that_are_larger_than_a_tile_tell_nothing_of_it)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].places.whole = (uint64_t)1 << (0 * WRONG_TILES + 0); /* 8 x 8 */
		made->wrong[i].map = (struct wrong_map){.rows = 7, .columns = 6, .height = 16, .width = 16};
		made->wrong[i].map.wrong[1][1] = 64;
	}
	shows(made, "each tile of 8 x 8");
	free(made);
}

/* Of 100 x 90 elements the first 96 x 88 are written. */
Test(hint_claims, what_is_never_written_is_wrong)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++) {
		struct wrong_pattern *wrong = &made->wrong[i];
		wrong->written_rows = 96;
		wrong->written_columns = 88;
		wrong->unwritten = wrong->wrong = 4 * 90 + 96 * 2;
		wrong->map = (struct wrong_map){.rows = 13, .columns = 12, .height = 8, .width = 8};
		for (int j = 0; j < 12; j++)
			wrong->map.wrong[12][j] = j < 11 ? 32 : 8;
		for (int j = 0; j < 12; j++)
			wrong->map.wrong[j][11] = 16;
	}
	shows(made, "only the first 96 of 100 rows and 88 of 90 columns");
	for (int j = 0; j < 6; j++)
		made->wrong[1].map.wrong[j][11] = 0; /* these are right, so that they were written */
	hides(made, "only the first 96 of 100 rows");
	free(made);
}

static bool is_long(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem;
	return test->shape.size[SIZE_K] > number;
}

Test(hint_claims, what_wrong_cases_have)
{
	struct made_up *made = made_up(4, 2);
	struct hint_context facts = {.judgement = &made->judgement,
								 .problem = problem_find("gemm-f16")};
	struct hint_claim claim = {.of_failing = is_long, .number = 64};
	made->cases[0].test.shape.size[SIZE_K] = made->cases[1].test.shape.size[SIZE_K] = 65;
	cr_expect(hint_claim_is_true(&facts, &claim));
	made->cases[3].test.shape.size[SIZE_K] = 65; /* a right one */
	cr_expect_not(hint_claim_is_true(&facts, &claim));
	made->cases[3].test.shape.size[SIZE_K] = 64;
	made->cases[1].test.shape.size[SIZE_K] = 64; /* a wrong one */
	cr_expect_not(hint_claim_is_true(&facts, &claim));
	free(made);
}
