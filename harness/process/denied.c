#include "process/denied.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "process/denied_calls.h"
#include "process/denied_paths.h"

/* The kernel's, which headers before Linux 5.5 lack. */
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif

/* Paths of one process that are looked at: each costs some system calls. Later ones of files go on
 * unseen; of refused calls only the name is told. */
#define LOOKS_MAX 4096
/* Answers of one process without delay. A flood beyond waits for each, so that it takes little of
 * the processor. */
#define FREELY 131072
#define FLOOD_NANOSECONDS 1000000
#define PATIENCE_SECONDS 5

struct denied {
	int fd, stop;
	pthread_t thread;
	struct denied_paths allowed;
	pthread_mutex_t held; /* for what follows */
	bool begun;
	struct denied_list list;
	/* the thread's own */
	size_t looks;
	uint64_t answered;
};

/* A newer kernel's messages may be longer than those that we know. */
union notice {
	struct seccomp_notif call;
	char bytes[512];
};
union answer {
	struct seccomp_notif_resp say;
	char bytes[512];
};

static void count(struct denied *listener, const char *call, const char *what)
{
	pthread_mutex_lock(&listener->held);
	if (listener->begun)
		denied_add(&listener->list, call, what, 1);
	pthread_mutex_unlock(&listener->held);
}

static bool has_begun(struct denied *listener)
{
	pthread_mutex_lock(&listener->held);
	bool begun = listener->begun;
	pthread_mutex_unlock(&listener->held);
	return begun;
}

/* Whether the call still waits: what was read of its process was its own. */
static bool still_waits(const struct denied *listener, const struct seccomp_notif *call)
{
	uint64_t id = call->id;
	return ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* ---- what it is ----------------------------------------------------------- */

static const char *family_name(uint64_t family, char out[32])
{
	static const struct {
		uint64_t number;
		const char *name;
	} families[] = {{AF_UNIX, "AF_UNIX"},       {AF_INET, "AF_INET"},     {AF_INET6, "AF_INET6"},
					{AF_NETLINK, "AF_NETLINK"}, {AF_PACKET, "AF_PACKET"}, {AF_VSOCK, "AF_VSOCK"}};
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (families[i].number == family)
			return families[i].name;
	snprintf(out, 32, "family %u", (unsigned)family);
	return out;
}

static const char *request_name(uint32_t request, char out[32])
{
	static const struct {
		uint32_t number;
		const char *name;
	} requests[] = {{FIFREEZE, "FIFREEZE"},
					{FITHAW, "FITHAW"},
					{FS_IOC_SETFLAGS, "FS_IOC_SETFLAGS"},
					{FS_IOC_FSSETXATTR, "FS_IOC_FSSETXATTR"}};
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (requests[i].number == request)
			return requests[i].name;
	snprintf(out, 32, "request 0x%x", (unsigned)request);
	return out;
}

/* Of a signal that a process may not even send to itself (jail_calls.c); "" for others. */
static const char *signal_name(const struct seccomp_notif *call)
{
	int number = call->data.nr;
	bool of_thread = number == SCMP_SYS(tgkill) || number == SCMP_SYS(rt_tgsigqueueinfo);
	switch ((int)call->data.args[of_thread ? 2 : 1]) {
	case SIGSTOP: return "SIGSTOP";
	case SIGCONT: return "SIGCONT";
	default: return "";
	}
}

static void tell_refused(struct denied *listener, const struct seccomp_notif *call)
{
	char path[PATH_MAX] = "", text[32];
	int number = call->data.nr;
	const struct denied_path *row = denied_refused_find(number);
	const char *what = "";
	if (row != NULL && listener->looks < LOOKS_MAX) {
		listener->looks++;
		if (denied_paths_read(call->pid, call->data.args[row->path], path) &&
			still_waits(listener, call))
			what = path;
	} else if (number == SCMP_SYS(socket) || number == SCMP_SYS(socketpair)) {
		what = family_name((uint32_t)call->data.args[0], text);
	} else if (number == SCMP_SYS(ioctl)) {
		what = request_name((uint32_t)call->data.args[1], text);
	} else if (number == SCMP_SYS(kill) || number == SCMP_SYS(tgkill) ||
			   number == SCMP_SYS(rt_sigqueueinfo) || number == SCMP_SYS(rt_tgsigqueueinfo)) {
		what = signal_name(call);
	}
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
	bool forks = number == SCMP_SYS(clone) || number == SCMP_SYS(vfork);
	count(listener,
		  row != NULL && row->shown != NULL ? row->shown
		  : forks                           ? "fork"
		  : name != NULL                    ? name
											: "system call",
		  what);
	free(name);
}

/* The flags of open(), where it has some. They are the call's own, and no memory of its process. */
static int flags_of(const struct seccomp_notif *call, const struct denied_path *row)
{
	return row->flags >= 0 ? (int)call->data.args[row->flags] : 0;
}

/* For ioctl() alone, which Landlock does not know: it is refused here. */
static bool opens_for_ioctl(const struct seccomp_notif *call, const struct denied_path *row)
{
	return (flags_of(call, row) & O_ACCMODE) == O_ACCMODE;
}

/* Landlock lets a path go on or not; here it is only told when it does not. */
static void tell_file(struct denied *listener, const struct seccomp_notif *call,
					  const struct denied_path *row)
{
	char path[PATH_MAX];
	int flags = flags_of(call, row);
	if (listener->looks >= LOOKS_MAX)
		return;
	listener->looks++;
	bool named = denied_paths_read(call->pid, call->data.args[row->path], path);
	if (opens_for_ioctl(call, row))
		count(listener, "open for ioctl", named && still_waits(listener, call) ? path : "");
	if (!named || opens_for_ioctl(call, row) || (flags & O_PATH) != 0)
		return;
	bool opens = row->flags >= 0;
	bool makes = row->makes || (flags & O_CREAT) != 0;
	bool writes = !opens || makes || (flags & (O_ACCMODE | O_TRUNC)) != 0;
	const struct denied_reach reach = {
		.thread = call->pid,
		.folder = row->folder >= 0 ? (int)call->data.args[row->folder] : AT_FDCWD,
		.path = path,
		.writes = writes,
		.makes = makes};
	if (denied_paths_denies(&listener->allowed, &reach) && still_waits(listener, call))
		count(listener, opens && writes ? "open for writing" : row->shown, path);
}

/* ---- the thread ------------------------------------------------------------- */

static void pause_for(long nanoseconds)
{
	const struct timespec time = {.tv_nsec = nanoseconds};
	nanosleep(&time, NULL);
}

static void answer_one(struct denied *listener)
{
	union notice notice = {.bytes = {0}}; /* the kernel wants zeros */
	union answer answer = {.bytes = {0}};
	if (ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_RECV, &notice) != 0) {
		if (errno != EINTR && errno != ENOENT) /* ENOENT: it was killed meanwhile */
			pause_for(FLOOD_NANOSECONDS);
		return;
	}
	const struct denied_path *row = denied_of_files_find(notice.call.data.nr);
	if (has_begun(listener) && row != NULL)
		tell_file(listener, &notice.call, row);
	else if (row == NULL)
		tell_refused(listener, &notice.call);
	if (++listener->answered > FREELY)
		pause_for(FLOOD_NANOSECONDS);
	answer.say.id = notice.call.id;
	if (row != NULL && !opens_for_ioctl(&notice.call, row))
		answer.say.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		answer.say.error = -EPERM;
	ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer); /* may fail: it was killed meanwhile */
}

static void *listen_until_stopped(void *context)
{
	struct denied *listener = context;
	struct pollfd events[] = {{.fd = listener->fd, .events = POLLIN},
							  {.fd = listener->stop, .events = POLLIN}};
	for (;;) {
		if (poll(events, 2, -1) < 0 && errno != EINTR)
			pause_for(FLOOD_NANOSECONDS);
		else if (events[1].revents != 0)
			return NULL;
		else if ((events[0].revents & POLLIN) != 0)
			answer_one(listener);
		else if (events[0].revents != 0) /* the process has ended */
			return NULL;
	}
}

struct denied *denied_listen(int fd, const struct denied_allowed *allowed, struct error *err)
{
	struct denied *listener = calloc(1, sizeof *listener);
	if (listener == NULL) {
		close(fd);
		error_set(err, "out of memory");
		return NULL;
	}
	listener->fd = fd;
	listener->stop = eventfd(0, EFD_CLOEXEC);
	listener->list.recorded = true;
	pthread_mutex_init(&listener->held, NULL);
	bool ready = denied_paths_open(&listener->allowed, allowed) && listener->stop >= 0;
	if (ready && thread_start(&listener->thread, listen_until_stopped, listener))
		return listener;
	error_set(err, "no listener for the jail: no memory, descriptor or thread is left");
	if (listener->stop >= 0)
		close(listener->stop);
	close(fd);
	denied_paths_close(&listener->allowed);
	pthread_mutex_destroy(&listener->held);
	free(listener);
	return NULL;
}

void denied_begin(struct denied *listener)
{
	pthread_mutex_lock(&listener->held);
	listener->begun = true;
	pthread_mutex_unlock(&listener->held);
}

void denied_take(struct denied *listener, struct denied_list *list)
{
	pthread_mutex_lock(&listener->held);
	denied_add_all(list, &listener->list);
	listener->list = (struct denied_list){.recorded = true};
	pthread_mutex_unlock(&listener->held);
}

void denied_stop(struct denied *listener)
{
	struct timespec until;
	if (listener == NULL)
		return;
	eventfd_write(listener->stop, 1);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_SECONDS;
	/* A path of the process may have led it to a file system that does not answer. */
	if (pthread_timedjoin_np(listener->thread, NULL, &until) != 0) {
		pthread_detach(listener->thread);
		return; /* what it uses stays with it */
	}
	close(listener->stop);
	close(listener->fd);
	denied_paths_close(&listener->allowed);
	pthread_mutex_destroy(&listener->held);
	free(listener);
}
