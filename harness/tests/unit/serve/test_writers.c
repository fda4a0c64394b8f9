/* links: serve; label: threads */
/* Tasks that wait are done, each user's in turn with the others'. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "serve/writers.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static char done[64];
static bool held[2]; /* threads */
static int holding;

/* "0" and "1" keep their thread while it is held; others are noted. */
static void work(void *context)
{
	const char *name = context;
	pthread_mutex_lock(&mutex);
	if (name[1] == '\0') {
		holding++;
		pthread_cond_broadcast(&change);
		while (held[name[0] - '0'])
			pthread_cond_wait(&change, &mutex);
	} else {
		strncat(done, name, sizeof done - strlen(done) - 1);
		pthread_cond_broadcast(&change);
	}
	pthread_mutex_unlock(&mutex);
}

static void let_go(int thread)
{
	pthread_mutex_lock(&mutex);
	held[thread] = false;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&mutex);
}

/* Both threads, so that tasks wait; with one of them let go, their order shows. */
static void hold_both(struct writers *writers, struct writer_task hold[2])
{
	static const char *const names[] = {"0", "1"};
	for (size_t i = 0; i < 2; i++) {
		held[i] = true;
		hold[i] = (struct writer_task){.account = "hold", .context = (char *)names[i]};
		cr_assert(writers_put(writers, &hold[i]));
	}
	pthread_mutex_lock(&mutex);
	while (holding < 2)
		pthread_cond_wait(&change, &mutex);
	pthread_mutex_unlock(&mutex);
}

Test(writers, users_take_turns)
{
	static const char *const names[] = {"a1", "a2", "a3", "a4", "b1", "b2", "c1"};
	struct writer_task tasks[sizeof names / sizeof *names], hold[2];
	struct writers *writers = writers_open(work);
	cr_assert_not_null(writers);
	hold_both(writers, hold);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *user = names[i][0] == 'a' ? "ada" : names[i][0] == 'b' ? "bob" : "cy";
		tasks[i] = (struct writer_task){.account = user, .context = (char *)names[i]};
		cr_assert(writers_put(writers, &tasks[i]));
	}
	let_go(0);
	pthread_mutex_lock(&mutex);
	while (strlen(done) < 14)
		pthread_cond_wait(&change, &mutex);
	pthread_mutex_unlock(&mutex);
	cr_expect_str_eq(done, "a1b1a2b2a3c1a4");
	let_go(1);
	writers_close(writers);
}

Test(writers, what_waits_is_done_before_they_end)
{
	struct writer_task hold[2], last = {.account = "ada", .context = (char *)"a1"},
								late = {.account = "ada", .context = (char *)"a2"};
	struct writers *writers = writers_open(work);
	cr_assert_not_null(writers);
	hold_both(writers, hold);
	cr_assert(writers_put(writers, &last));
	let_go(0);
	let_go(1);
	writers_end(writers);
	cr_expect_not(writers_put(writers, &late));
	writers_close(writers);
	cr_expect_str_eq(done, "a1");
}
