/* links: jail judgement process base; timeout: 300 */
/* What a closed process can do no longer with files and processes. Each attempt is made in a child
 * process of its own, first without the layer, where it must succeed, so that no attempt fails for
 * another reason. */
#define _GNU_SOURCE
#include "jail_attempts.h"

/* ---- files ------------------------------------------------------------------ */

static int read_passwd(void)
{
	return open_and_close("/etc/passwd", O_RDONLY);
}

static int read_own_memory(void)
{
	return open_and_close("/proc/self/mem", O_RDWR);
}

static int read_listing(void)
{
	return open_and_close("/proc", O_RDONLY | O_DIRECTORY);
}

static int write_readable(void)
{
	return open_and_close(readable, O_WRONLY);
}

static int create_outside(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/new.%d", folder, (int)getpid());
	return open_and_close(path, O_WRONLY | O_CREAT | O_EXCL);
}

static int make_folder_outside(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/folder.%d", folder, (int)getpid());
	return mkdir(path, 0700) == 0 ? DONE : errno;
}

static int link_secret_inside(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/linked.%d", inside, (int)getpid());
	return link(secret, path) == 0 ? DONE : errno;
}

static int change_mode(void)
{
	return chmod(secret, 0600) == 0 ? DONE : errno;
}

static int cut_short(void)
{
	return truncate(secret, 0) == 0 ? DONE : errno;
}

static int grow_a_file(void)
{
	char path[128];
	signal(SIGXFSZ, SIG_IGN);
	snprintf(path, sizeof path, "%s/large.%d", inside, (int)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 ? errno : ftruncate(fd, 2 << 20) == 0 ? DONE : errno;
}

Test(jail, files_are_out_of_reach)
{
	need(LAYER_FILES);
	REFUSED(LAYER_FILES, read_passwd, EACCES);
	REFUSED(LAYER_FILES, read_secret, EACCES);
	REFUSED(LAYER_FILES, read_own_memory, EACCES);
	REFUSED(LAYER_FILES, read_listing, EACCES);
	REFUSED(LAYER_FILES, write_readable, EACCES);
	REFUSED(LAYER_FILES, create_outside, EACCES);
	REFUSED(LAYER_FILES, make_folder_outside, EACCES);
	REFUSED(LAYER_FILES, link_secret_inside, EXDEV);
	REFUSED(LAYER_CALLS, change_mode, EPERM);
	REFUSED(LAYER_CALLS, cut_short, EPERM);
}

Test(jail, what_is_listed_stays_in_reach)
{
	need(LAYER_FILES);
	cr_assert_eq(attempt_in(here, use_what_is_listed), DONE);
	cr_assert_eq(attempt_in(0, grow_a_file), DONE);
	cr_assert_eq(attempt_in(LAYER_FILES, grow_a_file), EFBIG);
}

/* ---- processes -------------------------------------------------------------- */

static int run_program(void)
{
	char *const words[] = {(char *)"true", NULL};
	pid_t child;
	int failed = posix_spawn(&child, "/bin/true", NULL, NULL, words, environ);
	return failed != 0 ? failed : wait_for(child);
}

/* In a child that became another program, DONE is /bin/true's. */
static int become_program(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int become_memory(void)
{
	char *const words[] = {(char *)"true", NULL}, *const none[] = {NULL};
	char bytes[65536];
	int from = open("/bin/true", O_RDONLY | O_CLOEXEC);
	int to = memfd_create("program", MFD_CLOEXEC);
	if (to < 0)
		return errno;
	for (ssize_t got; (got = read(from, bytes, sizeof bytes)) > 0;)
		if (write(to, bytes, (size_t)got) != got)
			return errno;
	fexecve(to, words, none);
	return errno;
}

static int begin_process(void)
{
	pid_t child = fork();
	if (child == 0)
		_exit(DONE);
	return child < 0 ? errno : wait_for(child);
}

static int begin_process_by_clone(void)
{
	long child = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
	if (child == 0)
		_exit(DONE);
	return child < 0 ? errno : wait_for((pid_t)child);
}

static int signal_parent(void)
{
	return kill(getppid(), SIGCONT) == 0 ? DONE : errno;
}

static int look_for_parent(void)
{
	return kill(getppid(), 0) == 0 ? DONE : errno;
}

static int queue_to_parent(void)
{
	return sigqueue(getppid(), SIGCONT, (union sigval){0}) == 0 ? DONE : errno;
}

static int trace_parent(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? DONE : errno;
}

static int write_parent(void)
{
	static int here = 5;
	struct iovec part = {&here, sizeof here};
	return process_vm_writev(getppid(), &part, 1, &part, 1, 0) == sizeof here ? DONE : errno;
}

static int read_parent_memory(void)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
	return open_and_close(path, O_RDWR);
}

static int slow_down_parent(void)
{
	return setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, 0)) == 0 ? DONE
																						 : errno;
}

static int limit_parent(void)
{
	struct rlimit limit;
	prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit);
	return prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL) == 0 ? DONE : errno;
}

static int ask_limit(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? DONE : errno;
}

static int hide_from_death(void)
{
	return prctl(PR_SET_PDEATHSIG, 0) == 0 ? DONE : errno;
}

static int schedule_otherwise(void)
{
	struct sched_param param = {0};
	return sched_setscheduler(0, SCHED_BATCH, &param) == 0 ? DONE : errno;
}

static int move_to_processors_of(pid_t pid, pid_t of)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (sched_getaffinity(of, sizeof set, &set) != 0 ||
		sched_setaffinity(pid, sizeof set, &set) != 0)
		return errno;
	return DONE;
}

static int move_parent(void)
{
	return move_to_processors_of(getppid(), getppid());
}

static int move_itself(void)
{
	return move_to_processors_of(0, 0);
}

static int schedule_parent_by_attributes(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = {.size = sizeof attributes};
	return syscall(SYS_sched_setattr, getppid(), &attributes, 0) == 0 ? DONE : errno;
}

static int unshare_something(void)
{
	return unshare(CLONE_FS) == 0 ? DONE : errno;
}

Test(jail, no_other_program_or_process)
{
	need(LAYER_CALLS);
	REFUSED(LAYER_CALLS, run_program, EPERM);
	REFUSED(LAYER_CALLS, become_program, EPERM);
	REFUSED(LAYER_CALLS, become_memory, EPERM);
	REFUSED(LAYER_CALLS, begin_process, EPERM);
	REFUSED(LAYER_CALLS, begin_process_by_clone, EPERM);
	REFUSED(LAYER_FILES, become_program, EACCES);
}

Test(jail, others_are_left_alone)
{
	need(LAYER_CALLS);
	REFUSED(LAYER_CALLS, signal_parent, EPERM);
	REFUSED(LAYER_CALLS, look_for_parent, EPERM);
	REFUSED(LAYER_CALLS, queue_to_parent, EPERM);
	REFUSED(LAYER_CALLS, trace_parent, EPERM);
	REFUSED(LAYER_CALLS, write_parent, EPERM);
	REFUSED(LAYER_CALLS, slow_down_parent, EPERM);
	REFUSED(LAYER_CALLS, limit_parent, EPERM);
	REFUSED(LAYER_CALLS, hide_from_death, EPERM);
	REFUSED(LAYER_CALLS, schedule_otherwise, EPERM);
	REFUSED(LAYER_CALLS, schedule_parent_by_attributes, EPERM);
	REFUSED(LAYER_CALLS, move_parent, EPERM);
	REFUSED(LAYER_CALLS, move_itself, EPERM); /* the judge chooses the CPU of a timed call */
	REFUSED(LAYER_CALLS, unshare_something, EPERM);
	REFUSED(LAYER_FILES, read_parent_memory, EACCES);
	REFUSED(LAYER_FILES, write_parent, EPERM);
	cr_assert_eq(attempt_in(LAYER_CALLS, ask_limit), DONE);
}

/* Landlock has this from ABI 6 on. */
Test(jail, signals_stay_inside_by_landlock_too)
{
	need(LAYER_FILES);
	if (landlock_abi() < 6)
		cr_skip_test("this kernel's Landlock does not know signals");
	REFUSED(LAYER_FILES, signal_parent, EPERM);
}
