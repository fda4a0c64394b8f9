/* links: process base; label: threads */
/* A process is held on a CPU with all of its threads, and seen when one leaves. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/cpu.h"

static cpu_set_t allowed;
static int
	told[2]; /* a byte where the child's second thread is there, and one where it has moved */

/* Moves itself to wherever it was allowed, when it is told to. */
static void *second(void *context)
{
	sigset_t *wanted = context;
	int number;
	if (write(told[1], "1", 1) != 1 || sigwait(wanted, &number) != 0 ||
		sched_setaffinity(0, sizeof allowed, &allowed) != 0 || write(told[1], "2", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t child_of_two_threads(void)
{
	cr_assert_eq(pipe(told), 0);
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	pthread_t thread;
	sigset_t wanted;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	if (pthread_create(&thread, NULL, second, &wanted) != 0)
		_exit(1);
	for (;;)
		pause();
}

static void wait_for(char wanted)
{
	char said = 0;
	cr_assert_eq(read(told[0], &said, 1), 1);
	cr_assert_eq(said, wanted);
}

Test(cpu, all_threads_are_held_and_none_can_leave_unseen)
{
	cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	if (CPU_COUNT(&allowed) < 2)
		cr_skip_test("there is one CPU");
	pid_t pid = child_of_two_threads();
	wait_for('1');
	int last = CPU_SETSIZE - 1;
	while (!CPU_ISSET(last, &allowed))
		last--;
	cr_assert_not(cpu_is_held(pid, last));
	cr_assert(cpu_hold(pid, last));
	cr_assert(cpu_is_held(pid, last));
	kill(pid, SIGUSR1);
	wait_for('2');
	cr_assert_not(cpu_is_held(pid, last), "the second thread has left");
	cr_assert(cpu_hold(pid, last) && cpu_is_held(pid, last), "and is brought back");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_assert_not(cpu_hold(pid, last), "it is gone");
	cr_assert_not(cpu_is_held(pid, last));
	cr_assert_not(cpu_hold(getpid(), CPU_NONE));
}

Test(cpu, one_is_drawn_that_may_be_used)
{
	cpu_set_t set;
	cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
	for (int i = 0; i < 50; i++) {
		int cpu = cpu_draw();
		if (CPU_COUNT(&set) < 2)
			cr_assert_eq(cpu, CPU_NONE, "the caller needs one");
		else
			cr_assert(CPU_ISSET(cpu, &set));
	}
}
