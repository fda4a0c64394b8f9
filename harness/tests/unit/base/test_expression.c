/* links: schedules base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"

static const int64_t values[] = {128, 32, 0, EXPRESSION_UNDEFINED, INT64_MAX};

static int place(void *context, const char *name, struct error *err)
{
	static const char *const known[] = {"BLOCK_M", "WARP_M", "ZERO", "LOST", "MOST"};
	(void)context;
	for (int i = 0; i < 5; i++)
		if (strcmp(name, known[i]) == 0)
			return i;
	error_set(err, "unknown name '%s'", name);
	return -1;
}

static const struct expression_names names = {.place = place};

static int64_t value(const char *text)
{
	struct error err;
	struct expression expression;
	cr_assert(expression_parse(text, &names, &expression, &err), "%s: %s", text, err.message);
	int64_t out = expression_value(&expression, values);
	expression_free(&expression);
	return out;
}

static void refused(const char *text, const char *why)
{
	struct error err = {{0}};
	struct expression expression;
	cr_assert(!expression_parse(text, &names, &expression, &err), "%s is taken", text);
	cr_assert(strstr(err.message, why) != NULL, "%s: \"%s\" is not in: %s", text, why, err.message);
	cr_assert(expression.nodes == NULL);
}

Test(expression, c_has_the_same_values)
{
#define SAME(expression) cr_expect(value(#expression) == (expression), #expression)
	const int64_t BLOCK_M = 128, WARP_M = 32, ZERO = 0;
	SAME(1 + 2 * 3 - 4);
	SAME((1 + 2) * 3);
	SAME(100 - 10 - 1);
	SAME(100 / 7 / 2);
	SAME(-7 / 2);
	SAME(-7 % 3);
	SAME(2 * -3);
	SAME(BLOCK_M / WARP_M * 32);
	SAME(BLOCK_M % WARP_M == 0);
	cr_expect(value("ZERO || BLOCK_M >= 64 && WARP_M <= 32 || ZERO") == 1);
	cr_expect(value("1 || ZERO && ZERO") == 1 && value("1 < 2 == 1") == 1);
	SAME(ZERO ? 5 : WARP_M > 16 ? 6 : 7);
	SAME(!ZERO + !!BLOCK_M);
	SAME(0x10 + 1);
	SAME(1 != 2);
#undef SAME
}

Test(expression, functions)
{
	cr_expect(value("min(3, -4)") == -4);
	cr_expect(value("max(BLOCK_M, 4 * WARP_M + 1)") == 129);
	cr_expect(value("ceil_div(129, 128)") == 2 && value("ceil_div(128, 128)") == 1);
	cr_expect(value("ceil_div(0, 8)") == 0);
	cr_expect(value("power_of_two(64)") == 1 && value("power_of_two(48)") == 0);
	cr_expect(value("power_of_two(0)") == 0 && value("power_of_two(-8)") == 0);
}

Test(expression, what_has_no_value)
{
	static const char *const undefined[] = {
		"1 / ZERO",        "1 % ZERO",  "MOST + 1",     "-MOST - 1",      "-MOST - 2",
		"MOST * 2",        "LOST",      "LOST == LOST", "ceil_div(1, 0)", "!LOST",
		"ceil_div(-1, 2)", "1 && LOST", "LOST ? 1 : 2", "min(LOST, 1)",   "0 || 1 / ZERO"};
	for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++)
		cr_expect(value(undefined[i]) == EXPRESSION_UNDEFINED, "%s", undefined[i]);
}

Test(expression, only_what_counts_is_evaluated)
{
	cr_expect(value("ZERO != 0 && 1 % ZERO == 0") == 0);
	cr_expect(value("ZERO == 0 || 1 % ZERO == 0") == 1);
	cr_expect(value("ZERO ? 1 / ZERO : 3") == 3);
	cr_expect(value("ceil_div(MOST, 1)") == INT64_MAX && value("ceil_div(MOST, 2)") > 0);
}

Test(expression, what_is_none)
{
	refused("", "it ends where a number, a name or '(' is needed");
	refused("1 +", "it ends where a number");
	refused("1 2", "an operator is needed at '2'");
	refused("A = 1", "unknown name 'A'");
	refused("ZERO = 1", "'==' compares");
	refused("(1 + 2", "')' is needed");
	refused("1 + 2)", "an operator is needed at ')'");
	refused("ZERO ? 1", "':' of '?' is needed");
	refused("min(1)", "',' and a second operand is needed");
	refused("minimum(1, 2)", "there is no function 'minimum'");
	refused("power_of_two(1, 2)", "')' is needed");
	refused("9223372036854775808", "takes more than 64 bits");
	refused("12abc", "'12a' is no whole number");
	refused("1.5", "'1.' is no whole number");
	refused("1 & 2", "an operator is needed at '& 2'");
}

Test(expression, how_much_it_may_be)
{
	char deep[400], wide[1200] = "1";
	memset(deep, '(', 300);
	deep[300] = '\0';
	refused(deep, "nested more than 64 deep");
	memset(deep, '-', 300);
	refused(deep, "nested more than 64 deep");
	for (size_t i = 0; i < 300; i++)
		strcat(wide, "+1");
	refused(wide, "more than 256 numbers");
	wide[199] = '\0';
	cr_expect(value(wide) == 100);
}

Test(expression, marks_of_what_is_read)
{
	struct error err;
	struct expression expression;
	const uint64_t marks[] = {1, 2, 4, 8, 16};
	cr_assert(expression_parse("BLOCK_M + ZERO * BLOCK_M", &names, &expression, &err));
	cr_expect(expression_marks(&expression, marks) == 5);
	expression_free(&expression);
	cr_assert(expression_parse("1 + 2", &names, &expression, &err));
	cr_expect(expression_marks(&expression, marks) == 0);
	expression_free(&expression);
}
