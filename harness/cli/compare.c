/* gemmjudge compare: what does a fused epilogue gain? */
#include "cli/cli.h"
#include "cli/command.h"

/* Two large shapes, one of them with a short K, and then a row of K. */
static void default_shapes(struct options *options)
{
	options->shapes[options->shape_count++] = (struct shape){8192, 8192, 8192};
	options->shapes[options->shape_count++] = (struct shape){8192, 8192, 1024};
	for (int k = 64; k <= 8192; k *= 2)
		options->shapes[options->shape_count++] = (struct shape){4096, 4096, k};
}

int command_compare(const char *program, int argc, char **argv)
{
	struct error err;
	struct options options;
	if (!options_parse(COMMAND_COMPARE, argc, argv, &options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options.help) {
		help_command(COMMAND_COMPARE, stdout);
		return EXIT_ACCEPTED;
	}
	if (options.epilogue == NULL) {
		error_set(&err, "which epilogue is to be compared? Say it with --epilogue ('gemmjudge list "
						"epilogues' shows the stages)");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!command_timed_shapes(&options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options.shape_count == 0 && options.suite_count == 0)
		default_shapes(&options);
	return command_run(program, COMMAND_COMPARE, &options);
}
