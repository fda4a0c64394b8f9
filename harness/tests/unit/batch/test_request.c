/* links: batch */
/* Lines of a batch: what becomes words of a command line, and what is refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/lines.h"
#include "batch/request.h"

static bool option(const char *name, bool *takes_value)
{
	*takes_value = strcmp(name, "fail-fast") != 0;
	return strcmp(name, "fail-fast") == 0 || strcmp(name, "cases") == 0 ||
		   strcmp(name, "nvcc-flag") == 0;
}

Test(request, options_become_words)
{
	struct batch_request request;
	struct error err;
	cr_assert(request_read(
				  "{\"id\": {\"a\": 1}, \"path\": \"x.cu\", \"problem\": \"sgemm\", \"options\": "
				  "{\"cases\": 4, \"fail-fast\": true, \"nvcc-flag\": [\"-DA=b c\", \"-w\"]}}",
				  3, option, &request, &err),
			  "%s", err.message);
	static const char *const words[] = {"--problem=sgemm", "--cases=4", "--fail-fast",
										"--nvcc-flag=-DA=b c", "--nvcc-flag=-w"};
	cr_assert_eq(request.word_count, 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect_str_eq(request.words[i], words[i]);
	cr_expect_str_eq(request.path, "x.cu");
	cr_expect(json_is_object(request.id));
	request_free(&request);
}

/* A source that no text can be has a verdict, like any other: a NUL, and half of a pair of
 * surrogates, which becomes one; whole pairs, and what only looks like half of one, stay. */
Test(request, a_source_may_be_no_text)
{
	static const struct {
		const char *line, *source;
		size_t length;
	} lines[] = {
		{"{\"source\": \"\"}", "", 0},
		{"{\"source\": \"a\\u0000b\"}", "a\0b", 3},
		{"{\"source\": \"a\\ud800b\"}", "a\0b", 3},
		{"{\"source\": \"a\\udc00\\ud800\"}", "a\0\0", 3},
		{"{\"source\": \"\\ud83d\\ude00\"}", "\xF0\x9F\x98\x80", 4},
		{"{\"source\": \"\\\\ud800\"}", "\\ud800", 6},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct batch_request request;
		struct error err;
		cr_assert(request_read(lines[i].line, 1, option, &request, &err), "%s: %s", lines[i].line,
				  err.message);
		cr_expect_eq(request.source_length, lines[i].length);
		cr_expect_arr_eq(request.source, lines[i].source, lines[i].length, "%s", lines[i].line);
		request_free(&request);
	}
}

Test(request, what_is_none_is_refused_by_its_line)
{
	static const char *const lines[] = {
		"",
		"[]",
		"{}",
		"{\"source\": \"a\", \"path\": \"b\"}",
		"{\"source\": 1}",
		"{\"source\": \"a\", \"other\": 1}",
		"{\"source\": \"a\", \"options\": []}",
		"{\"source\": \"a\", \"options\": {\"json\": \"x\"}}",
		"{\"source\": \"a\", \"options\": {\"cases\": {}}}",
		"{\"source\": \"a\", \"options\": {\"cases\": [[1]]}}",
		"{\"source\": \"a\", \"options\": {\"fail-fast\": 1}}",
		"{\"source\": \"a\", \"source\": \"b\"}",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct batch_request request;
		struct error err;
		cr_expect_not(request_read(lines[i], 12, option, &request, &err), "%s", lines[i]);
		cr_expect_eq(strncmp(err.message, "line 12: ", 9), 0, "%s: %s", lines[i], err.message);
		cr_expect_eq(json_integer_value(request.id), 12);
		request_free(&request);
	}
}

Test(lines, come_as_they_are_written)
{
	int ends[2];
	bool whole;
	struct error err;
	struct lines lines = {.path = "a pipe"};
	cr_assert_eq(pipe(ends), 0);
	lines.fd = ends[0];
	cr_assert_eq(write(ends[1], "one\n\nhal", 8), 8);
	cr_assert(lines_fill(&lines, &err));
	static const char *const wanted[] = {"one", ""};
	for (size_t i = 0; i < 2; i++) {
		cr_assert(lines_has(&lines));
		char *line = lines_take(&lines, &whole);
		cr_expect_str_eq(line, wanted[i]);
		cr_expect(whole);
		free(line);
	}
	cr_expect_not(lines_has(&lines));
	cr_expect_null(lines_take(&lines, &whole));
	cr_assert(lines_fill(&lines, &err), "does not wait");
	cr_assert_eq(write(ends[1], "f", 1), 1);
	close(ends[1]);
	while (!lines.ended)
		cr_assert(lines_fill(&lines, &err));
	char *line = lines_take(&lines, &whole);
	cr_expect_str_eq(line, "half");
	cr_expect_not(whole);
	free(line);
	cr_expect_not(lines_has(&lines));
	lines_close(&lines);
}
