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
