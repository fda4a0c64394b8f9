/* gemmjudge explain: what bounds a solution at a shape on a GPU, and the time that follows. */
#include "explain/explain.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/gpu_choice.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/written_files.h"
#include "report/report.h"

static bool options_hold(const struct options *options, struct error *err)
{
	if (options->argument_count != 1)
		return error_set(err, options->argument_count == 0
								  ? "name the solution file to explain (--help shows the usage)"
								  : "explain takes one file at a time");
	if (strcmp(options->arguments[0], JUDGE_STDIN) == 0)
		return error_set(err, "explain reads a file, not stdin: name it");
	return options->judge.shapes.count <= 1 ||
		   error_set(err, "explain takes one --shape at a time");
}

static int show(const struct explained *explained, const struct options *options)
{
	struct error err;
	explain_show(explained, options->output.verbose,
				 written_files_take_stdout(options) ? stderr : stdout);
	if (options->output.json != NULL &&
		!report_save_any(options->output.json, explain_json, explained, &err))
		return cli_fail(EXIT_CANNOT_RUN, &err);
	if (options->output.html != NULL &&
		!report_save_any(options->output.html, explain_html, explained, &err))
		return cli_fail(EXIT_CANNOT_RUN, &err);
	return explained->counted.judgement.verdict == VERDICT_ACCEPTED ? EXIT_ACCEPTED
																	: EXIT_NOT_ACCEPTED;
}

static int explain_file(struct explained *explained, const struct options *options)
{
	struct error err = {{0}};
	struct progress line;
	const struct judge_progress progress = {
		.step = progress_step, .stop = command_interrupted, .context = &line};
	progress_open(&line, options);
	enum judge_status status = explain_count(explained, &progress, &err);
	progress_close(&line);
	if (status != JUDGE_DONE)
		return cli_fail(status == JUDGE_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
	return explain_predict(explained, &err) ? show(explained, options)
											: cli_fail(EXIT_CANNOT_RUN, &err);
}

static int explain(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	struct explained explained;
	int status;
	options->judge.files = options->arguments;
	options->judge.file_count = options->argument_count;
	if (!options_hold(options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	command_watch_interrupts();
	if (!explain_open(&explained, &options->judge, &err))
		status = cli_fail(EXIT_BAD_INPUT, &err);
	else if (!gpu_choice(options, &explained.gpu, &explained.at_hand, &err))
		status = cli_fail(options->gpu != NULL ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
	else
		status = explain_file(&explained, options);
	explain_free(&explained);
	command_end_interrupted();
	return status;
}

const struct subcommand subcommand_explain = {
	.name = "explain",
	.also = "roofline analyze analyse predict why model",
	.takes = "FILE",
	.summary = "what bounds a solution on a GPU, and the time that follows",
	.usage = "usage: gemmjudge explain FILE [OPTION...]\n"
			 "\n"
			 "Compiles a solution, counts on an emulated GPU what a few blocks of each of its "
			 "launches do, and works out from that, and from the registers and shared memory "
			 "of its kernels, what bounds it on a GPU, which lines cause that, and how long a "
			 "call takes. Needs no GPU; with one, the measured time stands beside.\n"
			 "\n"
			 "  gemmjudge explain mine.cu -p sgemm --shape 4096x4096x4096 --gpu a100\n",
	.run = explain,
};
