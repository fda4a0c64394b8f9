/* links: compile process base */
/* What differs in comments and white space alone has the same tokens, and nothing else has. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../folder_fixture.h"
#include "compile/tokens.h"

TestSuite(tokens, .init = folder_begin, .fini = folder_end);

static void compare(const char *a, const char *b, bool same)
{
	char *x = tokens_text(a), *y = tokens_text(b);
	cr_expect_eq(strcmp(x, y) == 0, same, "[%s] and [%s]: [%s] and [%s]", a, b, x, y);
	free(x);
	free(y);
}

Test(tokens, are_what_comments_and_blanks_leave)
{
	static const char *const alike[][2] = {
		{"int a;", "int  a ;"},
		{"int a;", "// mine\nint/**/a; // of bob\n"},
		{"int a = 1;\nint b;", "int a\n=\n1; int b;"},
		{"a // b \\\nc\nd", "a d"},
		{"#define A 1\nint b;", "  #  define   A 1 // one\n\n\nint b;"},
		{"#define A 1 + 2\nb", "#define A 1 + \\\n2\r\nb"},
		{"k<<<1, 2>>>(a);", "k <<< 1,2 >>> ( a ) ;"},
		{"a/**/b", "a b"},
		{"a = \"x // y\"; b", "a=\"x // y\" ;/* \" */b"},
		{"auto s = R\"x(a \" // b)x\"; c", "auto s=R\"x(a \" // b)x\";c"},
		{"n = 1'000'000 + 'a';", "n=1'000'000+'a' ;"},
		{"a /* never ends", "a"},
		{"", " \n\t// nothing"},
	};
	static const char *const different[][2] = {
		{"int a;", "inta;"},
		{"a b", "ab"},
		{"a(1 2)", "a(12)"},
		{"#define A 1\nint b;", "#define A 1 int b;"},
		{"a = \"x y\";", "a = \"x  y\";"},
		{"a = ' ';", "a = '  ';"},
		{"R\"x(a  b)x\"", "R\"x(a b)x\""},
		{"a = \"// b\"; c", "a = \"\"; c"},
		{"a = '\"'; // b\n", "a = '\"'; b"},
		{"k < K", "k < K - 1"},
		{"a = 'b'", "a = b"},
	};
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		compare(alike[i][0], alike[i][1], true);
	for (size_t i = 0; i < sizeof different / sizeof *different; i++)
		compare(different[i][0], different[i][1], false);
}

static void write_to(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

/* Headers beside a file are of it. */
Test(tokens, of_a_file_are_those_of_its_headers_too)
{
	char content[2][CONTENT_TEXT], tokens[3][CONTENT_TEXT];
	write_to("a.cu", "#include \"h.cuh\"\nint a;");
	write_to("b.cu", "#include \"h.cuh\" // b\n\nint  a;\n");
	write_to("h.cuh", "int h = 1;");
	tokens_and_content("a.cu", content[0], tokens[0]);
	tokens_and_content("b.cu", content[1], tokens[1]);
	cr_expect_str_neq(content[0], content[1]);
	cr_expect_str_eq(tokens[0], tokens[1]);
	write_to("h.cuh", "int h = 2;");
	tokens_and_content("b.cu", content[1], tokens[2]);
	cr_expect_str_neq(tokens[1], tokens[2]);
	tokens_and_content("none.cu", content[1], tokens[2]);
	cr_expect_str_empty(tokens[2]);
}
