/* gemmjudge new: writes a starter file. */
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/new_stage.h"
#include "cli/starter.h"

/* The file that NAME means, in the reader's own folder unless NAME says another. */
static bool target_find(const char *name, char path[PATHS_MAX], struct error *err)
{
	if (name[0] == '\0' || name[strlen(name) - 1] == '/' || strcmp(name, ".cu") == 0)
		return error_set(err, "'%s' is no name for a file", name);
	if (snprintf(path, PATHS_MAX, "%s", name) >= PATHS_MAX)
		return error_set(err, "path too long: %.80s...", name);
	return new_file_ending(path, ".cu", err);
}

struct starter {
	const struct problem *problem;
	const char *judge;
};

static void write_starter(FILE *out, const void *what)
{
	const struct starter *starter = what;
	starter_write(starter->problem, starter->judge, out);
}

static int new_solution(const char *program, struct options *options)
{
	struct error err = {{0}};
	char path[PATHS_MAX], absolute[PATHS_MAX], judge[2 * PATHS_MAX];
	if (options->stage != NULL)
		return new_stage(program, options);
	if (options->argument_count != 1) {
		error_set(&err, options->argument_count == 0
							? "a name for the new file is needed (--help shows the usage)"
							: "one name at a time, please");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	const char *name = options->arguments[0];
	if (!target_find(name, path, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	paths_absolute(path, absolute); /* of "mine.cu" only that path has the folder */
	const struct problem *of_folder = problem_of_path(absolute);
	const struct problem *problem = options->judge.problem;
	if (problem == NULL)
		problem = of_folder;
	if (problem == NULL) {
		error_set(&err,
				  "which problem does '%s' solve? Say it with --problem "
				  "('gemmjudge list problems' shows them)",
				  name);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	snprintf(judge, sizeof judge, "judge %s%s%s", path, of_folder == problem ? "" : " --problem ",
			 of_folder == problem ? "" : problem->name);
	char header[2 * PATHS_MAX + 32];
	snprintf(header, sizeof header, "gemmjudge %s", judge);
	struct starter starter = {problem, header};
	if (!new_file_save(path, write_starter, &starter, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("wrote %s\njudge it: %s %s\n", path, program, judge);
	return EXIT_ACCEPTED;
}

const struct subcommand subcommand_new = {
	.name = "new",
	.takes = "NAME",
	.summary = "write a starter file to fill in",
	.usage = "usage: gemmjudge new NAME [--problem P]\n"
			 "       gemmjudge new --stage NAME\n"
			 "\n"
			 "Writes a starter file: a correct, simple kernel with comments for someone new to\n"
			 "CUDA, as NAME.cu in this folder (or where NAME says: kernels/mine). A stage\n"
			 "becomes NAME.cuh. An existing file is never overwritten.\n"
			 "\n"
			 "  gemmjudge new mine --problem gemm-f16\n"
			 "  gemmjudge new --stage mish\n",
	.run = new_solution,
};
