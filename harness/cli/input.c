#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define INPUT_BYTES ((size_t)64 << 20) /* as for any source: compile.c refuses what is more */

static bool copy(int to)
{
	char buffer[65536];
	for (size_t bytes = 0; bytes <= INPUT_BYTES;) {
		ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		if (write(to, buffer, (size_t)got) != got)
			return false;
		bytes += (size_t)got;
	}
	return true;
}

bool input_take(struct options *options, struct error *err)
{
	static char path[40]; /* as options point into what lives as long as the program */
	size_t times = 0;
	for (size_t i = 0; i < options->argument_count; i++)
		times += strcmp(options->arguments[i], JUDGE_STDIN) == 0;
	if (times == 0)
		return true;
	if (options->judge.shapes.file != NULL && strcmp(options->judge.shapes.file, JUDGE_STDIN) == 0)
		return error_set(err, "stdin ('-') is a file or has the --shapes, not both");
	if (times > 1)
		return error_set(err, "stdin ('-') can be read only once");
	if (options->watch.on)
		return error_set(err, "--watch needs a file: stdin is never saved again");
	if (isatty(STDIN_FILENO))
		fputs("gemmjudge: reads a solution from the terminal; ctrl-D ends it\n", stderr);
	int fd = memfd_create("stdin", MFD_CLOEXEC);
	if (fd < 0 || !copy(fd)) {
		error_set(err, "cannot read stdin: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	options->judge.input = path;
	return true;
}
