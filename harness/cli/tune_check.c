/* gemmjudge tune --judge: whether the best ranked schedules compute what they should. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/tune.h"
#include "judge/options/device_request.h"
#include "judge/run/emulated.h"

#define CASES 4
#define MAX_DIM_EMULATED 128

static void show_step(void *context, const char *file, const char *what, size_t done, size_t total)
{
	output_progress_step(context, file, what, done, total);
}

/* The options of a run that judges one schedule after the other; flags come later. */
static bool check_options(const struct tuned *tuned, struct judge_options *out, struct error *err)
{
	*out = tuned->options->judge;
	out->mode = JUDGE_CHECKS;
	out->untimed = true;
	bool emulated = device_request_seems_emulated(&out->device);
	if (out->suite_count == 0) {
		if (out->cases == 0)
			out->cases = CASES;
		if (out->max_dim == 0 && emulated)
			out->max_dim = MAX_DIM_EMULATED;
	}
	for (size_t i = 0; emulated && emulated_gpus[i] != NULL; i++)
		if (strcmp(tuned->gpu.id, emulated_gpus[i]) == 0)
			out->emulate = emulated_gpus[i];
	out->shape_count = 0; /* it ranked them; the cases are of all sizes */
	return out->nvcc_flag_count + tuned->space.constant_count <= JUDGE_FLAGS_MAX ||
		   error_set(err, "too many flags: %zu constants take one each, of %d in all",
					 tuned->space.constant_count, JUDGE_FLAGS_MAX);
}

/* The first line of the compiler's messages that tells of an error, or NULL; `out` has room. */
static const char *first_error(const char *log, char *out, size_t capacity)
{
	const char *found = log != NULL ? strstr(log, "error") : NULL;
	if (found == NULL)
		return NULL;
	while (found > log && found[-1] != '\n')
		found--;
	snprintf(out, capacity, "%.*s", (int)strcspn(found, "\n"), found);
	return out;
}

/* Takes what the judge found about the only file of its run. */
static void take_verdict(struct tuned *tuned, struct tuned_check *check,
						 const struct judgement_list *list)
{
	const struct judgement *judgement = &list->items[0];
	check->verdict = judgement->verdict;
	check->accepted = judgement->accepted;
	check->count = judgement->count;
	if (judgement->verdict != VERDICT_COMPILE_ERROR ||
		first_error(judgement->compile_log, check->detail, sizeof check->detail) == NULL)
		snprintf(check->detail, sizeof check->detail, "%s", judgement->detail);
	snprintf(tuned->device, sizeof tuned->device, "%s", list->facts.device.name);
}

/* One schedule. JUDGE_DONE, or why the judge cannot go on. */
static enum judge_status check_one(struct tuned *tuned, const struct judge_options *usual,
								   const struct judge_progress *progress, struct tuned_check *check,
								   struct error *err)
{
	struct judge_options judge = *usual;
	const char *all_flags[JUDGE_FLAGS_MAX + 1] = {NULL};
	struct schedule_flags flags;
	struct judgement_list list;
	schedule_flags(&tuned->space, tuned->shapes[0].ranking.list.items[check->schedule].values,
				   &flags);
	memcpy(all_flags, judge.nvcc_flags, judge.nvcc_flag_count * sizeof *all_flags);
	for (size_t i = 0; i < flags.count; i++)
		all_flags[judge.nvcc_flag_count++] = flags.text[i];
	judge.nvcc_flags = all_flags;
	enum judge_status status = judge_run(&judge, progress, &list, err);
	if (status == JUDGE_BAD_INPUT || status == JUDGE_CANNOT_RUN)
		return status;
	if (list.count > 0)
		take_verdict(tuned, check, &list);
	judgement_list_free(&list);
	return status;
}

static void show_summary(const struct tuned *tuned, FILE *out)
{
	size_t accepted = 0;
	for (size_t i = 0; i < tuned->check_count; i++)
		accepted += tuned->checks[i].verdict == VERDICT_ACCEPTED;
	fprintf(out, "%s%zu of %zu schedules accepted%s%s\n",
			command_interrupted(NULL) ? "interrupted: " : "", accepted, tuned->check_count,
			tuned->device[0] != '\0' ? ": " : "", tuned->device);
	fflush(out); /* a signal may end the program next */
}

int tune_check(struct tuned *tuned, FILE *out)
{
	const struct tuned_shape *shape = &tuned->shapes[0];
	struct judge_options judge;
	struct output_progress line;
	struct error err = {{0}};
	int status = EXIT_ACCEPTED;
	if (!check_options(tuned, &judge, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	tuned->checked = true;
	tuned->checks = calloc(shape->shown, sizeof *tuned->checks);
	if (tuned->checks == NULL)
		return error_set(&err, "out of memory"), cli_fail(EXIT_CANNOT_RUN, &err);
	tune_show_check_head(tuned, out);
	output_progress_open(&line, tuned->options);
	line.files = shape->shown;
	const struct judge_progress progress = {
		.step = show_step, .stop = command_interrupted, .context = &line};
	command_watch_interrupts();
	for (size_t i = 0; i < shape->shown && !command_interrupted(NULL); i++) {
		struct tuned_check *check = &tuned->checks[i];
		*check = (struct tuned_check){.place = i, .schedule = ranked_at(&shape->ranking, i)};
		enum judge_status ended = check_one(tuned, &judge, &progress, check, &err);
		output_progress_close(&line);
		if (ended != JUDGE_DONE) {
			status = cli_fail(ended == JUDGE_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
			break;
		}
		if (command_interrupted(NULL) && check->verdict != VERDICT_ACCEPTED)
			break; /* it had not all of its cases */
		line.files_done++;
		tuned->check_count++;
		tune_show_check(tuned, check, out);
		if (check->verdict != VERDICT_ACCEPTED)
			status = EXIT_NOT_ACCEPTED;
	}
	show_summary(tuned, out);
	return status;
}
