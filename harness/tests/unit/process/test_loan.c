/* links: process channel base; label: threads */
/* Programs that one process starts and others use, one after the other. */
#define _GNU_SOURCE
#include "child_programs.h"
#include "process/lender.h"

static struct child *start(const char *name)
{
	struct error err = {{0}};
	char program[PATH_MAX], variable[64];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	cr_assert(length > 0);
	program[length] = '\0';
	snprintf(variable, sizeof variable, "TEST_CHILD=%s", name);
	const char *argv[] = {program, NULL}, *environment[] = {variable, NULL};
	struct child *child =
		child_start(&(struct child_options){.argv = argv, .setenv = environment}, &err);
	cr_assert_not_null(child, "%s", err.message);
	return child;
}

static struct child *borrow(const struct child *owned)
{
	struct error err = {{0}};
	pid_t program;
	const int channel = child_lend(owned, &program);
	cr_assert_geq(channel, 0);
	struct child *borrowed = child_borrow(channel, program, &err);
	cr_assert_not_null(borrowed, "%s", err.message);
	return borrowed;
}

static struct child_result call(struct child *child, const char text[6], double seconds)
{
	char request[6], reply[64] = "";
	memcpy(request, text, sizeof request);
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = seconds;
	struct child_result result = child_call(child, &exchange);
	cr_assert(result.outcome != CHILD_REPLIED || strcmp(reply, text) == 0, "%s for %s", reply,
			  text);
	return result;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool idle_within(const struct child *child, bool idle, double seconds)
{
	const double until = now() + seconds;
	while (child_is_idle(child) != idle && now() < until)
		usleep(1000);
	return child_is_idle(child) == idle;
}

static void assert_nothing_left(void)
{
	errno = 0;
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert_eq(errno, ECHILD);
}

Test(loan, what_is_given_back_goes_on)
{
	struct child *owned = start("serve");
	for (int i = 0; i < 5; i++) {
		struct child *borrowed = borrow(owned);
		cr_assert_eq(call(borrowed, "first", 10).outcome, CHILD_REPLIED);
		cr_assert(child_stop(borrowed));
		cr_assert(child_is_idle(owned));
	}
	cr_assert_eq(call(owned, "still", 10).outcome, CHILD_REPLIED);
	child_stop(owned);
	assert_nothing_left();
}

/* At once: nobody waits here for the end of a process that is another one's. */
Test(loan, one_that_dies_is_seen)
{
	struct child *owned = start("crash");
	struct child *borrowed = borrow(owned);
	const double begun = now();
	cr_assert_eq(call(borrowed, "hello", 10).outcome, CHILD_EXITED);
	cr_assert_lt(now() - begun, 1.5);
	cr_assert_not(child_is_idle(borrowed));
	child_stop(borrowed);
	cr_assert(idle_within(owned, false, 5));
	child_stop(owned);
	assert_nothing_left();
}

/* It answers after 0.3 s: the answer would be that to somebody else's question. */
Test(loan, one_that_is_left_in_a_call_is_nobodys_any_more)
{
	struct child *owned = start("talk");
	struct child *borrowed = borrow(owned);
	cr_assert_eq(call(borrowed, "first", 0.05).outcome, CHILD_TIMED_OUT);
	child_stop(borrowed);
	cr_assert(idle_within(owned, false, 1));
	cr_assert_neq(call(owned, "other", 10).outcome, CHILD_REPLIED);
	child_stop(owned);
	assert_nothing_left();
}

/* Somebody has borrowed it, is killed in a call and shuts nothing down: the answer lies unread. */
static struct child *start_left_alone(void)
{
	struct child *owned = start("serve");
	pid_t program;
	const int channel = child_lend(owned, &program);
	cr_assert_eq(send(channel, "first", 6, 0), 6);
	close(channel);
	cr_assert(idle_within(owned, false, 5));
	return owned;
}

/* What several use in turns is not ended because somebody's answer lies unread. */
Test(loan, a_shared_one_stays_while_others_use_it)
{
	struct child *owned = start_left_alone();
	cr_assert(child_runs(owned));
	struct child *borrowed = borrow(owned);
	child_forget_replies(borrowed);
	cr_assert_eq(call(borrowed, "other", 10).outcome, CHILD_REPLIED);
	child_stop(borrowed);
	child_stop(owned);
	assert_nothing_left();
}

Test(loan, an_answer_that_nobody_took_is_seen)
{
	struct child *owned = start_left_alone();
	struct child *borrowed = borrow(owned);
	cr_assert_not(child_is_idle(borrowed));
	cr_assert_eq(call(borrowed, "other", 10).outcome, CHILD_BROKEN);
	child_stop(borrowed);
	child_stop(owned);
	assert_nothing_left();
}

/* ---- the lender ---------------------------------------------------------------------- */

static pid_t lend(struct lender *lender)
{
	pid_t program;
	const int channel = lender_lend(lender, &program);
	cr_assert_geq(channel, 0);
	cr_assert_gt(program, 0);
	cr_assert_eq(kill(program, 0), 0);
	close(channel);
	return program;
}

static bool gone_within(pid_t pid, double seconds)
{
	const double until = now() + seconds;
	while (kill(pid, 0) == 0 && now() < until)
		usleep(1000);
	return kill(pid, 0) != 0;
}

Test(lender, lends_the_same_one_as_long_as_it_is_used_well)
{
	struct lender lender = {.program = "libexec/referee"};
	const pid_t first = lend(&lender);
	lender_take_back(&lender, true);
	cr_assert_eq(lend(&lender), first);
	lender_take_back(&lender, false);
	cr_assert(gone_within(first, 10));
	const pid_t second = lend(&lender);
	cr_assert_neq(second, first);
	lender_close(&lender);
	cr_assert(gone_within(second, 10));
	assert_nothing_left();
}

Test(lender, replaces_one_that_has_died)
{
	struct lender lender = {.program = "libexec/referee"};
	const pid_t first = lend(&lender);
	lender_take_back(&lender, true);
	kill(first, SIGKILL);
	cr_assert(idle_within(lender.child, false, 5));
	cr_assert_neq(lend(&lender), first);
	lender_close(&lender);
	assert_nothing_left();
}

/* Even where its user said that all was well. */
Test(lender, replaces_one_with_an_answer_that_nobody_took)
{
	struct lender lender = {.program = "libexec/referee"};
	const uint32_t unknown[64] = {12345};
	pid_t first;
	const int channel = lender_lend(&lender, &first);
	cr_assert_eq(send(channel, unknown, sizeof unknown, 0), (ssize_t)sizeof unknown);
	cr_assert(idle_within(lender.child, false, 5));
	close(channel);
	lender_take_back(&lender, true);
	cr_assert_neq(lend(&lender), first);
	cr_assert(gone_within(first, 10));
	lender_close(&lender);
	assert_nothing_left();
}

Test(lender, has_nothing_to_lend_without_a_program)
{
	struct lender none = {.program = NULL};
	pid_t program = 7;
	cr_assert_eq(lender_lend(&none, &program), -1);
	cr_assert_eq(program, 0);
	lender_take_back(&none, false);
	lender_close(&none);
	assert_nothing_left();
}
