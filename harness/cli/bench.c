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
	if (!command_timed_shapes(&options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	return command_run(program, COMMAND_BENCH, &options);
}
