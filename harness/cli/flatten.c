/* gemmjudge flatten: a solution and all that it includes, in one file. */
#include "starter/flatten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/gpu_choice.h"
#include "judge/plan.h"
#include "starter/starter.h"
#include "tuning/chosen.h"

#define FIRST_MAX 8192

/* All that goes into the flattened file besides the source itself. */
struct flat {
	struct flatten what;
	struct chain chain;
	struct chain_files stages;
	struct judge_schedule schedule;
	const char *constants[JUDGE_SCHEDULE_FLAGS + 1];
	char first[FIRST_MAX];
};

static bool take_chain(struct flat *flat, const char *text, struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	if (text == NULL)
		return true;
	if (!paths_source(source, err) || !paths_join(folder, source, "epilogues", err) ||
		!chain_parse(text, folder, &flat->chain, &flat->stages, err))
		return false;
	if (chain_is_plain(&flat->chain)) /* the solution's own */
		return true;
	flat->what.chain = &flat->chain;
	flat->what.stages = &flat->stages;
	return true;
}

/* --tuned */
static bool take_constants(struct flat *flat, struct options *options, struct error *err)
{
	struct chosen_schedules schedules;
	struct tune_gpu gpu;
	struct plan plan = {0};
	bool at_hand;
	if (!options->tuned)
		return true;
	options->judge.mode = JUDGE_TIMES;
	bool ok = chosen_open(&schedules, options->store.file, &options->judge, err) &&
			  gpu_choice(options, &gpu, &at_hand, err) &&
			  plan_make(&options->judge, flat->what.file, &plan, err);
	const struct judge_question question = {
		.source = flat->what.file,
		.content = plan.content,
		.problem = plan.problem,
		.test = plan.cases,
		.epilogue = flat->what.chain != NULL ? options->judge.epilogue : NULL};
	ok = ok && chosen_find(&schedules, &question, &gpu, &flat->schedule, err);
	for (size_t i = 0; ok && i < flat->schedule.count; i++)
		flat->constants[i] = flat->schedule.flags[i] + strlen("-D");
	flat->what.constants = flat->constants;
	plan_free(&plan);
	return ok;
}

/* Whether the chain has what only a program can hand over. */
static bool has_buffers(const struct chain *chain)
{
	return chain != NULL && chain->buffers > 0;
}

static void say_first(struct flat *flat, const struct options *options)
{
	const char *file = flat->what.file, *slash = strrchr(file, '/');
	size_t used = (size_t)snprintf(
		flat->first, sizeof flat->first,
		"%s in one file, made by `gemmjudge flatten`. What comes from gemmjudge (each part\n"
		" * says from where) is under the Apache License, Version 2.0.\n *\n"
		" *     nvcc -arch=sm_90a -c FILE",
		slash != NULL ? slash + 1 : file);
	if (flat->what.chain != NULL && used < sizeof flat->first)
		used += (size_t)snprintf(flat->first + used, sizeof flat->first - used,
								 "\n *\n * Fused: %s. To judge it: gemmjudge judge FILE --epilogue "
								 "CHAIN",
								 options->judge.epilogue);
	if (has_buffers(flat->what.chain) && used < sizeof flat->first)
		used += (size_t)snprintf(
			flat->first + used, sizeof flat->first - used,
			"\n * A program hands over the stages' buffers with epilogue_bind(stage, &members, "
			"sizeof members),\n * the members in the order of the stage's own, before it calls "
			"solve()%s.",
			chain_reduces(flat->what.chain) ? ", and\n * calls epilogue_after_solve() behind it"
											: "");
	if (flat->what.constants != NULL && used < sizeof flat->first)
		snprintf(flat->first + used, sizeof flat->first - used, "\n *\n * Constants: %s",
				 flat->schedule.text);
	flat->what.first = flat->first;
}

/* Into memory first: nobody gets half a file. */
static int write_all(const struct flat *flat, const char *name)
{
	struct error err = {{0}};
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size), *file = stdout;
	if (memory == NULL)
		return cli_fail(EXIT_CANNOT_RUN, &(struct error){"out of memory"});
	const bool made = flatten_write(memory, &flat->what, &err);
	int status = EXIT_ACCEPTED;
	if (fclose(memory) != 0 || !made)
		status = cli_fail(EXIT_BAD_INPUT, made ? &(struct error){"out of memory"} : &err);
	else if (name != NULL && (file = starter_create(name, &err)) == NULL)
		status = cli_fail(EXIT_BAD_INPUT, &err);
	else {
		fwrite(text, 1, size, file);
		if (name != NULL && !starter_close(file, name, &err))
			status = cli_fail(EXIT_CANNOT_RUN, &err);
		else if (name != NULL)
			printf("wrote %s\n", name);
	}
	free(text);
	return cli_finish(status);
}

static int run(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	char path[PATHS_MAX];
	const char *name = NULL;
	struct flat flat = {0};
	if (options->argument_count < 1 || options->argument_count > 2) {
		error_set(&err, "a solution is needed, and perhaps a name for the new file (--help shows "
						"the usage)");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (options->argument_count == 2) {
		if (!starter_path(options->arguments[1], ".cu", path, &err))
			return cli_fail(EXIT_BAD_INPUT, &err);
		name = path;
	}
	flat.what.file = options->arguments[0];
	if (!take_chain(&flat, options->judge.epilogue, &err) || !take_constants(&flat, options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	say_first(&flat, options);
	return write_all(&flat, name);
}

const struct subcommand subcommand_flatten = {
	.name = "flatten",
	.takes = "FILE",
	.summary = "make one file out of a solution and what it includes",
	.usage = "usage: gemmjudge flatten FILE [NAME] [OPTION...]\n"
			 "\n"
			 "Writes a solution to stdout, or to NAME.cu, with each header of its own and of "
			 "gemmjudge's stages in the place of its #include: one file that compiles alone, "
			 "to submit elsewhere or to take into a program. A fused chain goes in with the "
			 "values of its arguments. An existing file is never overwritten.\n"
			 "\n"
			 "  gemmjudge flatten solutions/sgemm/ffma.cu mine\n"
			 "  gemmjudge flatten mine.cu --epilogue bias,gelu >fused.cu\n",
	.run = run,
};
