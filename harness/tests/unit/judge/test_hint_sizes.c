/* links: judge */
/* What sizes part failing cases from accepted ones, in judgements that are made up here. */
#include "hints_fixture.h"

static void set_sizes(struct made_up *made, size_t i, int32_t m, int32_t n, int32_t k)
{
	made->cases[i].test.shape = (struct shape){{1, m, n, k, 1}};
}

Test(hint_sizes, two_that_are_exchanged)
{
	struct made_up *made = made_up(5, 3);
	made->problem = "matmul-f32"; /* whose N is the inner size, and K the columns of C */
	for (size_t i = 0; i < 3; i++)
		set_sizes(made, i, 40, 50 + (int)i, 60);
	set_sizes(made, 3, 40, 70, 70);
	set_sizes(made, 4, 64, 64, 64);
	shows(made,
		  "all 3 failing cases have N other than K, and none of the 2 accepted ones: is one of "
		  "these two taken for the other, in an index, a loop or the grid? A is M x N, B is "
		  "N x K, C is M x K");
	set_sizes(made, 3, 32, 32, 32); /* it may as well be M that is to be the same */
	hides(made, "taken for the other");
	set_sizes(made, 3, 40, 70, 71); /* a right one where they differ */
	hides(made, "taken for the other");
	free(made);
}

/* A case that was not compared has failed, too. */
Test(hint_sizes, one_below_another)
{
	struct made_up *made = made_up(8, 4);
	for (size_t i = 0; i < 8; i++)
		set_sizes(made, i, 100, 40 + 10 * (int)i, 79);
	shows(made,
		  "all 4 failing cases have N below K, and none of the 4 accepted ones: does a loop, a "
		  "grid or a condition end at N where K is meant?");
	made->cases[3].checked = false;
	made->cases[3].verdict = VERDICT_RUNTIME_ERROR;
	made->cases[3].wrong = NULL;
	shows(made, "all 4 failing cases have N below K");
	set_sizes(made, 3, 100, 90, 79);
	hides(made, "below");
	free(made);
}

Test(hint_sizes, multiples_that_all_accepted_ones_are)
{
	struct made_up *made = made_up(8, 4);
	for (size_t i = 0; i < 8; i++)
		set_sizes(made, i, 100, 90, i < 4 ? 33 + 2 * (int)i : 16 + 32 * (int)i);
	shows(made,
		  "all 4 failing cases have an odd K, and all 4 accepted ones a multiple of 16: is what "
		  "a tile holds beyond it set to 0, in both operands?");
	set_sizes(made, 4, 100, 90, 18);
	shows(made, "all 4 failing cases have an odd K, and none of the 4 accepted ones: is what");
	free(made);
}

/* With alpha 0 a case is right whatever is summed: it counts as neither, and that is said. */
Test(hint_sizes, a_case_without_a_product_tells_nothing)
{
	struct made_up *made = made_up(8, 4);
	for (size_t i = 0; i < 8; i++)
		set_sizes(made, i, 100, 90, i < 4 ? 33 + 2 * (int)i : 64);
	set_sizes(made, 7, 100, 90, 35);
	hides(made, "an odd K");
	made->cases[7].test.scalar[SCALAR_ALPHA] = 0;
	shows(made, "all 4 failing cases have an odd K, and all 3 accepted ones with alpha other than "
				"0 a multiple of 64");
	free(made);
}

/* It was called so, and was right: then nothing else is said of sizes. */
Test(hint_sizes, two_that_were_exchanged_in_a_call)
{
	struct made_up *made = made_up(5, 3);
	made->problem = "matmul-f32";
	for (size_t i = 0; i < 3; i++)
		set_sizes(made, i, 40, 50 + (int)i, 60);
	set_sizes(made, 3, 40, 70, 70);
	set_sizes(made, 4, 64, 64, 64);
	made->judgement.exchanged[0] = SIZE_N;
	made->judgement.exchanged[1] = SIZE_K;
	shows(made, "solve() is right in the first failing case when it gets K for N and N for K: it "
				"takes the one for the other; here A is M x N");
	hides(made, "all 3 failing cases have N other than K");
	free(made);
}
