#include "batch/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

#define PIECE ((size_t)64 << 10)
#define LINE_MOST ((size_t)256 << 20) /* of its verdict: a line for each case */

/* ---- its start --------------------------------------------------------------------- */

static _Noreturn void become(const struct worker_how *how, const char *const *argv, int input,
							 int output, int errors, pid_t parent)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* of a server, as is this */
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (how->kept > 0)
		fcntl(how->kept, F_SETFD, 0);
	if (how->apart)
		setpgid(0, 0);
	if (getppid() == parent && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
		dup2(errors, STDERR_FILENO) >= 0)
		execv(how->program != NULL ? how->program : "/proc/self/exe", (char *const *)argv);
	_exit(127);
}

bool worker_start(struct worker *worker, const struct worker_how *how, const char *const *argv,
				  const char *input, size_t length, struct error *err)
{
	static const struct worker_how plain = {.program = NULL};
	int pipes[2] = {-1, -1}, in = memfd_create("source", MFD_CLOEXEC);
	const pid_t parent = getpid();
	how = how != NULL ? how : &plain;
	*worker = (struct worker){.events = -1,
							  .errors = memfd_create("errors", MFD_CLOEXEC),
							  .line = how->line,
							  .context = how->context};
	if (in >= 0 && worker->errors >= 0 && pipe2(pipes, O_CLOEXEC) == 0 &&
		text_write(in, input, length) && lseek(in, 0, SEEK_SET) == 0 && (worker->pid = fork()) == 0)
		become(how, argv, in, pipes[1], worker->errors, parent);
	const int why = errno;
	if (in >= 0)
		close(in);
	if (pipes[1] >= 0)
		close(pipes[1]);
	worker->events = pipes[0];
	if (worker->pid > 0)
		return true;
	worker->pid = 0;
	worker_forget(worker);
	return error_set(err, "no new process: %s", strerror(why));
}

/* ---- what it says ------------------------------------------------------------------ */

static void take_line(struct worker *worker, const char *line)
{
	static const char verdict[] = "{\"event\":\"verdict\"", error[] = "{\"event\":\"error\"";
	char **to = strncmp(line, verdict, sizeof verdict - 1) == 0 ? &worker->verdict
				: strncmp(line, error, sizeof error - 1) == 0   ? &worker->error
																: NULL;
	if (to == NULL)
		return;
	free(*to);
	*to = strdup(line);
}

static void take_lines(struct worker *worker)
{
	char *begin = worker->text, *end;
	while ((end = memchr(begin, '\n', worker->used - (size_t)(begin - worker->text))) != NULL) {
		*end = '\0';
		take_line(worker, begin);
		if (worker->line != NULL)
			worker->line(worker->context, begin);
		begin = end + 1;
	}
	worker->used -= (size_t)(begin - worker->text);
	memmove(worker->text, begin, worker->used);
}

bool worker_read(struct worker *worker)
{
	if (worker->capacity - worker->used < PIECE) {
		const size_t capacity = 2 * worker->capacity + PIECE;
		char *text = capacity <= 2 * LINE_MOST ? realloc(worker->text, capacity) : NULL;
		if (text == NULL)
			return false;
		worker->text = text;
		worker->capacity = capacity;
	}
	const ssize_t got = read(worker->events, worker->text + worker->used, PIECE);
	if (got <= 0)
		return got < 0 && errno == EINTR;
	worker->used += (size_t)got;
	take_lines(worker);
	return true;
}

/* ---- its end ----------------------------------------------------------------------- */

/* "gemmjudge: WHY" of its last line. */
static bool said(const struct worker *worker, struct error *err)
{
	static const char begins[] = "gemmjudge: ";
	char text[sizeof err->message] = "";
	const off_t size = lseek(worker->errors, 0, SEEK_END);
	const off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
	if (size <= 0 || pread(worker->errors, text, sizeof text - 1, from) <= 0)
		return false;
	text[strcspn(text, "\0")] = '\0';
	char *last = NULL;
	for (char *p = text; (p = strstr(p, begins)) != NULL; p++)
		last = p + sizeof begins - 1;
	return last != NULL && !error_set(err, "%.*s", (int)strcspn(last, "\n"), last);
}

static bool told(const struct worker *worker, struct error *err)
{
	json_t *line = worker->error != NULL ? json_loads(worker->error, 0, NULL) : NULL;
	const char *message = json_string_value(json_object_get(line, "message"));
	const bool some = message != NULL && !error_set(err, "%s", message);
	json_decref(line);
	return some;
}

void worker_end(struct worker *worker, struct error *err)
{
	int status = 0;
	err->message[0] = '\0';
	close(worker->events);
	worker->events = -1;
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	worker->pid = 0;
	worker->status = status;
	if (worker->verdict != NULL || told(worker, err) || said(worker, err))
		return;
	if (WIFSIGNALED(status))
		error_set(err, "the judge was ended by signal %d", WTERMSIG(status));
	else
		error_set(err, "the judge ended with status %d and said nothing", WEXITSTATUS(status));
}

void worker_forget(struct worker *worker)
{
	if (worker->events >= 0)
		close(worker->events);
	if (worker->errors >= 0)
		close(worker->errors);
	free(worker->text);
	free(worker->verdict);
	free(worker->error);
	*worker = (struct worker){.events = -1, .errors = -1};
}
