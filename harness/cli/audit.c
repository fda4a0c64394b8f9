/* gemmjudge audit: whether libraries are right, algorithm by algorithm. */
#include "judge/audit.h"

#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/written_files.h"
#include "report/audit.h"

/* Shapes of each problem, where none are named. */
#define SHAPES 8
#define SHAPES_EMULATED 4
#define MAX_DIM_EMULATED 64

/* A folder that has neither library would be passed over by the loader without a word. */
static bool folder_holds(const char *folder, struct error *err)
{
	static const char *const files[] = {"libcublas.so.13", "libcublasLt.so.13"};
	char path[PATHS_MAX];
	bool some = false;
	if (strchr(folder, ':') != NULL)
		return error_set(err, "--cublas %s: the loader takes no folder with a ':' in its name",
						 folder);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		some = some || (paths_join(path, folder, files[i], err) && access(path, R_OK) == 0);
	return some ||
		   error_set(err, "--cublas %s: neither %s nor %s is there", folder, files[0], files[1]);
}

static bool options_hold(const struct options *options, struct error *err)
{
	const struct audit_options *audit = &options->audit;
	const struct device_list *device = &options->judge.device;
	if (options->argument_count > 0)
		return error_set(err,
						 "audit takes no arguments, but was given '%s': --library names what "
						 "is audited",
						 options->arguments[0]);
	if (device->text != NULL && device->count != 1)
		return error_set(err, "--device %s: an audit runs on one device; name that one",
						 device->text);
	const char *library = audit->library;
	if (library != NULL && !audit_is_word(library) && !audit_is_file(library))
		return error_set(err, "--library '%s': cublas, cublaslt or a .cu file is needed", library);
	for (size_t i = 0; i < audit->cublas_count; i++)
		if (!folder_holds(audit->cublas[i], err))
			return false;
	return true;
}

/* The seed, and the number and the size of shapes that suit the device. */
static bool complete(struct options *options, struct error *err)
{
	struct judge_options *judge = &options->judge;
	const bool emulated = device_list_seems_emulated(&judge->device);
	if (!options->has_seed && !random_draw(&judge->cases.seed, err))
		return error_prefix(err, "cannot draw a seed (give one with --seed)");
	if (judge->shapes.count > 0 || judge->cases.suite_count > 0)
		return true;
	if (judge->cases.count == 0)
		judge->cases.count = emulated ? SHAPES_EMULATED : SHAPES;
	if (judge->cases.max_dim == 0 && emulated)
		judge->cases.max_dim = MAX_DIM_EMULATED;
	return true;
}

static int show(const char *program, struct options *options, struct audit *audit)
{
	struct error err;
	FILE *out = written_files_take_stdout(options) ? stderr : stdout;
	const struct report_style style = {.width = output_width(out),
									   .verbose = options->output.verbose};
	int status = audit_finds_wrong(audit) ? EXIT_NOT_ACCEPTED : EXIT_ACCEPTED;
	if (options->judge.device.text == NULL)
		options->judge.device.text = audit->facts.device_kind == DEVICE_CUDA ? "cuda" : "emu";
	options_again(options, program, audit->facts.command, sizeof audit->facts.command);
	report_audit_text(audit, &style, out);
	if (options->output.json != NULL &&
		!report_save_any(options->output.json, report_audit_json, audit, &err))
		status = cli_fail(EXIT_CANNOT_RUN, &err);
	if (options->output.html != NULL &&
		!report_save_any(options->output.html, report_audit_html, audit, &err))
		status = cli_fail(EXIT_CANNOT_RUN, &err);
	return status;
}

static void note(void *context, const char *line)
{
	progress_close(context);
	cli_tell(line);
}

static int audit(const char *program, struct options *options)
{
	struct error err = {{0}};
	struct audit found;
	struct progress line;
	const struct judge_progress progress = {
		.step = progress_step, .note = note, .stop = command_interrupted, .context = &line};
	if (!options_hold(options, &err) || !complete(options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	const struct audit_request request = {.options = &options->judge,
										  .library = options->audit.library,
										  .folders = options->audit.cublas,
										  .folder_count = options->audit.cublas_count,
										  .thorough = options->judge.timing.thorough,
										  .seconds = options->tune.time_limit};
	command_watch_interrupts();
	progress_open(&line, options);
	enum judge_status ended = audit_run(&request, &progress, &found, &err);
	progress_close(&line);
	int status = EXIT_ACCEPTED;
	if (ended == JUDGE_DONE || ended == JUDGE_CUT_SHORT)
		status = show(program, options, &found);
	if (ended != JUDGE_DONE)
		status = cli_fail(ended == JUDGE_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
	audit_free(&found);
	status = cli_finish(status); /* a signal would leave behind what is not written yet */
	command_end_interrupted();
	return status;
}

const struct subcommand subcommand_audit = {
	.name = "audit",
	.also = "verify-library check-library cublas library accuracy",
	.takes = "",
	.summary = "whether cuBLAS, or another library, is right",
	.usage =
		"usage: gemmjudge audit [OPTION...]\n"
		"\n"
		"Runs every algorithm that a library has for a shape, in its default and its accurate "
		"mode, and holds the results to the error bound that solutions are held to: how far they "
		"are off, in which elements, why, and whether the same call gives the same bits again. "
		"On a GPU also which kernel it was and how long it took. The exit status is 1 where "
		"something is wrong that the library chooses by itself.\n"
		"\n"
		"  gemmjudge audit -p gemm-f16 --shape 2850x2899x3316\n"
		"  gemmjudge audit --cases 30 --time-limit 300 --json audit.json\n"
		"  gemmjudge audit --library mine.cu -p gemm-f16 --device emu\n",
	.run = audit,
};
