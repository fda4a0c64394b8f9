#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/keeper.h"
#include "process/ring.h"
#include "process/tree.h"

#define WATCH_SECONDS 0.02    /* between two looks at the memory of known processes */
#define SCAN_SECONDS 0.1      /* between two looks for new processes */
#define STOP_SECONDS 10.0     /* a process that a driver holds takes its time to die */
#define REAP_SECONDS 2.0      /* for what was killed from here */
#define ANSWER_SECONDS 0.3    /* for a program that says where it is */
#define DYING_SECONDS 5.0     /* for a program that was killed and is not gone: a driver holds it */
#define HANG_UP_SECONDS 2.0   /* between a closed channel and the end of its process */
#define DRAIN_READS 16        /* a flood must not keep the supervisor from its deadline */
#define ORPHANS 512           /* ended at once; then the next ones */
#define WATCHED_PROCESSES 512 /* memory of more than these is not looked at */

struct child {
	pid_t keeper, program;
	long keeper_started;
	struct child *next;                /* in the list of those alive */
	int channel, output, life, report; /* -1: closed */
	bool alive;
	uint64_t said;              /* bytes of output */
	struct child_result result; /* of its end, once not alive; peak memory throughout */
	size_t memory_limit, process_limit;
	double next_watch, next_scan; /* monotonic times */
	double last_round, dying;     /* 0: not seen to be dying */
	unsigned continued;
	const struct child_control *control;
	bool paused, tells;
	pid_t known[WATCHED_PROCESSES];
	size_t known_count, files; /* bytes in their files without a name */
	struct ring ring;
};

/* Two facts about the supervisor's own process, which the kernel keeps for it as a whole: who its
 * children are (to it fall those of a killed keeper, and nothing else tells them from the keepers
 * that live), and how often it was continued after a stop.
 *
 * Threads share them. The list is held while it is looked at, and from the fork of a keeper until
 * it is in there, so that nobody takes a new keeper for an orphan. A keeper that was forked beside
 * another one has the ends of that one's pipes only until it has arranged its own descriptors; and
 * as it forks in a process of several threads, it does nothing that is not async-signal-safe. */
static pthread_mutex_t alive_held = PTHREAD_MUTEX_INITIALIZER;
static struct child *alive;
static atomic_uint continued;

static void note_continued(int number)
{
	(void)number;
	atomic_fetch_add(&continued, 1);
}

static void watch_continued(void)
{
	const struct sigaction action = {.sa_handler = note_continued, .sa_flags = SA_RESTART};
	struct sigaction before;
	if (sigaction(SIGCONT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGCONT, &action, NULL);
}

static void list_remove(const struct child *child)
{
	pthread_mutex_lock(&alive_held);
	struct child **at = &alive;
	while (*at != NULL && *at != child)
		at = &(*at)->next;
	if (*at != NULL)
		*at = child->next;
	pthread_mutex_unlock(&alive_held);
}

/* To be asked while the list is held. */
static bool is_keeper(pid_t pid)
{
	for (const struct child *child = alive; child != NULL; child = child->next)
		if (child->keeper == pid)
			return true;
	return false;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- starting --------------------------------------------------------- */

/* The descriptors that a start needs: [0] the supervisor's end, [1] the other. */
struct ends {
	int channel[2], output[2], life[2], report[2], start[2];
	int null_fd, rules_fd;
};

#define ENDS_NONE                                                                                  \
	{                                                                                              \
		{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, -1, -1                                   \
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

/* `rules`: of the child's options. */
static bool open_ends(struct ends *ends, int rules)
{
	if (rules > 0 && (ends->rules_fd = fcntl(rules, F_DUPFD_CLOEXEC, KEEPER_LOWEST_FD)) < 0)
		return false;
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
	close_fd(&ends->channel[side]);
	close_fd(&ends->output[side]);
	close_fd(&ends->life[side]);
	close_fd(&ends->report[side]);
	close_fd(&ends->start[side]);
}

static bool same_name(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");
	return strncmp(a, b, length + 1) == 0;
}

/* The environment with the additions, or these alone; the strings are borrowed. */
static char **make_environment(const char *const *additions, bool alone)
{
	size_t old = 0, added = 0, count = 0;
	while (!alone && environ != NULL && environ[old] != NULL)
		old++;
	while (additions != NULL && additions[added] != NULL)
		added++;
	char **out = calloc(old + added + 1, sizeof *out);
	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < old; i++) {
		bool replaced = false;
		for (size_t j = 0; j < added; j++)
			replaced |= same_name(additions[j], environ[i]);
		if (!replaced)
			out[count++] = environ[i];
	}
	for (size_t j = 0; j < added; j++)
		out[count++] = (char *)additions[j];
	return out;
}

static pid_t fork_keeper(const struct child_options *options, const struct ends *ends,
						 char *const *environment)
{
	const struct keeper_task task = {.argv = options->argv,
									 .environment = environment,
									 .working_folder = options->working_folder,
									 .file_limit = options->file_limit_bytes,
									 .rules_fd = ends->rules_fd,
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
static bool list_add(struct child *child, const struct child_options *options,
					 const struct ends *ends, char *const *environment)
{
	pthread_mutex_lock(&alive_held);
	child->keeper = fork_keeper(options, ends, environment);
	int saved = errno;
	if (child->keeper > 0) {
		child->keeper_started = tree_started(child->keeper);
		child->next = alive;
		alive = child;
	}
	pthread_mutex_unlock(&alive_held);
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
	if (failure.what == KEEPER_CANNOT_RESTRICT)
		return error_set(err, "%s: cannot be put under Landlock's rules: %s", options->argv[0],
						 why);
	return error_set(err, "%s: %s", options->argv[0], why);
}

static struct child *make_child(const struct child_options *options, struct ends *ends,
								struct error *err)
{
	struct child *child = calloc(1, sizeof *child);
	char **environment = make_environment(options->setenv, options->only_setenv);
	if (child == NULL || environment == NULL) {
		error_set(err, "%s: out of memory", options->argv[0]);
		goto failed;
	}
	child->memory_limit = options->memory_limit_bytes;
	child->process_limit = options->process_limit;
	child->control = options->control;
	child->tells = options->tells;
	/* Should the keeper itself be killed, what it kept falls to the supervisor. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	watch_continued();
	if (!list_add(child, options, ends, environment)) {
		error_set(err, "%s: no new process: %s", options->argv[0], strerror(errno));
		goto failed;
	}
	free(environment);
	return child;
failed:
	free(environment);
	free(child);
	return NULL;
}

struct child *child_start(const struct child_options *options, struct error *err)
{
	struct ends ends = ENDS_NONE;
	struct child *child = NULL;
	if (!open_ends(&ends, options->rules)) {
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
		list_remove(child);
		free(child);
		child = NULL;
		goto done;
	}
	close_fd(&ends.start[0]);
	child->alive = true;
	child->channel = ends.channel[0];
	child->output = ends.output[0];
	child->life = ends.life[0];
	child->report = ends.report[0];
	int null_fd = ends.null_fd, rules_fd = ends.rules_fd;
	ends = (struct ends)ENDS_NONE;
	ends.null_fd = null_fd;
	ends.rules_fd = rules_fd;
done:
	close_side(&ends, 0);
	close_side(&ends, 1);
	close_fd(&ends.null_fd);
	close_fd(&ends.rules_fd);
	return child;
}

/* ---- ending ----------------------------------------------------------- */

static void drain_output(struct child *child, int reads)
{
	char bytes[65536];
	for (; reads > 0 && child->output >= 0; reads--) {
		ssize_t got = read(child->output, bytes, sizeof bytes);
		if (got > 0) {
			ring_add(&child->ring, bytes, (size_t)got);
			child->said += (uint64_t)got;
			continue;
		}
		if (got == 0)
			close_fd(&child->output);
		if (got == 0 || errno != EINTR)
			return;
	}
}

static bool await_report(struct child *child, double seconds, struct keeper_report *report)
{
	double deadline = clock_seconds() + seconds;
	struct pollfd events[] = {{.fd = child->report, .events = POLLIN},
							  {.fd = child->output, .events = POLLIN}};
	for (;;) {
		double left = deadline - clock_seconds();
		events[1].fd = child->output;
		int ready = poll(events, 2, left > 0 ? (int)(left * 1000.0) + 1 : 0);
		drain_output(child, DRAIN_READS); /* one that writes while it ends must not block */
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
	pthread_mutex_lock(&alive_held);
	size_t count = tree_younger(getpid(), child->keeper, child->keeper_started, pids, ORPHANS);
	for (size_t i = 0; i < count; i++) {
		if (is_keeper(pids[i]))
			continue;
		tree_kill(pids[i]);
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, WNOHANG);
		left++;
	}
	pthread_mutex_unlock(&alive_held);
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

/* Ends the child; from here on its result is `outcome`, or, where that is
 * CHILD_EXITED, what the keeper tells of the end. */
static void end_child(struct child *child, enum child_outcome outcome)
{
	struct keeper_report report = {0};
	if (!child->alive)
		return;
	close_fd(&child->life);       /* asks the keeper */
	kill(child->keeper, SIGCONT); /* which the program may have stopped */
	bool told = await_report(child, STOP_SECONDS, &report);
	if (told)
		reap(child->keeper);
	else
		end_without_keeper(child);
	list_remove(child);
	end_orphans(child);
	drain_output(child, CHILD_OUTPUT_MAX);

	child->alive = false;
	child->result.written_bytes = !told || report.written == UINT64_MAX ? UINT64_MAX
								  : report.written > child->said ? report.written - child->said
																 : 0;
	child->result.outcome = outcome;
	if (outcome == CHILD_EXITED && !told) {
		child->result.outcome = CHILD_SIGNALED;
		child->result.signal_number = SIGKILL;
	} else if (outcome == CHILD_EXITED && WIFSIGNALED(report.wait_status)) {
		child->result.outcome = CHILD_SIGNALED;
		child->result.signal_number = WTERMSIG(report.wait_status);
	} else if (outcome == CHILD_EXITED) {
		child->result.exit_status = WEXITSTATUS(report.wait_status);
	}
	close_fd(&child->channel);
	close_fd(&child->output);
	close_fd(&child->report);
}

void child_stop(struct child *child)
{
	if (child == NULL)
		return;
	end_child(child, CHILD_TIMED_OUT);
	free(child);
}

/* ---- watching --------------------------------------------------------- */

/* CHILD_REPLIED as long as no limit is passed. */
static enum child_outcome watch_limits(struct child *child)
{
	double time = clock_seconds();
	if (time < child->next_watch)
		return CHILD_REPLIED;
	if (time >= child->next_scan) {
		size_t found = tree_scan(child->keeper, child->known, WATCHED_PROCESSES, 0);
		if (child->process_limit > 0 && found > child->process_limit)
			return CHILD_OVER_PROCESSES;
		child->known_count = found < WATCHED_PROCESSES ? found : WATCHED_PROCESSES;
		child->files = tree_memory_files(child->known, child->known_count);
		double took = clock_seconds() - time;
		child->next_scan = time + (took * 50.0 > SCAN_SECONDS ? took * 50.0 : SCAN_SECONDS);
		if (child->program <= 0 || !tree_ends(child->program))
			child->dying = 0.0;
		else if (child->dying == 0.0)
			child->dying = time;
	}
	size_t used = tree_memory(child->known, child->known_count, child->files);
	if (child->memory_limit > 0 && used > child->memory_limit && child->known_count > 1)
		used = tree_memory_exact(child->known, child->known_count, child->files);
	if (used > child->result.peak_memory_bytes)
		child->result.peak_memory_bytes = used;
	child->next_watch = time + WATCH_SECONDS;
	bool over = child->memory_limit > 0 && used > child->memory_limit;
	return over ? CHILD_OVER_MEMORY : CHILD_REPLIED;
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

/* From when a child waits for a reply, or for its end. */
static double begin_rounds(struct child *child, double seconds)
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
		drain_output(child, DRAIN_READS);
	}
}

/* One round of waiting, at most until the deadline. `channel_events` is what to
 * look for on the channel; what is there comes back in *channel_ready. False
 * when the child has been ended. */
static bool wait_round(struct child *child, short channel_events, short *channel_ready,
					   double *deadline)
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
		end_child(child, CHILD_BROKEN);
		return false;
	}
	drain_output(child, DRAIN_READS);
	*channel_ready = events[0].revents;
	if (*channel_ready & POLLIN) /* a reply that came before the end still counts */
		return true;
	if (events[1].revents != 0) {
		end_child(child, CHILD_EXITED);
		return false;
	}
	enum child_outcome limits = watch_limits(child);
	if (limits != CHILD_REPLIED) {
		end_child(child, limits);
		return false;
	}
	if (child->dying > 0.0 && clock_seconds() > child->dying + DYING_SECONDS) {
		end_child(child, CHILD_EXITED);
		return false;
	}
	allow_for_stop(child, deadline);
	if (!obey(child)) {
		end_child(child, CHILD_CANCELLED);
		return false;
	}
	if (last && clock_seconds() >= *deadline) {
		ask(child);
		end_child(child, CHILD_TIMED_OUT);
		return false;
	}
	return true;
}

/* The channel is closed on the other side: either the process is about to be
 * gone, or it damaged its channel and will never answer. */
static void await_end_after_hang_up(struct child *child, double *deadline)
{
	double patience = clock_seconds() + HANG_UP_SECONDS;
	short ignored;
	while (child->alive && clock_seconds() < patience)
		if (!wait_round(child, 0, &ignored, deadline))
			return;
	end_child(child, CHILD_BROKEN);
}

struct child_result child_wait(struct child *child, double seconds)
{
	double deadline = begin_rounds(child, seconds);
	short ignored;
	while (child->alive)
		wait_round(child, 0, &ignored, &deadline);
	return child->result;
}

struct child_result child_finish(struct child *child, double seconds)
{
	close_fd(&child->channel);
	return child_wait(child, seconds);
}

/* ---- calling ---------------------------------------------------------- */

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static ssize_t send_packet(int channel, const void *request, size_t bytes, int fd)
{
	union control control = {0};
	struct iovec part = {.iov_base = (void *)request, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof control;
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
	}
	return sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* False when the child has been ended. */
static bool send_request(struct child *child, const void *request, size_t bytes, int fd,
						 double *deadline)
{
	char unasked;
	short ready;
	if (bytes > CHILD_MESSAGE_MAX ||
		recv(child->channel, &unasked, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
		end_child(child, CHILD_BROKEN); /* a second reply to the last request */
		return false;
	}
	while (send_packet(child->channel, request, bytes, fd) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN) {
			await_end_after_hang_up(child, deadline);
			return false;
		}
		if (!wait_round(child, POLLOUT, &ready, deadline))
			return false;
	}
	return true;
}

/* The one descriptor that came along, or -1. False where there are several, which are closed: the
 * alignment of control data leaves room for a second one. */
static bool take_descriptor(struct msghdr *message, int *fd)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	*fd = -1;
	if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return true;
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *fd;
	for (size_t i = 0; i < count; i++) {
		close_fd(fd);
		memcpy(fd, CMSG_DATA(header) + i * sizeof *fd, sizeof *fd);
	}
	if (count > 1)
		close_fd(fd);
	return count <= 1;
}

/* The packet that is there. False when it is no valid one. */
static bool take_reply(int channel, void *reply, size_t capacity, size_t *bytes, int *fd)
{
	union control control = {0};
	struct iovec part = {.iov_base = reply, .iov_len = capacity};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = &control,
							 .msg_controllen = sizeof control};
	*fd = -1;
	*bytes = 0;
	ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (got < 0)
		return false;
	*bytes = (size_t)got;
	if (take_descriptor(&message, fd) && got > 0 &&
		(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return true;
	close_fd(fd);
	return false;
}

/* The way a process is woken takes tens of microseconds; one that looks takes one. */
#define LOOK_SECONDS 0.2

static void look_for_reply(const struct child *child)
{
	struct pollfd events = {.fd = child->channel, .events = POLLIN};
	double until = clock_seconds() + LOOK_SECONDS;
	while (poll(&events, 1, 0) == 0 && clock_seconds() < until)
		;
}

struct child_result child_call_clocked(struct child *child, const void *request,
									   size_t request_bytes, int request_fd, void *reply,
									   size_t reply_capacity, size_t *reply_bytes, int *reply_fd,
									   double seconds, double *elapsed)
{
	double deadline = begin_rounds(child, seconds);
	short ready = 0;
	*reply_bytes = 0;
	*reply_fd = -1;
	double started = clock_seconds();
	if (!child->alive || !send_request(child, request, request_bytes, request_fd, &deadline))
		return child->result;
	if (elapsed != NULL)
		look_for_reply(child);

	while (wait_round(child, POLLIN, &ready, &deadline)) {
		if ((ready & POLLIN) == 0 && (ready & (POLLHUP | POLLERR)) == 0)
			continue;
		if (take_reply(child->channel, reply, reply_capacity, reply_bytes, reply_fd)) {
			struct child_result result = child->result;
			result.outcome = CHILD_REPLIED;
			if (elapsed != NULL)
				*elapsed = clock_seconds() - started;
			return result;
		}
		if (*reply_bytes > 0)
			end_child(child, CHILD_BROKEN);
		else
			await_end_after_hang_up(child, &deadline);
		break;
	}
	return child->result;
}

struct child_result child_call(struct child *child, const void *request, size_t request_bytes,
							   int request_fd, void *reply, size_t reply_capacity,
							   size_t *reply_bytes, int *reply_fd, double seconds)
{
	return child_call_clocked(child, request, request_bytes, request_fd, reply, reply_capacity,
							  reply_bytes, reply_fd, seconds, NULL);
}

void child_pause(struct child *child)
{
	if (child->alive && child->program > 0)
		kill(child->program, SIGSTOP);
}

void child_continue(struct child *child)
{
	if (child->alive && child->program > 0)
		kill(child->program, SIGCONT);
}

void child_move(struct child *child, const struct child *other)
{
	cpu_set_t set;
	int cpu = other->alive && other->program > 0 ? tree_cpu(other->program) : -1;
	if (cpu < 0 || cpu >= CPU_SETSIZE || !child->alive || child->program <= 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(child->program, sizeof set, &set);
}

/* ---- output ----------------------------------------------------------- */

const char *child_output(struct child *child)
{
	if (child->alive)
		drain_output(child, DRAIN_READS);
	return ring_text(&child->ring);
}

void child_output_clear(struct child *child)
{
	if (child->alive)
		drain_output(child, DRAIN_READS);
	ring_clear(&child->ring);
}
