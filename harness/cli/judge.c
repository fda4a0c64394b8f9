/* gemmjudge judge: is it right, and how fast is it? */
#include "cli/cli.h"
#include "cli/command.h"

int command_judge(const char *program, int argc, char **argv)
{
	struct error err;
	struct options options;
	if (!options_parse(COMMAND_JUDGE, argc, argv, &options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options.help) {
		help_command(COMMAND_JUDGE, stdout);
		return EXIT_ACCEPTED;
	}
	if (options.has_cases && options.suite_count > 0) {
		error_set(&err, "--cases counts generated cases; a suite has its own");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (options.sizes != CASE_SIZES_MIXED && options.suite_count > 0) {
		error_set(&err, "--sizes says how generated cases are drawn; a suite has its own");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (options.sanitize != NULL && options.under != NULL) {
		error_set(&err, "--sanitize and --under: a solution runs under one tool at a time");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	return command_run(program, COMMAND_JUDGE, &options);
}
