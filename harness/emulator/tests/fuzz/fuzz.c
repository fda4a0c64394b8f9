/* Runs a parser on mutated inputs until something breaks or time is up.
 *
 *     fuzz_PARSER [--seconds N] [--seed N] [--corpus FOLDER] [--findings FOLDER]
 *                 [--words FILE] [FILE OR FOLDER OF SEEDS]...
 *
 * First the seeds and the corpus as they are, then mutations of them. Where the parser was compiled
 * with -fsanitize-coverage=trace-pc, those that reach something new join them (and --corpus keeps
 * them); elsewhere all are mutations of the seeds. A worker does this; whatever ends it but its own
 * exit, ten silent seconds of its processor time (or ten minutes of anybody's, for one that
 * sleeps), or something that was taken and not given back, is a finding: its input is written to a
 * file in --findings (/tmp) whose name is printed. --words: one a line, with quotes around it or
 * none.
 *
 * Exit status: 0 nothing was found, 1 something, 2 wrong usage. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define SILENT_SECONDS 10.0 /* of the worker's own time: the machine may have others to serve */
#define ASLEEP_SECONDS 600.0
#define ROUNDS_OF_SUSPICION 3 /* what grows with every one of them is not given back */

/* What the worker tells. */
struct shared {
	volatile uint64_t runs, kept, edges;
	volatile size_t size;  /* of the input at hand */
	volatile bool through; /* its time was up: nobody else has ended it */
	uint8_t input[FUZZ_INPUT_MAX];
};

struct fuzz {
	const char *name, *corpus_folder, *findings, *words;
	double seconds;
	struct fuzz_corpus corpus;
	size_t capacity;
	struct shared *shared;
	char folder[64];
};

static struct fuzz fuzz = {.seconds = 10.0, .findings = "/tmp", .corpus.random = 1};
static long live_blocks;

static double seconds_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what the parser under test gets -------------------------------------------- */

void fuzz_found(const char *why)
{
	fprintf(stderr, "%s: %s\n", fuzz.name, why);
	abort();
}

const char *fuzz_folder(void)
{
	return fuzz.folder;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;
	if (fd >= 0)
		close(fd);
	return good;
}

const char *fuzz_file(const char *name, const void *bytes, size_t size)
{
	static char path[512];
	snprintf(path, sizeof path, "%s/%s", fuzz.folder, name);
	if (!write_file(path, bytes, size)) {
		fprintf(stderr, "%s: cannot write %s\n", fuzz.name, path);
		_exit(2);
	}
	return path;
}

/* ---- inputs ------------------------------------------------------------------------ */

static bool keep_input(const uint8_t *bytes, size_t size)
{
	struct fuzz_corpus *corpus = &fuzz.corpus;
	if (corpus->count == fuzz.capacity) {
		size_t capacity = 2 * fuzz.capacity + 64;
		void *more = realloc(corpus->entries, capacity * sizeof *corpus->entries);
		if (more == NULL)
			return false;
		corpus->entries = more;
		fuzz.capacity = capacity;
	}
	uint8_t *copy = malloc(size + 1);
	if (copy == NULL)
		return false;
	if (size > 0)
		memcpy(copy, bytes, size);
	corpus->entries[corpus->count++] = (struct fuzz_entry){copy, size};
	return true;
}

static bool load(const char *path)
{
	static uint8_t bytes[FUZZ_INPUT_MAX];
	struct stat facts;
	if (stat(path, &facts) != 0)
		return false;
	if (S_ISDIR(facts.st_mode)) {
		DIR *folder = opendir(path);
		bool good = folder != NULL;
		for (struct dirent *entry; good && (entry = readdir(folder)) != NULL;) {
			char below[4096];
			snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
			good = entry->d_name[0] == '.' || load(below);
		}
		if (folder != NULL)
			closedir(folder);
		return good;
	}
	FILE *file = fopen(path, "rbe");
	bool good = file != NULL && keep_input(bytes, fread(bytes, 1, sizeof bytes, file));
	if (file != NULL)
		fclose(file);
	return good;
}

static bool load_words(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];
	size_t lines = 0;
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		lines++;
	fuzz.corpus.words = calloc(lines + 1, sizeof *fuzz.corpus.words);
	if (file == NULL || fuzz.corpus.words == NULL)
		return false;
	rewind(file);
	while (fuzz.corpus.word_count < lines && fgets(line, sizeof line, file) != NULL) {
		size_t length = strcspn(line, "\n"), quoted = line[0] == '"' && length > 2;
		char *word = strndup(line + quoted, length - 2 * quoted);
		fuzz.corpus.words[fuzz.corpus.word_count++] =
			(struct fuzz_entry){(uint8_t *)word, word != NULL ? length - 2 * quoted : 0};
	}
	fclose(file);
	return true;
}

static uint64_t hash(const uint8_t *bytes, size_t size)
{
	uint64_t sum = 0xCBF29CE484222325u; /* FNV-1a */
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001B3u;
	return sum;
}

/* ---- the worker ----------------------------------------------------------------------- */

void __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
											   void (*)(const volatile void *))
	__attribute__((weak));
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

/* A parser that wants too much memory gets none. */
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=2048:hard_rss_limit_mb=4096:"
		   "detect_leaks=0:quarantine_size_mb=64";
}

const char *__ubsan_default_options(void)
{
	return "halt_on_error=1:print_stacktrace=1";
}

static void note_malloc(const volatile void *block, size_t size)
{
	(void)block, (void)size;
	live_blocks++;
}

static void note_free(const volatile void *block)
{
	live_blocks -= block != NULL;
}

static int lowest_free_descriptor(void)
{
	int fd = dup(STDERR_FILENO);
	close(fd);
	return fd;
}

/* What is taken at the moment: blocks (as AddressSanitizer tells) and descriptors. */
struct taken {
	long blocks;
	int descriptor;
};

static struct taken run(const uint8_t *input, size_t size)
{
	uint8_t *copy = malloc(size); /* so that a read beyond it is seen */
	if (copy == NULL && size > 0)
		_exit(2);
	if (size > 0)
		memcpy(copy, input, size);
	struct taken before = {live_blocks, lowest_free_descriptor()};
	fuzz_one(copy, size);
	struct taken more = {live_blocks - before.blocks, lowest_free_descriptor() - before.descriptor};
	free(copy);
	fuzz.shared->runs++;
	return more;
}

/* The lowest one that was free before is not any more. */
static _Noreturn void found_descriptor(int more)
{
	char link[64], what[256] = "?", why[512];
	snprintf(link, sizeof link, "/proc/self/fd/%d", lowest_free_descriptor() - more);
	ssize_t length = readlink(link, what, sizeof what - 1);
	if (length >= 0)
		what[length] = '\0';
	snprintf(why, sizeof why, "a descriptor was not given back: %s", what);
	fuzz_found(why);
}

/* True when it reached something new. */
static bool try_input(void)
{
	struct shared *shared = fuzz.shared;
	fuzz_coverage_begin();
	struct taken more = run(shared->input, shared->size);
	bool new = fuzz_coverage_end() > 0;
	/* a parser may keep something that it takes once */
	for (int i = 0; (more.blocks > 0 || more.descriptor > 0) && i < ROUNDS_OF_SUSPICION; i++) {
		more = run(shared->input, shared->size);
		if (i + 1 == ROUNDS_OF_SUSPICION && more.blocks > 0)
			fuzz_found("memory was not given back");
		if (i + 1 == ROUNDS_OF_SUSPICION && more.descriptor > 0)
			found_descriptor(more.descriptor);
	}
	shared->edges = fuzz_coverage_edges();
	return new;
}

static void keep_new(void)
{
	char path[4096];
	const struct shared *shared = fuzz.shared;
	if (!keep_input(shared->input, shared->size))
		_exit(2);
	fuzz.shared->kept = fuzz.corpus.count;
	if (fuzz.corpus_folder == NULL)
		return;
	snprintf(path, sizeof path, "%s/%016llx", fuzz.corpus_folder,
			 (unsigned long long)hash(shared->input, shared->size));
	if (access(path, F_OK) != 0 && !write_file(path, shared->input, shared->size))
		fprintf(stderr, "%s: cannot write %s\n", fuzz.name, path);
}

static _Noreturn void work(void)
{
	double end = seconds_now() + fuzz.seconds;
	if (__sanitizer_install_malloc_and_free_hooks != NULL)
		__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
	for (size_t i = 0; i < fuzz.corpus.count; i++) {
		const struct fuzz_entry *entry = &fuzz.corpus.entries[i];
		memcpy(fuzz.shared->input, entry->bytes, entry->size);
		fuzz.shared->size = entry->size;
		try_input();
	}
	fuzz.shared->kept = fuzz.corpus.count;
	while (seconds_now() < end) {
		fuzz.shared->size = fuzz_mutate(&fuzz.corpus, fuzz.shared->input);
		if (try_input())
			keep_new();
	}
	fuzz.shared->through = true;
	_exit(0);
}

/* ---- the one who looks on ---------------------------------------------------------------- */

/* Processor time of the worker; 0 where nobody tells. */
static double seconds_of(pid_t worker)
{
	clockid_t clock;
	struct timespec used;
	if (clock_getcpuclockid(worker, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0.0;
	return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Waits for the worker; false when it found something. */
static bool watch(pid_t worker)
{
	uint64_t runs = 0;
	double heard = seconds_now(), used = 0.0;
	int status;
	while (waitpid(worker, &status, WNOHANG) == 0) {
		const struct timespec pause = {.tv_nsec = 20000000};
		nanosleep(&pause, NULL);
		if (fuzz.shared->runs != runs) {
			heard = seconds_now();
			used = seconds_of(worker);
		}
		runs = fuzz.shared->runs;
		if (seconds_of(worker) - used < SILENT_SECONDS && seconds_now() - heard < ASLEEP_SECONDS)
			continue;
		fprintf(stderr, "%s: no end after %g s\n", fuzz.name, seconds_of(worker) - used);
		kill(worker, SIGABRT); /* for a debugger or a core file */
		kill(worker, SIGKILL);
		heard = seconds_now();
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && fuzz.shared->through;
}

static void write_finding(void)
{
	char path[4096];
	const struct shared *shared = fuzz.shared;
	snprintf(path, sizeof path, "%s/%s-%016llx", fuzz.findings, fuzz.name,
			 (unsigned long long)hash(shared->input, shared->size));
	if (write_file(path, shared->input, shared->size))
		printf("%s: FOUND after %llu inputs: %s\n", fuzz.name, (unsigned long long)shared->runs,
			   path);
	else
		printf("%s: FOUND, but cannot write %s\n", fuzz.name, path);
}

static void print_counts(double seconds)
{
	const struct shared *shared = fuzz.shared;
	printf("%s: %llu inputs in %.1f s, %.0f a second; %llu kept, %llu edges; nothing found\n",
		   fuzz.name, (unsigned long long)shared->runs, seconds, (double)shared->runs / seconds,
		   (unsigned long long)shared->kept, (unsigned long long)shared->edges);
}

static bool read_arguments(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	fuzz.name = slash != NULL ? slash + 1 : argv[0];
	if (!keep_input(NULL, 0) || !keep_input((uint8_t[64]){0}, 64))
		return false;
	for (int i = 1; i < argc; i++) {
		bool option = strncmp(argv[i], "--", 2) == 0;
		char *end = "";
		if (option && i + 1 == argc)
			return false;
		if (strcmp(argv[i], "--seconds") == 0)
			fuzz.seconds = strtod(argv[++i], &end);
		else if (strcmp(argv[i], "--seed") == 0)
			fuzz.corpus.random += strtoull(argv[++i], &end, 0);
		else if (strcmp(argv[i], "--corpus") == 0)
			fuzz.corpus_folder = realpath(argv[++i], NULL); /* the parser may go elsewhere */
		else if (strcmp(argv[i], "--findings") == 0)
			fuzz.findings = argv[++i];
		else if (strcmp(argv[i], "--words") == 0)
			fuzz.words = argv[++i];
		else if (option || !load(argv[i]))
			return false;
		if (*end != '\0')
			return false;
	}
	return (fuzz.corpus_folder == NULL || load(fuzz.corpus_folder)) &&
		   (fuzz.words == NULL || load_words(fuzz.words));
}

static bool make_shared(void)
{
	void *memory =
		mmap(NULL, sizeof *fuzz.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		fuzz.shared = memory;
	return fuzz.shared != NULL;
}

static bool make_folder(void)
{
	snprintf(fuzz.folder, sizeof fuzz.folder, "/dev/shm/gemmjudge-fuzz-XXXXXX");
	if (mkdtemp(fuzz.folder) != NULL)
		return true;
	snprintf(fuzz.folder, sizeof fuzz.folder, "/tmp/gemmjudge-fuzz-XXXXXX");
	return mkdtemp(fuzz.folder) != NULL;
}

static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
		char below[512];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
		if (unlink(below) != 0)
			remove_folder(below);
	}
	if (folder != NULL)
		closedir(folder);
	rmdir(path);
}

int main(int argc, char **argv)
{
	if (!read_arguments(argc, argv)) {
		fprintf(stderr,
				"usage, or a file that cannot be read: %s [--seconds N] [--seed N] "
				"[--corpus FOLDER] [--findings FOLDER] [--words FILE] [SEEDS]...\n",
				argv[0]);
		return 2;
	}
	if (!make_shared() || !make_folder()) {
		perror(fuzz.name);
		return 2;
	}
	double started = seconds_now();
	pid_t worker = fork();
	if (worker == 0)
		work();
	bool good = worker > 0 && watch(worker);
	if (good)
		print_counts(seconds_now() - started);
	else
		write_finding();
	remove_folder(fuzz.folder);
	return good ? 0 : 1;
}
