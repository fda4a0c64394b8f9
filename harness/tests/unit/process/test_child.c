/* links: process channel base; label: threads */
#define _GNU_SOURCE
#include "child_programs.h"

/* ---- the supervisor's side ---------------------------------------------- */

static struct child *start_controlled(const char *name, size_t memory_limit,
									  const struct child_control *control)
{
	struct error err = {{0}};
	char program[PATH_MAX], variable[64];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	cr_assert(length > 0);
	program[length] = '\0';
	snprintf(variable, sizeof variable, "TEST_CHILD=%s", name);
	const char *argv[] = {program, NULL}, *environment[] = {variable, NULL};
	struct child *child = child_start(&(struct child_options){.argv = argv,
															  .setenv = environment,
															  .memory_limit_bytes = memory_limit,
															  .control = control},
									  &err);
	cr_assert_not_null(child, "%s", err.message);
	return child;
}

static struct child *start(const char *name, size_t memory_limit)
{
	return start_controlled(name, memory_limit, NULL);
}

static struct child_result call(struct child *child, double seconds)
{
	char reply[64];
	struct child_exchange exchange = CHILD_EXCHANGE("hello", reply);
	exchange.seconds = seconds;
	struct child_result result = child_call(child, &exchange);
	cr_assert_eq(exchange.reply_fd, -1);
	return result;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* No process may be left below this one, nor a zombie. */
static void assert_nothing_left(void)
{
	errno = 0;
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert_eq(errno, ECHILD);
}

Test(child, answers_many_requests)
{
	struct child *child = start("serve", 0);
	char request[2000], reply[CHILD_MESSAGE_MAX];
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = 5;
	for (int i = 0; i < 1000; i++) {
		memset(request, i, sizeof request);
		struct child_result result = child_call(child, &exchange);
		cr_assert_eq(result.outcome, CHILD_REPLIED);
		cr_assert_eq(exchange.reply_bytes, sizeof request);
		cr_assert_eq(memcmp(request, reply, sizeof request), 0);
	}
	child_stop(child);
	assert_nothing_left();
}

Test(child, passes_descriptors_both_ways)
{
	struct child *child = start("serve", 0);
	char reply[64], text[6] = "";
	int file = memfd_create("test", MFD_CLOEXEC);
	struct child_exchange exchange = CHILD_EXCHANGE("hello", reply);
	exchange.request_fd = file;
	exchange.seconds = 5;
	struct child_result result = child_call(child, &exchange);
	cr_assert_eq(result.outcome, CHILD_REPLIED);
	cr_assert_geq(exchange.reply_fd, 0);
	cr_assert_eq(pread(exchange.reply_fd, text, 5, 0), 5);
	cr_assert_str_eq(text, "child");
	close(exchange.reply_fd);
	close(file);
	child_stop(child);
}

Test(child, reports_a_signal)
{
	struct child *child = start("crash", 0);
	struct child_result result = call(child, 10);
	cr_assert_eq(result.outcome, CHILD_SIGNALED);
	cr_assert_eq(result.signal_number, SIGSEGV);
	cr_assert_eq(call(child, 10).outcome, CHILD_SIGNALED, "the outcome stays");
	assert_nothing_left();
	child_stop(child);
}

Test(child, reports_an_exit_before_reading)
{
	struct child *child = start("exit", 0);
	struct child_result result = call(child, 10);
	cr_assert_eq(result.outcome, CHILD_EXITED);
	cr_assert_eq(result.exit_status, 7);
	assert_nothing_left();
	child_stop(child);
}

Test(child, delivers_a_reply_sent_just_before_death)
{
	struct child *child = start("reply-and-die", 0);
	cr_assert_eq(call(child, 10).outcome, CHILD_REPLIED);
	struct child_result result = call(child, 10);
	cr_assert_eq(result.outcome, CHILD_SIGNALED);
	cr_assert_eq(result.signal_number, SIGABRT);
	child_stop(child);
}

Test(child, ends_a_hang_at_the_deadline)
{
	struct child *child = start("hang", 0);
	double started = now();
	cr_assert_eq(call(child, 0.2).outcome, CHILD_TIMED_OUT);
	double took = now() - started;
	cr_assert(took >= 0.2 && took < 2.0, "%g", took);
	assert_nothing_left();
	child_stop(child);
}

Test(child, ends_a_stopped_child)
{
	struct child *child = start("spin-stopped", 0);
	double started = now();
	cr_assert_eq(call(child, 30).outcome, CHILD_STOPPED);
	cr_assert_lt(now() - started, 5);
	assert_nothing_left();
	child_stop(child);
}

/* The judge's own pauses are not its stops. */
Test(child, is_no_stopped_child_where_it_is_held)
{
	struct child *child = start("serve", 0);
	cr_assert_eq(call(child, 10).outcome, CHILD_REPLIED);
	child_pause(child);
	cr_assert_eq(call(child, 1.2).outcome, CHILD_TIMED_OUT);
	child_stop(child);
}

Test(child, notices_a_closed_channel)
{
	struct child *child = start("close", 0);
	double started = now();
	cr_assert_eq(call(child, 60).outcome, CHILD_BROKEN);
	cr_assert_lt(now() - started, 10);
	assert_nothing_left();
	child_stop(child);
}

Test(child, refuses_a_second_reply)
{
	struct child *child = start("twice", 0);
	cr_assert_eq(call(child, 10).outcome, CHILD_REPLIED);
	usleep(100000);
	cr_assert_eq(call(child, 10).outcome, CHILD_BROKEN);
	child_stop(child);
}

Test(child, refuses_an_oversized_reply)
{
	struct child *child = start("oversized", 0);
	cr_assert_eq(call(child, 10).outcome, CHILD_BROKEN);
	assert_nothing_left();
	child_stop(child);
}

static int lowest_free_descriptor(void)
{
	int fd = dup(STDERR_FILENO);
	close(fd);
	return fd;
}

/* descriptors-COUNT-BYTES; none of them may stay here. */
Test(child, keeps_no_descriptors_of_a_bad_reply)
{
	static const char *const names[] = {"descriptors-2-6", "descriptors-3-6", "descriptors-8-6",
										"descriptors-1-0", "descriptors-2-0"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int before = lowest_free_descriptor();
		struct child *child = start(names[i], 0);
		cr_assert_eq(call(child, 10).outcome, CHILD_BROKEN, "%s", names[i]);
		child_stop(child);
		cr_assert_eq(lowest_free_descriptor(), before, "%s", names[i]);
	}
}

Test(child, ends_a_memory_hog)
{
	struct child *child = start("hog", 200 << 20);
	struct child_result result = call(child, 30);
	cr_assert_eq(result.outcome, CHILD_OVER_MEMORY);
	cr_assert_gt(result.peak_memory_bytes, 200u << 20);
	cr_assert_lt(result.peak_memory_bytes, 2000u << 20);
	assert_nothing_left();
	child_stop(child);
}

/* Of each kind, and beside it little else. */
Test(child, counts_memory_that_no_process_shows)
{
#ifdef __SANITIZE_THREAD__
	cr_skip_test("most of what a process has is ThreadSanitizer's");
#endif
	static const struct {
		char name[8];
		size_t member;
	} kinds[] = {{"shared", offsetof(struct tree_memory, shared)},
				 {"memfd", offsetof(struct tree_memory, shared)},
				 {"tables", offsetof(struct tree_memory, tables)}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct child *child = start(kinds[i].name, 100 << 20);
		struct child_result result = call(child, 10);
		size_t kept;
		memcpy(&kept, (const char *)&result.memory + kinds[i].member, sizeof kept);
		cr_assert_eq(result.outcome, CHILD_OVER_MEMORY, "%s", kinds[i].name);
		cr_assert_gt(kept, 60u << 20, "%s", kinds[i].name);
		cr_assert_lt(kept, 130u << 20, "%s", kinds[i].name);
		child_stop(child);
	}
}

Test(child, collects_the_end_of_a_flood)
{
	struct child *child = start("flood", 0);
	cr_assert_eq(call(child, 30).outcome, CHILD_REPLIED);
	const char *output = child_output(child);
	size_t length = strlen(output);
	cr_assert_eq(length, CHILD_OUTPUT_MAX);
	cr_assert_str_eq(output + length - 12, "xxlast words");
	child_output_clear(child);
	cr_assert_str_empty(child_output(child));
	child_stop(child);
}

Test(child, leaves_no_orphan)
{
	struct child *child = start("orphans", 0);
	cr_assert_eq(call(child, 10).outcome, CHILD_REPLIED);
	usleep(100000);
	child_stop(child);
	assert_nothing_left();
}

/* One child's end must not touch the other. */
Test(child, stops_only_its_own)
{
	struct child *one = start("orphans", 0), *other = start("serve", 0);
	cr_assert_eq(call(one, 10).outcome, CHILD_REPLIED);
	child_stop(one);
	cr_assert_eq(call(other, 10).outcome, CHILD_REPLIED);
	child_stop(other);
	assert_nothing_left();
}

Test(child, survives_the_death_of_its_keeper)
{
	struct child *child = start("kill-keeper", 0);
	double started = now();
	struct child_result result = call(child, 30);
	cr_assert_eq(result.outcome, CHILD_SIGNALED);
	cr_assert_eq(result.signal_number, SIGKILL);
	cr_assert_lt(now() - started, 20);
	assert_nothing_left();
	child_stop(child);
}

Test(child, leaves_no_orphan_of_a_killed_keeper)
{
	for (int i = 0; i < 5; i++) {
		struct child *other = start("serve", 0), *child = start("kill-keeper-at-once", 0);
		double started = now();
		struct child_result result = call(child, 30);
		cr_assert_eq(result.outcome, CHILD_SIGNALED);
		cr_assert_lt(now() - started, 10);
		child_stop(child);
		cr_assert_eq(call(other, 10).outcome, CHILD_REPLIED, "it has its own keeper");
		child_stop(other);
		assert_nothing_left();
	}
}

/* Whoever was there before is none of the judge's. */
Test(child, leaves_others_alone)
{
	pid_t before = fork();
	if (before == 0)
		for (;;)
			pause();
	struct child *child = start("kill-keeper-at-once", 0);
	cr_assert_eq(call(child, 30).outcome, CHILD_SIGNALED);
	child_stop(child);
	cr_assert_eq(waitpid(before, NULL, WNOHANG), 0);
	kill(before, SIGKILL);
	waitpid(before, NULL, 0);
	assert_nothing_left();
}

/* In a process of its own: the framework does not expect its tests to stop. */
Test(child, is_not_blamed_for_a_stopped_supervisor)
{
	int status;
	pid_t supervisor = fork();
	if (supervisor == 0) {
		struct child *child = start("talk", 0);
		struct child_result result = call(child, 1.5);
		child_stop(child);
		_exit(result.outcome);
	}
	usleep(200000);
	kill(supervisor, SIGSTOP);
	usleep(2500000);
	kill(supervisor, SIGCONT);
	cr_assert_eq(waitpid(supervisor, &status, 0), supervisor);
	cr_assert(WIFEXITED(status));
	cr_assert_eq(WEXITSTATUS(status), CHILD_REPLIED);
}

/* The program stops its keeper, and then the supervisor is killed. */
Test(child, dies_with_its_supervisor_though_its_keeper_was_stopped)
{
	int ends[2];
	char byte;
	cr_assert_eq(pipe(ends), 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t supervisor = fork();
	if (supervisor == 0) {
		close(ends[0]);
		struct child *child = start("stop-keeper", 0);
		call(child, 10);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	cr_assert_eq(waitpid(supervisor, NULL, 0), supervisor);
	cr_assert_eq(read(ends[0], &byte, 1), 0);
	double deadline = now() + 10;
	while (waitpid(-1, NULL, WNOHANG) >= 0 && now() < deadline)
		usleep(1000);
	assert_nothing_left();
}

Test(child, inherits_nothing)
{
	int leaked = open("/dev/null", O_RDONLY); /* not close-on-exec */
	struct child *child = start("descriptors", 0);
	struct child_result result = child_wait(child, 10);
	cr_assert_eq(result.outcome, CHILD_EXITED);
	cr_assert_str_eq(child_output(child), "0 1 2 ");
	child_stop(child);
	close(leaked);
}

Test(child, says_what_cannot_be_started)
{
	struct error err = {{0}};
	const char *argv[] = {"/no/such/program", NULL};
	cr_assert_null(child_start(&(struct child_options){.argv = argv}, &err));
	cr_assert_str_eq(err.message, "/no/such/program: No such file or directory");
	const char *shell[] = {"/bin/sh", NULL};
	cr_assert_null(
		child_start(&(struct child_options){.argv = shell, .working_folder = "/no/folder"}, &err));
	cr_assert_str_eq(err.message, "/no/folder: No such file or directory");
	assert_nothing_left();
}

Test(child, replaces_environment_variables)
{
	struct error err = {{0}};
	setenv("TEST_VALUE", "old", 1);
	const char *argv[] = {"/bin/sh", "-c", "echo $TEST_VALUE; pwd; exit 3", NULL};
	const char *environment[] = {"TEST_VALUE=new", NULL};
	struct child *child = child_start(
		&(struct child_options){.argv = argv, .setenv = environment, .working_folder = "/"}, &err);
	cr_assert_not_null(child, "%s", err.message);
	struct child_result result = child_wait(child, 10);
	cr_assert_eq(result.outcome, CHILD_EXITED);
	cr_assert_eq(result.exit_status, 3);
	cr_assert_str_eq(child_output(child), "new\n/\n");
	child_stop(child);
}

/* The supervisor is killed; whoever was below it dies soon after. */
Test(child, dies_with_its_supervisor)
{
	int ends[2];
	char byte;
	cr_assert_eq(pipe(ends), 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t supervisor = fork();
	if (supervisor == 0) {
		close(ends[0]);
		struct child *child = start("orphans", 0);
		call(child, 10);
		usleep(100000);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	cr_assert_eq(waitpid(supervisor, NULL, 0), supervisor);
	cr_assert_eq(read(ends[0], &byte, 1), 0);
	double deadline = now() + 10;
	while (waitpid(-1, NULL, WNOHANG) >= 0 && now() < deadline)
		usleep(1000);
	assert_nothing_left();
}

/* ---- threads -------------------------------------------------------------- */

struct waiter {
	struct child *child;
	double seconds;
	struct child_result result;
};

static void *wait_for_end(void *context)
{
	struct waiter *waiter = context;
	waiter->result = child_wait(waiter->child, waiter->seconds);
	return NULL;
}

Test(child, is_paused_with_its_children_and_not_blamed_for_that)
{
	struct child_control control = {0};
	struct waiter waiter = {start_controlled("count", 0, &control), 1.5, {0}};
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, wait_for_end, &waiter), 0);
	usleep(100000);
	atomic_fetch_add(&control.paused, 1);
	usleep(2500000);
	atomic_fetch_sub(&control.paused, 1);
	pthread_join(thread, NULL);
	cr_assert_eq(waiter.result.outcome, CHILD_EXITED);
	cr_assert_eq(strlen(child_output(waiter.child)), 500);
	child_stop(waiter.child);
	assert_nothing_left();
}

Test(child, is_still_while_it_is_paused)
{
	struct child_control control = {.paused = 1};
	struct child *child = start_controlled("count", 0, &control);
	struct waiter waiter = {child, 10, {0}};
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, wait_for_end, &waiter), 0);
	usleep(1500000);
	atomic_store(&control.cancelled, true);
	pthread_join(thread, NULL);
	cr_assert_eq(waiter.result.outcome, CHILD_CANCELLED);
	cr_assert_lt(strlen(child_output(child)), 500);
	child_stop(child);
	assert_nothing_left();
}

Test(child, is_ended_when_it_is_cancelled)
{
	struct child_control control = {0};
	struct waiter waiter = {start_controlled("orphans", 0, &control), 60, {0}};
	pthread_t thread;
	double started = now();
	cr_assert_eq(pthread_create(&thread, NULL, wait_for_end, &waiter), 0);
	usleep(200000);
	atomic_store(&control.cancelled, true);
	pthread_join(thread, NULL);
	cr_assert_eq(waiter.result.outcome, CHILD_CANCELLED);
	cr_assert_lt(now() - started, 20);
	child_stop(waiter.child);
	assert_nothing_left();
}

#define THREADS 4
#define CHILDREN 12

/* Half of them end a keeper of theirs, and leave orphans to be looked for beside new keepers. */
static void *start_many(void *context)
{
	const char *const *names = context;
	size_t replies = 0;
	for (int i = 0; i < CHILDREN; i++) {
		struct child *child = start(names[i % 2], 0);
		replies += call(child, 20).outcome == CHILD_REPLIED;
		child_stop(child);
	}
	return (void *)replies;
}

Test(child, of_one_thread_is_left_alone_by_another, .timeout = 120)
{
	static const char *const names[2][2] = {{"serve", "orphans"}, {"kill-keeper-at-once", "serve"}};
	pthread_t threads[THREADS];
	for (size_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, start_many, (void *)names[i % 2]), 0);
	for (size_t i = 0; i < THREADS; i++) {
		void *replies;
		pthread_join(threads[i], &replies);
		cr_assert_eq((size_t)replies, i % 2 == 0 ? CHILDREN : CHILDREN / 2);
	}
	assert_nothing_left();
}
