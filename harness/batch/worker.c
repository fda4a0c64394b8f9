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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "judgement/names.h"

#define YIELDS 10 /* of niceness */
#define PIECE ((size_t)64 << 10)
#define LINE_MOST ((size_t)256 << 20) /* of its verdict: a line for each case */

/* ---- its start --------------------------------------------------------------------- */

/* The arguments of the shell that runs the command with this program behind it. */
struct shell {
	char program[PATHS_MAX], *script;
	const char *argv[];
};

/* To be freed, script and all. NULL with err. */
static struct shell *shell_make(const char *command, const char *const *argv, struct error *err)
{
	size_t count = 0, length = 0;
	while (argv[length] != NULL)
		length++;
	struct shell *shell = calloc(1, sizeof *shell + (length + 5) * sizeof *shell->argv);
	if (shell == NULL || asprintf(&shell->script, "%s \"$@\"", command) < 0) {
		free(shell);
		error_set(err, "out of memory");
		return NULL;
	}
	if (readlink("/proc/self/exe", shell->program, sizeof shell->program - 1) < 0)
		snprintf(shell->program, sizeof shell->program, "gemmjudge");
	const char *const begin[] = {"sh", "-c", shell->script, "sh", shell->program};
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		shell->argv[count++] = begin[i];
	for (size_t i = 1; i < length; i++)
		shell->argv[count++] = argv[i];
	return shell;
}

static void shell_free(struct shell *shell)
{
	if (shell != NULL)
		free(shell->script);
	free(shell);
}

static _Noreturn void become(const struct worker_how *how, const char *const *argv, int input,
							 int output, int errors, pid_t parent)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* of a server, as is this */
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof how->kept / sizeof *how->kept; i++)
		if (how->kept[i] > 0)
			fcntl(how->kept[i], F_SETFD, 0);
	if (how->apart)
		setpgid(0, 0);
	if (how->yields)
		setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + YIELDS);
	if (getppid() == parent && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
		dup2(errors, STDERR_FILENO) >= 0)
		execv(how->through != NULL ? "/bin/sh" : "/proc/self/exe", (char *const *)argv);
	_exit(127);
}

bool worker_start(struct worker *worker, const struct worker_how *how, const char *const *argv,
				  const char *input, size_t length, struct error *err)
{
	static const struct worker_how plain = {.through = NULL};
	int pipes[2] = {-1, -1}, in = memfd_create("source", MFD_CLOEXEC);
	const pid_t parent = getpid();
	struct shell *shell = NULL;
	how = how != NULL ? how : &plain;
	*worker = (struct worker){.events = -1, .errors = -1};
	if (how->through != NULL && (shell = shell_make(how->through, argv, err)) == NULL) {
		if (in >= 0)
			close(in);
		return false;
	}
	*worker = (struct worker){.events = -1,
							  .errors = memfd_create("errors", MFD_CLOEXEC),
							  .line = how->line,
							  .context = how->context,
							  .quoted = how->quotes ? how->through : NULL,
							  .apart = how->apart};
	if (in >= 0 && worker->errors >= 0 && pipe2(pipes, O_CLOEXEC) == 0 &&
		text_write(in, input, length) && lseek(in, 0, SEEK_SET) == 0 && (worker->pid = fork()) == 0)
		become(how, shell != NULL ? shell->argv : argv, in, pipes[1], worker->errors, parent);
	const int why = errno;
	shell_free(shell);
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

/* ---- what it is lent --------------------------------------------------------------- */

static void add_word(struct worker_loans *loans, const char *option, int number)
{
	snprintf(loans->words[loans->count++], sizeof *loans->words, "--%s=%d", option, number);
}

void worker_loans_take(struct worker_loans *loans, struct lender *referee,
					   struct lender *calibration)
{
	pid_t program;
	*loans = (struct worker_loans){.referee = lender_lend(referee, &program)};
	if (loans->referee > 0)
		add_word(loans, "referee", loans->referee);
	else
		loans->referee = 0;
	const int channel = calibration != NULL ? lender_lend(calibration, &program) : -1;
	if (channel <= 0)
		return;
	loans->calibration = channel;
	add_word(loans, "calibration", channel);
	add_word(loans, "calibration-process", (int)program);
}

void worker_loans_end(struct worker_loans *loans)
{
	if (loans->referee > 0)
		close(loans->referee);
	if (loans->calibration > 0)
		close(loans->calibration);
	*loans = (struct worker_loans){0};
}

/* ---- what it says ------------------------------------------------------------------ */

static void take_line(struct worker *worker, const char *line)
{
	static const char verdict[] = "{\"event\":\"verdict\"", error[] = "{\"event\":\"error\"";
	enum verdict known;
	if (strncmp(line, error, sizeof error - 1) == 0) {
		free(worker->error);
		worker->error = strdup(line);
	}
	if (strncmp(line, verdict, sizeof verdict - 1) != 0)
		return;
	json_t *event = json_loads(line, 0, NULL);
	const char *name = json_string_value(json_object_get(event, "verdict"));
	if (name == NULL || !verdict_of_name(name, &known) ||
		!json_is_object(json_object_get(event, "result"))) {
		json_decref(event); /* garbage, of a command in between */
		return;
	}
	json_decref(worker->verdict);
	worker->verdict = event;
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
	worker->spoke = true;
	worker->used += (size_t)got;
	take_lines(worker);
	return true;
}

/* ---- its end ----------------------------------------------------------------------- */

#define TOLD sizeof((struct error *)NULL)->message

/* The end of what it told, of whole lines if it is not one long one; "" where it is nothing. */
static void end_of_told(const struct worker *worker, char text[TOLD])
{
	const off_t size = lseek(worker->errors, 0, SEEK_END);
	const off_t from = size > (off_t)TOLD - 1 ? size - (off_t)TOLD + 1 : 0;
	const ssize_t got = size > 0 ? pread(worker->errors, text, TOLD - 1, from) : 0;
	text[got > 0 ? got : 0] = '\0';
}

/* "gemmjudge: WHY" of its last line. */
static bool said(char *text, struct error *err)
{
	static const char begins[] = "gemmjudge: ";
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

static void tell_end(const struct worker *worker, char *text, struct error *err)
{
	char how[64], who[256] = "the judge";
	if (WIFSIGNALED(worker->status))
		snprintf(how, sizeof how, "was ended by signal %d", WTERMSIG(worker->status));
	else
		snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(worker->status));
	size_t length = strlen(text);
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	char *newline = strrchr(text, '\n');
	const char *last = newline != NULL ? newline + 1 : text;
	if (newline != NULL) { /* ours, and what the command says of it */
		*newline = ' ';
		newline = strrchr(text, '\n');
		last = newline != NULL ? newline + 1 : text;
	}
	if (worker->quoted != NULL)
		snprintf(who, sizeof who, "the judge behind '%.*s'", (int)strcspn(worker->quoted, "\n"),
				 worker->quoted);
	if (worker->quoted == NULL || *last == '\0')
		error_set(err, "%s %s %s", who, how,
				  worker->spoke ? "and printed no verdict" : "and said nothing");
	else
		error_set(err, "%s %s without a verdict; it said last: %s", who, how, last);
}

void worker_signal(const struct worker *worker, int signal)
{
	kill(worker->apart ? -worker->pid : worker->pid, signal);
}

void worker_end(struct worker *worker, struct error *err)
{
	char text[TOLD];
	int status = 0;
	err->message[0] = '\0';
	close(worker->events);
	worker->events = -1;
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	worker->pid = 0;
	worker->status = status;
	if (worker->verdict != NULL || told(worker, err))
		return;
	end_of_told(worker, text);
	if (worker->quoted != NULL || !said(text, err))
		tell_end(worker, text, err);
}

void worker_forget(struct worker *worker)
{
	if (worker->events >= 0)
		close(worker->events);
	if (worker->errors >= 0)
		close(worker->errors);
	free(worker->text);
	json_decref(worker->verdict);
	free(worker->error);
	*worker = (struct worker){.events = -1, .errors = -1};
}
