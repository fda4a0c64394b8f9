#include "judge/run/turn.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Of the device's memory, for each judge that shares it: two contexts, buffers of the largest
 * cases, and what a solution allocates. One that finds less is judged again, alone. */
#define MEMORY_EACH ((uint64_t)6 << 30)
/* So many keep an H200 busy: its driver makes and ends five contexts a second, whoever asks, and
 * with more processes that compute a little each waits for the time slices of all (64 files: 0.37 s
 * each with 4 or 6 at once, 0.59 s with 16). */
#define PLACES_MAX 5u
#define JUDGES_MAX 64u
#define LOOK_NANOSECONDS 20000000

static bool stop(const void *run)
{
	return run_stopped(run);
}

/* Where no lock can be had, threads of this judge keep each other out all the same. */
static pthread_rwlock_t inside = PTHREAD_RWLOCK_INITIALIZER;

void turn_end(struct run *run)
{
	if (!run->company)
		return;
	if (run->turn_inside)
		pthread_rwlock_unlock(&inside);
	run->turn_inside = false;
	if (run->lock >= 0)
		close(run->lock);
	if (run->place > 0)
		close(run->place);
	run->lock = -1;
	run->place = 0;
}

unsigned turn_room(uint64_t memory_bytes)
{
	const uint64_t judges = memory_bytes / MEMORY_EACH;
	return judges < 1 ? 1 : judges > JUDGES_MAX ? JUDGES_MAX : (unsigned)judges;
}

/* Who compiles needs no place yet, though its referee has a context already. */
static unsigned places_of(uint64_t memory_bytes)
{
	const unsigned room = turn_room(memory_bytes);
	return room < PLACES_MAX ? room : PLACES_MAX;
}

static void wait_for_place(struct run *run, const char *name)
{
	static const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
	int place = 0;
	while (!lock_place(name, places_of(run->referee.facts.memory_bytes), &place) &&
		   !run_stopped(run))
		nanosleep(&pause, NULL);
	run->place = place > 0 ? place : 0;
}

void turn_tell_amiss(const struct run *run, const char *name, int why)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	char path[LOCK_PATH], line[400];
	lock_path(name, path);
	snprintf(line, sizeof line,
			 "the GPU %s cannot be locked: %s: %s; another judge on it may disturb its times", name,
			 path, strerror(why));
	if (!atomic_flag_test_and_set(&told))
		run_note(run, line);
}

void turn_take(struct run *run, enum lock_mode mode)
{
	char name[64];
	const double begun = clock_seconds();
	const bool held = run->lock >= 0 || run->turn_inside;
	if (!run->company || (held && run->turn == mode))
		return;
	turn_end(run);
	lock_name(&run->referee.device, &run->referee.facts, name);
	if (name[0] == '\0')
		return;
	if (mode == LOCK_SHARED)
		wait_for_place(run, name);
	run->turn = mode;
	if (!lock_wait(name, mode, &run->lock, stop, run) && !run_stopped(run)) {
		turn_tell_amiss(run, name, errno);
		if (mode == LOCK_ALONE)
			pthread_rwlock_wrlock(&inside);
		else
			pthread_rwlock_rdlock(&inside);
		run->turn_inside = true;
	}
	timeline_end(&run->spends, TIMELINE_LOCK, begun);
}
