/* links: jail judgement process base; timeout: 300 */
/* What else a closed process can do no longer: use root's rights, make requests to drivers, go on
 * while it is stopped, see what files there are. */
#define _GNU_SOURCE
#include <asm/sockios.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/unit/process/jail_fixture.h"

TestSuite(jail_rights, .init = begin, .fini = end);

/* ---- root's rights, and requests to the kernel --------------------------------- */

static int open_for_ioctl(void)
{
	return open_and_close(readable, O_ACCMODE);
}

static int change_flags(void)
{
	int flags = 0, fd = open(readable, O_RDONLY | O_CLOEXEC);
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0 && errno == ENOTTY)
		return DONE; /* this file system has none: the request has reached it */
	return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 ? DONE : errno;
}

static int freeze(void)
{
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int got = ioctl(fd, FIFREEZE, 0) == 0 ? DONE : errno;
	return got == EOPNOTSUPP || got == ENOTTY ? DONE : got; /* only root gets so far */
}

/* ENOTTY: the request has reached a descriptor that is no terminal. EPERM: it has not. */
static int request(unsigned long number)
{
	int ends[2];
	char answer[256];
	if (pipe(ends) != 0)
		return EINVAL;
	int got = ioctl(ends[0], number, answer) == 0 ? ENOTTY : errno;
	close(ends[0]);
	close(ends[1]);
	return got;
}

static bool all_answer(const unsigned long *numbers, size_t count, int answer)
{
	bool all = true;
	for (size_t i = 0; i < count; i++)
		if (request(numbers[i]) != answer) {
			fprintf(stderr, "0x%lx: not %s\n", numbers[i], strerror(answer));
			all = false;
		}
	return all;
}
#define ALL_ANSWER(numbers, answer) all_answer(numbers, sizeof(numbers) / sizeof *(numbers), answer)

static const unsigned long of_terminals[] = {0x5401 /* TCGETS */, 0x802c542a /* TCGETS2 */,
											 TIOCGWINSZ, 0x540100005401};
/* NV_ESC_RM_CONTROL, NV_ESC_CARD_INFO, UVM's first and last ones, its beginning, /dev/dxg */
static const unsigned long of_driver[] = {0xc020462a, 0xc90046c8, 1,          2,         81,
										  127,        0x30000001, 0x30000002, 0xc0184701};
static const unsigned long of_nobody[] = {
	FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FIFREEZE, FITHAW,        TIOCSTI,    FIOASYNC,
	FIOSETOWN,       SIOCSPGRP,         FICLONE,  FIDEDUPERANGE, 128,        0x5402,
	0x30000000,      0x30000003,        0x10001,  0xc0204562,    0xc0204862, 0x802c542b};

static int make_requests(bool driver)
{
	struct error err;
	if (jail_close(&(struct jail){.driver = driver}, LAYER_CALLS, &err) != LAYER_CALLS)
		return LACKS_LAYER;
	bool good = ALL_ANSWER(of_terminals, ENOTTY) && ALL_ANSWER(of_nobody, EPERM) &&
				ALL_ANSWER(of_driver, driver ? ENOTTY : EPERM);
	return good ? DONE : EINVAL;
}

Test(jail_rights, few_requests_go_on)
{
	need(LAYER_CALLS);
	REFUSED(LAYER_CALLS, open_for_ioctl, EPERM);
	REFUSED(LAYER_CALLS, change_flags, EPERM);
	if (geteuid() == 0)
		REFUSED(LAYER_CALLS, freeze, EPERM);
	for (int driver = 0; driver < 2; driver++) {
		pid_t child = fork();
		if (child == 0)
			_exit(make_requests(driver));
		cr_assert_eq(wait_for(child), DONE, "with driver: %d", driver);
	}
}

/* What namespaces add: what is listed is mounted for reading. */
Test(jail_rights, what_is_listed_is_read_only)
{
	need(LAYER_FILES | LAYER_NAMESPACES);
	int got = attempt_in(LAYER_FILES | LAYER_NAMESPACES, change_flags);
	cr_assert(got == EROFS || got == DONE, "%d", got); /* DONE: no flags there */
}

/* DONE: the thread has capabilities, or may gain some. */
static int have_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	if (syscall(SYS_capget, &header, data) != 0)
		return errno;
	uint32_t any = 0;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		any |= data[i].effective | data[i].permitted | data[i].inheritable;
	for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		any |= (uint32_t)prctl(PR_CAPBSET_READ, i, 0, 0, 0);
	return any != 0 ? DONE : EPERM;
}

Test(jail_rights, no_thread_keeps_roots_capabilities)
{
	need(LAYER_CALLS);
	if (geteuid() != 0)
		cr_skip_test("not root, who alone has any");
	REFUSED(LAYER_CALLS, have_capabilities, EPERM);
	cr_assert_eq(attempt_in(here, have_capabilities), EPERM);
}

/* ---- stops -------------------------------------------------------------------- */

static int set_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
	timer_t timer;
	return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 ? DONE : errno;
}

static int be_told_of_messages(void)
{
	/* no queue: what is asked for is found out first */
	return syscall(SYS_mq_notify, -1, NULL) != 0 && errno == EBADF ? DONE : errno;
}

static int continue_itself(void)
{
	return kill(getpid(), SIGCONT) == 0 ? DONE : errno;
}

static int continue_its_thread(void)
{
	return syscall(SYS_tgkill, getpid(), gettid(), SIGCONT) == 0 ? DONE : errno;
}

static int queue_continue(void)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	return syscall(SYS_rt_sigqueueinfo, getpid(), SIGCONT, &info) == 0 ? DONE : errno;
}

static int queue_continue_to_thread(void)
{
	siginfo_t info = {.si_code = SI_QUEUE};
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGCONT, &info) == 0 ? DONE : errno;
}

static int stop_itself(void)
{
	/* without the layer it stops and is continued by a timer */
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
	struct itimerspec when = {.it_value.tv_nsec = 20000000};
	timer_t timer;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &when, NULL);
	return kill(getpid(), SIGSTOP) == 0 ? DONE : errno;
}

Test(jail_rights, who_is_stopped_does_not_go_on)
{
	need(LAYER_CALLS);
	REFUSED(LAYER_CALLS, set_timer, EPERM);
	REFUSED(LAYER_CALLS, be_told_of_messages, EPERM);
	REFUSED(LAYER_CALLS, continue_itself, EPERM);
	REFUSED(LAYER_CALLS, continue_its_thread, EPERM);
	REFUSED(LAYER_CALLS, queue_continue, EPERM);
	REFUSED(LAYER_CALLS, queue_continue_to_thread, EPERM);
	REFUSED(LAYER_CALLS, stop_itself, EPERM);
}

/* ---- hidden files -------------------------------------------------------------- */

static int ask_for_passwd(void)
{
	struct stat facts;
	return stat("/etc/passwd", &facts) == 0 ? DONE : errno;
}

static int ask_for_secret(void)
{
	return access(secret, F_OK) == 0 ? DONE : errno;
}

static int go_to_etc(void)
{
	return chdir("/etc") == 0 ? DONE : errno;
}

static int follow_own_link(void)
{
	char target[PATH_MAX];
	return readlink("/proc/self/exe", target, sizeof target) > 0 ? DONE : errno;
}

static int go_up(void)
{
	return chdir("../../../..") == 0 ? ask_for_passwd() : errno;
}

#define HIDDEN (LAYER_FILES | LAYER_NAMESPACES)

static void hidden(int (*attempt)(void), const char *name)
{
	cr_assert_eq(attempt_in(LAYER_FILES | LAYER_CALLS, attempt), DONE, "%s", name);
	cr_assert_eq(attempt_in(HIDDEN, attempt), ENOENT, "%s", name);
	cr_assert_eq(attempt_in(LAYER_SOLUTION, attempt), ENOENT, "%s", name);
}

Test(jail_rights, what_is_not_listed_is_not_seen)
{
	need(LAYER_SOLUTION);
	hidden(ask_for_passwd, "ask_for_passwd");
	hidden(ask_for_secret, "ask_for_secret");
	hidden(go_to_etc, "go_to_etc");
	hidden(follow_own_link, "follow_own_link");
	hidden(go_up, "go_up");
	cr_assert_eq(attempt_in(HIDDEN, use_what_is_listed), DONE);
	cr_assert_eq(attempt_in(LAYER_NAMESPACES, ask_for_passwd), DONE, "files are left open");
}

/* On a GPU the driver has threads by then; so these are of one that is older than the jail. */
Test(jail_rights, threads_from_before_are_inside)
{
	need(LAYER_CALLS);
	cr_assert_eq(attempt_in_old_thread(LAYER_CALLS, have_capabilities), EPERM);
	int got = attempt_in_old_thread(HIDDEN, ask_for_secret);
	if (got == LACKS_LAYER)
		cr_skip_test("no namespaces for a process with threads: not root");
	cr_assert_eq(got, ENOENT);
	cr_assert_eq(attempt_in_old_thread(LAYER_SOLUTION, ask_for_secret), ENOENT);
	cr_assert_eq(attempt_in_old_thread(HIDDEN, use_what_is_listed), DONE);
}

/* What cannot be listed hides nothing, and says so. */
Test(jail_rights, a_file_that_is_missing_is_told)
{
	const char *missing[] = {"/does/not/exist", NULL};
	struct error err;
	need(HIDDEN);
	pid_t child = fork();
	if (child == 0) {
		unsigned held = jail_close(&(struct jail){.readable = missing}, HIDDEN, &err);
		_exit(held == 0 && ask_for_passwd() == DONE &&
					  strstr(err.message, "files are not hidden: /does/not/exist") != NULL
				  ? DONE
				  : 1);
	}
	cr_assert_eq(wait_for(child), DONE);
}
