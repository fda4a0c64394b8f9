/* links: compile process base */
#include "compile/source_line.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void told(const struct source_line *line, const char *text, const char *wanted)
{
	char *out = source_line_in(line, text);
	cr_assert_str_eq(out, wanted);
	free(out);
}

/* A place that a message does not end with a bracket, or that is no number, is not looked for. */
Test(source_line, other_texts_stay)
{
	static const char *const others[] = {"", "(cudaMalloc)", "(cudaMalloc at solution.so+)x",
										 "at solution.so+0x12 and on", " at solution.so+0x12"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct source_line line = {{0}, {0}};
		source_line_find(&line, others[i], "/nowhere/solution.so");
		told(&line, others[i], others[i]);
	}
}

/* Without a line the place goes, everywhere, and no other one. */
Test(source_line, place_without_line)
{
	struct source_line line = {{0}, {0}};
	source_line_find(&line, "a (cudaMalloc at solution.so+0x12)", "/nowhere/solution.so");
	told(&line, "a (cudaMalloc at solution.so+0x12), b (cudaMalloc number 2 at solution.so+0x12)",
		 "a (cudaMalloc), b (cudaMalloc number 2)");
	told(&line, "a (cudaMalloc at solution.so+0x123)", "a (cudaMalloc at solution.so+0x123)");
}

/* What a line is called that cannot be in a library: nothing comes out but a name and a number. */
Test(source_line, of_what_is_no_library)
{
	char path[] = "/tmp/source_line.XXXXXX";
	int fd = mkstemp(path);
	cr_assert(fd >= 0 && write(fd, "\177ELF nonsense", 13) == 13);
	struct source_line line = {{0}, {0}};
	source_line_find(&line, "(cudaMalloc at solution.so+0x12)", path);
	told(&line, "(cudaMalloc at solution.so+0x12)", "(cudaMalloc)");
	close(fd);
	unlink(path);
}
