#include "process/tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
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
	bool ended;   /* a zombie */
	bool stopped; /* by a signal */
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
	out->stopped = after[2] == 'T';
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

bool tree_stopped(pid_t pid)
{
	struct process process;
	return process_read(pid, &process) && process.stopped;
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

/* Of each thread: its stack in the kernel, and what the kernel knows of it. */
#define THREAD_BYTES ((size_t)24 << 10)

/* Adds the memory that a process tells in /proc/PID/status. */
static void add_status(struct tree_memory *memory, const char *text, bool exact)
{
	const char *threads = strstr(text, "\nThreads:\t");
	long count = threads != NULL ? number_at(threads + sizeof "\nThreads:\t" - 1) : 0;
	memory->own += line_bytes(text, "\nVmSwap:") + line_bytes(text, "\nHugetlbPages:");
	memory->tables += line_bytes(text, "\nVmPTE:");
	memory->stacks += count > 1 ? (size_t)(count - 1) * THREAD_BYTES : 0;
	if (!exact) {
		memory->own += line_bytes(text, "\nRssAnon:");
		memory->shared += line_bytes(text, "\nRssShmem:");
	}
}

static struct tree_memory sum(const pid_t *pids, size_t count, size_t shared, bool exact)
{
	struct tree_memory memory = {0};
	char text[4096];
	for (size_t i = 0; i < count; i++) {
		if (read_file(pids[i], "status", text, sizeof text))
			add_status(&memory, text, exact);
		if (exact && read_file(pids[i], "smaps_rollup", text, sizeof text)) {
			memory.own += line_bytes(text, "\nPss_Anon:");
			memory.shared += line_bytes(text, "\nPss_Shmem:");
		}
	}
	if (memory.shared < shared)
		memory.shared = shared;
	return memory;
}

struct tree_memory tree_memory(const pid_t *pids, size_t count, size_t shared)
{
	return sum(pids, count, shared, false);
}

struct tree_memory tree_memory_exact(const pid_t *pids, size_t count, size_t shared)
{
	return sum(pids, count, shared, true);
}

size_t tree_memory_total(const struct tree_memory *memory)
{
	return memory->own + memory->shared + memory->tables + memory->stacks;
}

/* ---- memory that can be shared ------------------------------------------------------- */

#define OBJECTS_KNOWN 1024 /* beyond these one counts once for each descriptor and mapping */

struct object {
	dev_t device;
	ino_t inode;
	size_t bytes;
	bool exact; /* the kernel said so */
};

struct shared_scan {
	size_t bytes, count; /* `bytes`: of those beyond OBJECTS_KNOWN */
	struct object known[OBJECTS_KNOWN];
};

static void object_add(struct shared_scan *scan, const struct object *found)
{
	size_t i = 0;
	while (i < scan->count &&
		   (scan->known[i].device != found->device || scan->known[i].inode != found->inode))
		i++;
	if (i == OBJECTS_KNOWN) {
		scan->bytes += found->bytes;
	} else if (i == scan->count) {
		scan->known[scan->count++] = *found;
	} else if (!scan->known[i].exact && (found->exact || found->bytes > scan->known[i].bytes)) {
		scan->known[i] = *found;
	}
}

/* Descriptor `name` in the folder /proc/PID/fd. */
static void descriptor_add(struct shared_scan *scan, int folder, const char *name)
{
	static const char memory[] = "/memfd:";
	char target[sizeof memory];
	struct stat facts;
	ssize_t length = readlinkat(folder, name, target, sizeof memory - 1);
	if (length != sizeof memory - 1 || memcmp(target, memory, sizeof memory - 1) != 0 ||
		fstatat(folder, name, &facts, 0) != 0)
		return;
	object_add(scan, &(struct object){.device = facts.st_dev,
									  .inode = facts.st_ino,
									  .bytes = (size_t)facts.st_blocks * 512,
									  .exact = true});
}

static void descriptors_add(struct shared_scan *scan, pid_t pid)
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
				descriptor_add(scan, folder, entry->name);
			at += entry->length;
		}
	close(folder);
}

/* Lower-case hexadecimal; *text moves behind it and the character that follows. */
static size_t hexadecimal(const char **text)
{
	static const char digits[] = "0123456789abcdef";
	size_t value = 0;
	const char *digit;
	while (**text != '\0' && (digit = strchr(digits, **text)) != NULL) {
		value = value << 4 | (size_t)(digit - digits);
		(*text)++;
	}
	*text += **text != '\0';
	return value;
}

/* Whoever has CAP_CHECKPOINT_RESTORE (root, outside of most containers) may look at what is mapped:
 * then it is exact. `range` begins with "BEGIN-END ", whose zeros in front the folder's names lack.
 */
static void object_look(struct object *object, int map_files, const char *range)
{
	char name[64];
	struct stat facts;
	size_t length = 0;
	for (int number = 0; number < 2; number++) {
		range += strspn(range, "0");
		for (; *range != '-' && *range != ' ' && length < sizeof name - 2; range++)
			name[length++] = *range;
		name[length++] = number == 0 ? '-' : '\0';
		range += *range == '-';
	}
	if (fstatat(map_files, name, &facts, 0) != 0 || facts.st_ino != object->inode)
		return;
	object->bytes = (size_t)facts.st_blocks * 512;
	object->exact = true;
}

/* As the kernel names memory that is not private and in no file system that somebody can see. */
static bool is_shared_memory(const char *name)
{
	static const char *const names[] = {"/dev/zero (deleted)", "/memfd:", "/SYSV", "[anon_shmem:"};
	size_t i = 0, count = sizeof names / sizeof *names;
	while (i < count && strncmp(name, names[i], strlen(names[i])) != 0)
		i++;
	return i < count;
}

/* A line of /proc/PID/maps: "BEGIN-END rw-s OFFSET MAJOR:MINOR INODE   NAME". */
static void mapping_add(struct shared_scan *scan, int map_files, const char *line)
{
	const char *range = line;
	size_t begin = hexadecimal(&line), end = hexadecimal(&line);
	line = strchr(line, ' ');
	if (line == NULL || end < begin)
		return;
	line++;
	size_t offset = hexadecimal(&line);
	unsigned device[2] = {(unsigned)hexadecimal(&line), 0};
	device[1] = (unsigned)hexadecimal(&line);
	long inode = number_at(line);
	const char *name = strpbrk(line, "/[");
	if (inode <= 0 || name == NULL || !is_shared_memory(name))
		return;
	struct object object = {.device = makedev(device[0], device[1]),
							.inode = (ino_t)inode,
							.bytes = offset + (end - begin)};
	object_look(&object, map_files, range);
	object_add(scan, &object);
}

static void mappings_add(struct shared_scan *scan, pid_t pid)
{
	char text[16384]; /* longer than any line: of a path the kernel shows less than a page */
	size_t held = 0;
	ssize_t got;
	int fd = open_entry(pid, "maps", O_RDONLY | O_CLOEXEC);
	int map_files = open_entry(pid, "map_files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		goto done;
	while ((got = read(fd, text + held, sizeof text - 1 - held)) > 0) {
		char *line = text, *end;
		text[held + (size_t)got] = '\0';
		while ((end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			mapping_add(scan, map_files, line);
			line = end + 1;
		}
		held = strlen(line) < sizeof text / 2 ? strlen(line) : 0;
		memmove(text, line, held);
	}
	close(fd);
done:
	if (map_files >= 0)
		close(map_files);
}

size_t tree_memory_shared(const pid_t *pids, size_t count)
{
	struct shared_scan scan;
	scan.bytes = scan.count = 0;
	for (size_t i = 0; i < count; i++) {
		descriptors_add(&scan, pids[i]);
		mappings_add(&scan, pids[i]);
	}
	for (size_t i = 0; i < scan.count; i++)
		scan.bytes += scan.known[i].bytes;
	return scan.bytes;
}
