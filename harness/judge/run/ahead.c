#include "judge/run/ahead.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/machine.h"
#include "base/thread.h"

#define LOOK_NANOSECONDS 100000000 /* between two questions whether to stop */
#define THREADS_MAX 16
#define MEMORY_EACH ((uint64_t)2 << 30) /* a large file makes nvcc take so much */

enum state { WAITS, BEGUN, DONE };

struct ahead {
	struct ahead_plan plan;
	struct child_control control;
	pthread_mutex_t held; /* what follows, and the state of each item */
	pthread_cond_t changed;
	size_t next;    /* item to begin */
	size_t active;  /* items that are worked on */
	size_t waiting; /* those who wait for an item */
	size_t wanted;  /* items that somebody has asked for, all before them too */
	bool closing;
	size_t thread_count;
	pthread_t threads[THREADS_MAX];
	enum state states[];
};

size_t ahead_threads(void)
{
	size_t cores = machine_cores(), memory = (size_t)(machine_memory() / MEMORY_EACH);
	size_t count = cores < memory ? cores : memory;
	return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
}

/* Begins the next item, if that may be. The mutex is held before and after. */
static bool work_next(struct ahead *ahead)
{
	size_t item = ahead->next;
	if (item == ahead->plan.count || item >= ahead->wanted + ahead->plan.lead ||
		atomic_load(&ahead->control.paused) > 0 ||
		(ahead->waiting == 0 && ahead->active + ahead->plan.spare >= ahead->thread_count))
		return false;
	ahead->next++;
	ahead->active++;
	ahead->states[item] = BEGUN;
	pthread_mutex_unlock(&ahead->held);
	ahead->plan.work(ahead->plan.context, item, &ahead->control);
	pthread_mutex_lock(&ahead->held);
	ahead->active--;
	ahead->states[item] = DONE;
	pthread_cond_broadcast(&ahead->changed);
	return true;
}

static void *work_ahead(void *context)
{
	struct ahead *ahead = context;
	pthread_mutex_lock(&ahead->held);
	while (!ahead->closing)
		if (!work_next(ahead))
			pthread_cond_wait(&ahead->changed, &ahead->held);
	pthread_mutex_unlock(&ahead->held);
	return NULL;
}

struct ahead *ahead_open(const struct ahead_plan *plan, struct error *err)
{
	struct ahead *ahead = calloc(1, sizeof *ahead + plan->count * sizeof *ahead->states);
	pthread_condattr_t clock;
	if (ahead == NULL) {
		error_set(err, "out of memory for %zu files", plan->count);
		return NULL;
	}
	ahead->plan = *plan;
	atomic_init(&ahead->control.paused, plan->paused);
	pthread_mutex_init(&ahead->held, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&ahead->changed, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_lock(&ahead->held);
	while (ahead->thread_count < plan->threads && ahead->thread_count < THREADS_MAX &&
		   thread_start(&ahead->threads[ahead->thread_count], work_ahead, ahead))
		ahead->thread_count++;
	pthread_mutex_unlock(&ahead->held);
	return ahead;
}

/* Until something changes, or it is time to ask whether to stop. */
static void wait_shortly(struct ahead *ahead)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NANOSECONDS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&ahead->changed, &ahead->held, &until);
}

bool ahead_take(struct ahead *ahead, size_t item, bool (*stopped)(const void *context),
				const void *context)
{
	bool stop = false;
	pthread_mutex_lock(&ahead->held);
	if (ahead->wanted <= item)
		ahead->wanted = item + 1;
	ahead->waiting++;
	pthread_cond_broadcast(&ahead->changed);
	while (ahead->states[item] != DONE && !stop) {
		if (ahead->thread_count == 0 && work_next(ahead))
			continue;
		wait_shortly(ahead);
		pthread_mutex_unlock(&ahead->held);
		stop = stopped != NULL && stopped(context);
		pthread_mutex_lock(&ahead->held);
	}
	ahead->waiting--;
	bool done = ahead->states[item] == DONE;
	pthread_mutex_unlock(&ahead->held);
	return done;
}

const struct child_control *ahead_control(const struct ahead *ahead)
{
	return &ahead->control;
}

void ahead_pause(struct ahead *ahead)
{
	if (ahead != NULL)
		atomic_fetch_add(&ahead->control.paused, 1);
}

void ahead_continue(struct ahead *ahead)
{
	if (ahead == NULL)
		return;
	pthread_mutex_lock(&ahead->held); /* nobody who saw the pause is on the way to sleep */
	atomic_fetch_sub(&ahead->control.paused, 1);
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->held);
}

void ahead_close(struct ahead *ahead)
{
	if (ahead == NULL)
		return;
	atomic_store(&ahead->control.cancelled, true);
	pthread_mutex_lock(&ahead->held);
	ahead->closing = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->held);
	for (size_t i = 0; i < ahead->thread_count; i++)
		pthread_join(ahead->threads[i], NULL);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->held);
	free(ahead);
}
