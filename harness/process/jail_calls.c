/* seccomp, through libseccomp. What is refused fails with EPERM; what exists only in kernels newer
 * than this list fails with ENOSYS, so that nobody needs to know of it.
 *
 * With somebody to tell (denied.h), refused calls are sent there, and the answer is EPERM, too;
 * without an answer they fail with ENOSYS. The order of the kernel matters for safety: an error
 * outranks a message, and of two filters with messages the newer one has its listener answer,
 * which may say "go on". So a process that could install a filter of its own would have a way out,
 * once our listener is gone: installing one is refused by an error and never by a message. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process/denied_calls.h"
#include "process/jail_layers.h"

/* Whatever its arguments. */
static const char *const refused[] = {
	/* other programs, other processes */
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
	"process_madvise", "process_mrelease", "kcmp", "pidfd_open", "pidfd_getfd", "pidfd_send_signal",
	"tkill", "setpgid", "setsid", "vhangup", "personality", "acct",
	/* ways to reach somebody, or to keep something */
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "io_uring_setup",
	"io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret", "mq_open", "mq_unlink",
	"add_key", "request_key", "keyctl", "userfaultfd", "bpf", "perf_event_open", "fanotify_init",
	"inotify_init", "inotify_init1", "lookup_dcookie",
	/* a signal by the kernel, which may be the one that ends a stop */
	"timer_create", "mq_notify",
	/* System V's: what lasts beyond the process, and is reached by a number that can be guessed */
	"shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop",
	"semtimedop", "semctl",
	/* what Landlock leaves open, or older ones do */
	"truncate", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime",
	"utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr", "removexattr",
	"lremovexattr", "fremovexattr", "open_by_handle_at", "mknod", "mknodat",
	/* the file systems */
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount",
	"fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "quotactl", "quotactl_fd", "swapon",
	"swapoff",
	/* who one is, and what one gets */
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid",
	"setgroups", "capset", "setrlimit", "setpriority", "sched_setscheduler", "sched_setparam",
	"sched_setattr", "sched_setaffinity", "ioprio_set", "migrate_pages", "move_pages",
	/* the machine */
	"clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "reboot", "sethostname",
	"setdomainname", "init_module", "finit_module", "delete_module", "kexec_load",
	"kexec_file_load", "iopl", "ioperm", "modify_ldt", "syslog", "sysfs", "_sysctl", "uselib",
	"nfsservctl",
	/* pages that stay in a pipe when they have left the process: up to 2 MiB for each that is given
	 */
	"vmsplice"};

/* The first argument must be the own process. */
static const char *const own[] = {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"};

/* prctl()s that would take it out of sight or out of reach. */
static const int prctls[] = {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER,
							 PR_SET_PTRACER, PR_SET_MM};

/* Whom the kernel tells of a descriptor, by which signal; a lease makes others wait for a file;
 * what lies in a larger pipe is memory that nobody counts. */
static const int fcntls[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ};

/* Nobody stops himself, which would cost all of the time limit, and nobody goes on when the
 * supervisor has stopped him: a SIGCONT that a thread sends at that moment takes the stop away. */
static const int signals[] = {SIGSTOP, SIGCONT};

/* open() for ioctl() alone: Landlock takes it for neither reading nor writing. */
static const int access_modes[] = {O_ACCMODE};

static const uint64_t clone_namespaces[] = {CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
											CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
											CLONE_NEWNET};

#define REFUSED SCMP_ACT_ERRNO(EPERM)
/* The level of the library and the kernel (5.7) at which all threads can be closed with a listener;
 * older libraries have not heard of them. */
#define LEVEL_TELLS 6
#ifdef SCMP_ACT_NOTIFY
#define TOLD SCMP_ACT_NOTIFY
#else
#define TOLD REFUSED
#define seccomp_api_get() 0u
#define seccomp_notify_fd(filter) (-1)
#endif
#define OPENAT2 437 /* younger than some libraries */
/* Behind futex_waitv, the last that this list has looked at. */
#define FIRST_UNKNOWN 450
#define LAST_UNKNOWN 511

/* 0, or a negative errno. A name that the library does not know is no call of this machine. */
static int refuse(scmp_filter_ctx filter, uint32_t how, const char *name)
{
	int number = seccomp_syscall_resolve_name(name);
	return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, how, number, 0);
}

/* Some values of some bits of an argument. */
struct argument_values {
	uint32_t mask;
	const int *at;
	size_t count;
};

/* A call for which the kernel looks at 32 bits of an argument. */
static int refuse_where(scmp_filter_ctx filter, uint32_t how, int call, unsigned argument,
						struct argument_values values)
{
	int bad = 0;
	for (size_t i = 0; i < values.count && bad == 0; i++)
		bad = seccomp_rule_add(
			filter, how, call, 1,
			SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, values.mask, (scmp_datum_t)values.at[i]));
	return bad;
}
#define REFUSE_WHERE(filter, how, call, argument, list)                                            \
	refuse_where(filter, how, SCMP_SYS(call), argument,                                            \
				 (struct argument_values){UINT32_MAX, list, sizeof(list) / sizeof *(list)})

/* Where calls that open files are told, the listener refuses this mode. */
static int refuse_modes(scmp_filter_ctx filter, uint32_t how)
{
	const struct argument_values modes = {O_ACCMODE, access_modes, 1};
	int bad = refuse_where(filter, how, SCMP_SYS(open), 1, modes);
	return bad == 0 ? refuse_where(filter, how, SCMP_SYS(openat), 2, modes) : bad;
}

static int refuse_signals(scmp_filter_ctx filter, uint32_t how)
{
	int bad = REFUSE_WHERE(filter, how, kill, 1, signals);
	if (bad == 0)
		bad = REFUSE_WHERE(filter, how, tgkill, 2, signals);
	if (bad == 0)
		bad = REFUSE_WHERE(filter, how, rt_sigqueueinfo, 1, signals);
	return bad == 0 ? REFUSE_WHERE(filter, how, rt_tgsigqueueinfo, 2, signals) : bad;
}

static int refuse_some_arguments(scmp_filter_ctx filter, uint32_t how, bool driver)
{
	/* Their flags lie in memory. glibc then begins threads with clone(), whose flags can be seen,
	 * and opens files with openat(). */
	int bad = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (bad == 0)
		bad = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), OPENAT2, 0);
	if (bad == 0)
		bad = seccomp_rule_add(filter, how, SCMP_SYS(clone), 1,
							   SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
	for (size_t i = 0; i < sizeof clone_namespaces / sizeof *clone_namespaces && bad == 0; i++)
		bad =
			seccomp_rule_add(filter, how, SCMP_SYS(clone), 1,
							 SCMP_A0(SCMP_CMP_MASKED_EQ, clone_namespaces[i], clone_namespaces[i]));
	for (size_t i = 0; i < sizeof own / sizeof *own && bad == 0; i++)
		bad = seccomp_rule_add(filter, how, seccomp_syscall_resolve_name(own[i]), 1,
							   SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid()));
	if (bad == 0)
		bad = REFUSE_WHERE(filter, how, prctl, 0, prctls);
	if (bad == 0)
		bad = REFUSE_WHERE(filter, how, fcntl, 1, fcntls);
	if (bad == 0)
		bad = jail_ioctls_refuse(filter, how, driver);
	if (bad == 0)
		bad = refuse_signals(filter, how);
	if (bad == 0) /* reading one's limits is all right */
		bad = seccomp_rule_add(filter, how, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_NE, 0));
	return bad;
}

/* What a filter is made of: the answer to what is refused; files are told, too; the driver's
 * requests go on; closed memory stays so. */
struct contents {
	uint32_t how;
	bool files, driver;
	const struct jail_memory *memory;
};

static int fill(scmp_filter_ctx filter, const struct contents *contents)
{
	uint32_t how = contents->how;
	int bad = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1); /* all threads */
	if (bad == 0) /* no slower memory for it: there is no secret in this process */
		bad = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	if (bad == 0)
		bad = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (bad == 0)
		bad = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, REFUSED); /* 32-bit calls */
	for (size_t i = 0; i < sizeof refused / sizeof *refused && bad == 0; i++)
		bad = refuse(filter, how, refused[i]);
	if (bad == 0) /* never by a message: see above */
		bad = refuse(filter, REFUSED, "seccomp");
	if (bad == 0)
		bad = seccomp_rule_add(filter, REFUSED, SCMP_SYS(prctl), 1,
							   SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, PR_SET_SECCOMP));
	for (size_t i = 0; i < denied_of_files_count && contents->files && bad == 0; i++)
		if (denied_of_files[i].number >= 0)
			bad = seccomp_rule_add(filter, how, denied_of_files[i].number, 0);
	if (bad == 0 && !contents->files)
		bad = refuse_modes(filter, how);
	for (int number = FIRST_UNKNOWN; number <= LAST_UNKNOWN && bad == 0; number++)
		bad = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
	if (bad == 0)
		bad = jail_memory_refuse(filter, how, contents->memory);
	return bad == 0 ? refuse_some_arguments(filter, how, contents->driver) : bad;
}

/* *fd: the listener's, where the answer is TOLD. 0, or a negative errno; then nothing has
 * changed. */
static int load(const struct contents *contents, int *fd)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	if (filter == NULL)
		return -ENOMEM;
	int bad = fill(filter, contents);
	if (bad == 0)
		bad = seccomp_load(filter);
	if (bad == 0 && contents->how != REFUSED)
		*fd = seccomp_notify_fd(filter);
	seccomp_release(filter);
	return bad;
}

/* Which of its reasons the kernel has, libseccomp does not say. */
static bool close_and_tell(struct jail_telling *telling, const struct contents *contents)
{
	if (seccomp_api_get() < LEVEL_TELLS)
		snprintf(telling->why_not, sizeof telling->why_not,
				 "seccomp tells of nothing here (Linux 5.7 and libseccomp 2.5 do)");
	else if (load(contents, &telling->fd) != 0)
		snprintf(telling->why_not, sizeof telling->why_not,
				 "the kernel takes no listener here: a container or a tool may have one already");
	else
		telling->why_not[0] = '\0';
	return telling->why_not[0] == '\0';
}

bool jail_calls_close(const struct jail *what, bool files, struct error *err)
{
	int none;
	struct contents contents = {
		.how = TOLD, .files = files, .driver = what->driver, .memory = &what->memory};
	if (what->telling != NULL && close_and_tell(what->telling, &contents))
		return true;
	contents.how = REFUSED;
	contents.files = false;
	int bad = load(&contents, &none);
	return bad == 0 || error_set(err, "seccomp: %s", strerror(-bad));
}
