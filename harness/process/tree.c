#include "process/tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define KILL_SECONDS 5

/* What getdents64 gives; libc declares no such struct. */
struct kernel_dirent {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

/* A decimal number at the front of the text; -1 when there is none. */
static long number_at(const char *text)
{
	long value = 0;
	if (*text < '0' || *text > '9')
		return -1;
	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (*text - '0');
	return value;
}

/* Opens /proc/PID/entry. printf's family is not safe here. */
static int open_entry(pid_t pid, const char *entry, int flags)
{
	char path[64], digits[16];
	size_t length = 0;
	for (long rest = pid; rest > 0; rest /= 10)
		digits[length++] = (char)('0' + rest % 10);
	char *end = stpcpy(path, "/proc/");
	while (length > 0)
		*end++ = digits[--length];
	*end++ = '/';
	strcpy(end, entry);
	return open(path, flags);
}

/* Reads /proc/PID/file, NUL-terminated. */
static bool read_file(pid_t pid, const char *file, char *out, size_t capacity)
{
	int fd = open_entry(pid, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, out, capacity - 1);
	close(fd);
	if (got <= 0)
		return false;
	out[got] = '\0';
	return true;
}

/* Of /proc/PID/stat. */
struct process {
	bool ended; /* a zombie */
	pid_t parent;
	long flags, started;
};

/* Field `wanted` of /proc/PID/stat; `state` points to field 3. */
static long stat_field(const char *state, int wanted)
{
	for (int field = 3; field < wanted && state != NULL; field++)
		state = strchr(state, ' ') != NULL ? strchr(state, ' ') + 1 : NULL;
	return state != NULL ? number_at(state) : -1;
}

/* False where there is none. */
static bool process_read(pid_t pid, struct process *out)
{
	char text[512];
	if (!read_file(pid, "stat", text, sizeof text))
		return false;
	/* PID (NAME) STATE PARENT ...; the name may hold anything, so look from the end. */
	const char *after = strrchr(text, ')');
	if (after == NULL || strlen(after) < 5)
		return false;
	/* A process whose first thread has ended looks like a zombie while others run. */
	out->ended = after[2] == 'X' || (after[2] == 'Z' && stat_field(after + 2, 20) <= 1);
	out->parent = (pid_t)stat_field(after + 2, 4);
	out->flags = stat_field(after + 2, 9);
	out->started = stat_field(after + 2, 22);
	return true;
}

long tree_started(pid_t pid)
{
	struct process process;
	return process_read(pid, &process) ? process.started : -1;
}

#define FLAG_EXITING 0x4l /* PF_EXITING, as proc(5) points to it */

/* SIGKILL waits for the process to look: one in a system call that nothing interrupts does not. */
static bool kill_pending(pid_t pid)
{
	char text[4096];
	if (!read_file(pid, "status", text, sizeof text))
		return true;
	const char *line = strstr(text, "\nSigPnd:");
	size_t length = line != NULL ? strcspn(line + 1, "\n") : 0;
	/* hexadecimal, signal 1 in the last bit: that of signal 9 is in the third digit from the end */
	char digit = length > 3 ? line[1 + length - 3] : '0';
	return digit != '0' && strchr("13579bdf", digit) != NULL;
}

bool tree_ends(pid_t pid)
{
	struct process process;
	return !process_read(pid, &process) || process.ended || (process.flags & FLAG_EXITING) != 0 ||
		   kill_pending(pid);
}

#define OLDER_STEPS 8

/* Where a number is, or would be; NULL: there is no room for it. */
static pid_t *older_slot(struct tree_older *older, pid_t pid)
{
	for (size_t step = 0; step < OLDER_STEPS; step++) {
		pid_t *slot = &older->pids[((size_t)pid + step) % TREE_OLDER];
		if (*slot == pid || *slot == 0)
			return slot;
	}
	return NULL;
}

struct scan {
	pid_t root;
	struct tree_older *older; /* or NULL */
	pid_t *out;
	size_t count, max;
	int signal;
	bool again; /* a child came before its parent in /proc: its number wrapped around */
};

static bool scan_has(const struct scan *scan, pid_t pid)
{
	size_t known = scan->count < scan->max ? scan->count : scan->max;
	for (size_t i = 0; i < known; i++)
		if (scan->out[i] == pid)
			return true;
	return false;
}

static void scan_process(void *context, pid_t pid)
{
	struct scan *scan = context;
	struct process process;
	pid_t *slot = scan->older != NULL ? older_slot(scan->older, pid) : NULL;
	if (pid == scan->root || (slot != NULL && *slot == pid) || !process_read(pid, &process))
		return;
	if (slot != NULL && process.started >= 0 && process.started < scan->older->started)
		*slot = pid;
	if (process.ended || process.parent <= 0)
		return;
	pid_t parent = process.parent;
	if (parent != scan->root && !scan_has(scan, parent)) {
		scan->again |= parent > pid;
		return;
	}
	if (scan_has(scan, pid))
		return;
	if (scan->signal != 0)
		kill(pid, scan->signal);
	if (scan->count < scan->max)
		scan->out[scan->count] = pid;
	scan->count++;
}

/* Every process that there is. */
static void scan_pass(int proc, void (*each)(void *context, pid_t pid), void *context)
{
	_Alignas(struct kernel_dirent) char entries[8192];
	long got;
	lseek(proc, 0, SEEK_SET);
	while ((got = syscall(SYS_getdents64, proc, entries, sizeof entries)) > 0)
		for (long at = 0; at < got;) {
			const struct kernel_dirent *entry = (const void *)(entries + at);
			long pid = number_at(entry->name);
			if (pid > 0)
				each(context, (pid_t)pid);
			at += entry->length;
		}
}

size_t tree_scan(pid_t root, pid_t *out, size_t max, int signal, struct tree_older *older)
{
	struct scan scan = {.root = root, .older = older, .out = out, .max = max, .signal = signal};
	size_t before;
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return 0;
	do {
		before = scan.count;
		scan.again = false;
		scan_pass(proc, scan_process, &scan);
	} while (scan.again && scan.count > before && scan.count < scan.max);
	close(proc);
	return scan.count;
}

struct younger {
	pid_t parent, pid;
	long started;
	pid_t *out;
	size_t count, max;
};

static void younger_process(void *context, pid_t pid)
{
	struct younger *younger = context;
	struct process process;
	if (younger->count == younger->max || !process_read(pid, &process) ||
		process.parent != younger->parent || process.started < younger->started ||
		(process.started == younger->started && pid <= younger->pid))
		return;
	younger->out[younger->count++] = pid;
}

size_t tree_younger(pid_t parent, pid_t pid, long started, pid_t *out, size_t max)
{
	struct younger younger = {
		.parent = parent, .pid = pid, .started = started, .out = out, .max = max};
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return 0;
	scan_pass(proc, younger_process, &younger);
	close(proc);
	return younger.count;
}

void tree_kill(pid_t root)
{
	pid_t pids[TREE_MAX];
	struct timespec pause = {.tv_nsec = 500000};
	double deadline = clock_seconds() + KILL_SECONDS;
	do {
		/* Killed processes leave children behind that now belong to the subreaper,
		 * and others fork while this looks: once more until nobody is there. */
		if (tree_scan(root, pids, TREE_MAX, SIGKILL, NULL) == 0)
			return;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	} while (clock_seconds() < deadline);
}

/* The value of a "Name:  123 kB" line, in bytes. */
static size_t line_bytes(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	if (line == NULL)
		return 0;
	line += strlen(name);
	line += strspn(line, " \t");
	long kib = number_at(line);
	return kib > 0 ? (size_t)kib * 1024 : 0;
}

static size_t sum_files(const pid_t *pids, size_t count, size_t files, const char *file,
						const char *own_name, const char *shared_name)
{
	char text[4096];
	size_t own = 0, shared = 0;
	for (size_t i = 0; i < count; i++)
		if (read_file(pids[i], file, text, sizeof text)) {
			own += line_bytes(text, own_name);
			shared += line_bytes(text, shared_name);
		}
	return own + (shared > files ? shared : files);
}

size_t tree_memory(const pid_t *pids, size_t count, size_t files)
{
	return sum_files(pids, count, files, "status", "\nRssAnon:", "\nRssShmem:");
}

size_t tree_memory_exact(const pid_t *pids, size_t count, size_t files)
{
	return sum_files(pids, count, files, "smaps_rollup", "\nPss_Anon:", "\nPss_Shmem:");
}

#define FILES_KNOWN 1024 /* beyond these a file counts once for each descriptor */

struct file_scan {
	size_t bytes, count;
	struct {
		dev_t device;
		ino_t inode;
	} known[FILES_KNOWN];
};

/* Descriptor `name` in the folder /proc/PID/fd. */
static void file_add(struct file_scan *scan, int folder, const char *name)
{
	static const char memory[] = "/memfd:";
	char target[sizeof memory];
	struct stat facts;
	ssize_t length = readlinkat(folder, name, target, sizeof memory - 1);
	if (length != sizeof memory - 1 || memcmp(target, memory, sizeof memory - 1) != 0 ||
		fstatat(folder, name, &facts, 0) != 0)
		return;
	for (size_t i = 0; i < scan->count; i++)
		if (scan->known[i].device == facts.st_dev && scan->known[i].inode == facts.st_ino)
			return;
	if (scan->count < FILES_KNOWN) {
		scan->known[scan->count].device = facts.st_dev;
		scan->known[scan->count++].inode = facts.st_ino;
	}
	scan->bytes += (size_t)facts.st_blocks * 512;
}

static void files_of_process(struct file_scan *scan, pid_t pid)
{
	_Alignas(struct kernel_dirent) char entries[8192];
	long got;
	int folder = open_entry(pid, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return;
	while ((got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
		for (long at = 0; at < got;) {
			const struct kernel_dirent *entry = (const void *)(entries + at);
			if (number_at(entry->name) >= 0)
				file_add(scan, folder, entry->name);
			at += entry->length;
		}
	close(folder);
}

size_t tree_memory_files(const pid_t *pids, size_t count)
{
	struct file_scan scan = {.bytes = 0};
	for (size_t i = 0; i < count; i++)
		files_of_process(&scan, pids[i]);
	return scan.bytes;
}
