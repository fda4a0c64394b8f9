#include "cli/watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/watched.h"
#include "cli/written_files.h"

#define SETTLE_MILLISECONDS 100 /* editors write some files at once */
#define WAIT_MILLISECONDS 500   /* a signal just before the wait does not end it */

static volatile sig_atomic_t ended;
static volatile sig_atomic_t judge_process; /* while one runs */

/* The judge says itself what it does then; a terminal tells it, too, which does no harm. */
static void pass_on(int number)
{
	ended = number;
	if (judge_process > 0)
		kill(judge_process, number);
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* The folder of each, and itself where it is one: editors replace what they save. */
static bool watch_all(int fd, const char *const *files, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *file = files[i];
		char folder[PATH_MAX];
		snprintf(folder, sizeof folder, "%.*s.", (int)(name_of(file) - file), file);
		if (inotify_add_watch(fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
			return error_set(err, "--watch: cannot watch the folder of %s: %s", file,
							 strerror(errno));
		inotify_add_watch(fd, file, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR);
	}
	return true;
}

/* Of the arguments, and of what folders hold by now; to watch a folder again changes nothing. */
static bool watch_folders(int fd, const struct options *options, struct error *err)
{
	struct files files;
	if (!watch_all(fd, options->arguments, options->argument_count, err) ||
		!files_find(options->arguments, options->argument_count, &files, err))
		return false;
	bool ok = watch_all(fd, (const char *const *)files.paths, files.count, err);
	files_free(&files);
	return ok;
}

static bool matters(const struct options *options, const char *name)
{
	if (written_files_source_ending(name) != NULL)
		return true;
	for (size_t i = 0; i < options->argument_count; i++)
		if (strcmp(name, name_of(options->arguments[i])) == 0)
			return true;
	return false;
}

/* Takes what has happened, waiting so long for something; whether a file that matters is in it. */
static bool take_events(int fd, const struct options *options, int milliseconds)
{
	_Alignas(struct inotify_event) char events[64 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	struct pollfd entry = {.fd = fd, .events = POLLIN};
	bool changed = false;
	if (poll(&entry, 1, milliseconds) <= 0)
		return false;
	ssize_t got = read(fd, events, sizeof events);
	for (char *at = events; at < events + got;) {
		const struct inotify_event *event = (const struct inotify_event *)at;
		changed = changed || (event->len > 0 && matters(options, event->name));
		at += sizeof *event + event->len;
	}
	return changed;
}

static int judge_once(const char *program, struct options *options)
{
	int status = 0;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		exit(cli_finish(command_run(program, options)));
	}
	judge_process = child > 0 ? child : 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	judge_process = 0;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CANNOT_RUN;
}

/* What the last run found, and what the one before it did. */
struct watch {
	struct watched before, *now;
	bool seed_given;
};

/* The case that failed is tried first, so that who mends it waits for nothing else. It is the same
 * case with the same seed. */
static void aim(const struct watch *watch, struct options *options)
{
	options->judge.cases.first = watched_failed(&watch->before);
	if (watch->seed_given)
		return;
	options->has_seed = options->judge.cases.first != NULL;
	options->judge.cases.seed = watch->before.seed;
}

static void tell(struct watch *watch)
{
	watched_tell(&watch->before, watch->now, stderr);
	if (watch->now->count > 0)
		watch->before = *watch->now;
	fputs("gemmjudge: waits until a file is saved (ctrl-C ends)\n", stderr);
}

/* Between two runs. */
static void part(void)
{
	const char *terminal = getenv("TERM");
	bool clears = isatty(STDOUT_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
	fputs(clears ? "\033[H\033[2J\033[3J" : "\n", stdout);
}

int watch_run(const char *program, struct options *options)
{
	struct error err = {{0}};
	const struct sigaction action = {.sa_handler = pass_on};
	int fd = inotify_init1(IN_CLOEXEC);
	if (fd < 0)
		error_set(&err, "--watch: the system watches no files: %s", strerror(errno));
	if (fd < 0 || !watch_folders(fd, options, &err))
		return cli_fail(EXIT_CANNOT_RUN, &err);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	int status = EXIT_ACCEPTED;
	struct watch watch = {.now = watched_make(), .seed_given = options->has_seed};
	if (watch.now == NULL) {
		error_set(&err, "--watch: out of memory");
		return cli_fail(EXIT_CANNOT_RUN, &err);
	}
	options->watch.last = watch.now;
	while (!ended) {
		watch.now->count = 0;
		status = judge_once(program, options);
		if (!ended)
			tell(&watch);
		while (!ended && !take_events(fd, options, WAIT_MILLISECONDS)) {
		}
		while (!ended && take_events(fd, options, SETTLE_MILLISECONDS)) {
		}
		if (!ended && !watch_folders(fd, options, &err)) /* of new ones, too */
			cli_fail(status, &err);
		aim(&watch, options);
		if (!ended)
			part();
	}
	close(fd);
	return status;
}
