#include "process/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "process/child_inside.h"
#include "process/cpu.h"
#include "process/tree.h"

#define WATCH_SECONDS 0.02  /* between two looks at the memory of known processes, at least */
#define WATCH_MOST 0.1      /* and at most, where the limit is far */
#define GROWTH_BYTES 8e9    /* what processes may take in a second */
#define FORGET_SECONDS 1.0  /* for which a process that is older is remembered */
#define ANSWER_SECONDS 0.3  /* for a program that says where it is */
#define STOPPED_SECONDS 0.5 /* for a program that stopped itself: somebody may continue it */
#define DYING_SECONDS 5.0   /* for a program that was killed and is not gone: a driver holds it */

/* How often the supervisor's own process was continued after a stop: threads share it. */
static atomic_uint continued;

static void note_continued(int number)
{
	(void)number;
	atomic_fetch_add(&continued, 1);
}

void child_watch_stops(void)
{
	const struct sigaction action = {.sa_handler = note_continued, .sa_flags = SA_RESTART};
	struct sigaction before;
	if (sigaction(SIGCONT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGCONT, &action, NULL);
}

/* ---- watching --------------------------------------------------------- */

/* Whether the program is stopped, or about to be gone, and since when. */
static void watch_program(struct child *child, double time)
{
	bool exists = child->program > 0, judges = child->paused || child->held;
	if (!exists || !tree_ends(child->program))
		child->dying = 0.0;
	else if (child->dying == 0.0)
		child->dying = time;
	if (!exists || judges || !tree_stopped(child->program))
		child->stopped = 0.0;
	else if (child->stopped == 0.0)
		child->stopped = time;
}

/* Looks for new processes. CHILD_REPLIED as long as no limit is passed. */
static enum child_outcome scan(struct child *child, double time)
{
	if (time >= child->next_forget) {
		child->older = (struct tree_older){.started = child->keeper_started};
		child->next_forget = time + FORGET_SECONDS;
	}
	size_t found = tree_scan(child->keeper, child->known, CHILD_WATCHED, 0, &child->older);
	if (child->process_limit > 0 && found > child->process_limit)
		return CHILD_OVER_PROCESSES;
	child->known_count = found < CHILD_WATCHED ? found : CHILD_WATCHED;
	child->shared = tree_memory_shared(child->known, child->known_count);
	double took = clock_seconds() - time;
	child->next_scan = time + (took * 50.0 > CHILD_SCAN_SECONDS ? took * 50.0 : CHILD_SCAN_SECONDS);
	watch_program(child, time);
	bool stopped = child->stopped > 0.0 && time > child->stopped + STOPPED_SECONDS;
	return stopped ? CHILD_STOPPED : CHILD_REPLIED;
}

/* Until processes that hold so much could have come to the limit. A look costs some 30 us for each
 * of them. */
static double watch_pause(const struct child *child, size_t used)
{
	size_t room = child->memory_limit > used ? child->memory_limit - used : 0;
	double seconds = child->memory_limit > 0 ? (double)room / GROWTH_BYTES : WATCH_MOST;
	return seconds < WATCH_SECONDS ? WATCH_SECONDS : seconds < WATCH_MOST ? seconds : WATCH_MOST;
}

static enum child_outcome watch_memory(struct child *child, double time)
{
	struct child_result *result = &child->result;
	result->memory = tree_memory(child->known, child->known_count, child->shared);
	size_t used = tree_memory_total(&result->memory);
	if (child->memory_limit > 0 && used > child->memory_limit && child->known_count > 1) {
		result->memory = tree_memory_exact(child->known, child->known_count, child->shared);
		used = tree_memory_total(&result->memory);
	}
	if (used > result->peak_memory_bytes)
		result->peak_memory_bytes = used;
	child->next_watch = time + watch_pause(child, used);
	bool over = child->memory_limit > 0 && used > child->memory_limit;
	return over ? CHILD_OVER_MEMORY : CHILD_REPLIED;
}

/* CHILD_REPLIED as long as no limit is passed. */
static enum child_outcome watch_limits(struct child *child)
{
	double time = clock_seconds();
	if (time < child->next_watch || child->lent)
		return CHILD_REPLIED;
	enum child_outcome found = time >= child->next_scan ? scan(child, time) : CHILD_REPLIED;
	return found != CHILD_REPLIED ? found : watch_memory(child, time);
}

/* The time for which the supervisor was stopped, and looked at nothing, is not the child's; nor is
 * that for which it was paused. */
static void allow_for_stop(struct child *child, double *deadline)
{
	double time = clock_seconds();
	unsigned stops = atomic_load(&continued);
	if (child->continued != stops || child->paused)
		*deadline += time - child->last_round;
	child->continued = stops;
	child->last_round = time;
}

/* The program leads a session, and so a process group, of its own. False when it is to end. */
static bool obey(struct child *child)
{
	if (child->control == NULL)
		return true;
	bool pause = atomic_load(&child->control->paused) > 0;
	if (pause != child->paused && child->program > 0)
		kill(-child->program, pause ? SIGSTOP : SIGCONT);
	child->paused = pause;
	return !atomic_load(&child->control->cancelled);
}

double child_begin_rounds(struct child *child, double seconds)
{
	child->last_round = clock_seconds();
	child->continued = atomic_load(&continued);
	return child->last_round + seconds;
}

/* The program's last words: printed within ANSWER_SECONDS, or never. */
static void ask(struct child *child)
{
	double until = clock_seconds() + ANSWER_SECONDS;
	if (!child->tells || child->program <= 0 || kill(child->program, CHILD_ASKS) != 0)
		return;
	for (double left = ANSWER_SECONDS; left > 0.0; left = until - clock_seconds()) {
		struct pollfd events = {.fd = child->output, .events = POLLIN};
		if (poll(&events, 1, (int)(left * 1000.0) + 1) <= 0 || (events.revents & POLLIN) == 0)
			return;
		child_drain(child, CHILD_DRAIN_READS);
	}
}

bool child_round(struct child *child, short channel_events, short *channel_ready, double *deadline)
{
	double left = *deadline - clock_seconds();
	if (left > WATCH_SECONDS)
		left = WATCH_SECONDS;
	struct pollfd events[] = {
		{.fd = channel_events != 0 ? child->channel : -1, .events = channel_events},
		{.fd = child->report, .events = POLLIN},
		{.fd = child->output, .events = POLLIN}};
	bool last = left <= 0; /* a look at what is there by now, and then the end */
	if (poll(events, 3, left > 0 ? (int)(left * 1000.0) + 1 : 0) < 0 && errno != EINTR) {
		child_end(child, CHILD_BROKEN);
		return false;
	}
	child_drain(child, CHILD_DRAIN_READS);
	*channel_ready = events[0].revents;
	if (*channel_ready & POLLIN) /* a reply that came before the end still counts */
		return true;
	if (events[1].revents != 0) {
		child_end(child, CHILD_EXITED);
		return false;
	}
	enum child_outcome limits = watch_limits(child);
	if (limits != CHILD_REPLIED) {
		child_end(child, limits);
		return false;
	}
	if (child->dying > 0.0 && clock_seconds() > child->dying + DYING_SECONDS) {
		child_end(child, CHILD_EXITED);
		return false;
	}
	allow_for_stop(child, deadline);
	if (!obey(child)) {
		child_end(child, CHILD_CANCELLED);
		return false;
	}
	if (last && clock_seconds() >= *deadline) {
		if (child->stopped > 0.0) {
			child_end(child, CHILD_STOPPED);
			return false;
		}
		ask(child);
		child_end(child, CHILD_TIMED_OUT);
		return false;
	}
	return true;
}

struct child_result child_wait(struct child *child, double seconds)
{
	double deadline = child_begin_rounds(child, seconds);
	short ignored;
	while (child->alive)
		child_round(child, 0, &ignored, &deadline);
	return child->result;
}

struct child_result child_finish(struct child *child, double seconds)
{
	child_close(&child->channel);
	return child_wait(child, seconds);
}

/* ---- between two calls ------------------------------------------------ */

void child_pause(struct child *child)
{
	if (child->alive && child->program > 0)
		kill(child->program, SIGSTOP);
	child->held = true;
}

void child_continue(struct child *child)
{
	if (child->alive && child->program > 0)
		kill(child->program, SIGCONT);
	child->held = false;
}

bool child_hold(struct child *child, int cpu)
{
	return child->alive && child->program > 0 && cpu_hold(child->program, cpu);
}

bool child_is_held(const struct child *child, int cpu)
{
	return child->alive && child->program > 0 && cpu_is_held(child->program, cpu);
}
