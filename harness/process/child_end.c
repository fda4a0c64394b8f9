/* The end of a child: of its program, and of all that it started. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/child_inside.h"
#include "process/keeper.h"
#include "process/tree.h"

#define STOP_SECONDS 10.0 /* a process that a driver holds takes its time to die */
#define REAP_SECONDS 6.0  /* for what was killed from here, on a busy machine, too */
#define ORPHANS 512       /* ended at once; then the next ones */

static bool await_report(struct child *child, double seconds, struct keeper_report *report)
{
	double deadline = clock_seconds() + seconds;
	struct pollfd events[] = {{.fd = child->report, .events = POLLIN},
							  {.fd = child->output, .events = POLLIN}};
	for (;;) {
		double left = deadline - clock_seconds();
		events[1].fd = child->output;
		int ready = poll(events, 2, left > 0 ? (int)(left * 1000.0) + 1 : 0);
		child_drain(child, CHILD_DRAIN_READS); /* one that writes while it ends must not block */
		if (events[0].revents != 0 && ready > 0)
			return read(child->report, report, sizeof *report) == sizeof *report;
		if (left <= 0 || (ready < 0 && errno != EINTR))
			return false;
	}
}

static void pause_shortly(void)
{
	struct timespec pause = {.tv_nsec = 1000000};
	nanosleep(&pause, NULL);
}

/* Waits for a process that has been killed, but not for ever. */
static void reap(pid_t pid)
{
	double deadline = clock_seconds() + REAP_SECONDS;
	while (waitpid(pid, NULL, WNOHANG) == 0 && clock_seconds() < deadline)
		pause_shortly();
}

/* The keeper did not do its work: the program killed it, or a driver holds the program. */
static void end_without_keeper(const struct child *child)
{
	tree_kill(child->keeper);
	kill(child->keeper, SIGKILL);
	reap(child->keeper);
}

/* Those there are now, once; returns how many. */
static size_t kill_orphans(const struct child *child)
{
	pid_t pids[ORPHANS];
	size_t left = 0;
	child_list_hold();
	size_t count = tree_younger(getpid(), child->keeper, child->keeper_started, pids, ORPHANS);
	for (size_t i = 0; i < count; i++) {
		if (child_list_has(pids[i]))
			continue;
		tree_kill(pids[i]);
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, WNOHANG);
		left++;
	}
	child_list_release();
	return left;
}

/* What a keeper leaves behind that was killed falls to the supervisor: whoever is its child, is no
 * keeper and came after that one. */
static void end_orphans(const struct child *child)
{
	double deadline = clock_seconds() + REAP_SECONDS;
	while (kill_orphans(child) > 0 && clock_seconds() < deadline)
		pause_shortly();
}

/* Who has broken off an exchange cannot give it back: the answer may still come. */
static void end_loan(struct child *child, enum child_outcome outcome)
{
	if (!child->returned)
		shutdown(child->channel, SHUT_RDWR);
	child_close(&child->channel);
	child->alive = false;
	child->result.outcome = outcome;
}

void child_end(struct child *child, enum child_outcome outcome)
{
	struct keeper_report report = {0};
	if (!child->alive)
		return;
	if (child->lent) {
		end_loan(child, outcome);
		return;
	}
	child_close(&child->life);    /* asks the keeper */
	kill(child->keeper, SIGCONT); /* which the program may have stopped */
	bool told = await_report(child, STOP_SECONDS, &report);
	if (told)
		reap(child->keeper);
	else
		end_without_keeper(child);
	child_list_remove(child);
	if (!told && !child->ours) /* a keeper reports when nothing is left */
		end_orphans(child);
	child_drain(child, CHILD_OUTPUT_MAX);

	child->alive = false;
	child->left = !told && kill(child->keeper, 0) == 0;
	child->result.written_bytes = !told || report.written == UINT64_MAX ? UINT64_MAX
								  : report.written > child->said ? report.written - child->said
																 : 0;
	child->result.outcome = outcome;
	if (outcome == CHILD_EXITED && child->group != NULL && cgroup_ran_out(child->group)) {
		child->result.outcome = CHILD_OVER_MEMORY;
	} else if (outcome == CHILD_EXITED && !told) {
		child->result.outcome = CHILD_SIGNALED;
		child->result.signal_number = SIGKILL;
	} else if (outcome == CHILD_EXITED && WIFSIGNALED(report.wait_status)) {
		child->result.outcome = CHILD_SIGNALED;
		child->result.signal_number = WTERMSIG(report.wait_status);
	} else if (outcome == CHILD_EXITED) {
		child->result.exit_status = WEXITSTATUS(report.wait_status);
	}
	cgroup_remove(child->group);
	child->group = NULL;
	child_close(&child->channel);
	child_close(&child->output);
	child_close(&child->report);
}

void child_memory_text(const struct tree_memory *memory, char out[CHILD_MEMORY_TEXT])
{
	const struct {
		size_t bytes;
		const char *name;
	} kinds[] = {{memory->own, "private"},
				 {memory->shared, "shared"},
				 {memory->tables, "in page tables"},
				 {memory->stacks, "for threads"}};
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].bytes >> 20 > 0)
			used += (size_t)snprintf(out + used, CHILD_MEMORY_TEXT - used, "%s%zu MiB %s",
									 used > 0 ? ", " : "", kinds[i].bytes >> 20, kinds[i].name);
}

bool child_stop(struct child *child)
{
	if (child == NULL)
		return true;
	child->returned = true;
	child_end(child, CHILD_TIMED_OUT);
	const bool gone = !child->left;
	free(child);
	return gone;
}
