#include "process/tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
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

/* Reads /proc/PID/file, NUL-terminated. printf's family is not safe here. */
static bool read_file(pid_t pid, const char *file, char *out, size_t capacity)
{
	char path[64], digits[16];
	size_t length = 0;
	for (long rest = pid; rest > 0; rest /= 10)
		digits[length++] = (char)('0' + rest % 10);
	char *end = stpcpy(path, "/proc/");
	while (length > 0)
		*end++ = digits[--length];
	*end++ = '/';
	strcpy(end, file);

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, out, capacity - 1);
	close(fd);
	if (got <= 0)
		return false;
	out[got] = '\0';
	return true;
}

/* Field `wanted` of /proc/PID/stat; `state` points to field 3. */
static long stat_field(const char *state, int wanted)
{
	for (int field = 3; field < wanted && state != NULL; field++)
		state = strchr(state, ' ') != NULL ? strchr(state, ' ') + 1 : NULL;
	return state != NULL ? number_at(state) : -1;
}

/* The parent of a process that lives; -1 for a zombie or none. */
static pid_t parent_of(pid_t pid)
{
	char text[512];
	if (!read_file(pid, "stat", text, sizeof text))
		return -1;
	/* PID (NAME) STATE PARENT ...; the name may hold anything, so look from the end. */
	const char *after = strrchr(text, ')');
	if (after == NULL || strlen(after) < 5)
		return -1;
	/* A process whose first thread has ended looks like a zombie while others run. */
	bool ended = after[2] == 'X' || (after[2] == 'Z' && stat_field(after + 2, 20) <= 1);
	return ended ? -1 : (pid_t)stat_field(after + 2, 4);
}

struct scan {
	pid_t root;
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

static void scan_process(struct scan *scan, pid_t pid)
{
	pid_t parent = parent_of(pid);
	if (parent <= 0 || pid == scan->root)
		return;
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

static void scan_pass(struct scan *scan, int proc)
{
	_Alignas(struct kernel_dirent) char entries[8192];
	long got;
	lseek(proc, 0, SEEK_SET);
	while ((got = syscall(SYS_getdents64, proc, entries, sizeof entries)) > 0)
		for (long at = 0; at < got;) {
			const struct kernel_dirent *entry = (const void *)(entries + at);
			long pid = number_at(entry->name);
			if (pid > 0)
				scan_process(scan, (pid_t)pid);
			at += entry->length;
		}
}

size_t tree_scan(pid_t root, pid_t *out, size_t max, int signal)
{
	struct scan scan = {.root = root, .out = out, .max = max, .signal = signal};
	size_t before;
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return 0;
	do {
		before = scan.count;
		scan.again = false;
		scan_pass(&scan, proc);
	} while (scan.again && scan.count > before && scan.count < scan.max);
	close(proc);
	return scan.count;
}

void tree_kill(pid_t root)
{
	pid_t pids[TREE_MAX];
	struct timespec pause = {.tv_nsec = 500000};
	double deadline = clock_seconds() + KILL_SECONDS;
	do {
		/* Killed processes leave children behind that now belong to the subreaper,
		 * and others fork while this looks: once more until nobody is there. */
		if (tree_scan(root, pids, TREE_MAX, SIGKILL) == 0)
			return;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	} while (clock_seconds() < deadline);
}

/* The sum of "Name:  123 kB" lines, in bytes. */
static size_t sum_lines(const char *text, const char *first, const char *second)
{
	size_t sum = 0;
	const char *names[] = {first, second};
	for (int i = 0; i < 2; i++) {
		const char *line = strstr(text, names[i]);
		if (line == NULL)
			continue;
		line += strlen(names[i]);
		line += strspn(line, " \t");
		long kib = number_at(line);
		sum += kib > 0 ? (size_t)kib * 1024 : 0;
	}
	return sum;
}

static size_t sum_files(const pid_t *pids, size_t count, const char *file, const char *first,
						const char *second)
{
	char text[4096];
	size_t sum = 0;
	for (size_t i = 0; i < count; i++)
		if (read_file(pids[i], file, text, sizeof text))
			sum += sum_lines(text, first, second);
	return sum;
}

size_t tree_memory(const pid_t *pids, size_t count)
{
	return sum_files(pids, count, "status", "\nRssAnon:", "\nRssShmem:");
}

size_t tree_memory_exact(const pid_t *pids, size_t count)
{
	return sum_files(pids, count, "smaps_rollup", "\nPss_Anon:", "\nPss_Shmem:");
}
