#include "process/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/cgroup.h"
#include "process/child.h"
#include "process/landlock.h"
#include "process/tree.h"

#define KILL_MILLISECONDS 20

/* Where the keeper's own descriptors lie once the rest is closed. The program
 * does not inherit them: they are close-on-exec. */
enum {
	START_FD = CHILD_CHANNEL_FD + 1,
	LIFE_FD,
	REPORT_FD,
	RULES_FD,
	GROUP_FD,
	SIGNAL_FD,
	FIRST_FREE_FD
};

_Static_assert(FIRST_FREE_FD <= KEEPER_LOWEST_FD, "the given descriptors must not be overwritten");

static void arrange_descriptors(const struct keeper_task *task)
{
	dup2(task->null_fd, STDIN_FILENO);
	dup2(task->output_fd, STDOUT_FILENO);
	dup2(task->output_fd, STDERR_FILENO);
	dup2(task->channel_fd, CHILD_CHANNEL_FD);
	dup3(task->start_fd, START_FD, O_CLOEXEC);
	dup3(task->life_fd, LIFE_FD, O_CLOEXEC);
	dup3(task->report_fd, REPORT_FD, O_CLOEXEC);
	close(RULES_FD);
	close(GROUP_FD);
	if (task->rules_fd >= 0)
		dup3(task->rules_fd, RULES_FD, O_CLOEXEC);
	if (task->group_fd >= 0)
		dup3(task->group_fd, GROUP_FD, O_CLOEXEC);
	closefrom(SIGNAL_FD);
}

/* The keeper holds no end of what belongs to the program, so that the
 * supervisor sees the end of it. */
static void let_go(const struct keeper_task *task)
{
	dup2(STDIN_FILENO, STDOUT_FILENO);
	dup2(STDIN_FILENO, STDERR_FILENO);
	close(CHILD_CHANNEL_FD);
	close(START_FD);
	if (task->rules_fd >= 0)
		close(RULES_FD);
	if (task->group_fd >= 0)
		close(GROUP_FD);
}

static void tell(int what, int number)
{
	struct keeper_failure failure = {.what = what, .error_number = number};
	if (write(START_FD, &failure, sizeof failure) < 0)
		return; /* the supervisor is gone; nobody to tell */
}

static void reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;
	for (int number = 1; number < NSIG; number++)
		if (number != SIGKILL && number != SIGSTOP)
			sigaction(number, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become_program(const struct keeper_task *task, pid_t keeper)
{
	const struct rlimit no_core = {0, 0}, files = {task->file_limit, task->file_limit};
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper) /* it died before the line above */
		_exit(127);
	setrlimit(RLIMIT_CORE, &no_core);
	if (task->file_limit > 0)
		setrlimit(RLIMIT_FSIZE, &files);
	reset_signals();
	if (task->group_fd >= 0 && write(GROUP_FD, CGROUP_ENTER, sizeof CGROUP_ENTER - 1) < 0) {
		tell(KEEPER_CANNOT_JOIN, errno);
		_exit(127);
	}
	if (task->working_folder != NULL && chdir(task->working_folder) != 0) {
		tell(KEEPER_CANNOT_ENTER, errno);
		_exit(127);
	}
	if (task->rules_fd >= 0 && !landlock_restrict(RULES_FD)) {
		tell(KEEPER_CANNOT_RESTRICT, errno);
		_exit(127);
	}
	tell(KEEPER_EXECUTES, (int)getpid());
	execve(task->argv[0], (char *const *)task->argv, task->environment);
	tell(KEEPER_CANNOT_EXECUTE, errno);
	_exit(127);
}

/* Reaps what has ended. True when the program is among it. */
static bool reap(pid_t program, int *status)
{
	pid_t pid;
	int one;
	bool found = false;
	while ((pid = waitpid(-1, &one, WNOHANG)) > 0)
		if (pid == program) {
			*status = one;
			found = true;
		}
	return found;
}

/* Until the program ends (true) or the supervisor wants it to end (false). */
static bool keep(pid_t program, int signals, int *status)
{
	struct pollfd events[] = {{.fd = LIFE_FD, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;
	for (;;) {
		if (poll(events, 2, -1) < 0 && errno != EINTR)
			return false;
		if (events[1].revents != 0 && read(signals, &info, sizeof info) < 0 && errno != EAGAIN)
			return false;
		if (reap(program, status))
			return true;
		if (events[0].revents != 0)
			return false;
	}
}

/* True when the keeper has no child, and so nothing below it: whose parent has ended is a child of
 * the keeper. */
static bool reap_all(pid_t program, int *status)
{
	int one;
	pid_t pid;
	while ((pid = waitpid(-1, &one, WNOHANG)) > 0)
		if (pid == program)
			*status = one;
	return pid < 0;
}

/* The program alone. Most leave nothing behind, and to look through /proc costs more than their
 * end: it is waited for KILL_MILLISECONDS before that, until somebody ends. True when nothing is
 * left. */
static bool kill_program(pid_t program, int signals, int *status)
{
	struct pollfd event = {.fd = signals, .events = POLLIN};
	kill(program, SIGKILL);
	poll(&event, 1, KILL_MILLISECONDS);
	return reap_all(program, status);
}

/* Comes back only when nothing is left, however long that takes: the supervisor
 * has its own patience. `ended`: the program did, and has been reaped. */
static void kill_and_reap(pid_t program, bool ended, int signals, int *status)
{
	struct timespec pause = {.tv_nsec = 1000000};
	bool none = ended ? reap_all(program, status) : kill_program(program, signals, status);
	while (!none) {
		tree_kill(getpid());
		none = reap_all(program, status);
		if (!none)
			nanosleep(&pause, NULL);
	}
}

/* By the kernel's account of this process, to which that of all whom it reaped was added. */
static uint64_t written_by_all(void)
{
	static const char key[] = "\nwchar: ";
	char text[512] = "";
	uint64_t bytes = 0;
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	const char *at = length > 0 ? strstr(text, key) : NULL;
	if (at == NULL)
		return UINT64_MAX;
	for (at += sizeof key - 1; *at >= '0' && *at <= '9'; at++)
		bytes = bytes * 10 + (uint64_t)(*at - '0');
	return bytes;
}

_Noreturn void keeper_run(const struct keeper_task *task)
{
	pid_t self = getpid();
	sigset_t child_signal;
	struct keeper_report report = {0};

	arrange_descriptors(task);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would swallow what waitpid tells */
	setsid();                 /* the terminal's interrupts are the supervisor's business */
	/* AddressSanitizer's prctl() takes a lock here, which another thread may have at the fork. */
	syscall(SYS_prctl, PR_SET_NAME, "gemmjudge-keep", 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Should the program stop the keeper and the supervisor die, the keeper has work to do. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	sigemptyset(&child_signal);
	sigaddset(&child_signal, SIGCHLD);
	int signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);

	report.program = signals >= 0 ? fork() : -1;
	if (report.program == 0)
		become_program(task, self);
	if (report.program < 0) {
		tell(KEEPER_CANNOT_FORK, errno);
		_exit(1);
	}
	let_go(task);
	report.ended = keep(report.program, signals, &report.wait_status);
	kill_and_reap(report.program, report.ended, signals, &report.wait_status);
	report.written = written_by_all();
	_exit(write(REPORT_FD, &report, sizeof report) == sizeof report ? 0 : 1);
}
