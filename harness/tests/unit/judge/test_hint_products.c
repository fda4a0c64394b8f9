/* links: judge */
/* Hints of what wrong elements are made by, of judgements that are made up. */
#include "hints_fixture.h"

/* Of each fault there is a sentence, for every product, and it ends within its room. */
Test(hint_products, every_fault_has_a_sentence)
{
	size_t count;
	const struct problem *problems = problem_table(&count);
	for (size_t p = 0; p < count; p++)
		for (enum wrong_fault fault = 0; problems[p].file == NULL && fault < FAULT_COUNT; fault++) {
			struct made_up *made = made_up(2, 2);
			made->problem = problems[p].name;
			each_fits(made, fault);
			made->judgement.verdict = VERDICT_WRONG_ANSWER;
			const char *all = hints_of(made);
			if (problems[p].algebra == ALGEBRA_SHORTEST_PATHS) {
				cr_expect_str_eq(all, "", "none is tried there");
				free(made);
				continue;
			}
			cr_expect(strstr(all, "in both failing cases the wrong elements of ") == all,
					  "%s %d: %s", made->problem, fault, all);
			cr_expect(strlen(made->judgement.hints[0]) < HINT_TEXT - 1);
			cr_expect(strchr(all, '%') == NULL && strstr(all, "(null)") == NULL, "%s", all);
			free(made);
		}
}

Test(hint_products, the_fault_that_fits_most_cases_is_said)
{
	struct made_up *made = made_up(5, 3);
	made->wrong[0].fits = 1ull << FAULT_RESULT_TRANSPOSED | 1ull << FAULT_BETA_ONE;
	made->wrong[1].fits = 1ull << FAULT_BETA_ONE;
	shows(made,
		  "in 2 of the first 3 failing cases the wrong elements of C are what comes of taking "
		  "beta for 1");
	hides(made, "C[");
	for (size_t i = 0; i < 3; i++) /* so few may be chance */
		made->wrong[i].compared = 7;
	cr_expect_str_eq(hints_of(made), "");
	free(made);
}

Test(hint_products, places_of_operands_are_those_of_the_problem)
{
	struct made_up *made = made_up(2, 1);
	each_fits(made, FAULT_LEFT_TRANSPOSED);
	shows(made, "in the failing case");
	shows(made, "A[k * M + row] where A[row * K + k] belongs");
	made->problem = "linear-f16";
	made->wrong[0].fits = 1ull << FAULT_RIGHT_TRANSPOSED;
	shows(made, "W[k * N + column] where W[column * K + k] belongs");
	free(made);
}

Test(hint_products, sums_that_are_too_short)
{
	struct made_up *made = made_up(3, 3);
	static const int k[] = {43, 48, 100};
	for (size_t i = 0; i < 3; i++) {
		made->cases[i].test.shape.size[SIZE_K] = k[i];
		made->wrong[i].fits = 1ull << FAULT_PRODUCTS_MISSING;
		made->wrong[i].summed = k[i] / 32 * 32;
	}
	shows(made, "sums that end too early (random-0: 32 of 43), at the last multiple of 32 in K");
	hides(made, "last product");
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].summed = k[i] - 1;
	shows(made, "does the loop over k end at K - 1?");
	made->wrong[1].summed = 17;
	shows(made, "(random-0: 42 of 43): the loop over k has to take the rest");
	free(made);
}

/* Of two faults: where the other one alone explains a case, its sums are whole, last product too.
 */
Test(hint_products, sums_that_are_whole_in_another_case)
{
	struct made_up *made = made_up(3, 3);
	static const int k[] = {129, 117, 128};
	for (size_t i = 0; i < 3; i++) {
		made->cases[i].test.shape.size[SIZE_K] = k[i];
		made->wrong[i].summed = k[i] - 1;
		made->wrong[i].pair_count = 1;
		made->wrong[i].pairs[0] =
			(struct wrong_pair){FAULT_PRODUCTS_MISSING, FAULT_SCALAR + SCALAR_BETA};
	}
	shows(made, "does the loop over k end at K - 1?");
	made->wrong[2].pair_count = 0;
	made->wrong[2].fits = 1ull << (FAULT_SCALAR + SCALAR_BETA);
	hides(made, "does the loop over k end at K - 1?");
	shows(made, "(random-0: 128 of 129): without their last product, or at the last multiple of 4");
	shows(made, "\nthe other: taking beta for 0");
	made->cases[2].test.scalar[SCALAR_ALPHA] = 0; /* then its sums tell nothing */
	shows(made, "does the loop over k end at K - 1?");
	free(made);
}

/* Sums of nothing, and none that is longer: nobody saw a tile of 64. */
Test(hint_products, tiles_are_no_longer_than_every_sum)
{
	struct made_up *made = made_up(3, 2);
	for (size_t i = 0; i < 3; i++) {
		made->cases[i].test.shape.size[SIZE_K] = 35;
		made->wrong[i].fits = 1ull << FAULT_PRODUCTS_MISSING;
		made->wrong[i].summed = 0;
	}
	shows(made, "sums of no product at all");
	free(made);
}

/* Numbers whose fraction is cut off: below 1 nothing is left, as of much else. */
Test(hint_products, sums_that_are_integers)
{
	struct made_up *made = made_up(5, 4);
	for (size_t i = 0; i < 4; i++) {
		made->wrong[i].fits = 1ull << FAULT_CUT;
		if (i < 3)
			made->wrong[i].fits |= 1ull << FAULT_PRODUCTS_MISSING | 1ull << FAULT_LAST_ONLY;
		made->wrong[i].summed = 0;
		made->wrong[i].number[FAULT_LAST_ONLY] = 64;
	}
	shows(made, "a sum that is an integer");
	made->wrong[3].fits = 0;
	hides(made, "a sum that is an integer");
	free(made);
}

/* Of short rows nobody knows how long blocks are; else what most cases say. */
Test(hint_products, the_number_of_a_fault)
{
	struct made_up *made = made_up(4, 3);
	each_fits(made, FAULT_INPUTS_INT8);
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].number[FAULT_INPUTS_INT8] = (i == 2 ? 32 << 3 : 0) | WRONG_INT8_RIGHT;
	shows(made, "what comes of B narrowed to int8, with a scale for each 32 along k: multiply it");
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].fits = 1ull << FAULT_ROWS_RUN_ON;
	made->wrong[0].number[FAULT_ROWS_RUN_ON] = 32;
	made->wrong[1].number[FAULT_ROWS_RUN_ON] = made->wrong[2].number[FAULT_ROWS_RUN_ON] = 8;
	shows(made, "sums that go on to a multiple of 32, into the next row");
	free(made);
}

/* Where the sums leave it open, the other cases tell how large tiles are. */
Test(hint_products, sums_that_are_too_short_by_a_tile)
{
	struct made_up *made = made_up(4, 1);
	made->cases[0].test.shape.size[SIZE_K] = 19;
	made->wrong[0].fits = 1ull << FAULT_PRODUCTS_MISSING;
	made->wrong[0].summed = 16;
	shows(made, "at the last multiple of 16");
	made->cases[2].test.shape.size[SIZE_K] = 40;
	shows(made, "at the last multiple of 8");
	made->cases[3].test.shape.size[SIZE_K] = 36;
	shows(made, "at the last multiple of 4");
	made->wrong[0].summed = 0; /* tiles that are longer than the sum */
	for (size_t i = 1; i < 4; i++)
		made->cases[i].test.shape.size[SIZE_K] = 64;
	shows(made, "at the last multiple of 32");
	free(made);
}

/* Where two faults explain more cases than any one does, both are said. */
Test(hint_products, two_faults)
{
	struct made_up *made = made_up(4, 3);
	made->wrong[0].fits = 1ull << FAULT_SCALAR;
	for (size_t i = 1; i < 3; i++) {
		made->wrong[i].pair_count = 1;
		made->wrong[i].pairs[0] = (struct wrong_pair){FAULT_FIRST_MISSING, FAULT_SCALAR};
	}
	shows(made, "in all of the first 3 failing cases the wrong elements of C are what comes of two "
				"faults. One: sums without their first product");
	shows(made, "\nthe other: taking alpha for 1");
	for (size_t i = 1; i < 3; i++)
		made->wrong[i].fits = 1ull << FAULT_SCALAR;
	shows(made, "in all of the first 3 failing cases the wrong elements of C are what comes of "
				"taking alpha for 1");
	hides(made, "the other:");
	free(made);
}

/* A fault that fits fewer cases than it does not explains nothing, unless a race does the rest. */
Test(hint_products, a_fault_of_few_cases)
{
	struct made_up *made = made_up(4, 3);
	made->wrong[0].fits = 1ull << FAULT_FIRST_MISSING;
	hides(made, "first product");
	snprintf(made->judgement.race, sizeof made->judgement.race, "kernel tiled: ...");
	shows(made, "in 1 of the first 3 failing cases the wrong elements of C are");
	shows(made, "--check race finds one");
	made->cases[0].test.shape.size[SIZE_K] = 1; /* a sum of one product tells nothing */
	hides(made, "first product");
	free(made);
}

Test(hint_products, a_fault_of_some_elements)
{
	struct made_up *made = made_up(4, 3);
	made->wrong[1].partly = 1ull << FAULT_FIRST_MISSING;
	hides(made, "some of the wrong elements"); /* not in half of the cases */
	made->wrong[2].partly = 1ull << FAULT_FIRST_MISSING;
	shows(made,
		  "in 2 of the first 3 failing cases some of the wrong elements of C are what comes of "
		  "sums without their first product");
	each_fits(made, FAULT_BETA_ONE);
	hides(made, "some of the wrong elements");
	free(made);
}

Test(hint_products, a_sum_that_is_rounded_twice)
{
	struct made_up *made = made_up(4, 3);
	each_fits(made, FAULT_SUM_F16);
	shows(made, "rounded to f16 before alpha and beta");
	shows(made, "--tolerance leetgpu");
	made->wrong[1].wrong_leetgpu = 1;
	hides(made, "--tolerance leetgpu");
	free(made);
}

Test(hint_products, subnormal_numbers_that_are_flushed)
{
	struct made_up *made = made_up(4, 3);
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].zero = made->wrong[i].flushed = 50;
	shows(made, "--use_fast_math");
	hides(made, "is it the sum that is stored");
	made->wrong[1].flushed = 49;
	hides(made, "--use_fast_math");
	shows(made, "is it the sum that is stored");
	free(made);
}

static void errors_are(struct made_up *made, size_t at, double every_product, double tiles)
{
	made->wrong[at].errors_of[SUM_F16] = every_product;
	made->wrong[at].errors_of_tiles[SUM_F16] = tiles;
}

Test(hint_products, narrow_sums)
{
	struct made_up *made = made_up(5, 4);
	for (size_t i = 0; i < 4; i++) {
		errors_are(made, i, 0.8, 3);
		made->wrong[i].wrong = 4000;
	}
	shows(made, "as large as those of sums in f16");
	errors_are(made, 2, 0, 0); /* an exact case, or few products */
	shows(made, "in 3 of the first 4 failing cases the errors are");
	errors_are(made, 1, 40, 140); /* another fault, too */
	shows(made, "in 2 of the first 4 failing cases the errors are");
	errors_are(made, 0, 40, 140);
	hides(made, "as large as");
	errors_are(made, 0, 0.1, 0.4); /* tiles of mma */
	shows(made, "in 2 of the first 4 failing cases the errors are");
	errors_are(made, 0, 0.01, 0.04);
	hides(made, "as large as");
	errors_are(made, 0, 0.8, 3);
	made->wrong[0].places.rows = 33; /* of 100 */
	hides(made, "as large as");
	made->wrong[0].places.rows = 34;
	shows(made, "in 2 of the first 4 failing cases the errors are");
	made->wrong[0].wrong = 100; /* nearly all are right */
	hides(made, "as large as");
	free(made);
}

/* Ties, all that is wrong, and enough of them: else something may be a little off. */
Test(hint_products, half_not_to_even)
{
	struct made_up *made = made_up(4, 3);
	made->problem = "gemm-s8";
	for (size_t i = 0; i < 3; i++)
		made->cases[i].check.worst_error = 1;
	hides(made, "half to even");
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].ties = 50;
	shows(made, "half to even");
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].ties = made->wrong[i].compared = 5;
	hides(made, "half to even");
	for (size_t i = 0; i < 3; i++)
		made->wrong[i].ties = made->wrong[i].compared = 50;
	made->wrong[1].ties = 49;
	hides(made, "half to even");
	free(made);
}
