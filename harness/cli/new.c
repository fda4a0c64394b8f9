/* gemmjudge new: writes a starter file. */
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "chain/chain.h"
#include "cli/cli.h"
#include "starter/exercise.h"
#include "starter/starter.h"

/* --stage NAME */
static int new_stage(const char *program, const struct options *options)
{
	struct error err = {{0}};
	char path[PATHS_MAX], name[CHAIN_NAME_MAX];
	FILE *file;
	if (options->argument_count > 0) {
		error_set(&err, "--stage has the name of the new file: new --stage NAME, and no more");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!starter_path(options->starter.stage, ".cuh", path, &err) ||
		!chain_stage_name(path, name, &err) || (file = starter_create(path, &err)) == NULL)
		return cli_fail(EXIT_BAD_INPUT, &err);
	starter_stage(file, name);
	if (!starter_close(file, path, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("wrote %s\njudge it: %s judge FILE.cu --epilogue %s%s:0.5\n", path, program,
		   strchr(path, '/') != NULL ? "" : "./", path);
	return EXIT_ACCEPTED;
}

/* --exercise NAME */
static int new_exercise(const char *program, const struct options *options)
{
	struct error err = {{0}};
	const struct exercise *exercise = exercise_find(options->starter.exercise);
	char path[PATHS_MAX], arguments[2 * PATHS_MAX], judge[2 * PATHS_MAX + 32];
	FILE *file;
	if (!starter_path(options->argument_count == 1 ? options->arguments[0] : exercise->name, ".cu",
					  path, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	snprintf(arguments, sizeof arguments, "judge %s -p %s --device emu --check race%s", path,
			 exercise->problem, exercise->options);
	snprintf(judge, sizeof judge, "gemmjudge %s", arguments);
	if ((file = starter_create(path, &err)) == NULL)
		return cli_fail(EXIT_BAD_INPUT, &err);
	const bool written = exercise_write(file, exercise, judge, &err);
	if (!written) {
		fclose(file);
		remove(path);
	}
	if (!written || !starter_close(file, path, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("wrote %s\njudge it: %s %s\n", path, program, arguments);
	return EXIT_ACCEPTED;
}

static int new_solution(const char *program, struct options *options)
{
	struct error err = {{0}};
	char path[PATHS_MAX], absolute[PATHS_MAX], judge[2 * PATHS_MAX];
	if (options->starter.stage != NULL)
		return new_stage(program, options);
	if (options->starter.exercise != NULL && options->argument_count <= 1)
		return new_exercise(program, options);
	if (options->argument_count != 1) {
		error_set(&err, options->argument_count == 0
							? "a name for the new file is needed (--help shows the usage)"
							: "one name at a time, please");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	const char *name = options->arguments[0];
	if (!starter_path(name, ".cu", path, &err))
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
	const char *own = options->judge.problem_file;
	snprintf(judge, sizeof judge, "judge %s%s%s", path,
			 own != NULL            ? " --problem-file "
			 : of_folder == problem ? ""
									: " --problem ",
			 own != NULL            ? own
			 : of_folder == problem ? ""
									: problem->name);
	char header[2 * PATHS_MAX + 32];
	snprintf(header, sizeof header, "gemmjudge %s", judge);
	FILE *file = starter_create(path, &err);
	if (file == NULL)
		return cli_fail(EXIT_BAD_INPUT, &err);
	starter_solution(file, problem, header);
	if (!starter_close(file, path, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("wrote %s\njudge it: %s %s\n", path, program, judge);
	return EXIT_ACCEPTED;
}

const struct subcommand subcommand_new = {
	.name = "new",
	.also = "init create template starter scaffold",
	.takes = "NAME",
	.summary = "write a starter file to fill in",
	.usage = "usage: gemmjudge new NAME [--problem P]\n"
			 "       gemmjudge new --stage NAME\n"
			 "       gemmjudge new [NAME] --exercise EXERCISE\n"
			 "\n"
			 "Writes a starter file: a correct, simple kernel with comments for someone new to "
			 "CUDA, as NAME.cu in this folder (or where NAME says: kernels/mine). A stage "
			 "becomes NAME.cuh. An exercise is a solution that lacks one line, which you "
			 "write. An existing file is never overwritten.\n"
			 "\n"
			 "  gemmjudge new mine --problem gemm-f16\n"
			 "  gemmjudge new --stage mish\n",
	.run = new_solution,
};
