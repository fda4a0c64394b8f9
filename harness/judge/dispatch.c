#include "judge/dispatch.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "judge/run/ahead.h"
#include "judge/run/device.h"
#include "judge/run/lock.h"
#include "judge/run/timing_lock.h"
#include "judge/run/turn.h"
#include "judge/timing/confirm.h"

#define STEP_SECONDS 0.1 /* between two steps that are shown, where several devices have some */

/* A device and who serves it. */
struct side {
	struct dispatch *dispatch;
	struct run *run;
	struct run other; /* *run, but for the first */
	char label[DEVICE_LABEL];
	pthread_t thread;
	bool started;
	bool pauses; /* compilers, for the times of another judge */
};

enum end { UNDER_WAY, JUDGED, GIVEN_UP };

struct dispatch {
	struct dispatch_plan plan;
	struct run first;             /* as it was, with those who look on */
	struct judge_progress shared; /* these, told by one thread at a time */
	double next_step;
	pthread_mutex_t held; /* who looks on, the list's items, and what follows */
	size_t next, told;    /* items */
	enum end *ends;       /* of each */
	bool begun;           /* there is a device, or none is needed any longer */
	bool failed;          /* a file, with --fail-fast */
	bool broken;          /* the run cannot go on: why */
	struct error why;
	struct calibration_share *calibrations; /* of each device */
	size_t devices, count;                  /* sides: some for each device */
	struct side sides[];
};

/* ---- who looks on --------------------------------------------------------------- */

static void share_step(void *context, const char *file, const char *what, size_t done, size_t total)
{
	struct dispatch *dispatch = context;
	pthread_mutex_lock(&dispatch->held);
	double now = clock_seconds();
	const bool tells = strcmp(what, "compiling") == 0 || strcmp(what, "timing") == 0;
	if (dispatch->count == 1 || tells || now >= dispatch->next_step) {
		run_progress(&dispatch->first, file, what, done, total);
		dispatch->next_step = now + STEP_SECONDS;
	}
	pthread_mutex_unlock(&dispatch->held);
}

static void share_compiled(void *context, const struct judgement *item)
{
	struct dispatch *dispatch = context;
	pthread_mutex_lock(&dispatch->held);
	run_compiled(&dispatch->first, item);
	pthread_mutex_unlock(&dispatch->held);
}

static void share_case(void *context, const struct judgement *item, size_t i)
{
	struct dispatch *dispatch = context;
	pthread_mutex_lock(&dispatch->held);
	run_judged_case(&dispatch->first, item, i);
	pthread_mutex_unlock(&dispatch->held);
}

static void share_note(void *context, const char *line)
{
	struct dispatch *dispatch = context;
	pthread_mutex_lock(&dispatch->held);
	run_note(&dispatch->first, line);
	pthread_mutex_unlock(&dispatch->held);
}

static bool share_stop(void *context)
{
	return run_stopped(&((struct dispatch *)context)->first);
}

/* ---- devices -------------------------------------------------------------------- */

void dispatch_lock(struct run *run, bool (*over)(const void *context), const void *context)
{
	char name[64], line[400];
	if (run->referee.facts.name[0] == '\0') /* there is nothing to judge */
		return;
	lock_name(&run->referee.device, &run->referee.facts, name);
	enum lock_state state = name[0] != '\0' ? lock_take(name, LOCK_ALONE, &run->lock) : LOCK_HELD;
	if (state == LOCK_AMISS)
		turn_tell_amiss(run, name, errno);
	if (state != LOCK_BUSY)
		return;
	referee_link_close(&run->referee); /* check_cases() opens it anew */
	snprintf(line, sizeof line, "another judge uses the GPU %s; waiting for it", name);
	run_note(run, line);
	const double begun = clock_seconds();
	lock_wait(name, LOCK_ALONE, &run->lock, over, context);
	timeline_end(&run->spends, TIMELINE_LOCK, begun);
}

static void other_close(struct run *run)
{
	confirm_ahead_end(run);
	referee_link_close(&run->referee);
	if (run->lock >= 0)
		close(run->lock);
	reference_close(&run->reference);
	epilogue_close(run->epilogue);
}

/* A run like the first one on the device number i: that one has its referee, where several files
 * are judged on a device, from its first file on. */
static bool other_open(struct run *run, const struct run *first, size_t i, struct error *err)
{
	const struct judge_options *options = first->options;
	*run = *first;
	run->referee = (struct referee_link){.spends = &run->spends, .arena_fd = -1};
	run->lock = -1;
	run->calibration = NULL;
	run->reference = (struct reference){0};
	if (!epilogue_open(options->epilogue, &run->epilogue, err))
		return false;
	if (i == 0) {
		run->referee.device = first->referee.device;
		run->referee.facts = first->referee.facts;
	}
	if ((i == 0 || device_open_other(&options->device, &first->referee, i, &run->referee, err)) &&
		tool_find(&run->tool, options, err))
		return true;
	other_close(run);
	return false;
}

static bool side_open(struct dispatch *dispatch, size_t i, struct run *run, struct error *err)
{
	struct side *side = &dispatch->sides[i];
	side->dispatch = dispatch;
	side->run = i == 0 ? run : &side->other;
	if (i > 0 && !other_open(&side->other, &dispatch->first, i % dispatch->devices, err))
		return false;
	side->run->progress = &dispatch->shared;
	side->run->calibrations = &dispatch->calibrations[i % dispatch->devices];
	device_label(&side->run->referee.device, i % dispatch->devices, side->label);
	return true;
}

/* How many files are judged at once: no more than there are, and one where there is nothing to
 * judge. A tool wants its device for itself. */
static size_t sides_wanted(const struct run *run, size_t files, size_t devices)
{
	const struct judge_options *options = run->options;
	size_t jobs = options->jobs > 0          ? options->jobs
				  : options->cases.fail_fast ? devices /* nothing is begun that may be in vain */
											 : ahead_threads();
	if (run->referee.facts.name[0] == '\0' || files < 2)
		return 1;
	const size_t places = devices * turn_room(run->referee.facts.memory_bytes);
	if (run->referee.device.kind == DEVICE_CUDA && jobs > places)
		jobs = places;
	if (tool_words(&run->tool) != NULL || jobs < devices)
		jobs = devices;
	return jobs < files ? jobs : files;
}

static bool has_company(const struct run *run, size_t sides, size_t devices)
{
	return run->referee.device.kind == DEVICE_CUDA && tool_words(&run->tool) == NULL &&
		   (run->options->beside > 0 || sides > devices);
}

struct dispatch *dispatch_open(struct run *run, const struct dispatch_plan *plan, struct error *err)
{
	const size_t listed = device_count(&run->options->device, &run->referee);
	const size_t devices = listed > 0 ? listed : 1;
	const size_t count = sides_wanted(run, plan->list->count, devices);
	struct dispatch *dispatch = calloc(1, sizeof *dispatch + count * sizeof *dispatch->sides);
	if (dispatch != NULL) {
		dispatch->ends = calloc(plan->list->count + 1, sizeof *dispatch->ends);
		dispatch->calibrations = calloc(devices, sizeof *dispatch->calibrations);
	}
	if (dispatch == NULL || dispatch->ends == NULL || dispatch->calibrations == NULL) {
		if (dispatch != NULL)
			free(dispatch->ends);
		free(dispatch);
		error_set(err, "out of memory for %zu files at once", count);
		return NULL;
	}
	pthread_mutex_init(&dispatch->held, NULL);
	dispatch->plan = *plan;
	dispatch->devices = devices < count ? devices : count;
	for (size_t i = 0; i < dispatch->devices; i++)
		confirm_share(&dispatch->calibrations[i]);
	run->company = has_company(run, count, devices);
	dispatch->first = *run;
	dispatch->shared = (struct judge_progress){.step = share_step,
											   .compiled = share_compiled,
											   .judged_case = share_case,
											   .note = share_note,
											   .stop = share_stop,
											   .context = dispatch};
	while (dispatch->count < count && side_open(dispatch, dispatch->count, run, err))
		dispatch->count++;
	if (dispatch->count == count)
		return dispatch;
	dispatch_close(dispatch);
	return NULL;
}

size_t dispatch_devices(const struct dispatch *dispatch)
{
	return dispatch->devices;
}

void dispatch_close(struct dispatch *dispatch)
{
	for (size_t i = 0; i < dispatch->count; i++)
		if (i > 0)
			other_close(&dispatch->sides[i].other);
	if (dispatch->count > 0) {
		struct run *run = dispatch->sides[0].run;
		confirm_ahead_end(run);
		run->calibrations = NULL;
		run->progress = dispatch->first.progress;
	}
	for (size_t i = 0; i < dispatch->devices; i++)
		confirm_share_end(&dispatch->calibrations[i]);
	free(dispatch->calibrations);
	pthread_mutex_destroy(&dispatch->held);
	free(dispatch->ends);
	free(dispatch);
}

/* ---- files and devices ------------------------------------------------------------- */

static bool is_over(struct dispatch *dispatch)
{
	return dispatch->next == dispatch->plan.list->count || dispatch->failed || dispatch->broken;
}

/* Nobody waits for a device any longer that has nothing to do. */
static bool is_over_or_stopped(const void *context)
{
	struct dispatch *dispatch = (struct dispatch *)context;
	pthread_mutex_lock(&dispatch->held);
	bool over = is_over(dispatch);
	pthread_mutex_unlock(&dispatch->held);
	return over || run_stopped(&dispatch->first);
}

/* Takes the next item as it was prepared. */
static bool take_next(struct dispatch *dispatch, size_t *i, struct judgement *out)
{
	pthread_mutex_lock(&dispatch->held);
	bool over = is_over(dispatch);
	if (!over) {
		*i = dispatch->next++;
		*out = dispatch->plan.list->items[*i];
	}
	pthread_mutex_unlock(&dispatch->held);
	return !over;
}

/* Verdicts are told in the files' order, whichever came first; at the end `all`, since some were
 * never begun. The lock is held. */
static void tell_in_order(struct dispatch *dispatch, bool all)
{
	struct judgement_list *list = dispatch->plan.list;
	for (; dispatch->told < list->count; dispatch->told++) {
		const enum end end = dispatch->ends[dispatch->told];
		if (end == UNDER_WAY && !all)
			return;
		if (end != JUDGED)
			continue;
		run_verdict(&dispatch->first, list, dispatch->told);
		run_judged(&dispatch->first, list);
	}
}

/* Into the list, which nobody sees half filled. */
static void hand_in(struct side *side, size_t i, struct judgement *judged, const struct error *why)
{
	struct dispatch *dispatch = side->dispatch;
	struct judgement_list *list = dispatch->plan.list;
	pthread_mutex_lock(&dispatch->held);
	if (dispatch->devices > 1)
		memcpy(judged->device, side->label, sizeof judged->device);
	if (why != NULL) {
		run_gave_up(judged, why->message);
		if (!dispatch->broken)
			dispatch->why = *why;
		dispatch->broken = true;
	}
	list->items[i] = *judged;
	dispatch->ends[i] = why == NULL ? JUDGED : GIVEN_UP;
	if (why == NULL)
		dispatch->failed |=
			dispatch->first.options->cases.fail_fast && judged->verdict != VERDICT_ACCEPTED;
	tell_in_order(dispatch, false);
	pthread_mutex_unlock(&dispatch->held);
}

/* Compilers would disturb the judge that has the device. */
static void begin(struct dispatch *dispatch)
{
	pthread_mutex_lock(&dispatch->held);
	if (!dispatch->begun)
		ahead_continue(dispatch->sides[0].run->ahead);
	dispatch->begun = true;
	pthread_mutex_unlock(&dispatch->held);
}

/* Ten times a second, while the first file is compiled, and not where it was compiled before. */
static bool spare_times(const void *context)
{
	struct side *side = (struct side *)context;
	referee_link_close(&side->run->referee); /* no context on the device meanwhile */
	const bool timed = timing_lock_is_held(side->run->timing_lock);
	if (timed && !side->pauses)
		ahead_pause(side->run->ahead);
	else if (!timed && side->pauses)
		ahead_continue(side->run->ahead);
	side->pauses = timed;
	return run_stopped(&side->dispatch->first);
}

/* Another judge of the batch has the device, which is not to wait for our compiler. */
static void compile_first(struct side *side)
{
	begin(side->dispatch);
	ahead_take(side->run->ahead, 0, spare_times, side);
	if (side->pauses)
		ahead_continue(side->run->ahead);
	side->pauses = false;
}

static void *serve(void *context)
{
	struct side *side = context;
	struct dispatch *dispatch = side->dispatch;
	struct judgement judged;
	struct error err = {{0}};
	size_t i;
	if (dispatch->first.options->beside > 0 && side->run->ahead != NULL)
		compile_first(side);
	if (!side->run->company)
		dispatch_lock(side->run, is_over_or_stopped, dispatch);
	begin(dispatch);
	while (take_next(dispatch, &i, &judged)) {
		bool ok = dispatch->plan.judge(side->run, i, &judged, dispatch->plan.context, &err);
		hand_in(side, i, &judged, ok ? NULL : &err);
	}
	return NULL;
}

bool dispatch_take(struct dispatch *dispatch, struct error *err)
{
	struct judgement_list *list = dispatch->plan.list;
	for (size_t i = 1; i < dispatch->count; i++) {
		struct side *side = &dispatch->sides[i];
		side->run->ahead = dispatch->sides[0].run->ahead;
		side->run->control = dispatch->sides[0].run->control;
		side->started = thread_start(&side->thread, serve, side);
		if (!side->started)
			share_note(dispatch, "there can be no more threads: fewer files are judged at once");
	}
	serve(&dispatch->sides[0]);
	for (size_t i = 1; i < dispatch->count; i++)
		if (dispatch->sides[i].started)
			pthread_join(dispatch->sides[i].thread, NULL);
	for (size_t i = dispatch->next; i < list->count && dispatch->failed; i++)
		snprintf(list->items[i].detail, sizeof list->items[i].detail,
				 "not judged after the first failure (--fail-fast)");
	tell_in_order(dispatch, true);
	if (dispatch->broken)
		*err = dispatch->why;
	return !dispatch->broken;
}
