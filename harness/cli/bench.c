/* gemmjudge bench: only times, several solutions side by side. */
#include "cli/cli.h"
#include "cli/command.h"

int command_bench(const char *program, int argc, char **argv)
{
	struct error err;
	struct options options;
	if (!options_parse(COMMAND_BENCH, argc, argv, &options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options.help) {
		help_command(COMMAND_BENCH, stdout);
		return EXIT_ACCEPTED;
	}
	if (options.shape_count > 0 && options.suite_count > 0) {
		error_set(&err, "--shape and --suite both say what to time; give one of them");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (options.suite_count > 0 && (options.has_alpha || options.has_beta)) {
		error_set(&err, "the cases of a suite have their own alpha and beta");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	return command_run(program, COMMAND_BENCH, &options);
}
