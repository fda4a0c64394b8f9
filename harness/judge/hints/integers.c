#include "judge/hints/integers.h"

#include <stdio.h>

void hint_say_cut(int32_t number, struct strbuf *out)
{
	static const char *const cuts[CUT_WAYS] = {
		[CUT_SUM] =
			"a sum that is an integer, so that each step cuts its fraction off: make it a float",
		[CUT_PRODUCTS] =
			"products whose fraction is cut off, as an integer's: multiply and sum as floats",
		[CUT_INPUTS] =
			"inputs whose fraction is cut off, as an integer's: multiply and sum as floats",
	};
	strbuf_addf(out, "%s", cuts[number]);
}

void hint_say_int8(const struct hint_context *facts, int32_t number, struct strbuf *out)
{
	bool left = (number & WRONG_INT8_LEFT) != 0, right = (number & WRONG_INT8_RIGHT) != 0;
	char each[32] = "row or column";
	if ((number & WRONG_INT8_WHOLE) != 0)
		snprintf(each, sizeof each, "matrix");
	else if (WRONG_INT8_BLOCK(number) > 0)
		snprintf(each, sizeof each, "%d along k", WRONG_INT8_BLOCK(number));
	strbuf_addf(out, "%s%s%s narrowed to int8, with a scale for each %s: multiply %s",
				left ? hint_operand(facts, PART_LEFT) : "", left && right ? " and " : "",
				right ? hint_operand(facts, PART_RIGHT) : "", each,
				left && right ? "them as they are" : "it as it is");
}

void hint_say_int16(int32_t number, struct strbuf *out)
{
	int32_t run = number & ~WRONG_SATURATES;
	char which[48] = "sums";
	if (run > 0)
		snprintf(which, sizeof which, "sums of %d products", run);
	strbuf_addf(out, "%s in 16 bits, where they %s: -128 * -128 twice is 32768, so sum in 32 bits",
				which, (number & WRONG_SATURATES) != 0 ? "are cut off at 32767" : "wrap around");
}
