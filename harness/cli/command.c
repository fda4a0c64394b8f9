#include "cli/command.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/output.h"

#define CASES 32
#define CASES_EMULATED 12
#define MAX_DIM_EMULATED 192

/* ---- before the run ------------------------------------------------------ */

/* What "auto" will most likely choose; only defaults depend on it. */
static bool probably_emulated(const char *device)
{
	if (strcmp(device, "auto") != 0)
		return strncmp(device, "emu", 3) == 0;
	return access("/dev/nvidiactl", F_OK) != 0 && access("/dev/nvidia0", F_OK) != 0 &&
		   access("/dev/dxg", F_OK) != 0;
}

bool command_complete(enum command command, struct options *options, struct error *err)
{
	if (!options->has_seed) {
		uint64_t seed;
		if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
			return error_set(err, "cannot draw a seed: %s (give one with --seed)", strerror(errno));
		options->seed = seed & 0xFFFFFFFFu; /* 32 bits: easy to copy, enough to be fresh */
	}
	if (command != COMMAND_JUDGE || options->suite_count > 0)
		return true;
	bool emulated = probably_emulated(options->device);
	if (!options->has_cases)
		options->cases = emulated ? CASES_EMULATED : CASES;
	if (options->max_dim == 0 && emulated)
		options->max_dim = MAX_DIM_EMULATED;
	return true;
}

static bool check_file(const char *file, struct error *err)
{
	struct stat facts;
	if (stat(file, &facts) != 0)
		return error_set(err, "%s: %s", file, strerror(errno));
	if (S_ISDIR(facts.st_mode))
		return error_set(err, "%s: is a folder; name the solution file in it", file);
	if (!S_ISREG(facts.st_mode))
		return error_set(err, "%s: is no regular file", file);
	if (access(file, R_OK) != 0)
		return error_set(err, "%s: %s", file, strerror(errno));
	if (facts.st_size == 0)
		return error_set(err, "%s: the file is empty", file);
	return true;
}

#define SUITES_LISTED 64

/* A name that is no suite of the source tree: say which one it looks like. */
static bool check_suite(const char *name, struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX], file[PATHS_MAX];
	size_t length = strlen(name);
	bool is_file =
		strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".ini") == 0);
	if (is_file)
		return check_file(name, err) || error_prefix(err, "suite");
	if (!paths_source(source, err) || !paths_join(folder, source, "testcases/suites", err) ||
		!paths_join(file, folder, name, err))
		return false;
	if (strlen(file) + 5 <= sizeof file && access(strcat(file, ".ini"), F_OK) == 0)
		return true;

	char names[SUITES_LISTED][64];
	const char *pointers[SUITES_LISTED];
	size_t count = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		const char *dot = strrchr(entry->d_name, '.');
		if (dot == NULL || strcmp(dot, ".ini") != 0 || count == SUITES_LISTED)
			continue;
		snprintf(names[count], sizeof names[count], "%.*s", (int)(dot - entry->d_name),
				 entry->d_name);
		pointers[count] = names[count];
		count++;
	}
	if (dir != NULL)
		closedir(dir);
	char phrase[160];
	suggest_phrase(phrase, name, pointers, count);
	return error_set(err, "unknown suite '%s'%s", name,
					 phrase[0] != '\0'
						 ? phrase
						 : "; 'gemmjudge list suites' shows them, and a file of your own "
						   "is named with its '.ini'");
}

bool command_check(const struct options *options, struct error *err)
{
	if (options->argument_count == 0)
		return error_set(err, "name at least one solution file (--help shows the usage)");
	for (size_t i = 0; i < options->argument_count; i++)
		if (!check_file(options->arguments[i], err))
			return false;
	for (size_t i = 0; i < options->suite_count; i++)
		if (!check_suite(options->suites[i], err))
			return false;
	return true;
}

bool command_timed_shapes(const struct options *options, struct error *err)
{
	if (options->shape_count > 0 && options->suite_count > 0)
		return error_set(err, "--shape and --suite both say what to time; give one of them");
	if (options->has_cases && options->shape_count + options->suite_count > 0)
		return error_set(err,
						 "--cases, --shape and --suite each say what to time; give one of them");
	if (options->multiple > 1 && options->suite_count == 0 && !options->has_cases)
		return error_set(err, "--multiple-of goes with --cases or --suite, which have the sizes");
	if (options->sizes != CASE_SIZES_MIXED && !options->has_cases)
		return error_set(err, "--sizes says how generated cases are drawn: it goes with --cases");
	if ((options->suite_count > 0 || options->has_cases) &&
		(options->has_alpha || options->has_beta))
		return error_set(err,
						 "the cases of a suite, and generated ones, have their own alpha and beta");
	return true;
}

/* ---- the command that reproduces the run --------------------------------- */

struct line {
	char *out;
	size_t capacity, used;
	bool full;
};

/* Adds a blank and the word, whole or not at all. */
static void line_add(struct line *line, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"@%+=:,./-_";
	static const char end[] = " ...";
	bool quote = word[0] == '\0' || word[strspn(word, plain)] != '\0';
	size_t length = strlen(word);
	for (const char *p = word; quote && *p != '\0'; p++)
		length += *p == '\'' ? 3 : 0;
	length += quote ? 2 : 0;
	if (line->full || line->used + 1 + length + sizeof end > line->capacity) {
		if (!line->full && line->used + sizeof end <= line->capacity)
			strcpy(line->out + line->used, end);
		line->full = true;
		return;
	}
	char *to = line->out + line->used;
	if (line->used > 0)
		*to++ = ' ';
	if (quote)
		*to++ = '\'';
	for (const char *p = word; *p != '\0'; p++) {
		if (*p == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *p;
		}
	}
	if (quote)
		*to++ = '\'';
	*to = '\0';
	line->used = (size_t)(to - line->out);
}

static void line_add_option(struct line *line, const char *name, const char *value)
{
	line_add(line, name);
	line_add(line, value);
}

static void line_add_shape(struct line *line, const char *name, const struct shape *shape)
{
	char text[SHAPE_TEXT];
	shape_print(NULL, shape, text);
	line_add_option(line, name, text);
}

void command_line(char *out, size_t capacity, const char *program, enum command command,
				  const struct options *options, enum device_kind device)
{
	struct line line = {.out = out, .capacity = capacity};
	char number[32];
	bool judge = command == COMMAND_JUDGE;
	out[0] = '\0';
	line_add(&line, program);
	line_add(&line, judge ? "judge" : command == COMMAND_COMPARE ? "compare" : "bench");
	snprintf(number, sizeof number, "0x%llx", (unsigned long long)options->seed);
	line_add_option(&line, "--seed", number); /* first: it must fit */
	bool automatic = strcmp(options->device, "auto") == 0;
	line_add_option(&line, "--device",
					!automatic              ? options->device
					: device == DEVICE_CUDA ? "cuda"
											: "emu");
	if (options->emulate != NULL)
		line_add_option(&line, "--emulate", options->emulate);
	if (options->check_race)
		line_add_option(&line, "--check", "race");
	if (options->counters)
		line_add(&line, "--counters");
	if (options->sanitize != NULL)
		line_add_option(&line, "--sanitize", options->sanitize);
	if (options->under != NULL)
		line_add_option(&line, "--under", options->under);
	if (options->problem != NULL)
		line_add_option(&line, "--problem", options->problem);
	if (options->epilogue != NULL)
		line_add_option(&line, "--epilogue", options->epilogue);
	if (options->cases > 0 && options->suite_count == 0) {
		snprintf(number, sizeof number, "%zu", options->cases);
		line_add_option(&line, "--cases", number);
	}
	for (size_t i = 0; i < options->suite_count; i++)
		line_add_option(&line, "--suite", options->suites[i]);
	if (options->max_dim > 0) {
		snprintf(number, sizeof number, "%d", options->max_dim);
		line_add_option(&line, "--max-dim", number);
	}
	if (options->multiple > 1) {
		snprintf(number, sizeof number, "%d", options->multiple);
		line_add_option(&line, "--multiple-of", number);
	}
	if (options->sizes != CASE_SIZES_MIXED)
		line_add_option(&line, "--sizes", case_sizes_name(options->sizes));
	if (options->no_timing)
		line_add_option(&line, "--time", "none");
	for (size_t i = 0; i < options->shape_count; i++)
		line_add_shape(&line, judge ? "--time" : "--shape", &options->shapes[i]);
	if (options->has_alpha) {
		snprintf(number, sizeof number, "%.9g", options->alpha);
		line_add_option(&line, "--alpha", number);
	}
	if (options->has_beta) {
		snprintf(number, sizeof number, "%.9g", options->beta);
		line_add_option(&line, "--beta", number);
	}
	if (strcmp(options->tolerance, "bound") != 0)
		line_add_option(&line, "--tolerance", options->tolerance);
	if (options->timeout > 0.0) {
		snprintf(number, sizeof number, "%g", options->timeout);
		line_add_option(&line, "--timeout", number);
	}
	if (options->budget > 0.0) {
		snprintf(number, sizeof number, "%g", options->budget);
		line_add_option(&line, "--budget", number);
	}
	if (options->memory_mib > 0) {
		snprintf(number, sizeof number, "%zu", options->memory_mib);
		line_add_option(&line, "--memory", number);
	}
	bool dashed = false; /* a file whose name begins with '-' follows "--" */
	for (size_t i = 0; i < options->argument_count; i++)
		dashed = dashed || options->arguments[i][0] == '-';
	if (dashed)
		line_add(&line, "--");
	for (size_t i = 0; i < options->argument_count; i++)
		line_add(&line, options->arguments[i]);
}

/* ---- the run -------------------------------------------------------------- */

static struct judge_options judge_options_of(enum command command, const struct options *options)
{
	return (struct judge_options){
		.files = options->arguments,
		.file_count = options->argument_count,
		.problem = options->problem,
		.epilogue = options->epilogue,
		.device = options->device,
		.emulate = options->emulate,
		.check_race = options->check_race,
		.counters = options->counters,
		.sanitize = options->sanitize,
		.under = options->under,
		.cases = options->cases,
		.seed = options->seed,
		.suites = options->suites,
		.suite_count = options->suite_count,
		.max_dim = options->max_dim,
		.multiple = options->multiple,
		.sizes = options->sizes,
		.time = !options->no_timing,
		.check = command == COMMAND_JUDGE,
		.compare = command == COMMAND_COMPARE,
		.time_shapes = options->shapes,
		.time_shape_count = options->shape_count,
		.time_scalars = options->has_alpha || options->has_beta,
		.time_alpha = options->has_alpha ? (float)options->alpha : 1.0f,
		.time_beta = (float)options->beta,
		.tolerance = options->tolerance,
		.timeout = options->timeout,
		.time_budget = options->budget,
		.memory_limit = options->memory_mib << 20,
		.baselines = true,
	};
}

/* The first interrupt asks for an end after the present case; one after that ends
 * the program as it would any other. Some senders signal twice at once. */
#define SAME_INTERRUPT_SECONDS 0.5

static volatile sig_atomic_t interrupted;
static double interrupted_at;

static void note_interrupt(int number)
{
	static const char note[] = "\ngemmjudge: ends after this case; once more: at once\n";
	if (interrupted == 0) {
		interrupted = number;
		interrupted_at = clock_seconds();
		if (write(STDERR_FILENO, note, sizeof note - 1) < 0)
			return; /* nobody reads it */
	} else if (clock_seconds() - interrupted_at > SAME_INTERRUPT_SECONDS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static bool was_interrupted(void *context)
{
	(void)context;
	return interrupted != 0;
}

/* What is ignored, as in the background of a script, stays so. */
static void watch_interrupts(void)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	const struct sigaction action = {.sa_handler = note_interrupt};
	struct sigaction before;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

/* Whoever waits for the program sees how it ended. */
static void end_interrupted(void)
{
	if (interrupted == 0)
		return;
	signal(interrupted, SIG_DFL);
	raise(interrupted);
}

int command_run(const char *program, enum command command, struct options *options)
{
	struct error err = {{0}};
	if (!command_check(options, &err) || !output_probe(options, &err) ||
		!command_complete(command, options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);

	struct output_progress progress;
	output_progress_open(&progress);
	struct judge_progress steps = {
		.step = output_progress_step, .stop = was_interrupted, .context = &progress};
	struct judge_options asked = judge_options_of(command, options);
	watch_interrupts();
	struct judgement_list list;
	enum judge_status status = judge_run(&asked, &steps, &list, &err);
	output_progress_close(&progress);
	if (status != JUDGE_DONE)
		return cli_fail(status == JUDGE_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);

	command_line(list.facts.command, sizeof list.facts.command, program, command, options,
				 list.facts.device_kind);
	int exit_status = EXIT_ACCEPTED;
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].verdict != VERDICT_ACCEPTED)
			exit_status = EXIT_NOT_ACCEPTED;
	if (!output_write(options, &list, &err))
		exit_status = cli_fail(EXIT_BAD_INPUT, &err);
	judgement_list_free(&list);
	end_interrupted();
	return exit_status;
}
