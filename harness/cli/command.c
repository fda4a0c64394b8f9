#include "cli/command.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/remember.h"
#include "cli/watched.h"
#include "report/events.h"
#include "tuning/chosen.h"

#define CASES 32
#define CASES_EMULATED 12
#define MAX_DIM_EMULATED 192
#define CASES_OF_SHAPE 4 /* that was named; case_generate_at() has as many kinds */

bool command_complete(struct options *options, struct error *err)
{
	struct judge_options *judge = &options->judge;
	if (options->argument_count == 0)
		return error_set(err, "name at least one solution file (--help shows the usage)");
	if (!options->has_seed && !random_draw(&judge->cases.seed, err))
		return error_prefix(err, "cannot draw a seed (give one with --seed)");
	if (judge->mode != JUDGE_CHECKS || judge->cases.suite_count > 0)
		return true;
	if (judge->shapes.count == 0)
		command_usual_cases(judge, device_list_seems_emulated(&judge->device));
	else if (judge->cases.count == 0)
		judge->cases.count = CASES_OF_SHAPE;
	return true;
}

void command_usual_cases(struct judge_options *judge, bool emulated)
{
	if (judge->cases.count == 0)
		judge->cases.count = emulated ? CASES_EMULATED : CASES;
	if (judge->cases.max_dim == 0 && emulated)
		judge->cases.max_dim = MAX_DIM_EMULATED;
}

/* ---- interrupts ------------------------------------------------------------ */

/* The first interrupt asks for an end after the present case; one after that ends
 * the program as it would any other. Some senders signal twice at once. */
#define SAME_INTERRUPT_SECONDS 0.5

static atomic_int interrupted; /* the signal; also threads of the judge look */
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

bool command_interrupted(void *context)
{
	(void)context;
	return interrupted != 0;
}

/* Each writing of the reports is of all files: together they take no more of a run than this. */
#define SAVE_SHARE 0.05

struct command {
	struct options *options;
	const char *program;
	struct progress progress;
	struct output_text text;
	struct remember remember;
	struct events events;
	double save_at; /* not before */
};

/* Facts that only the command line knows. */
static void complete_facts(const struct command *command, struct judgement_list *list)
{
	struct options *options = command->options;
	bool chosen = list->facts.device.name[0] != '\0';
	if (options->judge.device.text == NULL && chosen) /* again on the device that was chosen */
		options->judge.device.text = list->facts.device_kind == DEVICE_CUDA ? "cuda" : "emu";
	options_again(options, command->program, list->facts.command, sizeof list->facts.command);
	list->facts.seed_given = options->has_seed && !options->store.seed_drawn;
}

static void show_step(void *context, const char *file, const char *what, size_t done, size_t total)
{
	struct command *command = context;
	progress_step(&command->progress, file, what, done, total);
	if (strcmp(what, "compiling") == 0)
		events_compiling(&command->events, file);
	else if (strcmp(what, "timing") == 0)
		events_timing(&command->events, file);
}

static void show_compiled(void *context, const struct judgement *item)
{
	events_compiled(&((struct command *)context)->events, item);
}

static void show_case(void *context, const struct judgement *item, size_t i)
{
	events_case(&((struct command *)context)->events, item, i);
}

static void print_note(void *context, const char *line)
{
	struct command *command = context;
	progress_close(&command->progress);
	cli_tell(line);
}

static void show_verdict(void *context, const struct judgement_list *list, size_t i)
{
	struct command *command = context;
	progress_close(&command->progress);
	output_text_file(&command->text, list, i);
	events_verdict(&command->events, list, i);
	command->progress.files_done++;
}

static void remember(struct command *command, const struct judgement_list *list, bool ended)
{
	char line[sizeof command->remember.why.message + 32];
	if (!remember_judged(&command->remember, list, ended))
		return;
	snprintf(line, sizeof line, "not remembered: %s", command->remember.why.message);
	print_note(command, line);
}

/* What a run that dies leaves: every file in the store that has had its turn (of bench and compare
 * none, before the end), and reports that miss the last of them at most. */
static void save_judged(void *context, struct judgement_list *list)
{
	struct command *command = context;
	complete_facts(command, list);
	if (command->options->judge.mode == JUDGE_CHECKS)
		remember(command, list, false);
	double begun = clock_seconds();
	if (begun < command->save_at)
		return;
	output_save(command->options, list);
	double ended = clock_seconds();
	command->save_at = ended + (ended - begun) / SAVE_SHARE;
}

void command_watch_interrupts(void)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	const struct sigaction action = {.sa_handler = note_interrupt};
	struct sigaction before;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

void command_end_interrupted(void)
{
	if (interrupted == 0)
		return;
	signal(interrupted, SIG_DFL);
	raise(interrupted);
}

/* Where there was nothing to judge, the command is to be mended, and no solution. */
static int status_of(const struct judgement_list *list)
{
	size_t accepted = 0, bad = 0;
	for (size_t i = 0; i < list->count; i++) {
		accepted += list->items[i].verdict == VERDICT_ACCEPTED;
		bad += list->items[i].verdict == VERDICT_BAD_FILE;
	}
	return accepted == list->count ? EXIT_ACCEPTED
		   : bad == list->count    ? EXIT_BAD_INPUT
								   : EXIT_NOT_ACCEPTED;
}

/* ---- the run --------------------------------------------------------------- */

/* With its files found. */
static int run_files(const char *program, struct options *options)
{
	struct error err = {{0}};
	struct command command = {.options = options, .program = program};
	if (!events_open(&command.events, options->output.jsonl, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	for (size_t i = 0; i < options->judge.file_count; i++)
		events_queued(&command.events, options->judge.files[i]);
	remember_open(&command.remember, options);
	progress_open(&command.progress, options);
	output_text_open(&command.text, options);
	struct judge_progress steps = {.step = show_step,
								   .compiled = show_compiled,
								   .judged_case = show_case,
								   .verdict = show_verdict,
								   .judged = save_judged,
								   .note = print_note,
								   .stop = command_interrupted,
								   .context = &command};
	command_watch_interrupts();
	struct judgement_list list;
	enum judge_status status = judge_run(&options->judge, &steps, &list, &err);
	progress_close(&command.progress);
	if (status != JUDGE_DONE)
		events_error(&command.events, &err);
	if (status == JUDGE_BAD_INPUT || status == JUDGE_CANNOT_RUN)
		return cli_fail(status == JUDGE_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);

	complete_facts(&command, &list);
	for (size_t i = 0; options->judge.mode != JUDGE_CHECKS && i < list.count; i++)
		events_verdict(&command.events, &list, i); /* those of checks were told as they came */
	remember(&command, &list, true);
	remember_close(&command.remember);
	if (options->watch.last != NULL)
		watched_note(options->watch.last, &list);
	int exit_status = status_of(&list);
	if (status == JUDGE_CUT_SHORT)
		exit_status = cli_fail(EXIT_CANNOT_RUN, &err);
	/* written_files_hold() found the paths good: what fails now is the disk's condition */
	if (!output_write(options, &command.text, &list, &err))
		exit_status = cli_fail(EXIT_CANNOT_RUN, &err);
	events_end(&command.events, &list.facts);
	if (!events_close(&command.events, &err))
		exit_status = cli_fail(EXIT_CANNOT_RUN, &err);
	judgement_list_free(&list);
	command_end_interrupted();
	return exit_status;
}

int command_run(const char *program, struct options *options)
{
	struct error err = {{0}};
	struct files files;
	struct chosen_schedules schedules;
	if (!command_complete(options, &err) ||
		(options->tuned && !chosen_open(&schedules, options->store.file, &options->judge, &err)) ||
		!files_find(options->arguments, options->argument_count, &files, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	options->judge.files = (const char *const *)files.paths;
	options->judge.file_count = files.count;
	int status = run_files(program, options);
	files_free(&files);
	return status;
}
