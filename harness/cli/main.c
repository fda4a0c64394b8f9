/* gemmjudge: finds the subcommand and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/cli.h"

static const struct {
	const char *name;
	int (*run)(const char *program, int argc, char **argv);
} commands[] = {
	{"judge", command_judge}, {"bench", command_bench}, {"compare", command_compare},
	{"list", command_list},   {"new", command_new},     {"doctor", command_doctor},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

/* A standard descriptor that is closed would be given to the next file opened,
 * which would then receive what is meant for the terminal. */
static bool hold_standard_descriptors(void)
{
	bool output_is_open = fcntl(STDOUT_FILENO, F_GETFD) != -1;
	int fd;
	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return output_is_open;
}

static int unknown_command(const char *word)
{
	struct error err;
	const char *names[COMMAND_COUNT];
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	size_t length = strlen(word);
	const char *nearest = suggest_nearest(word, names, COMMAND_COUNT);
	if (length > 3 && strcmp(word + length - 3, ".cu") == 0)
		error_set(&err, "unknown command '%s'; did you mean 'gemmjudge judge %s'?", word, word);
	else if (nearest != NULL)
		error_set(&err, "unknown command '%s'; did you mean '%s'?", word, nearest);
	else
		error_set(&err, "unknown command '%s'; 'gemmjudge --help' shows those that there are",
				  word);
	return cli_fail(EXIT_BAD_INPUT, &err);
}

int main(int argc, char **argv)
{
	struct error err;
	if (!hold_standard_descriptors()) {
		error_set(&err, "standard output is closed");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (argc < 2) {
		help_program(stderr);
		return EXIT_BAD_INPUT;
	}
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
		(strcmp(word, "help") == 0 && argc == 2)) {
		help_program(stdout);
		return cli_finish(EXIT_ACCEPTED);
	}
	if (strcmp(word, "--version") == 0) {
		printf("gemmjudge %s\n", GEMMJUDGE_VERSION);
		return cli_finish(EXIT_ACCEPTED);
	}
	bool help = strcmp(word, "help") == 0;
	if (help)
		word = argv[2];
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(word, commands[i].name) != 0)
			continue;
		char help_option[] = "--help";
		char *help_arguments[] = {argv[2], help_option, NULL};
		return cli_finish(help ? commands[i].run(argv[0], 2, help_arguments)
							   : commands[i].run(argv[0], argc - 1, argv + 1));
	}
	if (word[0] == '-') {
		error_set(&err, "unknown option '%s'; a command comes first ('gemmjudge --help')", word);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	return unknown_command(word);
}
