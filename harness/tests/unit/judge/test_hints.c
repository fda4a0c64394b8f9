/* links: judge */
/* Hints of judgements that are made up here: each has facts that must show it, and facts near to
 * them that must not. */
#include "hints_fixture.h"

Test(hints, nothing_is_said_without_a_pattern)
{
	struct made_up *made = made_up(8, 5);
	cr_expect_str_eq(hints_of(made), "");
	made->judgement.cases = NULL;
	made->judgement.count = 0;
	made->judgement.verdict = VERDICT_COMPILE_ERROR;
	cr_expect_str_eq(hints_of(made), "");
	made->problem = "none"; /* of a file that is none */
	cr_expect_str_eq(hints_of(made), "");
	free(made);
}

Test(hints, accepted_files_have_none)
{
	struct made_up *made = made_up(8, 5);
	each_fits(made, FAULT_FIRST_MISSING);
	shows(made, "does the loop over k begin at 1?");
	made->judgement.verdict = VERDICT_ACCEPTED;
	cr_expect_str_eq(hints_of(made), "");
	free(made);
}

Test(hints, a_grid_that_is_rounded_down)
{
	struct made_up *made = made_up(4, 3);
	for (size_t i = 0; i < 3; i++) {
		made->wrong[i].unwritten = 20;
		made->wrong[i].written_rows = 96;
		made->wrong[i].written_columns = 64;
	}
	shows(made, "the last rows and columns of C are never written (random-0: only the first 96 of "
				"100 rows and 64 of 90 columns are): round the grid up, (M + tile - 1) / tile by "
				"(N + tile - 1) / tile blocks");
	made->cases[1].test.shape.size[SIZE_M] = 80; /* that leaves one tile of rows */
	made->wrong[1].written_rows = 80;
	made->cases[2].test.shape.size[SIZE_M] = 127;
	made->wrong[2].written_rows = 112;
	shows(made, "(M + 15) / 16 by (N + tile - 1) / tile");
	made->wrong[2].written_rows = 111; /* no tile's */
	hides(made, "round the grid up");
	made->wrong[2].written_rows = 112;
	each_fits(made, FAULT_RESULT_LENGTH + SIZE_M); /* rows that overlap leave the last ones, too */
	hides(made, "round the grid up");
	free(made);
}

/* Of a file that is accepted, with ptxas's reason: as 13.0.88 has it and as 13.5.37, and as both
 * have it. */
Test(hints, wgmma_that_is_serialised)
{
	static const char loss[] = "ptxas info    : (C7514) Potential Performance Loss: "
							   "wgmma.mma_async instructions are serialized due to ";
	static const char *const said[][2] = {
		{"ill formed pipeline stage in the function '_Z1kv'", "ill formed pipeline stage"},
		{"WG.DP in divergent path in the function '_Z1kv' in line 7", "WG.DP in divergent path"},
		{"insufficient register resources for the function '_Z1kv'",
		 "insufficient register resources"}};
	struct made_up *made = made_up(4, 0);
	char log[256], hint[256];
	made->judgement.verdict = VERDICT_ACCEPTED;
	made->judgement.compile_log = log;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		snprintf(log, sizeof log, "%s%s\n", loss, said[i][0]);
		snprintf(hint, sizeof hint,
				 "ptxas serialises wgmma due to %s: results are right, and slow, as each wgmma "
				 "waits for the one before",
				 said[i][1]);
		shows(made, hint);
	}
	made->judgement.verdict = VERDICT_WRONG_ANSWER;
	cr_expect_str_eq(hints_of(made), "");
	made->judgement.compile_log = NULL;
	free(made);
}

Test(hints, results_that_vary_and_are_right)
{
	struct made_up *made = made_up(4, 0);
	made->judgement.verdict = VERDICT_ACCEPTED;
	cr_expect_str_eq(hints_of(made), "");
	made->judgement.bits.repeatable = BITS_NO;
	cr_expect_str_eq(hints_of(made), "", "nothing says that it has atomics");
	FILE *file = fopen("hints_vary.cu", "w");
	fputs("atomicAdd(&C[i], sum);", file);
	fclose(file);
	made->source = "hints_vary.cu";
	shows(made, "calls on the same input give results that differ, though all cases are right");
	remove("hints_vary.cu");
	free(made);
}

/* Only an order that was tried, and gave the right result. */
Test(hints, order_of_arguments)
{
	struct made_up *made = made_up(4, 3);
	FILE *file = fopen("hints_order.cu", "w");
	fputs("extern \"C\" void solve(const half *A, const half *B, half *C, int N, int M, int K, "
		  "float alpha, float beta) {}",
		  file);
	fclose(file);
	made->source = "hints_order.cu";
	made->judgement.was_run = true;
	hides(made, "in this order");
	made->judgement.order_proved = true;
	shows(made, "solve() takes A, B, C, N, M, K, alpha, beta, and what comes is A, B, C, M, N, K");
	struct test_case test = made->cases[0].test;
	struct arena arena = {.count = 3};
	struct hint_context facts = {
		.judgement = &made->judgement, .source = made->source, .problem = problem_find("gemm-f16")};
	cr_expect(hint_other_order(&facts, &test, &arena));
	cr_expect_eq(test.shape.size[SIZE_M], 90);
	cr_expect_eq(test.shape.size[SIZE_N], 100);
	remove("hints_order.cu");
	free(made);
}

/* ---- places ---------------------------------------------------------------------- */

Test(hints, never_written)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++)
		made->wrong[i].unwritten = 50;
	shows(made, "in both failing cases the wrong elements were never written");
	hides(made, "is a kernel launched");
	for (size_t i = 0; i < 2; i++)
		made->wrong[i].wrong = made->wrong[i].unwritten = 8990;
	shows(made, "is a kernel launched");
	hides(made, "the wrong elements were never written");
	made->wrong[1].unwritten--;
	cr_expect_str_eq(hints_of(made), "");
	free(made);
}

Test(hints, one_row)
{
	struct made_up *made = made_up(3, 2);
	for (size_t i = 0; i < 2; i++)
		made->wrong[i].places.top = made->wrong[i].places.bottom = 99;
	shows(made, "in the last row of C");
	made->wrong[1].places.top = 98;
	hides(made, "in the last row of C");
	free(made);
}

Test(hints, beyond_whole_tiles)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].places.top = 96;
		made->wrong[i].places.bottom = 99;
		made->wrong[i].places.ragged = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5; /* 16, 32, 128, 256 */
	}
	made->cases[2].test.shape = (struct shape){{1, 80, 96, 64, 1}}; /* right: not whole of 32 */
	made->cases[3].test.shape = (struct shape){{1, 80, 96, 64, 1}};
	shows(made, "all wrong elements lie in the last rows, beyond a multiple of 16");
	made->wrong[1].places.ragged = 1u << 4 | 1u << 5; /* of tiles that are larger than all of C */
	hides(made, "beyond a multiple");
	free(made);
}

#define WHOLE(i, j) ((uint64_t)1 << ((i)*WRONG_TILES + (j))) /* tiles of 8 << i by 8 << j */

/* Of the tiles that all cases have, the largest. */
Test(hints, whole_tiles)
{
	struct made_up *made = made_up(3, 2);
	made->wrong[0].places.whole = WHOLE(1, 1) | WHOLE(2, 1) | WHOLE(2, 2);
	made->wrong[1].places.whole = WHOLE(1, 1) | WHOLE(2, 1) | WHOLE(3, 1);
	shows(made, "each tile of 32 x 16 elements is right or wrong as a whole");
	made->wrong[1].places.whole = WHOLE(1, 1);
	shows(made, "each tile of 16 x 16 elements is right or wrong as a whole");
	made->wrong[1].places.whole = WHOLE(3, 3);
	hides(made, "as a whole");
	free(made);
}

/* Blocks of 16 x 16, as many along the rows as along the columns there should be. */
static void write_exchanged(struct made_up *made, size_t i, int32_t m, int32_t n, int32_t tile)
{
	struct wrong_pattern *wrong = &made->wrong[i];
	int32_t rows = (n + tile - 1) / tile * tile, columns = (m + tile - 1) / tile * tile;
	made->cases[i].test.shape = (struct shape){{1, m, n, 64, 1}};
	wrong->unwritten = wrong->wrong;
	wrong->written_rows = rows < m ? rows : m;
	wrong->written_columns = columns < n ? columns : n;
}

Test(hints, a_grid_that_is_exchanged)
{
	struct made_up *made = made_up(6, 3);
	write_exchanged(made, 0, 16, 181, 16);
	write_exchanged(made, 1, 135, 90, 16);
	write_exchanged(made, 2, 23, 121, 16);
	for (size_t i = 3; i < 6; i++)
		made->cases[i].test.shape = (struct shape){{1, 60, 64, 64, 1}};
	shows(made, "only as many rows of C are written as tiles of N reach, and columns as tiles of M "
				"do (random-0: the first 16 of 16 rows and 16 of 181 columns): x and y of the grid "
				"are exchanged");
	hides(made, "beyond a multiple");
	hides(made, "were never written");
	made->cases[5].test.shape = (struct shape){{1, 100, 20, 64, 1}}; /* right, though not reached */
	hides(made, "exchanged");
	made->cases[5].test.shape = made->cases[4].test.shape;
	made->wrong[2].written_rows = 16; /* as of a grid that is rounded down */
	hides(made, "exchanged");
	free(made);
}

Test(hints, every_so_many_columns)
{
	struct made_up *made = made_up(3, 2);
	for (size_t i = 0; i < 2; i++) { /* 4 to 7 modulo 8, of 90: 44 */
		made->wrong[i].places.column_residues[0] = 0xF0F0F0F0F0F0F0F0;
		made->wrong[i].places.column_residues[1] = 0xF0F0F0F0F0F0F0F0;
		made->wrong[i].places.columns = 44;
	}
	shows(made, "in columns whose number is 4 to 7 modulo 8");
	made->wrong[1].places.columns = 12; /* most such columns are right: chance */
	hides(made, "modulo");
	made->wrong[1].places.columns = 44;
	made->wrong[1].places.column_residues[0] |= 0x0F;
	hides(made, "modulo 8");
	free(made);
}

Test(hints, matrices_after_the_first)
{
	struct made_up *made = made_up(3, 2);
	made->problem = "batched-f16";
	for (size_t i = 0; i < 2; i++) {
		made->cases[i].test.shape.size[SIZE_BATCH] = 5;
		made->wrong[i].places.first_batch = 1;
		made->wrong[i].places.batches = 4;
	}
	shows(made, "the first matrix of the batch is right");
	made->wrong[1].places.batches = 3;
	hides(made, "the first matrix of the batch is right");
	made->wrong[0].places.first_batch = made->wrong[1].places.first_batch = 4;
	shows(made, "only the last matrix of the batch is wrong");
	made->wrong[1].places.first_batch = 0;
	hides(made, "only the last matrix");
	free(made);
}

Test(hints, not_numbers)
{
	struct made_up *made = made_up(3, 2);
	made->wrong[0].nan = made->wrong[1].nan = 50;
	shows(made, "every wrong element is NaN");
	made->cases[1].test.values[0].distribution = VALUES_SPECIAL;
	hides(made, "every wrong element is NaN");
	free(made);
}

/* ---- cases ----------------------------------------------------------------------- */

Test(hints, cases_with_beta)
{
	struct made_up *made = made_up(8, 4);
	for (size_t i = 0; i < 4; i++)
		made->cases[i].test.scalar[SCALAR_BETA] = 0.5f;
	shows(made, "all 4 failing cases have beta other than 0, and none of the 4 accepted ones");
	each_fits(made, FAULT_BETA_ONE); /* says more */
	hides(made, "other than");
	each_fits(made, FAULT_COUNT);
	for (size_t i = 0; i < 4; i++)
		made->wrong[i].fits = 0;
	made->cases[6].test.scalar[SCALAR_BETA] = 0.5f;
	hides(made, "other than");
	made->cases[6].test.scalar[SCALAR_BETA] = 0;
	made->judgement.count = 6; /* too few are right */
	hides(made, "other than");
	free(made);
}

Test(hints, cases_of_a_size)
{
	struct made_up *made = made_up(8, 4);
	for (size_t i = 0; i < 4; i++)
		made->cases[i].test.shape.size[SIZE_K] = 41 + 2 * (int)i;
	shows(made, "all 4 failing cases have an odd K, and all 4 accepted ones a multiple of 64");
	made->cases[0].test.shape.size[SIZE_K] = 44;
	hides(made, "an odd K");
	shows(made, "a K that is no multiple of 8");
	for (size_t i = 0; i < 8; i++)
		made->cases[i].test.shape.size[SIZE_K] = i < 4 ? 64 + 64 * (int)i : 16 + 8 * (int)(i - 4);
	shows(made, "have K at 64 or above, and all 4 accepted ones at 40 or below");
	made->cases[5].test.shape.size[SIZE_K] = 64;
	hides(made, "or above");
	free(made);
}

Test(hints, cases_of_a_kind)
{
	struct made_up *made = made_up(8, 4);
	for (size_t i = 4; i < 8; i++)
		made->cases[i].test.shape = (struct shape){{1, 64, 64, 64, 1}};
	for (size_t i = 0; i < 4; i++)
		made->cases[i].test.shape = (struct shape){{1, 64, 32, 64, 1}};
	shows(made, "a shape that is not square");
	made->cases[0].test.shape = made->cases[4].test.shape;
	hides(made, "a shape that is not square");
	for (size_t i = 0; i < 4; i++)
		made->cases[i].test.exact = true;
	shows(made, "right to the bit");
	free(made);
}

Test(hints, a_result_that_is_not_to_be_read)
{
	struct made_up *made = made_up(4, 2);
	made->cases[1].check.read = 3;
	made->cases[1].test.values[2].distribution = VALUES_NAN;
	shows(made, "add beta * C only where beta is not 0");
	hides(made, "read before it is written");
	made->cases[1].check.read = 0;
	hides(made, "add beta * C only where beta is not 0");
	free(made);
}

/* A marker plus a sum: nothing that beta = 0 leaves. A few elements may look so. */
Test(hints, a_result_that_is_added_to)
{
	struct made_up *made = made_up(4, 2);
	made->cases[1].test.values[2].distribution = VALUES_MARKER;
	made->cases[1].check.wrong = 100;
	made->cases[1].check.read = made->cases[1].check.mended = 100;
	shows(made, "multiply it by beta, or set it to 0 where beta is 0");
	hides(made, "add beta * C only where beta is not 0");
	made->problem = "matmul-f32";
	shows(made, "C is read before it is written");
	made->cases[1].check.mended = 4; /* it is read, but another element of it */
	hides(made, "held before the call");
	hides(made, "read before it is written");
	free(made);
}

/* ---- repeats ------------------------------------------------------------------------ */

Test(hints, what_a_second_run_gave)
{
	struct made_up *made = made_up(4, 2);
	struct case_repeat *repeat = &made->judgement.repeat;
	*repeat = (struct case_repeat){.made = true, .same_first = true, .same_second = true};
	cr_expect_str_eq(hints_of(made), "", "wrong as before");
	repeat->same_second = false;
	shows(made, "--check race");
	repeat->right_second = true; /* the second call is made in another order */
	shows(made, "run in another order");
	made->device = DEVICE_CUDA;
	hides(made, "run in another order");
	repeat->right_second = false;
	shows(made, "--sanitize racecheck");
	repeat->right_first = true;
	shows(made, "something between calls");
	repeat->right_second = true;
	shows(made, "right when it is run by itself");
	repeat->made = false;
	cr_expect_str_eq(hints_of(made), "");
	free(made);
}

/* Then a grid that leaves something out is not the cause. */
Test(hints, what_is_kept_hides_what_was_not_written)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++)
		made->wrong[i].unwritten = made->wrong[i].wrong;
	shows(made, "never written");
	made->judgement.repeat = (struct case_repeat){.made = true, .right_first = true};
	hides(made, "never written");
	shows(made, "a static variable, memory that it expects to be 0");
	made->judgement.verdict = VERDICT_RUNTIME_ERROR;
	made->judgement.repeat.right_second = true;
	shows(made, "as a static buffer that was allocated for a smaller one is");
	free(made);
}

/* With beta 1 an element to which nothing was added is as it was, too. */
Test(hints, what_is_as_it_was)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++)
		made->wrong[i].unwritten = made->wrong[i].wrong;
	shows(made, "the wrong elements were never written");
	made->cases[1].test.scalar[SCALAR_BETA] = 1; /* the other one tells */
	shows(made, "the wrong elements were never written");
	made->cases[0].test.scalar[SCALAR_BETA] = 1;
	shows(made, "the wrong elements hold what they held before the call");
	shows(made, "or nothing is added to beta times what they held");
	hides(made, "were never written");
	struct test_case plain = {.exact = false}, one = plain;
	one.scalar[SCALAR_BETA] = 1;
	const struct problem *gemm = problem_find("gemm-f16"), *matmul = problem_find("matmul-f32");
	cr_expect_str_eq(check_untouched_text(gemm, &plain), "never written");
	cr_expect_str_eq(check_untouched_text(gemm, &one), "unchanged");
	cr_expect_str_eq(check_untouched_text(matmul, &one), "never written");
	free(made);
}

/* ---- a batch ------------------------------------------------------------------------------ */

/* Tiles of 64 rows reach 28 rows beyond M = 100; of 32 and 16 as many, or fewer. */
Test(hints, tiles_that_are_stored_over_the_next_matrix)
{
	struct made_up *made = made_up(4, 2);
	made->problem = "batched-f32";
	for (size_t i = 0; i < 2; i++) {
		made->cases[i].test.shape.size[SIZE_BATCH] = 3;
		made->wrong[i].zero = made->wrong[i].wrong;
		made->wrong[i].places.top = 0;
		made->wrong[i].places.bottom = 27;
		made->wrong[i].places.first_batch = 1;
		made->wrong[i].places.batches = 2;
	}
	shows(made, "where the last 32 rows of tiles reach beyond M, in the first rows of the next "
				"matrix of the batch");
	hides(made, "is it the sum that is stored");
	hides(made, "how far apart");
	made->wrong[1].places.bottom = 28; /* no tile reaches so far */
	hides(made, "reach beyond M");
	made->wrong[1].places.bottom = 27;
	made->wrong[1].places.first_batch = 0;
	hides(made, "reach beyond M");
	free(made);
}

/* Tiles of 64 columns reach 38 columns of the next row beyond N = 90; a single case may be chance.
 */
Test(hints, tiles_that_are_stored_over_the_next_row)
{
	struct made_up *made = made_up(4, 2);
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].places.top = 1;
		made->wrong[i].places.left = 0;
		made->wrong[i].places.right = 37;
	}
	shows(made, "where the last 64 columns of tiles reach beyond N, in the first columns of the "
				"next row: store only where column < N");
	made->wrong[1].places.right = 36;
	hides(made, "reach beyond N");
	made->wrong[1].places.right = 37;
	made->wrong[1].places.top = 0; /* no row is before the first one */
	hides(made, "reach beyond N");
	free(made);
}

/* ---- shortest paths ------------------------------------------------------------------------ */

Test(hints, paths_that_were_not_seen)
{
	struct made_up *made = made_up(4, 2);
	made->problem = "apsp-f32";
	for (size_t i = 0; i < 2; i++) {
		made->wrong[i].longer = made->wrong[i].compared;
		made->wrong[i].path_edges = made->wrong[i].path_edges_most = 2;
	}
	shows(made, "in both failing cases the wrong elements of output are the lengths of paths of at "
				"most 2 edges: with k in the innermost loop");
	made->wrong[1].path_edges_most = 5; /* few paths have more edges there */
	shows(made, "of at most 2 edges");
	made->wrong[1].path_edges = 3;
	hides(made, "edges:");
	shows(made, "every wrong element of output that was looked at is longer");
	made->wrong[1].longer--;
	hides(made, "longer");
	free(made);
}

/* ---- what is tried, and what is suspect --------------------------------------------------- */

Test(hints, swizzles_that_would_be_right)
{
	static const char *const swizzles[][2] = {
		{"flat", "is right where wgmma reads its rows without a swizzle: the descriptor names one"},
		{"none", "descriptors name another swizzle, none: bits 62"},
		{"64", "descriptors name another swizzle, 64 bytes: bits 62"}};
	for (size_t i = 0; i < sizeof swizzles / sizeof *swizzles; i++) {
		struct made_up *made = made_up(4, 2);
		hides(made, "swizzle");
		snprintf(made->judgement.swizzle, sizeof made->judgement.swizzle, "%s", swizzles[i][0]);
		shows(made, swizzles[i][1]);
		cr_expect(strlen(made->judgement.hints[0]) < HINT_TEXT - 1);
		free(made);
	}
}

/* What the emulated GPU finds suspect of a kernel that did not fail. */
Test(hints, what_is_known_hides_what_is_suspect)
{
	struct made_up *made = made_up(4, 2);
	char *advice = made->cases[0].facts.advice;
	snprintf(advice, RUN_TEXT_BYTES, "threads of the block met at different barriers");
	shows(made, "met at different barriers");
	made->wrong[0].fits = made->wrong[1].fits = 1ull << FAULT_SCALAR;
	hides(made, "met at different barriers");
	free(made);
}

/* At most three, causes first. */
Test(hints, three_at_most)
{
	struct made_up *made = made_up(8, 4);
	struct case_repeat *repeat = &made->judgement.repeat;
	*repeat = (struct case_repeat){.made = true, .right_first = true};
	for (size_t i = 0; i < 4; i++) {
		made->cases[i].test.shape.size[SIZE_K] = 41;
		made->wrong[i].places.top = made->wrong[i].places.bottom = 99;
		made->wrong[i].nan = 50;
	}
	hints_of(made);
	cr_expect_eq(made->judgement.hint_count, HINTS_MAX);
	cr_expect(strstr(made->judgement.hints[0], "between calls") != NULL);
	cr_expect(strstr(made->judgement.hints[1], "last row") != NULL);
	cr_expect(strstr(made->judgement.hints[2], "an odd K") != NULL);
	free(made);
}
