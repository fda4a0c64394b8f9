/* links: base */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"

static void drops(const char *from, const char *line, const char *expected)
{
	char text[64];
	strcpy(text, from);
	text_drop_line(text, line);
	cr_expect_str_eq(text, expected, "%s less %s: %s", from, line, text);
}

Test(text, lines_are_dropped_as_a_whole)
{
	drops("", "a", "");
	drops("a", "a", "");
	drops("a\n", "a", "");
	drops("a\nb\n", "a", "b\n");
	drops("b\na\nc", "a", "b\nc");
	drops("b\na", "a", "b\n");
	drops("a\na\nb\na\n", "a", "b\n");
	drops("ab\n a\nba\n", "a", "ab\n a\nba\n");
	drops("\n\na\n\n", "a", "\n\n\n");
}

Test(text, names_are_found_and_listed)
{
	const char *const names[] = {"h200", "a100", "t4"};
	char out[32], small[12];
	cr_expect_eq(text_index("a100", names, 3), 1);
	cr_expect_eq(text_index("a10", names, 3), 3);
	cr_expect_str_eq(text_names(out, sizeof out, names, 3, " or "), "h200, a100 or t4");
	cr_expect_str_eq(text_names(out, sizeof out, names, 2, " or "), "h200 or a100");
	cr_expect_str_eq(text_names(out, sizeof out, names, 1, " or "), "h200");
	cr_expect_str_eq(text_names(out, sizeof out, names, 0, " or "), "");
	cr_expect_str_eq(text_names(small, sizeof small, names, 3, " or "), "h200, a100");
}

Test(text, a_line_with_a_word_is_found)
{
	static const char text[] = "a note\nx: error: one\ny: error: two";
	size_t length;
	cr_expect_eq(text_line_with(text, "error", &length), text + 7);
	cr_expect_eq(length, strlen("x: error: one"));
	cr_expect_eq(text_line_with(text, "two", &length), text + 21);
	cr_expect_eq(length, strlen("y: error: two"));
	cr_expect_eq(text_line_with(text, "note", &length), text);
	cr_expect_null(text_line_with(text, "three", &length));
	cr_expect_eq(length, 0);
}

Test(text, says_that_something_did_not_fit)
{
	char out[8], one[1], four[4];
	cr_expect(text_format(out, sizeof out, "%d%s", 123, "4567"));
	cr_expect_str_eq(out, "1234567");
	cr_expect_not(text_format(out, sizeof out, "%d%s", 123, "45678"));
	cr_expect_str_eq(out, "1234...");
	cr_expect_not(text_format(out, sizeof out, "123\xc3\xa4 and more")); /* in two bytes */
	cr_expect_str_eq(out, "123...");
	cr_expect_not(text_format(one, sizeof one, "12"));
	cr_expect_str_eq(one, "");
	cr_expect_not(text_format(four, sizeof four, "1234"));
	cr_expect_str_eq(four, "...");
}
