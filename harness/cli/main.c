/* gemmjudge: finds the subcommand and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/commit.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/words.h"
#include "cli/written_files.h"
#include "report/wrap.h"

#define LARGE_BLOCK (16 << 10) /* bytes */
#define SUBCOMMANDS_MAX 32
#define SUMMARY_COLUMN 20

static const char usage[] =
	"usage: gemmjudge COMMAND [ARGUMENT...]\n"
	"\n"
	"Judges matrix-multiplication kernels: compiles a CUDA file that defines extern \"C\" void "
	"solve(...), checks it on many cases, and times it. Runs on an NVIDIA GPU, or on an emulated "
	"one where there is none.\n"
	"\n";
static const char ending[] =
	"\n"
	"  COMMAND --help    its options\n"
	"  --version, -V     the version, its commit, and the CUDA it was built with\n"
	"\n"
	"exit status: 0 all accepted, 1 not accepted, 2 wrong usage, or bad files alone, 3 cannot run "
	"here (no compiler, no such device)\n";

static void help(FILE *out)
{
	const int width = output_width(out);
	options_usage(usage, width, out);
	for (size_t i = 0; subcommands[i] != NULL; i++) {
		const struct subcommand *one = subcommands[i];
		int column = fprintf(out, "  %s %s", one->name, one->takes != NULL ? one->takes : "");
		column += fprintf(out, "%*s", SUMMARY_COLUMN - column, "");
		wrap_print(out, width, column, SUMMARY_COLUMN, one->summary);
	}
	options_usage(ending, width, out);
}

static void subcommand_help(const struct subcommand *subcommand)
{
	const int width = output_width(stdout);
	options_usage(subcommand->usage, width, stdout);
	putchar('\n');
	options_help(subcommand->name, width, stdout);
}

static int subcommand_run(const struct subcommand *subcommand, const char *program, int argc,
						  char **argv)
{
	struct error err;
	struct options options;
	if (!options_parse(argc, argv, &options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options.help) {
		subcommand_help(subcommand);
		return EXIT_ACCEPTED;
	}
	if (!written_files_hold(&options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	return subcommand->run(program, &options);
}

static const struct subcommand *subcommand_find(const char *name)
{
	for (size_t i = 0; subcommands[i] != NULL; i++)
		if (strcmp(name, subcommands[i]->name) == 0)
			return subcommands[i];
	return NULL;
}

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
	const char *names[SUBCOMMANDS_MAX];
	size_t count = 0;
	for (; subcommands[count] != NULL && count < SUBCOMMANDS_MAX; count++)
		names[count] = subcommands[count]->name;
	char meaning[SUGGEST_TEXT];
	size_t length = strlen(word);
	const char *nearest = suggest_nearest(word, names, count);
	if (length > 3 && strcmp(word + length - 3, ".cu") == 0)
		error_set(&err, "unknown command '%s'; did you mean 'gemmjudge judge %s'?", word, word);
	else if (words_command(meaning, word)[0] != '\0')
		error_set(&err, "unknown command '%s'%s", word, meaning);
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
	/* What a file needs for a while goes back as a whole: else results, which stay, take its place
	 * on the heap, and each file makes it longer. */
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	if (!hold_standard_descriptors()) {
		error_set(&err, "standard output is closed");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!limits_suffice(&err))
		return cli_fail(EXIT_CANNOT_RUN, &err);
	if (argc < 2) {
		help(stderr);
		return EXIT_BAD_INPUT;
	}
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
		(strcmp(word, "help") == 0 && argc == 2)) {
		help(stdout);
		return cli_finish(EXIT_ACCEPTED);
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		printf("gemmjudge %s (commit %s, built with CUDA %s)\n", GEMMJUDGE_VERSION,
			   commit_of_build()[0] != '\0' ? commit_of_build() : "unknown", GEMMJUDGE_CUDA);
		return cli_finish(EXIT_ACCEPTED);
	}
	bool explain = strcmp(word, "help") == 0;
	if (explain)
		word = argv[2];
	const struct subcommand *subcommand = subcommand_find(word);
	if (subcommand != NULL && !explain)
		return cli_finish(subcommand_run(subcommand, argv[0], argc - 1, argv + 1));
	if (subcommand != NULL) {
		subcommand_help(subcommand);
		return cli_finish(EXIT_ACCEPTED);
	}
	if (word[0] == '-') {
		error_set(&err, "unknown option '%s'; a command comes first ('gemmjudge --help')", word);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	return unknown_command(word);
}
