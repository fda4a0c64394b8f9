/* links: judgement testcases base */
/* What reports say of bits. */
#include <criterion/criterion.h>

#include "judgement/bits.h"

static void says(const struct judged_bits *bits, const char *wanted)
{
	char text[BITS_TEXT];
	cr_expect_str_eq(bits_say(bits, text), wanted);
}

Test(bits, words)
{
	struct judged_bits bits = {.why = "the file is not accepted"};
	says(&bits, "");
	bits = (struct judged_bits){.repeatable = BITS_YES,
								.calls = 31,
								.batch_invariant = BITS_YES,
								.rows = {64, 1, 33},
								.row_count = 3};
	says(&bits, "same bits: yes in 31 calls; rows independent of M: yes (M = 1 to 64)");
	bits.batch_invariant = BITS_NO;
	bits.rows_difference = (struct bits_difference){
		.between = BITS_BETWEEN_SIZES, .shape = "33x16x512", .m = 1, .row = 4};
	says(&bits, "same bits: yes in 31 calls; rows independent of M: no (row 4 of 33x16x512 differs "
				"at M = 1)");
	bits.rows_difference.between = BITS_BETWEEN_PLACES;
	says(&bits, "same bits: yes in 31 calls; rows independent of M: no (a row of 33x16x512 differs "
				"as row 4 of M = 1)");
	bits = (struct judged_bits){.repeatable = BITS_YES, .calls = 31, .why = BITS_NO_ROWS};
	says(&bits, "same bits: yes in 31 calls");
	bits = (struct judged_bits){.repeatable = BITS_NO,
								.calls = 31,
								.differing = 3,
								.shape = "17x16x32",
								.why = "x",
								.difference = {.output = "C", .row = 1, .column = 2}};
	says(&bits,
		 "same bits: no (3 of 31 calls differ at 17x16x32; first at C row 1, column 2); rows "
		 "independent of M: not asked (x)");
}

Test(bits, marks_of_a_table)
{
	char text[BITS_MARKS];
	cr_expect_str_eq(bits_marks("yes", "no", text), "yes/no");
	cr_expect_str_eq(bits_marks("no", "not_asked", text), "no/-");
	cr_expect_str_eq(bits_marks("not_asked", "not_asked", text), "-");
	cr_expect_str_eq(bits_marks("", "", text), "-", "a store of before");
}
