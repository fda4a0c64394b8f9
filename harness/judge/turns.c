#include "judge/turns.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "judge/run/ahead.h"
#include "judge/run/beside.h"
#include "judge/run/device.h"
#include "judge/run/lock.h"
#include "judge/timing/confirm.h"

#define STEP_SECONDS 0.1 /* between two steps that are shown, where several devices have some */

/* A device and who serves it. */
struct side {
	struct turns *turns;
	struct run *run;
	struct run other; /* *run, but for the first */
	char label[DEVICE_LABEL];
	pthread_t thread;
	bool started;
	bool pauses; /* compilers, for the times of another judge */
};

struct turns {
	struct turns_plan plan;
	struct run first;             /* as it was, with those who look on */
	struct judge_progress shared; /* these, told by one thread at a time */
	double next_step;
	pthread_mutex_t held; /* who looks on, the list's items, and what follows */
	size_t next;          /* item */
	bool begun;           /* there is a device, or none is needed any longer */
	bool failed;          /* a file, with --fail-fast */
	bool broken;          /* the run cannot go on: why */
	struct error why;
	size_t count;
	struct side sides[];
};

/* ---- who looks on --------------------------------------------------------------- */

static void share_step(void *context, const char *file, const char *what, size_t done, size_t total)
{
	struct turns *turns = context;
	pthread_mutex_lock(&turns->held);
	double now = clock_seconds();
	if (turns->count == 1 || now >= turns->next_step) {
		run_progress(&turns->first, file, what, done, total);
		turns->next_step = now + STEP_SECONDS;
	}
	pthread_mutex_unlock(&turns->held);
}

static void share_compiled(void *context, const struct judgement *item)
{
	struct turns *turns = context;
	pthread_mutex_lock(&turns->held);
	run_compiled(&turns->first, item);
	pthread_mutex_unlock(&turns->held);
}

static void share_case(void *context, const struct judgement *item, size_t i)
{
	struct turns *turns = context;
	pthread_mutex_lock(&turns->held);
	run_judged_case(&turns->first, item, i);
	pthread_mutex_unlock(&turns->held);
}

static void share_note(void *context, const char *line)
{
	struct turns *turns = context;
	pthread_mutex_lock(&turns->held);
	run_note(&turns->first, line);
	pthread_mutex_unlock(&turns->held);
}

static bool share_stop(void *context)
{
	return run_stopped(&((struct turns *)context)->first);
}

/* ---- devices -------------------------------------------------------------------- */

void turns_lock(struct run *run, bool (*over)(const void *context), const void *context)
{
	char name[64], path[LOCK_PATH], line[400];
	if (run->referee.facts.name[0] == '\0') /* there is nothing to judge */
		return;
	lock_name(&run->referee.device, &run->referee.facts, name);
	enum lock_state state = name[0] != '\0' ? lock_take(name, &run->lock) : LOCK_HELD;
	if (state == LOCK_AMISS) {
		int why = errno;
		lock_path(name, path);
		snprintf(line, sizeof line,
				 "the GPU %s cannot be locked: %s: %s; another judge on it may disturb its times",
				 name, path, strerror(why));
		run_note(run, line);
	}
	if (state != LOCK_BUSY)
		return;
	referee_link_close(&run->referee); /* check_cases() opens it anew */
	snprintf(line, sizeof line, "another judge uses the GPU %s; waiting for it", name);
	run_note(run, line);
	lock_wait(name, &run->lock, over, context);
}

static void other_close(struct run *run)
{
	confirm_end(run->calibration);
	referee_link_close(&run->referee);
	if (run->lock >= 0)
		close(run->lock);
	epilogue_close(run->epilogue);
}

/* A run like the first one on the device number i. */
static bool other_open(struct run *run, const struct run *first, size_t i, struct error *err)
{
	const struct judge_options *options = first->options;
	*run = *first;
	run->referee = (struct referee_link){.arena_fd = -1};
	run->lock = -1;
	run->calibration = NULL;
	if (!epilogue_open(options->epilogue, &run->epilogue, err))
		return false;
	if (device_open_other(&options->device, &first->referee, i, &run->referee, err) &&
		tool_find(&run->tool, options, err))
		return true;
	other_close(run);
	return false;
}

static bool side_open(struct turns *turns, size_t i, struct run *run, struct error *err)
{
	struct side *side = &turns->sides[i];
	side->turns = turns;
	side->run = i == 0 ? run : &side->other;
	if (i > 0 && !other_open(&side->other, &turns->first, i, err))
		return false;
	side->run->progress = &turns->shared;
	device_label(&side->run->referee.device, i, side->label);
	return true;
}

/* No more than there are files, and one where there is nothing to judge. */
static size_t devices_wanted(const struct run *run, size_t files)
{
	size_t count = device_count(&run->options->device, &run->referee);
	return run->referee.facts.name[0] == '\0' ? 1 : count < files ? count : files;
}

struct turns *turns_open(struct run *run, const struct turns_plan *plan, struct error *err)
{
	size_t count = devices_wanted(run, plan->list->count);
	struct turns *turns = calloc(1, sizeof *turns + count * sizeof *turns->sides);
	if (turns == NULL) {
		error_set(err, "out of memory for %zu devices", count);
		return NULL;
	}
	pthread_mutex_init(&turns->held, NULL);
	turns->plan = *plan;
	turns->first = *run;
	turns->shared = (struct judge_progress){.step = share_step,
											.compiled = share_compiled,
											.judged_case = share_case,
											.note = share_note,
											.stop = share_stop,
											.context = turns};
	while (turns->count < count && side_open(turns, turns->count, run, err))
		turns->count++;
	if (turns->count == count)
		return turns;
	turns_close(turns);
	return NULL;
}

size_t turns_devices(const struct turns *turns)
{
	return turns->count;
}

void turns_close(struct turns *turns)
{
	for (size_t i = 0; i < turns->count; i++)
		if (i == 0)
			turns->sides[i].run->progress = turns->first.progress;
		else
			other_close(&turns->sides[i].other);
	pthread_mutex_destroy(&turns->held);
	free(turns);
}

/* ---- turns ---------------------------------------------------------------------- */

static bool is_over(struct turns *turns)
{
	return turns->next == turns->plan.list->count || turns->failed || turns->broken;
}

/* Nobody waits for a device any longer that has nothing to do. */
static bool is_over_or_stopped(const void *context)
{
	struct turns *turns = (struct turns *)context;
	pthread_mutex_lock(&turns->held);
	bool over = is_over(turns);
	pthread_mutex_unlock(&turns->held);
	return over || run_stopped(&turns->first);
}

/* Takes the next item as it was prepared. */
static bool take_next(struct turns *turns, size_t *i, struct judgement *out)
{
	pthread_mutex_lock(&turns->held);
	bool over = is_over(turns);
	if (!over) {
		*i = turns->next++;
		*out = turns->plan.list->items[*i];
	}
	pthread_mutex_unlock(&turns->held);
	return !over;
}

/* Into the list, which nobody sees half filled. */
static void hand_in(struct side *side, size_t i, struct judgement *judged, const struct error *why)
{
	struct turns *turns = side->turns;
	struct judgement_list *list = turns->plan.list;
	pthread_mutex_lock(&turns->held);
	if (turns->count > 1)
		memcpy(judged->device, side->label, sizeof judged->device);
	if (why != NULL) {
		run_gave_up(judged, why->message);
		if (!turns->broken)
			turns->why = *why;
		turns->broken = true;
	}
	list->items[i] = *judged;
	if (why == NULL) {
		run_verdict(&turns->first, list, i);
		run_judged(&turns->first, list);
		turns->failed |=
			turns->first.options->cases.fail_fast && judged->verdict != VERDICT_ACCEPTED;
	}
	pthread_mutex_unlock(&turns->held);
}

/* Compilers would disturb the judge that has the device. */
static void begin(struct turns *turns)
{
	pthread_mutex_lock(&turns->held);
	if (!turns->begun)
		ahead_continue(turns->sides[0].run->ahead);
	turns->begun = true;
	pthread_mutex_unlock(&turns->held);
}

/* Ten times a second, while the first file is compiled, and not where it was compiled before. */
static bool spare_times(const void *context)
{
	struct side *side = (struct side *)context;
	referee_link_close(&side->run->referee); /* no context on the device meanwhile */
	const bool timed = beside_is_timed(side->run->beside);
	if (timed && !side->pauses)
		ahead_pause(side->run->ahead);
	else if (!timed && side->pauses)
		ahead_continue(side->run->ahead);
	side->pauses = timed;
	return run_stopped(&side->turns->first);
}

/* Another judge of the batch has the device, which is not to wait for our compiler. */
static void compile_first(struct side *side)
{
	begin(side->turns);
	ahead_take(side->run->ahead, 0, spare_times, side);
	if (side->pauses)
		ahead_continue(side->run->ahead);
	side->pauses = false;
}

static void *serve(void *context)
{
	struct side *side = context;
	struct turns *turns = side->turns;
	struct judgement judged;
	struct error err = {{0}};
	size_t i;
	if (turns->first.options->beside > 0 && side->run->ahead != NULL)
		compile_first(side);
	turns_lock(side->run, is_over_or_stopped, turns);
	begin(turns);
	while (take_next(turns, &i, &judged)) {
		bool ok = turns->plan.judge(side->run, i, &judged, turns->plan.context, &err);
		hand_in(side, i, &judged, ok ? NULL : &err);
	}
	return NULL;
}

bool turns_take(struct turns *turns, struct error *err)
{
	struct judgement_list *list = turns->plan.list;
	for (size_t i = 1; i < turns->count; i++) {
		struct side *side = &turns->sides[i];
		side->run->ahead = turns->sides[0].run->ahead;
		side->run->control = turns->sides[0].run->control;
		side->started = thread_start(&side->thread, serve, side);
		if (!side->started)
			share_note(turns, "there can be no more threads: not all devices are used");
	}
	serve(&turns->sides[0]);
	for (size_t i = 1; i < turns->count; i++)
		if (turns->sides[i].started)
			pthread_join(turns->sides[i].thread, NULL);
	for (size_t i = turns->next; i < list->count && turns->failed; i++)
		snprintf(list->items[i].detail, sizeof list->items[i].detail,
				 "not judged after the first failure (--fail-fast)");
	if (turns->broken)
		*err = turns->why;
	return !turns->broken;
}
