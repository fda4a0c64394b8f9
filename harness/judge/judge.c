/* The pipeline. Everything that the user can get wrong is found before the
 * first compilation, so that a long run does not end in a usage error. */
#include "judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "judge/bench.h"
#include "judge/cases/check.h"
#include "judge/cases/orders.h"
#include "judge/dispatch.h"
#include "judge/given_baselines.h"
#include "judge/hints/hints.h"
#include "judge/run/ahead.h"
#include "judge/run/device.h"
#include "judge/run/emulated.h"
#include "judge/run/timing_lock.h"
#include "judge/run/turn.h"
#include "judge/submission/compiling.h"
#include "judge/submission/keep.h"
#include "judge/submission/sass.h"
#include "judge/submission/submission.h"
#include "judge/timing/confirm.h"
#include "judge/timing/groups.h"
#include "judge/timing/kept.h"
#include "process/jail.h"

/* Seconds of measuring for a shape; of generated cases there are many, and their
 * mean is what counts. */
#define BUDGET 3.0
#define BUDGET_OF_MANY 1.0

/* A sanitizer makes a kernel slower by one or two orders of magnitude. */
#define SECONDS_UNDER_TOOL 300.0

/* The file's verdict, and what closed its process. */
static void take_timing(struct judgement *out, const struct timing_result *timing)
{
	const struct timing_entry *entry = &timing->entries[0];
	judgement_take_layers(out, entry->enclosed, entry->layers);
	denied_add_all(&out->denied, &entry->denied);
	if (entry->seal.state != SEAL_NONE)
		out->layers |= LAYER_SEALED;
	if (entry->verdict == VERDICT_ACCEPTED) /* its time may be an error of measurement */
		return;
	out->verdict = entry->verdict;
	snprintf(out->detail, sizeof out->detail, "while timing: %s", entry->detail);
}

/* Where the time of the file could not be confirmed: one that can. */
static bool time_larger(struct run *run, struct bench **bench, struct submission *s,
						struct judgement *out, struct error *err)
{
	const struct timing_entry *entry = &out->timing.entries[0];
	struct test_case test;
	double budget = run->time_budget;
	if (entry->verdict != VERDICT_ACCEPTED || entry->seal.state != SEAL_UNCERTAIN ||
		!groups_larger(run, s->problem, &s->timed, entry->seal.host_side, &test))
		return true;
	bool changed = false;
	if (s->in_parts && !submission_supply(run, s, &test, 1, &changed, err))
		return false;
	if (changed) {
		bench_close(*bench);
		*bench = bench_open(run, s->problem, &s, 1, err);
	}
	run->time_budget = fmin(budget, BUDGET_OF_MANY);
	out->has_larger = *bench != NULL && bench_time(*bench, &test, &out->larger, err);
	run->time_budget = budget;
	if (out->has_larger)
		take_timing(out, &out->larger);
	return out->has_larger;
}

static bool judge_time(struct run *run, struct submission *s, struct judgement *out,
					   struct error *err)
{
	if (run->options->timing.untimed)
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
	struct bench *bench = bench_open(run, s->problem, &s, 1, err);
	if (bench != NULL && run->company) /* others wait while this one has the GPU alone */
		bench_prepare(bench);
	turn_take(run, LOCK_ALONE);
	run_progress(run, s->file, "timing", 0, 1);
	bool measured = bench != NULL && bench_time(bench, &s->timed, &out->timing, err);
	out->has_timing = measured;
	if (measured) {
		take_timing(out, &out->timing);
		measured = run_stopped(run) || time_larger(run, &bench, s, out, err);
	}
	epilogue_take_layers(run->epilogue, out);
	bench_close(bench);
	if (run->company) /* the sets of timed calls are large, and others need memory */
		measured = run_renew(run, err) && measured;
	return measured;
}

/* The compiler's, too; the others were looked at before anything was loaded. */
static bool layers_hold(const struct run *run, const struct judgement *out, struct error *err)
{
	unsigned missing = run->options->limits.required & ~out->layers;
	char names[LAYERS_TEXT];
	if (out->verdict != VERDICT_ACCEPTED) /* whose calls were not sealed for that reason */
		missing &= ~(unsigned)LAYER_SEALED;
	return !out->was_run || missing == 0 ||
		   error_set(err, "--require: not closed around %.400s: %s", out->file,
					 layers_print(missing, names));
}

/* That it cannot be kept is no verdict. */
static void keep(const struct run *run, const struct submission *s, const struct judgement *out)
{
	struct error err;
	if (run->options->compile.keep != NULL && out->verdict == VERDICT_ACCEPTED &&
		!keep_write(s->compiled.library, s->file, run->options->compile.keep, &err))
		run_note(run, err.message);
}

/* Whether it is worth a second look: where the referee is gone, which is nobody's doing, and where
 * others that were on the GPU may have had to do with it, as they take its memory and its time. */
static bool wants_another(const struct run *run, bool ok, const struct judgement *out)
{
	if (run_stopped(run))
		return false;
	if (!ok)
		return run->company || run->referee.child == NULL;
	return run->company && out->verdict != VERDICT_ACCEPTED;
}

/* The cases again, by a new referee and with the GPU to itself. Who looks on was told of each case
 * once. */
static bool check_again(struct run *run, struct submission *s, const struct judgement *before,
						struct judgement *out, struct error *err)
{
	const struct judge_progress *told = run->progress;
	struct judge_progress quiet = *told;
	quiet.judged_case = NULL;
	judgement_free(out);
	orders_begin(before, s, out);
	turn_take(run, LOCK_ALONE);
	run->progress = &quiet;
	const bool ok = referee_link_renew(&run->referee, true, err) && orders_check(run, s, out, err);
	run->progress = told;
	return ok;
}

/* The file on its cases: its verdict is what it would be alone, whoever is judged beside it. */
static bool check(struct run *run, struct submission *s, const struct judgement *before,
				  struct judgement *out, struct error *err)
{
	bool ok = orders_check(run, s, out, err);
	if (wants_another(run, ok, out))
		ok = check_again(run, s, before, out, err);
	return ok;
}

static void tell_mistaken(const struct run *run, const struct submission *s)
{
	char line[600];
	text_format(line, sizeof line,
				"%.400s: accepted as a whole, and not in the parts that solution_part() named",
				s->file);
	run_note(run, line);
}

/* The file on its cases, and its time. One in parts that is not accepted is judged once more, as a
 * whole. */
static bool judge_compiled(struct run *run, struct submission *s, struct judgement *out,
						   struct error *err)
{
	struct judgement *before = malloc(sizeof *before);
	if (before == NULL)
		return error_set(err, "out of memory for a judgement");
	*before = *out;
	bool again, ok = check(run, s, before, out, err) && judge_time(run, s, out, err) &&
					 submission_whole(run, s, out->verdict, &again, err);
	if (ok && again && s->compiled.status != COMPILE_OK) {
		judgement_free(out);
		orders_begin(before, s, out);
	} else if (ok && again) {
		ok = check_again(run, s, before, out, err) && judge_time(run, s, out, err);
		if (ok && out->verdict == VERDICT_ACCEPTED)
			tell_mistaken(run, s);
	}
	free(before);
	return ok;
}

static bool judge_file(struct run *run, struct compiling *compiling, struct submission *s,
					   size_t turn, struct judgement *out, struct error *err)
{
	bool stopped = run_stopped(run);
	out->verdict = VERDICT_ACCEPTED;
	out->detail[0] = '\0';
	if (!stopped && !compiling_take(compiling, run, turn, &stopped, err))
		return false;
	if (!stopped && s->refused[0] != '\0') {
		out->verdict = VERDICT_BAD_FILE;
		snprintf(out->detail, sizeof out->detail, "%s", s->refused);
		return true;
	}
	if (stopped) {
		out->verdict = VERDICT_NOT_RUN;
		snprintf(out->detail, sizeof out->detail, RUN_INTERRUPTED);
		return true;
	}
	submission_to_judgement(s, out);
	run_compiled(run, out);
	keep(run, s, out);
	if (out->verdict != VERDICT_ACCEPTED || run->options->mode != JUDGE_CHECKS)
		return true;
	turn_take(run, LOCK_SHARED);
	confirm_ahead(run);
	bool ok = judge_compiled(run, s, out, err);
	turn_end(run);
	return ok;
}

static void facts_fill(const struct run *run, struct run_description *facts)
{
	const struct judge_options *options = run->options;
	*facts = (struct run_description){
		.device = run->referee.facts,
		.device_kind = run->referee.device.kind,
		.devices = 1,
		.seed = options->cases.seed,
		.suites = options->cases.suite_count > 0 ? options->cases.suites : NULL,
		.nvcc_flags = options->compile.nvcc_flags,
		.max_dim = options->cases.max_dim,
		.multiple = options->cases.multiple};
	snprintf(facts->version, sizeof facts->version, "%s", GEMMJUDGE_VERSION);
	clock_date(facts->started);
	char path[PATHS_MAX];
	struct error ignored; /* where files are compiled it is told */
	if (!compile_find_nvcc(path, facts->nvcc, &ignored))
		facts->nvcc[0] = '\0';
	snprintf(facts->tolerance, sizeof facts->tolerance, "%.60s",
			 options->tolerance.text != NULL ? options->tolerance.text : "bound");
	if (run->epilogue != NULL) {
		snprintf(facts->epilogue, sizeof facts->epilogue, "%s", options->epilogue);
		strcpy(facts->epilogue_content, run->epilogue->content);
	}
	if (options->tool.sanitize != NULL)
		snprintf(facts->tool, sizeof facts->tool, "compute-sanitizer %s", options->tool.sanitize);
	else if (options->tool.under != NULL)
		snprintf(facts->tool, sizeof facts->tool, "%s", options->tool.under);
	if (options->mode == JUDGE_CHECKS && options->shapes.count == 1)
		shape_text_print(options->shapes.items, facts->shapes);
	else if (options->mode == JUDGE_CHECKS && options->shapes.count > 1)
		snprintf(facts->shapes, sizeof facts->shapes, "%zu shapes", options->shapes.count);
	if (options->cases.count > 0 && options->cases.suite_count == 0)
		snprintf(facts->sizes, sizeof facts->sizes, "%s",
				 facts->shapes[0] != '\0' ? "given" : case_sizes_names[options->cases.sizes]);
}

/* Files that stand side by side: all of them, or none. */
static bool all_hold(const struct judge_options *options, const struct submission *submissions,
					 struct error *err)
{
	for (size_t i = 0; i < options->file_count; i++) {
		const struct submission *s = &submissions[i];
		if (s->unfit)
			return error_set(err, "%s", s->refused);
		if (s->refused[0] != '\0')
			return error_set(err, "%s: %s", s->file, s->refused);
		if (options->mode == JUDGE_COMPARES && s->problem != submissions[0].problem)
			return error_set(err, "%s and %s solve different problems: compare takes one at a time",
							 submissions[0].file, s->file);
	}
	return true;
}

/* Finds what is wrong with the arguments before anything is started. A file that nothing can be
 * made of has a verdict of its own, and so has one whose problem the options do not suit; that
 * they suit none is a wrong command line. */
static bool arguments_hold(const struct run *run, struct submission *submissions, struct error *err)
{
	const struct judge_options *options = run->options;
	const struct submission *unfit = NULL;
	bool some_fit = false;
	if (!emulated_options(options, err))
		return false;
	if (options->mode != JUDGE_CHECKS && options->device.text != NULL && options->device.count != 1)
		return error_set(err, "--device %s: times side by side are taken on one GPU; name that one",
						 options->device.text);
	if (!given_baselines_hold(options, err))
		return false;
	for (size_t i = 0; i < options->file_count; i++) {
		struct submission *s = &submissions[i];
		submission_take(run, options->files[i], s);
		some_fit = some_fit || (s->problem != NULL && !s->unfit);
		if (s->unfit && unfit == NULL)
			unfit = s;
	}
	if (options->mode != JUDGE_CHECKS)
		return all_hold(options, submissions, err);
	return some_fit || unfit == NULL || error_set(err, "%s", unfit->refused);
}

static void run_close(struct run *run)
{
	confirm_ahead_end(run);
	if (run->outlived)
		referee_link_give_up(&run->referee);
	referee_link_close(&run->referee);
	if (run->lock >= 0)
		close(run->lock);
	run->lock = -1;
}

/* The device, the tool and what is allowed there. */
static enum judge_status run_open(struct run *run, struct error *err)
{
	const struct judge_options *options = run->options;
	run->referee.spends = &run->spends;
	run->referee.lent = options->referee;
	if (options->timing.steady && (options->limits.required & LAYER_SEALED) != 0) {
		error_set(err, "--require sealed: the calls of --steady cannot be sealed");
		return JUDGE_BAD_INPUT;
	}
	if (!tool_none_around(err) || !device_open(&options->device, &run->referee, err)) {
		run_close(run);
		return JUDGE_CANNOT_RUN;
	}
	enum judge_status status = JUDGE_DONE;
	enum device_kind kind = run->referee.device.kind;
	if (!tool_device(options, kind, err) ||
		!emulated_device(options, kind, &run->referee.facts, err))
		status = JUDGE_BAD_INPUT;
	else if (!tool_find(&run->tool, options, err))
		status = JUDGE_CANNOT_RUN;
	if (status != JUDGE_DONE)
		run_close(run);
	return status;
}

static void limits_set(struct run *run)
{
	const struct judge_options *options = run->options;
	bool under = tool_words(&run->tool) != NULL;
	bool emulated = run->referee.device.kind == DEVICE_EMULATED;
	run->timeout = under ? SECONDS_UNDER_TOOL : emulated ? 60.0 : 10.0;
	run->time_budget =
		options->mode != JUDGE_CHECKS && options->cases.count > 0 ? BUDGET_OF_MANY : BUDGET;
	run->memory_limit = (size_t)(under ? 64 : 8) << 30;
	if (options->limits.timeout > 0.0)
		run->timeout = options->limits.timeout;
	if (options->timing.budget > 0.0)
		run->time_budget = options->timing.budget;
	if (options->limits.memory_mib > 0)
		run->memory_limit = options->limits.memory_mib << 20;
}

static void items_prepare(const struct submission *submissions, struct judgement_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct judgement *item = &list->items[i];
		snprintf(item->file, sizeof item->file, "%s", submissions[i].file);
		snprintf(item->content, sizeof item->content, "%s", submissions[i].content);
		snprintf(item->tokens, sizeof item->tokens, "%s", submissions[i].tokens);
		if (submissions[i].problem != NULL)
			snprintf(item->problem, sizeof item->problem, "%s", submissions[i].problem->name);
		item->verdict = VERDICT_NOT_RUN;
		snprintf(item->detail, sizeof item->detail, RUN_ENDED);
	}
}

static bool something_judged(const struct judgement_list *list)
{
	bool some = list->bench_count > 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct judgement *item = &list->items[i];
		some = some || item->verdict != VERDICT_NOT_RUN;
		for (size_t c = 0; c < item->count; c++)
			some = some || item->cases[c].verdict != VERDICT_NOT_RUN;
	}
	return some;
}

static bool something_to_judge(const struct submission *submissions, size_t count)
{
	size_t i = 0;
	while (i < count && submissions[i].refused[0] != '\0')
		i++;
	return i < count;
}

/* The context that the judging of every file needs. */
struct turn_context {
	struct submission *submissions;
	struct compiling *compiling;
};

/* What the judge's own part of the process said for the hints is not the solution's word. */
static void drop_fault(struct judgement *out)
{
	for (size_t i = 0; i < out->count; i++) {
		if (out->cases[i].output == NULL)
			continue;
		text_drop_line(out->cases[i].output, FAULT_IN_SOLVE);
		text_drop_line(out->cases[i].output, FAULT_ON_DEVICE);
	}
}

static bool judge_turn(struct run *run, size_t i, struct judgement *out, void *context,
					   struct error *err)
{
	const struct turn_context *turn = context;
	struct submission *s = &turn->submissions[i];
	run->spends.file = s->file;
	if (!judge_file(run, turn->compiling, s, i, out, err))
		return false;
	hints_find(
		&(struct hint_context){.judgement = out,
							   .source = s->source,
							   .problem = s->problem,
							   .chain = run_chain(run),
							   .device = run->referee.device.kind,
							   .memory_bytes = run->referee.facts.memory_bytes,
							   .isolated = (run->options->limits.required & LAYER_COMPILER) != 0},
		out);
	drop_fault(out);
	return true;
}

/* Of all files at once, before the first. */
static void note_what_is_not_kept(const struct run *run)
{
	struct sass_tool tool;
	struct error err;
	if (run->options->compile.keep != NULL && !sass_find(&tool, &err))
		run_note(run, err.message);
}

static bool judge_files(struct run *run, struct submission *submissions, struct judgement_list *out,
						struct error *err)
{
	struct turn_context context = {.submissions = submissions};
	const struct dispatch_plan plan = {.list = out, .judge = judge_turn, .context = &context};
	struct dispatch *dispatch = dispatch_open(run, &plan, err);
	if (dispatch == NULL)
		return false;
	out->facts.devices = dispatch_devices(dispatch);
	note_what_is_not_kept(run);
	context.compiling = compiling_open(run, submissions, out->count, true, err);
	bool ok = context.compiling != NULL && dispatch_take(dispatch, err);
	compiling_close(context.compiling);
	dispatch_close(dispatch);
	return ok;
}

static bool stop(const void *run)
{
	return run_stopped(run);
}

static enum judge_status run_all(struct run *run, struct submission *submissions,
								 struct judgement_list *out, struct error *err)
{
	const struct judge_options *options = run->options;
	enum judge_status status = JUDGE_DONE;
	if (something_to_judge(submissions, out->count)) /* else nobody needs a device */
		status = run_open(run, err);
	if (status != JUDGE_DONE)
		return status;
	limits_set(run);
	facts_fill(run, &out->facts);

	bool ok = true, changed;
	items_prepare(submissions, out);
	for (size_t i = 0; i < out->count; i++) {
		struct submission *s = &submissions[i];
		if (s->refused[0] == '\0')
			submission_tune(run, s, options->mode == JUDGE_CHECKS ? &s->timed : s->cases, &changed);
	}
	if (options->mode != JUDGE_CHECKS) {
		dispatch_lock(run, stop, run);
		ok = bench_all(run, submissions, options->file_count, out, err);
	} else {
		ok = judge_files(run, submissions, out, err);
	}
	for (size_t i = 0; i < out->count && ok; i++)
		ok = layers_hold(run, &out->items[i], err);
	run_close(run);
	/* a device without times ends no run: none was begun */
	const bool begun = options->mode == JUDGE_CHECKS || run->referee.device.kind == DEVICE_CUDA;
	out->facts.interrupted = (!ok && begun) || run_stopped(run);
	return ok ? JUDGE_DONE : something_judged(out) ? JUDGE_CUT_SHORT : JUDGE_CANNOT_RUN;
}

/* That steps could not be written is no verdict. */
static void tell_profile(const struct run *run)
{
	char line[PATHS_MAX + 64];
	const int why = timeline_failed(run->spends.timeline);
	if (why == 0)
		return;
	text_format(line, sizeof line, "--profile-judge: cannot write %s: %s", run->options->profile,
				strerror(why));
	run_note(run, line);
}

enum judge_status judge_run(const struct judge_options *options,
							const struct judge_progress *progress, struct judgement_list *out,
							struct error *err)
{
	*out = (struct judgement_list){.count = options->file_count};
	const size_t threads =
		options->beside > 0 ? 2 : ahead_threads(); /* judges beside compile, too */
	atomic_size_t part_threads = threads - 1;
	struct run run = {.options = options,
					  .progress = progress,
					  .referee.arena_fd = -1,
					  .lock = -1,
					  .part_threads = &part_threads};
	if (!epilogue_open(options->epilogue, &run.epilogue, err))
		return JUDGE_BAD_INPUT;
	if (run.epilogue == NULL && options->mode == JUDGE_COMPARES) {
		error_set(err, "alpha_beta is what every solution computes: name a stage to compare");
		return JUDGE_BAD_INPUT;
	}

	if (options->profile != NULL) {
		run.spends.timeline = timeline_open(options->profile, err);
		if (run.spends.timeline == NULL) {
			epilogue_close(run.epilogue);
			return JUDGE_CANNOT_RUN;
		}
	}
	struct submission *submissions = calloc(options->file_count + 1, sizeof *submissions);
	out->items = calloc(options->file_count + 1, sizeof *out->items);
	enum judge_status status = JUDGE_CANNOT_RUN;
	run.timing_lock = timing_lock_open(options->beside);
	run.kept = kept_open(options, run.timing_lock);
	if (submissions == NULL || out->items == NULL)
		error_set(err, "out of memory");
	else if (!arguments_hold(&run, submissions, err))
		status = JUDGE_BAD_INPUT;
	else
		status = run_all(&run, submissions, out, err);
	for (size_t i = 0; submissions != NULL && i < options->file_count; i++)
		submission_free(&submissions[i]);
	free(submissions);
	if (run.timing_lock > 0)
		close(run.timing_lock);
	if (run.kept > 0)
		close(run.kept);
	tell_profile(&run);
	timeline_close(run.spends.timeline);
	reference_close(&run.reference);
	epilogue_close(run.epilogue);
	if (status != JUDGE_DONE && status != JUDGE_CUT_SHORT)
		judgement_list_free(out);
	return status;
}
