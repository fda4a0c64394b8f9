#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/clean.h"

void cli_tell(const char *text)
{
	fputs("gemmjudge: ", stderr);
	clean_print_line(stderr, text);
	fputc('\n', stderr);
}

int cli_fail(int status, const struct error *err)
{
	cli_tell(err->message);
	return status;
}

int cli_finish(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* who wrote before us may have told already; errno tells only once */
	if (errno != 0)
		fprintf(stderr, "gemmjudge: cannot write to standard output: %s\n", strerror(errno));
	return status == EXIT_CANNOT_RUN ? status : EXIT_BAD_INPUT;
}
