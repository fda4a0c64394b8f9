#include "judge/given_baselines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/cases/orders.h"
#include "judge/program.h"
#include "judgement/floor.h"

/* That a baseline is judged on. */
#define CASES 8
#define MAX_DIM_EMULATED 64

#define PROGRAM_SECONDS 120.0 /* of a command for one shape */

struct given_file {
	struct submission submission;
	enum verdict verdict;
	char why[sizeof((struct submission *)NULL)->refused]; /* not */
};

struct given_baselines {
	size_t count;
	struct given_file files[JUDGE_BASELINES_MAX];
};

static bool is_source(const char *text)
{
	size_t length = strlen(text);
	return length > 3 && strcmp(text + length - 3, ".cu") == 0;
}

static bool holds(const struct judge_options *options, const char *text, struct error *err)
{
	struct submission file = {.source = text};
	if (program_is(text) && options->limits.required != 0)
		return error_set(err, "a command runs outside of the jail, and --require is given");
	if (program_is(text))
		return program_holds(text, err);
	if (!is_source(text))
		return error_set(err, "a .cu file is needed, or a command with {m}, {n} and {k} in it");
	return submission_holds(&file) || error_set(err, "%s", file.refused);
}

bool given_baselines_hold(const struct judge_options *options, struct error *err)
{
	for (size_t i = 0; i < options->timing.baseline_count; i++)
		if (!holds(options, options->timing.baselines[i], err))
			return error_prefix(err, "--baseline %s", options->timing.baselines[i]);
	return true;
}

/* With its cases made and compiled. */
static bool check(struct run *run, struct given_file *file, struct error *err)
{
	struct submission *s = &file->submission;
	struct judgement *judged = calloc(1, sizeof *judged);
	if (judged == NULL)
		return error_set(err, "out of memory");
	bool ok = submission_compile(run, run->control, s, err);
	if (ok)
		submission_to_judgement(s, judged);
	if (ok && judged->verdict == VERDICT_ACCEPTED)
		ok = orders_check(run, s, judged, err);
	file->verdict = ok ? judged->verdict : VERDICT_NOT_RUN;
	if (ok && file->verdict != VERDICT_ACCEPTED)
		text_format(file->why, sizeof file->why, "%s: %s", verdict_name(judged->verdict),
					judged->detail);
	judgement_free(judged);
	free(judged);
	return ok;
}

/* As `judge` would judge it, on a few cases. */
static bool file_open(struct run *run, const struct problem *problem, const char *path,
					  struct given_file *file, struct error *err)
{
	const struct judge_options *asked = run->options;
	bool emulated = run->referee.device.kind == DEVICE_EMULATED;
	struct judge_options checks = *asked;
	checks.mode = JUDGE_CHECKS;
	checks.problem = problem;
	checks.cases.count = CASES;
	checks.cases.max_dim =
		asked->cases.max_dim == 0 && emulated ? MAX_DIM_EMULATED : asked->cases.max_dim;
	checks.cases.suite_count = checks.shapes.count = 0;
	checks.compile.schedules = NULL;
	checks.timing.untimed = true;
	run->options = &checks;
	submission_take(run, path, &file->submission);
	file->submission.own_epilogue = true;
	bool ok = true;
	file->verdict = VERDICT_BAD_FILE;
	if (file->submission.refused[0] != '\0')
		memcpy(file->why, file->submission.refused, sizeof file->why);
	else
		ok = check(run, file, err);
	run->options = asked;
	return ok;
}

bool given_baselines_open(struct run *run, const struct problem *problem,
						  struct given_baselines **out, struct error *err)
{
	const struct judge_options *options = run->options;
	char line[1400];
	*out = NULL;
	if (options->timing.baseline_count == 0)
		return true;
	struct given_baselines *given = calloc(1, sizeof *given);
	if (given == NULL)
		return error_set(err, "out of memory");
	bool ok = true;
	for (size_t i = 0; i < options->timing.baseline_count && ok; i++) {
		const char *text = options->timing.baselines[i];
		if (program_is(text)) {
			snprintf(line, sizeof line,
					 "--baseline %.200s: runs outside of the jail, and says its time itself", text);
			if (run->referee.device.kind == DEVICE_CUDA)
				run_note(run, line);
			continue;
		}
		struct given_file *file = &given->files[given->count++];
		ok = file_open(run, problem, text, file, err);
		snprintf(line, sizeof line, "--baseline %.200s: not timed: %s", text, file->why);
		if (ok && file->verdict != VERDICT_ACCEPTED)
			run_note(run, line);
	}
	*out = given;
	return ok;
}

size_t given_baselines_entrants(const struct given_baselines *given, struct entrant *out)
{
	size_t count = 0;
	for (; given != NULL && count < given->count; count++) {
		const struct given_file *file = &given->files[count];
		out[count] = submission_entrant(&file->submission, submission_name(file->submission.file));
		out[count].role = TIMING_BASELINE;
		if (file->verdict == VERDICT_ACCEPTED)
			continue;
		out[count].library = NULL;
		out[count].refused = file->verdict;
		out[count].problem_detail = file->why;
	}
	return count;
}

/* One time, by the program's own word. */
static void entry_fill(const struct run *run, const char *text, const struct timing_result *timing,
					   const char *untimed, struct timing_entry *out)
{
	struct error why;
	double time = 0;
	*out = (struct timing_entry){.role = TIMING_PROGRAM, .verdict = VERDICT_NOT_RUN};
	program_name(text, out->label);
	snprintf(out->detail, sizeof out->detail, "%s", untimed != NULL ? untimed : "");
	if (untimed != NULL)
		return;
	out->ran = program_time(text, &timing->test.shape, PROGRAM_SECONDS, &time, &why);
	text_format(out->detail, sizeof out->detail, "%s",
				out->ran ? "measured by its own program, and not checked" : why.message);
	if (!out->ran)
		return;
	out->verdict = VERDICT_ACCEPTED;
	out->span = out->event = (struct timing_stats){1, time, time, time, time, time};
	out->tflops = 2.0 * shape_terms(&timing->test.shape) / time * 1e-6;
	out->seal.floor = floor_of(&run->referee.facts, timing);
	timing_keep_possible(out);
}

bool given_baselines_run(const struct run *run, const struct given_baselines *given,
						 const char *untimed, struct timing_result *out, struct error *err)
{
	const struct judge_options *options = run->options;
	size_t room = out->count + options->timing.baseline_count;
	if (given == NULL || room == 0)
		return true;
	struct timing_entry *entries = realloc(out->entries, room * sizeof *entries);
	if (entries == NULL)
		return error_set(err, "out of memory");
	out->entries = entries;
	for (size_t i = 0; i < options->timing.baseline_count; i++)
		if (program_is(options->timing.baselines[i]))
			entry_fill(run, options->timing.baselines[i], out,
					   run_stopped(run) ? RUN_INTERRUPTED : untimed, &entries[out->count++]);
	return true;
}

void given_baselines_close(struct given_baselines *given)
{
	for (size_t i = 0; given != NULL && i < given->count; i++)
		submission_free(&given->files[i].submission);
	free(given);
}
