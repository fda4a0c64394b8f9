/* gemmjudge new: writes a starter file. */
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/new_stage.h"
#include "cli/starter.h"

/* The problem that the new file solves; NULL and err when nothing tells. */
static const struct problem *problem_of_new(const struct options *options, struct error *err)
{
	const char *name = options->arguments[0];
	const struct problem *problem = options->judge.problem;
	if (problem == NULL && strchr(name, '/') != NULL)
		problem = problem_of_path(name);
	if (problem == NULL)
		error_set(err,
				  "which problem does '%s' solve? Say it with --problem "
				  "('gemmjudge list problems' shows them)",
				  name);
	return problem;
}

/* The file that NAME means. */
static bool target_find(const char *name, const struct problem *problem, char path[PATHS_MAX],
						struct error *err)
{
	if (name[0] == '\0' || name[strlen(name) - 1] == '/' || strcmp(name, ".cu") == 0)
		return error_set(err, "'%s' is no name for a file", name);
	if (strchr(name, '/') != NULL || paths_installed()) {
		if (snprintf(path, PATHS_MAX, "%s", name) >= PATHS_MAX)
			return error_set(err, "path too long: %.80s...", name);
		return new_file_ending(path, ".cu", err);
	}
	char source[PATHS_MAX], folder[PATHS_MAX], below[256];
	snprintf(below, sizeof below, "solutions/%s", problem->folder);
	return paths_source(source, err) && paths_join(folder, source, below, err) &&
		   paths_join(path, folder, name, err) && new_file_ending(path, ".cu", err);
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
	char path[PATHS_MAX], judge[2 * PATHS_MAX];
	if (options->judge.epilogue != NULL)
		return new_stage(program, options);
	if (options->argument_count != 1) {
		error_set(&err, options->argument_count == 0
							? "a name for the new file is needed (--help shows the usage)"
							: "one name at a time, please");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	const struct problem *problem = problem_of_new(options, &err);
	if (problem == NULL || !target_find(options->arguments[0], problem, path, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	const struct problem *inferred = problem_of_path(path);
	snprintf(judge, sizeof judge, "judge %s%s%s", path, inferred == problem ? "" : " --problem ",
			 inferred == problem ? "" : problem->name);
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
			 "       gemmjudge new --epilogue NAME\n"
			 "\n"
			 "Writes a starter file: a correct, simple kernel with comments for someone new to\n"
			 "CUDA. A plain NAME becomes solutions/<folder of the problem>/NAME.cu in the\n"
			 "source tree, and where gemmjudge is installed NAME.cu here; a NAME with a '/' is\n"
			 "that file (./mine.cu). An existing file is never overwritten.\n",
	.run = new_solution,
};
