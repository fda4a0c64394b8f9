/* The pipeline. Everything that the user can get wrong is found before the
 * first compilation, so that a long run does not end in a usage error. */
#include "judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "judge/bench.h"
#include "judge/check.h"
#include "judge/emulated.h"
#include "judge/submission.h"

/* Seconds of measuring for a shape; of generated cases there are many, and their
 * mean is what counts. */
#define BUDGET 3.0
#define BUDGET_OF_MANY 1.0

/* A sanitizer makes a kernel slower by one or two orders of magnitude. */
#define SECONDS_UNDER_TOOL 300.0

static bool judge_time(struct run *run, struct submission *s, struct judgement *out,
					   struct error *err)
{
	if (run->options->untimed)
		return true;
	if (tool_words(&run->tool) != NULL) {
		snprintf(out->timing_note, sizeof out->timing_note,
				 "not timed: a tool looks on, and that takes time");
		return true;
	}
	if (run->referee.device.kind == DEVICE_EMULATED) {
		snprintf(out->timing_note, sizeof out->timing_note,
				 "no time is shown: the emulated GPU computes results, not speed");
		return true;
	}
	if (run_stopped(run)) {
		snprintf(out->timing_note, sizeof out->timing_note, "not timed: interrupted");
		return true;
	}
	if (out->verdict != VERDICT_ACCEPTED) {
		snprintf(out->timing_note, sizeof out->timing_note,
				 "not timed: only accepted solutions are");
		return true;
	}
	run_progress(run, s->file, "timing", 0, 1);
	struct bench *bench = bench_open(run, s->problem, &s, 1, err);
	bool measured = bench != NULL && bench_time(bench, &s->timed, &out->timing, err);
	bench_close(bench);
	if (!measured)
		return false;
	out->has_timing = true;
	if (!out->timing.entries[0].ran) {
		out->verdict =
			out->timing.entries[0].wrong > 0 ? VERDICT_WRONG_ANSWER : VERDICT_RUNTIME_ERROR;
		snprintf(out->detail, sizeof out->detail, "while timing: %s",
				 out->timing.entries[0].detail);
	}
	return true;
}

static bool judge_file(struct run *run, struct submission *s, struct judgement *out,
					   struct error *err)
{
	snprintf(out->file, sizeof out->file, "%s", s->file);
	snprintf(out->problem, sizeof out->problem, "%s", s->problem->name);
	if (run_stopped(run)) {
		out->verdict = VERDICT_NOT_RUN;
		snprintf(out->detail, sizeof out->detail, RUN_INTERRUPTED);
		return true;
	}
	if (!submission_compile(run, s, err))
		return false;
	judgement_take_compile(s, out);
	if (out->verdict != VERDICT_ACCEPTED || run->options->mode != JUDGE_CHECKS)
		return true;

	out->cases = calloc(s->case_count, sizeof *out->cases);
	if (out->cases == NULL)
		return error_set(err, "out of memory for %zu results", s->case_count);
	out->count = s->case_count;
	for (size_t i = 0; i < out->count; i++)
		out->cases[i].test = s->cases[i];

	struct entrant entrant = submission_entrant(s, base_name(s->file));
	return check_cases(run, s->problem, &entrant, out, err) && judge_time(run, s, out, err);
}

static void facts_fill(const struct run *run, struct run_facts *facts)
{
	const struct judge_options *options = run->options;
	*facts = (struct run_facts){.device = run->referee.facts,
								.device_kind = run->referee.device.kind,
								.seed = options->seed,
								.nvcc_flags = options->nvcc_flags,
								.max_dim = options->max_dim,
								.multiple = options->multiple};
	snprintf(facts->version, sizeof facts->version, "%s", GEMMJUDGE_VERSION);
	time_t now = time(NULL);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(facts->started, sizeof facts->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(facts->tolerance, sizeof facts->tolerance, "%.60s",
			 options->tolerance.text != NULL ? options->tolerance.text : "bound");
	if (run->epilogue != NULL)
		snprintf(facts->epilogue, sizeof facts->epilogue, "%s", options->epilogue);
	if (options->sanitize != NULL)
		snprintf(facts->tool, sizeof facts->tool, "compute-sanitizer %s", options->sanitize);
	else if (options->under != NULL)
		snprintf(facts->tool, sizeof facts->tool, "%s", options->under);
	if (options->cases > 0 && options->suite_count == 0)
		snprintf(facts->sizes, sizeof facts->sizes, "%s", case_sizes_names[options->sizes]);
	size_t used = 0;
	for (size_t i = 0; i < options->suite_count && used < sizeof facts->suite; i++)
		used += (size_t)snprintf(facts->suite + used, sizeof facts->suite - used, "%s%s",
								 i > 0 ? "," : "", options->suites[i]);
}

/* Finds what is wrong with the arguments before anything is started. */
static bool arguments_hold(const struct run *run, struct submission *submissions, struct error *err)
{
	const struct judge_options *options = run->options;
	if (!emulated_options(options, err))
		return false;
	for (size_t i = 0; i < options->file_count; i++) {
		if (!submission_take(run, options->files[i], &submissions[i], err))
			return false;
		if (options->mode == JUDGE_COMPARES && submissions[i].problem != submissions[0].problem)
			return error_set(err, "%s and %s solve different problems: compare takes one at a time",
							 submissions[0].file, submissions[i].file);
	}
	return true;
}

/* The device, the tool and what is allowed there. */
static enum judge_status run_open(struct run *run, struct error *err)
{
	const struct judge_options *options = run->options;
	if (!tool_none_around(err) || !device_open(&options->device, &run->referee, err))
		return JUDGE_CANNOT_RUN;
	enum judge_status status = JUDGE_DONE;
	enum device_kind kind = run->referee.device.kind;
	if (!tool_device(options, kind, err) ||
		!emulated_device(options, kind, &run->referee.facts, err))
		status = JUDGE_BAD_INPUT;
	else if (!tool_find(&run->tool, options, err))
		status = JUDGE_CANNOT_RUN;
	if (status != JUDGE_DONE)
		referee_link_close(&run->referee);
	return status;
}

static void limits_set(struct run *run)
{
	const struct judge_options *options = run->options;
	bool under = tool_words(&run->tool) != NULL;
	bool emulated = run->referee.device.kind == DEVICE_EMULATED;
	run->timeout = under ? SECONDS_UNDER_TOOL : emulated ? 60.0 : 10.0;
	run->time_budget =
		options->mode != JUDGE_CHECKS && options->cases > 0 ? BUDGET_OF_MANY : BUDGET;
	run->memory_limit = (size_t)(under ? 64 : 8) << 30;
	if (options->timeout > 0.0)
		run->timeout = options->timeout;
	if (options->time_budget > 0.0)
		run->time_budget = options->time_budget;
	if (options->memory_mib > 0)
		run->memory_limit = options->memory_mib << 20;
}

static enum judge_status run_all(struct run *run, struct submission *submissions,
								 struct judgement_list *out, struct error *err)
{
	const struct judge_options *options = run->options;
	enum judge_status status = run_open(run, err);
	if (status != JUDGE_DONE)
		return status;
	limits_set(run);
	facts_fill(run, &out->facts);

	bool ok = true;
	if (options->mode != JUDGE_CHECKS)
		ok = bench_all(run, submissions, options->file_count, out, err);
	else
		for (size_t i = 0; i < options->file_count && ok; i++)
			ok = judge_file(run, &submissions[i], &out->items[i], err);
	referee_link_close(&run->referee);
	out->facts.interrupted = run_stopped(run);
	return ok ? JUDGE_DONE : JUDGE_CANNOT_RUN;
}

enum judge_status judge_run(const struct judge_options *options,
							const struct judge_progress *progress, struct judgement_list *out,
							struct error *err)
{
	*out = (struct judgement_list){.count = options->file_count};
	struct run run = {.options = options, .progress = progress};
	err->message[0] = '\0';
	if (options->epilogue != NULL)
		run.epilogue = epilogue_open(options->epilogue, err);
	if (run.epilogue == NULL && err->message[0] == '\0' && options->mode == JUDGE_COMPARES)
		error_set(err, "alpha_beta is what every solution computes: name a stage to compare");
	if (err->message[0] != '\0')
		return JUDGE_BAD_INPUT;

	struct submission *submissions = calloc(options->file_count + 1, sizeof *submissions);
	out->items = calloc(options->file_count + 1, sizeof *out->items);
	enum judge_status status = JUDGE_CANNOT_RUN;
	if (submissions == NULL || out->items == NULL)
		error_set(err, "out of memory");
	else if (!arguments_hold(&run, submissions, err))
		status = JUDGE_BAD_INPUT;
	else
		status = run_all(&run, submissions, out, err);
	for (size_t i = 0; submissions != NULL && i < options->file_count; i++)
		submission_free(&submissions[i]);
	free(submissions);
	epilogue_close(run.epilogue);
	if (status != JUDGE_DONE)
		judgement_list_free(out);
	return status;
}
