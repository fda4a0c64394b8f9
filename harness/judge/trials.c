#include "judge/trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/bench.h"
#include "judge/cases/check.h"
#include "judge/dispatch.h"
#include "judge/run/ahead.h"
#include "judge/run/device.h"
#include "judge/submission/compiling.h"
#include "judge/timing/timer.h"

#define TIMEOUT 3.0 /* of a call: a schedule that hangs is not to take the whole budget */
/* why a variant that the deadline overtook takes no part */
#define NOT_COMPILED "not compiled in time"
#define MEMORY ((size_t)8 << 30)
/* Of a result, while many are tried: to compare a large one as a whole takes longer than to time
 * it. The last comparison looks at whole results, unless they have more than LARGE elements. */
#define ROWS 64u
#define LARGE ((uint64_t)1 << 28)

struct trials {
	struct judge_options options;
	const struct judge_progress *outer; /* who looks on; may be NULL */
	struct judge_progress watch;        /* the same, who also stops at the deadline */
	double deadline;                    /* 0: none */
	struct run run;
	char libraries[PATHS_MAX]; /* the folder of all that is compiled */
	char nvcc[64];             /* its version; "" where there is none */
	size_t count;
	struct submission *submissions; /* owned, as are the next two */
	bool *taken;                    /* its compilation was waited for */
	struct compiling *compiling;
	/* those that are timed, and their processes */
	struct timer *timer;
	size_t timed_count, timed[TRIALS_TOGETHER];
	bool dropped[TRIALS_TOGETHER];
	struct entrant entrants[TRIALS_TOGETHER];
};

/* ---- who looks on ----------------------------------------------------------------- */

static bool watch_stop(void *context)
{
	const struct trials *trials = context;
	const struct judge_progress *outer = trials->outer;
	return (outer != NULL && outer->stop != NULL && outer->stop(outer->context)) ||
		   (trials->deadline > 0 && clock_seconds() > trials->deadline);
}

static void watch_note(void *context, const char *line)
{
	const struct judge_progress *outer = ((struct trials *)context)->outer;
	if (outer != NULL && outer->note != NULL)
		outer->note(outer->context, line);
}

static bool over(const void *run)
{
	return run_stopped(run);
}

/* ---- opening ------------------------------------------------------------------------ */

static bool open_all(struct trials *trials, enum judge_status *status, struct error *err)
{
	struct run *run = &trials->run;
	const struct judge_options *options = &trials->options;
	*status = JUDGE_BAD_INPUT;
	if (!epilogue_open(options->epilogue, &run->epilogue, err))
		return false;
	*status = JUDGE_CANNOT_RUN;
	if (!tool_none_around(err) || !device_open(&options->device, &run->referee, err))
		return false;
	/* all of them are one file, and its author is who asks */
	if (!paths_cache(trials->libraries, err))
		return false;
	char nvcc[PATHS_MAX];
	struct error ignored; /* compiling tells it */
	if (!compile_find_nvcc(nvcc, trials->nvcc, &ignored))
		trials->nvcc[0] = '\0';
	run->library_folder = trials->libraries;
	dispatch_lock(run, over, run);
	return run_renew(run, err);
}

struct trials *trials_open(const struct judge_options *options,
						   const struct judge_progress *progress, enum judge_status *status,
						   struct error *err)
{
	struct trials *trials = calloc(1, sizeof *trials);
	*status = JUDGE_CANNOT_RUN;
	if (trials == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	trials->options = *options;
	trials->options.mode = JUDGE_TIMES;
	trials->options.timing.sealed = false; /* the file's author is who asks */
	trials->options.timing.steady = false;
	trials->outer = progress;
	trials->watch =
		(struct judge_progress){.note = watch_note, .stop = watch_stop, .context = trials};
	trials->run =
		(struct run){.options = &trials->options,
					 .progress = &trials->watch,
					 .referee.arena_fd = -1,
					 .lock = -1,
					 .timeout = options->limits.timeout > 0 ? options->limits.timeout : TIMEOUT,
					 .memory_limit = MEMORY};
	if (open_all(trials, status, err))
		return trials;
	trials_close(trials);
	return NULL;
}

const struct device_properties *trials_device(const struct trials *trials, enum device_kind *kind)
{
	*kind = trials->run.referee.device.kind;
	return &trials->run.referee.facts;
}

const char *trials_nvcc(const struct trials *trials)
{
	return trials->nvcc;
}

static void timing_end(struct trials *trials)
{
	timer_close(trials->timer);
	trials->timer = NULL;
}

static void variants_end(struct trials *trials)
{
	timing_end(trials);
	trials_settle(trials);
	for (size_t i = 0; i < trials->count; i++)
		submission_free(&trials->submissions[i]);
	free(trials->submissions);
	free(trials->taken);
	trials->submissions = NULL;
	trials->taken = NULL;
	trials->count = 0;
}

void trials_close(struct trials *trials)
{
	if (trials == NULL)
		return;
	variants_end(trials);
	referee_link_close(&trials->run.referee);
	if (trials->run.lock >= 0)
		close(trials->run.lock);
	reference_close(&trials->run.reference);
	epilogue_close(trials->run.epilogue);
	free(trials);
}

/* ---- compiling ------------------------------------------------------------------------- */

bool trials_compile(struct trials *trials, const char *const *const *flags, size_t count,
					struct error *err)
{
	const char *file = trials->options.files[0];
	variants_end(trials);
	trials->submissions = calloc(count + 1, sizeof *trials->submissions);
	trials->taken = calloc(count + 1, sizeof *trials->taken);
	if (trials->submissions == NULL || trials->taken == NULL)
		return error_set(err, "out of memory for %zu schedules", count);
	trials->count = count;
	submission_take(&trials->run, file, &trials->submissions[0]);
	const struct submission *first = &trials->submissions[0];
	if (first->refused[0] != '\0')
		return error_set(err, "%s: %s", file, first->refused);
	for (size_t i = 0; i < count; i++) {
		struct submission *s = &trials->submissions[i];
		if (i > 0) {
			*s = *first;
			s->cases = NULL;
			s->case_count = 0;
		}
		s->flags = flags[i];
	}
	trials->compiling = compiling_open(&trials->run, trials->submissions, count, false, err);
	return trials->compiling != NULL;
}

void trials_settle(struct trials *trials)
{
	compiling_close(trials->compiling);
	trials->compiling = NULL;
}

bool trials_prepare_libraries(struct trials *trials, struct error *err)
{
	if (trials->run.referee.device.kind == DEVICE_EMULATED)
		return true; /* nothing is timed there */
	struct bench *bench = bench_open(&trials->run, trials->submissions[0].problem, NULL, 0, err);
	bench_close(bench);
	return bench != NULL;
}

/* Waits for one until the deadline. */
static bool take(struct trials *trials, size_t variant, double deadline, struct error *err)
{
	bool stopped = false;
	if (trials->taken[variant] || trials->compiling == NULL)
		return true;
	trials->deadline = deadline;
	bool ok = compiling_take(trials->compiling, &trials->run, variant, &stopped, err);
	trials->deadline = 0;
	trials->taken[variant] = ok && !stopped;
	return ok;
}

bool trials_ready(struct trials *trials, size_t first, size_t most, double deadline, size_t *ready,
				  struct error *err)
{
	*ready = 0;
	while (*ready < most && first + *ready < trials->count) {
		size_t variant = first + *ready;
		if (!take(trials, variant, *ready == 0 ? deadline : clock_seconds(), err))
			return false;
		if (!trials->taken[variant])
			break;
		(*ready)++;
	}
	return true;
}

/* ---- timing ------------------------------------------------------------------------------ */

static size_t place_of(const struct trials *trials, size_t variant)
{
	size_t i = 0;
	while (i < trials->timed_count && (trials->timed[i] != variant || trials->dropped[i]))
		i++;
	return i;
}

/* The processes that are there serve where all of these are among them; the others end. */
static bool timer_suits(struct trials *trials, const struct trials_round *round)
{
	bool wanted[TRIALS_TOGETHER] = {false};
	for (size_t i = 0; trials->timer != NULL && i < round->count; i++) {
		size_t place = place_of(trials, round->variants[i]);
		if (place == trials->timed_count)
			return false;
		wanted[place] = true;
	}
	for (size_t i = 0; trials->timer != NULL && i < trials->timed_count; i++) {
		if (!wanted[i] && !trials->dropped[i])
			timer_drop(trials->timer, i);
		trials->dropped[i] |= !wanted[i];
	}
	return trials->timer != NULL;
}

static bool timer_begin(struct trials *trials, const struct trials_round *round, struct error *err)
{
	trials->timed_count = round->count;
	for (size_t i = 0; i < round->count; i++) {
		const struct submission *s = &trials->submissions[round->variants[i]];
		const char *name = submission_name(trials->options.files[0]);
		trials->timed[i] = round->variants[i];
		trials->dropped[i] = false;
		if (trials->taken[round->variants[i]]) /* else a compiler may still be at it */
			trials->entrants[i] = submission_entrant(s, name);
		else
			trials->entrants[i] = (struct entrant){.label = name, .problem_detail = NOT_COMPILED};
	}
	if (trials->timer != NULL)
		timer_take(trials->timer, trials->entrants, round->count);
	else
		trials->timer = timer_open(&trials->run, trials->submissions[0].problem, trials->entrants,
								   round->count, err);
	return trials->timer != NULL;
}

/* Into the order that was asked for. */
static bool reorder(const struct trials *trials, const struct trials_round *round,
					struct timing_result *out, struct error *err)
{
	struct timing_entry *entries = calloc(round->count + 1, sizeof *entries);
	if (entries == NULL)
		return error_set(err, "out of memory");
	for (size_t i = 0; i < round->count; i++) {
		entries[i] = out->entries[place_of(trials, round->variants[i])];
		if (!trials->taken[round->variants[i]])
			entries[i].verdict = VERDICT_NOT_RUN;
	}
	free(out->entries);
	out->entries = entries;
	out->count = round->count;
	return true;
}

static bool time_alone(struct trials *trials, const struct trials_round *round,
					   struct timing_result *out, struct error *err)
{
	return (timer_suits(trials, round) || timer_begin(trials, round, err)) &&
		   timer_case(trials->timer, round->test, out, err) && reorder(trials, round, out, err);
}

static bool time_beside_libraries(struct trials *trials, const struct trials_round *round,
								  struct timing_result *out, struct error *err)
{
	struct submission *files[TRIALS_TOGETHER];
	timing_end(trials);
	for (size_t i = 0; i < round->count; i++) {
		files[i] = &trials->submissions[round->variants[i]];
		if (!trials->taken[round->variants[i]])
			return error_set(err, "%s: %s", files[i]->file, NOT_COMPILED);
	}
	struct bench *bench =
		bench_open(&trials->run, trials->submissions[0].problem, files, round->count, err);
	bool ok = bench != NULL && bench_time(bench, round->test, out, err);
	bench_close(bench);
	return ok;
}

bool trials_time(struct trials *trials, const struct trials_round *round, struct timing_result *out,
				 struct error *err)
{
	struct run *run = &trials->run;
	*out = (struct timing_result){0};
	for (size_t i = 0; i < round->count; i++)
		if (!take(trials, round->variants[i], round->deadline, err))
			return false;
	const struct shape *shape = &round->test->shape;
	bool large = shape_rows(shape) * shape_columns(shape) > LARGE;
	run->checked_rows = round->passes > 0 || large ? ROWS : 0;
	run->rounds = round->passes;
	run->until = round->deadline;
	run->time_budget = fmax(round->deadline - clock_seconds(), 0);
	bool ok = round->libraries ? time_beside_libraries(trials, round, out, err)
							   : time_alone(trials, round, out, err);
	if (ok)
		return true;
	free(out->entries);
	out->entries = NULL;
	timing_end(trials);
	return false;
}

/* ---- judging ------------------------------------------------------------------------------- */

bool trials_check(struct trials *trials, size_t variant, struct trials_cases cases, double deadline,
				  struct judgement *out, struct error *err)
{
	struct judge_options options = trials->options;
	struct run *run = &trials->run;
	struct submission drawn;
	*out = (struct judgement){.verdict = VERDICT_ACCEPTED};
	timing_end(trials);
	if (!take(trials, variant, deadline, err))
		return false;
	if (!trials->taken[variant]) { /* a compiler may still be at it */
		out->verdict = VERDICT_NOT_RUN;
		snprintf(out->detail, sizeof out->detail, NOT_COMPILED);
		return true;
	}
	options.mode = JUDGE_CHECKS;
	options.cases.suite_count = options.shapes.count = 0; /* generated cases of all sizes */
	options.cases.count = cases.count;
	if (options.cases.max_dim == 0)
		options.cases.max_dim = cases.max_dim;
	run->options = &options; /* until the end */
	submission_take(run, options.files[0], &drawn);
	submission_to_judgement(&trials->submissions[variant], out);
	bool ok = drawn.refused[0] == '\0' || error_set(err, "%s: %s", drawn.file, drawn.refused);
	out->cases = calloc(drawn.case_count + 1, sizeof *out->cases);
	if (out->cases == NULL)
		ok = error_set(err, "out of memory");
	for (size_t i = 0; ok && out->cases != NULL && i < drawn.case_count; i++)
		out->cases[out->count++].test = drawn.cases[i];
	submission_free(&drawn);
	trials->deadline = deadline;
	const struct entrant entrant =
		submission_entrant(&trials->submissions[variant], submission_name(options.files[0]));
	ok = ok && (out->verdict != VERDICT_ACCEPTED ||
				check_cases(run, trials->submissions[0].problem, &entrant, out, err));
	trials->deadline = 0;
	run->options = &trials->options;
	return ok;
}
