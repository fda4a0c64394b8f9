/* links: judge process base; label: threads */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/run/ahead.h"

#define ITEMS 40

/* What the work finds out. */
struct seen {
	atomic_size_t begun, done, at_once, most_at_once, out_of_order;
	atomic_size_t taken, too_far; /* items begun beyond the lead */
	size_t lead;
	unsigned microseconds;
	int result[ITEMS];
};

static void note_work(void *context, size_t item, const struct child_control *control)
{
	struct seen *seen = context;
	(void)control;
	if (atomic_fetch_add(&seen->begun, 1) + 1 < item)
		atomic_fetch_add(&seen->out_of_order, 1);
	/* the taker counts an item when it has it, and asks for the next one without a word */
	if (item >= atomic_load(&seen->taken) + 1 + seen->lead)
		atomic_fetch_add(&seen->too_far, 1);
	size_t now = atomic_fetch_add(&seen->at_once, 1) + 1;
	if (now > atomic_load(&seen->most_at_once))
		atomic_store(&seen->most_at_once, now);
	usleep(seen->microseconds);
	seen->result[item] = (int)item * 7 + 1;
	atomic_fetch_sub(&seen->at_once, 1);
	atomic_fetch_add(&seen->done, 1);
}

static struct ahead *open_ahead(struct seen *seen, size_t count, size_t threads)
{
	struct error err = {{0}};
	const struct ahead_plan plan = {
		.count = count, .threads = threads, .lead = seen->lead, .work = note_work, .context = seen};
	struct ahead *ahead = ahead_open(&plan, &err);
	cr_assert_not_null(ahead, "%s", err.message);
	return ahead;
}

/* Waits until COUNT has reached WANTED, however slow the machine is, and a little longer, in
 * which it could go beyond. */
static void settle(const atomic_size_t *count, size_t wanted)
{
	for (double end = clock_seconds() + 30; *count < wanted && clock_seconds() < end;)
		usleep(2000);
	usleep(100000);
	cr_assert_eq(*count, wanted);
}

static void take_all(struct ahead *ahead, struct seen *seen, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cr_assert(ahead_take(ahead, i, NULL, NULL));
		atomic_fetch_add(&seen->taken, 1);
		cr_assert_eq(seen->result[i], (int)i * 7 + 1);
	}
}

Test(ahead, works_in_order_within_its_bounds)
{
	struct seen seen = {.lead = 4, .microseconds = 2000};
	struct ahead *ahead = open_ahead(&seen, ITEMS, 3);
	take_all(ahead, &seen, ITEMS);
	ahead_close(ahead);
	cr_assert_eq(seen.done, ITEMS);
	cr_assert_eq(seen.out_of_order, 0);
	cr_assert_eq(seen.too_far, 0);
	cr_assert_leq(seen.most_at_once, 3);
	cr_assert_geq(seen.most_at_once, 2);
}

Test(ahead, goes_no_further_than_its_lead)
{
	struct seen seen = {.lead = 4};
	struct ahead *ahead = open_ahead(&seen, ITEMS, 3);
	settle(&seen.done, 4);
	cr_assert(ahead_take(ahead, 0, NULL, NULL));
	settle(&seen.done, 5);
	ahead_close(ahead);
	cr_assert_eq(seen.done, 5);
}

Test(ahead, works_in_the_taker_where_there_are_no_threads)
{
	struct seen seen = {.lead = 0};
	struct ahead *ahead = open_ahead(&seen, ITEMS, 0);
	for (size_t i = 0; i < ITEMS; i++) {
		cr_assert_eq(seen.done, i);
		cr_assert(ahead_take(ahead, i, NULL, NULL));
	}
	ahead_close(ahead);
}

struct taker {
	pthread_t thread;
	struct ahead *ahead;
	struct seen *seen;
	atomic_size_t *next;
	size_t count;
};

static void *take_next(void *context)
{
	struct taker *taker = context;
	for (size_t i; (i = atomic_fetch_add(taker->next, 1)) < ITEMS; taker->count++)
		if (!ahead_take(taker->ahead, i, NULL, NULL) || taker->seen->result[i] == 0)
			return NULL;
	return taker;
}

Test(ahead, serves_several_takers)
{
	struct seen seen = {.lead = 4, .microseconds = 1000};
	struct ahead *ahead = open_ahead(&seen, ITEMS, 2);
	atomic_size_t next = 0;
	struct taker takers[3] = {{0}};
	size_t count = 0;
	for (size_t i = 0; i < 3; i++) {
		takers[i].ahead = ahead, takers[i].seen = &seen, takers[i].next = &next;
		cr_assert_eq(pthread_create(&takers[i].thread, NULL, take_next, &takers[i]), 0);
	}
	for (size_t i = 0; i < 3; i++) {
		void *good;
		pthread_join(takers[i].thread, &good);
		cr_assert_not_null(good);
		count += takers[i].count;
	}
	ahead_close(ahead);
	cr_assert_eq(count, ITEMS);
	cr_assert_eq(seen.done, ITEMS);
}

Test(ahead, begins_nothing_while_it_is_paused)
{
	struct seen seen = {.lead = 2};
	struct ahead *ahead = open_ahead(&seen, ITEMS, 2);
	cr_assert(ahead_take(ahead, 0, NULL, NULL));
	settle(&seen.begun, 3);
	ahead_pause(ahead);
	ahead_pause(ahead);                          /* as by two that time on two GPUs */
	cr_assert(ahead_take(ahead, 1, NULL, NULL)); /* which is done */
	ahead_continue(ahead);
	settle(&seen.begun, 3);
	ahead_continue(ahead);
	take_all(ahead, &seen, ITEMS);
	ahead_close(ahead);
}

Test(ahead, begins_later_where_it_is_asked_to)
{
	struct seen seen = {.lead = 2};
	struct error err = {{0}};
	const struct ahead_plan plan = {.count = ITEMS,
									.threads = 2,
									.paused = true,
									.lead = 2,
									.work = note_work,
									.context = &seen};
	struct ahead *ahead = ahead_open(&plan, &err);
	cr_assert_not_null(ahead);
	settle(&seen.begun, 0);
	ahead_continue(ahead);
	take_all(ahead, &seen, ITEMS);
	ahead_close(ahead);
}

Test(ahead, spares_a_thread_while_nobody_waits)
{
	struct seen seen = {.lead = 8, .microseconds = 20000};
	struct error err = {{0}};
	const struct ahead_plan plan = {
		.count = ITEMS, .threads = 2, .spare = 1, .lead = 8, .work = note_work, .context = &seen};
	struct ahead *ahead = ahead_open(&plan, &err);
	cr_assert_not_null(ahead);
	settle(&seen.done, 8);
	cr_assert_eq(seen.most_at_once, 1);
	take_all(ahead, &seen, ITEMS);
	cr_assert_eq(seen.most_at_once, 2);
	ahead_close(ahead);
}

static bool stop_later(const void *context)
{
	return clock_seconds() > *(const double *)context;
}

Test(ahead, takes_no_longer_than_somebody_wants_it)
{
	struct seen seen = {.lead = 1, .microseconds = 1500000};
	struct ahead *ahead = open_ahead(&seen, ITEMS, 1);
	double began = clock_seconds(), until = began + 0.2;
	cr_assert_not(ahead_take(ahead, 0, stop_later, &until));
	cr_assert_lt(clock_seconds() - began, 1.2);
	ahead_close(ahead);
	cr_assert_eq(seen.done, 1, "what is under way is waited for");
}

/* ---- programs ------------------------------------------------------------------ */

struct programs {
	const char *command;
	enum child_outcome outcomes[ITEMS];
	atomic_size_t begun, ended;
};

static void run_program(void *context, size_t item, const struct child_control *control)
{
	struct programs *programs = context;
	struct error err = {{0}};
	const char *argv[] = {"/bin/sh", "-c", programs->command, NULL};
	struct child *child =
		child_start(&(struct child_options){.argv = argv, .control = control}, &err);
	atomic_fetch_add(&programs->begun, 1);
	programs->outcomes[item] = child != NULL ? child_wait(child, 60).outcome : CHILD_BROKEN;
	child_stop(child);
	atomic_fetch_add(&programs->ended, 1);
}

Test(ahead, ends_programs_when_it_is_closed)
{
	struct programs programs = {.command = "sleep 50 & sleep 50"};
	struct error err = {{0}};
	const struct ahead_plan plan = {
		.count = ITEMS, .threads = 3, .lead = 9, .work = run_program, .context = &programs};
	double began = clock_seconds();
	struct ahead *ahead = ahead_open(&plan, &err);
	cr_assert_not_null(ahead);
	while (programs.begun < 3 && clock_seconds() < began + 20)
		usleep(10000);
	ahead_pause(ahead); /* stopped ones are ended like the others */
	usleep(100000);
	ahead_close(ahead);
	cr_assert_lt(clock_seconds() - began, 30);
	cr_assert_eq(programs.ended, 3);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(programs.outcomes[i], CHILD_CANCELLED);
	errno = 0;
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert_eq(errno, ECHILD);
}

Test(ahead, runs_programs_side_by_side, .timeout = 60)
{
	struct programs programs = {.command = "exit 0"};
	struct error err = {{0}};
	const struct ahead_plan plan = {
		.count = ITEMS, .threads = 4, .lead = 9, .work = run_program, .context = &programs};
	struct ahead *ahead = ahead_open(&plan, &err);
	cr_assert_not_null(ahead);
	for (size_t i = 0; i < ITEMS; i++) {
		cr_assert(ahead_take(ahead, i, NULL, NULL));
		cr_assert_eq(programs.outcomes[i], CHILD_EXITED);
	}
	ahead_close(ahead);
}
