/* The start of a child: descriptors, environment, keeper, program. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/child_inside.h"
#include "process/environment.h"
#include "process/keeper.h"
#include "process/tree.h"

/* The descriptors that a start needs: [0] the supervisor's end, [1] the other. */
struct ends {
	int channel[2], output[2], life[2], report[2], start[2];
	int null_fd, rules_fd, group_fd;
};

#define ENDS_NONE                                                                                  \
	{                                                                                              \
		{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, -1, -1, -1                               \
	}

/* Out of the range that the keeper rearranges. */
static bool move_up(int *fd)
{
	int moved = fcntl(*fd, F_DUPFD_CLOEXEC, KEEPER_LOWEST_FD);
	if (moved < 0)
		return false;
	close(*fd);
	*fd = moved;
	return true;
}

/* [0] reads for the supervisor; `reverse`: [0] writes. */
static bool open_pipe(int ends[2], bool reverse)
{
	int both[2];
	if (pipe2(both, O_CLOEXEC) != 0)
		return false;
	ends[0] = both[reverse];
	ends[1] = both[!reverse];
	return move_up(&ends[0]) && move_up(&ends[1]);
}

static bool open_ends(struct ends *ends)
{
	ends->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return ends->null_fd >= 0 && move_up(&ends->null_fd) &&
		   socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends->channel) == 0 &&
		   move_up(&ends->channel[0]) && move_up(&ends->channel[1]) &&
		   open_pipe(ends->output, false) && open_pipe(ends->life, true) &&
		   open_pipe(ends->report, false) && open_pipe(ends->start, false) &&
		   fcntl(ends->output[0], F_SETFL, O_NONBLOCK) == 0;
}

static void close_side(struct ends *ends, int side)
{
	child_close(&ends->channel[side]);
	child_close(&ends->output[side]);
	child_close(&ends->life[side]);
	child_close(&ends->report[side]);
	child_close(&ends->start[side]);
}

/* Copies a descriptor that the caller, or the child's group, has open. */
static bool copy_descriptor(int fd, int *copy)
{
	*copy = fcntl(fd, F_DUPFD_CLOEXEC, KEEPER_LOWEST_FD);
	return *copy >= 0;
}

static pid_t fork_keeper(const struct child_options *options, const struct ends *ends,
						 char *const *environment)
{
	const struct keeper_task task = {.argv = options->argv,
									 .environment = environment,
									 .working_folder = options->working_folder,
									 .file_limit = options->file_limit_bytes,
									 .rules_fd = ends->rules_fd,
									 .group_fd = ends->group_fd,
									 .null_fd = ends->null_fd,
									 .output_fd = ends->output[1],
									 .channel_fd = ends->channel[1],
									 .start_fd = ends->start[1],
									 .life_fd = ends->life[1],
									 .report_fd = ends->report[1]};
	sigset_t all, before;
	sigfillset(&all);
	/* Blocked, so that no handler of the supervisor runs in the keeper. */
	if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0)
		return -1;
	pid_t keeper = fork();
	if (keeper == 0)
		keeper_run(&task);
	int saved = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return keeper;
}

/* Forks the child's keeper, and puts it into the list. */
static bool start_keeper(struct child *child, const struct child_options *options,
						 const struct ends *ends, char *const *environment)
{
	child_list_hold();
	child->keeper = fork_keeper(options, ends, environment);
	int saved = errno;
	if (child->keeper > 0) {
		child->keeper_started = tree_started(child->keeper);
		child_list_add(child);
	}
	child_list_release();
	errno = saved;
	return child->keeper > 0;
}

/* Waits until the program runs, and stores which process it is. */
static bool await_start(int start, const struct child_options *options, pid_t *program,
						struct error *err)
{
	struct keeper_failure failure;
	ssize_t got;
	while ((got = read(start, &failure, sizeof failure)) != 0) {
		if (got == sizeof failure && failure.what == KEEPER_EXECUTES)
			*program = (pid_t)failure.error_number;
		else if (got >= 0 || errno != EINTR)
			break;
	}
	if (got == 0)
		return true;
	if (got != sizeof failure)
		return error_set(err, "%s: cannot be started", options->argv[0]);
	const char *why = strerror(failure.error_number);
	if (failure.what == KEEPER_CANNOT_FORK)
		return error_set(err, "%s: no new process: %s", options->argv[0], why);
	if (failure.what == KEEPER_CANNOT_ENTER)
		return error_set(err, "%s: %s", options->working_folder, why);
	if (failure.what == KEEPER_CANNOT_JOIN)
		return error_set(err, "%s: cannot be put into its memory cgroup: %s", options->argv[0],
						 why);
	if (failure.what == KEEPER_CANNOT_RESTRICT)
		return error_set(err, "%s: cannot be put under Landlock's rules: %s", options->argv[0],
						 why);
	return error_set(err, "%s: %s", options->argv[0], why);
}

/* The group of a child whose memory is limited, where there are groups. */
static bool take_group(struct child *child, const struct child_options *options, struct ends *ends,
					   struct error *err)
{
	if (options->memory_limit_bytes == 0 || !cgroup_wanted())
		return true;
	child->group = cgroup_make(options->memory_limit_bytes, err);
	return child->group != NULL &&
		   (copy_descriptor(cgroup_descriptor(child->group), &ends->group_fd) ||
			error_set(err, "%s: no descriptor for its group: %s", options->argv[0],
					  strerror(errno)));
}

static struct child *make_child(const struct child_options *options, struct ends *ends,
								struct error *err)
{
	struct child *child = calloc(1, sizeof *child);
	char **environment = environment_make(options->environment, options->setenv);
	if (child == NULL || environment == NULL) {
		error_set(err, "%s: out of memory", options->argv[0]);
		goto failed;
	}
	if (!take_group(child, options, ends, err))
		goto failed;
	child->memory_limit = options->memory_limit_bytes;
	child->process_limit = options->process_limit;
	child->control = options->control;
	child->tells = options->tells;
	child->ours = options->ours;
	/* Should the keeper itself be killed, what it kept falls to the supervisor. */
	if (!options->ours)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	child_watch_stops();
	if (!start_keeper(child, options, ends, environment)) {
		error_set(err, "%s: no new process: %s", options->argv[0], strerror(errno));
		goto failed;
	}
	free(environment);
	return child;
failed:
	free(environment);
	if (child != NULL)
		cgroup_remove(child->group);
	free(child);
	return NULL;
}

struct child *child_start(const struct child_options *options, struct error *err)
{
	struct ends ends = ENDS_NONE;
	struct child *child = NULL;
	if (!open_ends(&ends) ||
		(options->rules > 0 && !copy_descriptor(options->rules, &ends.rules_fd))) {
		error_set(err, "%s: no descriptors for a new process: %s", options->argv[0],
				  strerror(errno));
		goto done;
	}
	child = make_child(options, &ends, err);
	if (child == NULL)
		goto done;
	close_side(&ends, 1);
	if (!await_start(ends.start[0], options, &child->program, err)) {
		close_side(&ends, 0);
		waitpid(child->keeper, NULL, 0);
		child_list_remove(child);
		cgroup_remove(child->group);
		free(child);
		child = NULL;
		goto done;
	}
	child_close(&ends.start[0]);
	child->alive = true;
	child->known[0] = child->program;
	child->known_count = 1;
	child->next_scan = clock_seconds() + CHILD_SCAN_SECONDS; /* most that are short have ended */
	child->channel = ends.channel[0];
	child->output = ends.output[0];
	child->life = ends.life[0];
	child->report = ends.report[0];
	const struct ends all = ends;
	ends = (struct ends)ENDS_NONE;
	ends.null_fd = all.null_fd;
	ends.rules_fd = all.rules_fd;
	ends.group_fd = all.group_fd;
done:
	close_side(&ends, 0);
	close_side(&ends, 1);
	child_close(&ends.null_fd);
	child_close(&ends.rules_fd);
	child_close(&ends.group_fd);
	return child;
}
