/* A worker: takes from the queue and judges, one child each. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "batch/worker.h"
#include "judgement/names.h"
#include "report/clean.h"
#include "serve/advice.h"
#include "serve/intake.h"
#include "serve/naming.h"
#include "serve/server.h"
#include "serve/standard.h"
#include "testcases/problem.h"

#define POLL_MILLISECONDS 500
#define SILENT_SECONDS 3600 /* a judge says something before; its own limits are shorter */
#define ATTEMPTS 3          /* where a judge comes to no verdict */
#define PAUSE_SECONDS 1     /* before the next one */
#define RESULT_BYTES ((size_t)3 << 20)
#define STATUS_BAD_INPUT 2 /* of the child: it would say the same again */

struct judgement_at {
	struct runner *runner;
	struct queue_entry *entry;
	struct worker worker;
	json_t *run;      /* what the child says of its run; owned */
	const char *user; /* its account; "" of nobody; borrowed */
	double heard, budget_at;
	bool used_up;  /* the user's time */
	bool practice; /* it is no standard judgement */
};

static bool ends_now(const struct runner *runner)
{
	return runner->server->stop == SERVE_ENDS_NOW;
}

static void pause_for(const struct runner *runner, double seconds)
{
	const double until = clock_seconds() + seconds;
	while (clock_seconds() < until && runner->server->stop == SERVE_GOES_ON)
		poll(NULL, 0, POLL_MILLISECONDS);
}

/* ---- what the child says ------------------------------------------------------------- */

static void take_line(void *context, const char *line)
{
	struct judgement_at *at = context;
	at->heard = clock_seconds();
	json_t *json = json_loads(line, 0, NULL);
	const char *event = json_string_value(json_object_get(json, "event"));
	if (event == NULL) {
		json_decref(json);
		return;
	}
	if (strcmp(event, "end") == 0) {
		json_decref(at->run);
		at->run = json_incref(json_object_get(json, "run"));
	}
	const bool is_case = strcmp(event, "case") == 0;
	if (is_case || strcmp(event, "compiling") == 0 || strcmp(event, "compiled") == 0 ||
		strcmp(event, "timing") == 0) {
		naming_apply(json, queue_name(at->entry));
		advice_apply(json);
		queue_tell(at->runner->server->queue, at->entry, json, !is_case);
	}
	json_decref(json);
}

/* ---- the child ------------------------------------------------------------------------- */

struct argv {
	const char *at[SERVE_WORDS_MAX + 40];
	size_t count;
};

static void add(struct argv *argv, const char *word)
{
	if (argv->count + 1 < sizeof argv->at / sizeof *argv->at)
		argv->at[argv->count++] = word;
	argv->at[argv->count] = NULL;
}

/* The calibration kernel is the GPU's, for all runners that judge there. */
static void take_loans(struct runner *runner, struct worker_loans *loans)
{
	pthread_mutex_lock(&runner->server->lending);
	worker_loans_take(loans, &runner->referee, runner->beside > 0 ? runner->calibration : NULL);
	pthread_mutex_unlock(&runner->server->lending);
}

static bool start(struct judgement_at *at, const char *source, char **words, size_t count,
				  struct error *err)
{
	const struct serve_config *config = at->runner->server->config;
	struct argv argv = {.count = 0};
	add(&argv, "gemmjudge");
	add(&argv, "judge");
	add(&argv, "--jsonl=-");
	add(&argv, "--quiet");
	if (config->require != NULL) {
		add(&argv, "--require");
		add(&argv, config->require);
	}
	add(&argv, "--store");
	add(&argv, config->store);
	add(&argv, "--job");
	add(&argv, queue_id(at->entry));
	for (size_t i = 0; i < config->word_count; i++)
		add(&argv, config->words[i]);
	if (at->runner->device != NULL) {
		add(&argv, "--device");
		add(&argv, at->runner->device);
	}
	for (size_t i = 0; i < count; i++)
		add(&argv, words[i]);
	char beside[32];
	struct worker_loans loans;
	take_loans(at->runner, &loans);
	for (size_t i = 0; i < loans.count; i++)
		add(&argv, loans.words[i]);
	snprintf(beside, sizeof beside, "--beside=%d", at->runner->beside);
	if (at->runner->beside > 0)
		add(&argv, beside);
	add(&argv, "--");
	add(&argv, "-");
	const struct worker_how how = {.through = config->through,
								   .apart = true,
								   .yields = config->emulated, /* nothing is timed */
								   .line = take_line,
								   .kept = {at->runner->beside, loans.referee, loans.calibration},
								   .context = at};
	const bool started = worker_start(&at->worker, &how, argv.at, source, strlen(source), err);
	worker_loans_end(&loans);
	return started;
}

/* Whether the user has had the judging that an hour has, this judgement included; looked at each
 * second. */
static bool is_used_up(struct judgement_at *at)
{
	const struct server *server = at->runner->server;
	if (at->user[0] == '\0' || at->used_up || clock_seconds() < at->budget_at)
		return at->used_up;
	at->budget_at = clock_seconds() + 1;
	at->used_up = jobs_seconds(server->jobs, at->user, (double)time(NULL) - SERVE_HOUR) >=
				  server->config->seconds_of_user;
	return at->used_up;
}

/* Waits for its end; kills it where the server ends at once, it says nothing for very long, or its
 * user's time is used up. */
static void listen_to(struct judgement_at *at)
{
	bool more = true;
	at->heard = clock_seconds();
	while (more) {
		struct pollfd polled = {.fd = at->worker.events, .events = POLLIN};
		if (ends_now(at->runner) || clock_seconds() - at->heard > SILENT_SECONDS || is_used_up(at))
			worker_signal(&at->worker, SIGKILL);
		if (poll(&polled, 1, POLL_MILLISECONDS) > 0)
			more = worker_read(&at->worker);
	}
}

/* ---- its verdict --------------------------------------------------------------------- */

/* {"result": ..., "run": ...}, without its longest parts where it is very long. */
static char *result_text(struct judgement_at *at, json_t *event)
{
	json_t *result = json_object_get(event, "result");
	naming_apply(result, queue_name(at->entry));
	advice_apply(result);
	json_t *all = json_object();
	json_object_set(all, "result", result);
	json_object_set(all, "run", at->run);
	char *text = json_dumps(all, JSON_COMPACT);
	static const char *const long_ones[] = {"cases", "compile", "hints"};
	for (size_t i = 0; text != NULL && strlen(text) > RESULT_BYTES && i < 3; i++) {
		json_object_del(result, long_ones[i]);
		free(text);
		text = json_dumps(all, JSON_COMPACT);
	}
	json_decref(all);
	return text;
}

/* The time that counts and ranks, at the shape that the problem is timed at and without an
 * epilogue; 0 where there is none. */
static double time_of(const json_t *result, const json_t *run)
{
	static const char *const names[] = {"m", "n", "k", "batch"};
	static const int sizes[] = {SIZE_M, SIZE_N, SIZE_K, SIZE_BATCH};
	const char *name = json_string_value(json_object_get(result, "problem"));
	const struct problem *problem = name != NULL ? problem_find(name) : NULL;
	const json_t *timing = json_object_get(result, "timing");
	const json_t *entry = json_array_get(json_object_get(timing, "entries"), 0);
	const char *sealed =
		json_string_value(json_object_get(json_object_get(entry, "sealed"), "state"));
	if (problem == NULL || sealed == NULL || json_is_string(json_object_get(run, "epilogue")) ||
		(!seal_state_is(sealed, SEAL_CONFIRMED) && !seal_state_is(sealed, SEAL_HOST_SIDE)))
		return 0;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const json_t *size = json_object_get(json_object_get(timing, "case"), names[i]);
		if (json_is_integer(size) && json_integer_value(size) != problem->large.size[sizes[i]])
			return 0;
	}
	return json_number_value(json_object_get(entry, "microseconds"));
}

/* Until it is in the store, whatever lacks there: it is not said before. */
static bool finish(struct judgement_at *at, const struct job_end *end)
{
	struct error err;
	const struct serve_config *config = at->runner->server->config;
	while (!job_finish(at->runner->server->jobs, queue_id(at->entry), end, &err) &&
		   err.message[0] != '\0') {
		config->tell(err.message);
		if (at->runner->server->stop != SERVE_GOES_ON)
			return false; /* it is judged again after the next start */
		pause_for(at->runner, PAUSE_SECONDS);
	}
	return true;
}

/* Tells those who watch, and whoever looks after the server. */
static void publish(struct judgement_at *at, const char *event)
{
	struct server *server = at->runner->server;
	struct error err;
	char line[512];
	json_t *json = job_find(server->jobs, queue_id(at->entry), true, &err);
	const char *user = json_string_value(json_object_get(json, "user"));
	const char *verdict = json_string_value(json_object_get(json, "verdict"));
	const double seconds = json_number_value(json_object_get(json, "seconds"));
	snprintf(line, sizeof line, "%.8s %s%s%s: %s, %.1f s", queue_id(at->entry),
			 user != NULL ? user : "", user != NULL && user[0] != '\0' ? ", " : "",
			 queue_name(at->entry), verdict != NULL ? verdict : "no verdict", seconds);
	server->config->tell(line);
	server_count(server, verdict != NULL ? verdict : "none", seconds);
	json_object_set_new(json, "event", json_string(event));
	queue_tell(server->queue, at->entry, json, true);
	json_decref(json);
	queue_done(server->queue, at->entry);
	boards_changed(server->boards);
}

static void conclude(struct judgement_at *at, int attempts, double begun, const struct error *why)
{
	struct server *server = at->runner->server;
	struct error err;
	json_t *event = json_incref(at->worker.verdict);
	const char *verdict = json_string_value(json_object_get(event, "verdict"));
	const int status = at->worker.status;
	const bool final = verdict != NULL || at->used_up ||
					   (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_BAD_INPUT);
	if (ends_now(at->runner) && verdict == NULL)
		return; /* it is judged again after the next start */
	if (!final && attempts < ATTEMPTS) {
		server->config->tell(why->message);
		if (!job_again(server->jobs, queue_id(at->entry), clock_seconds() - begun, &err) &&
			err.message[0] != '\0')
			server->config->tell(err.message);
		pause_for(at->runner, PAUSE_SECONDS);
		queue_again(server->queue, at->entry);
		return;
	}
	char *result = verdict != NULL ? result_text(at, event) : NULL;
	char *advised = verdict == NULL ? advice_text(why->message) : NULL;
	char *detail = advised != NULL ? clean_text(advised) : NULL;
	const json_t *content = json_object_get(json_object_get(event, "result"), "content");
	const struct job_end end = {.verdict = verdict,
								.seed = json_string_value(json_object_get(event, "seed")),
								.detail = detail,
								.content = json_string_value(content),
								.result = result,
								.practice = at->practice,
								.microseconds = time_of(json_object_get(event, "result"), at->run),
								.seconds = clock_seconds() - begun};
	if (finish(at, &end))
		publish(at, verdict != NULL ? "verdict" : "error");
	free(result);
	free(advised);
	free(detail);
	json_decref(event);
}

/* ---- one after the other ----------------------------------------------------------------- */

static void judge(struct runner *runner, struct queue_entry *entry)
{
	struct server *server = runner->server;
	struct judgement_at at = {.runner = runner, .entry = entry};
	struct error err;
	char *options = NULL, *source = NULL;
	int attempts = 0;
	size_t count = 0;
	const double begun = clock_seconds(); /* no later than the store has it */
	if (!job_begin(server->jobs, queue_id(entry), &options, &source, &attempts, &err)) {
		server->config->tell(err.message);
		pause_for(runner, PAUSE_SECONDS);
		queue_again(server->queue, entry);
		return;
	}
	json_t *job = job_find(server->jobs, queue_id(entry), false, &err);
	const char *problem = json_string_value(json_object_get(job, "problem"));
	json_t *own = json_loads(options, 0, NULL);
	json_t *judged = problem != NULL ? standard_options(server->config, problem, own) : NULL;
	char **words = judged != NULL ? intake_words(judged, problem, &count, &err) : NULL;
	at.practice = judged != NULL && standard_is_left(server->config, problem, own);
	const char *user = json_string_value(json_object_get(job, "user_id"));
	at.user = user != NULL ? user : "";
	at.worker.status = STATUS_BAD_INPUT << 8; /* of what is not even started: an older server let
												 it in */
	if (words != NULL && !is_used_up(&at) && start(&at, source, words, count, &err)) {
		listen_to(&at);
		worker_end(&at.worker, &err);
		lender_take_back(&runner->referee,
						 at.worker.verdict != NULL && WIFEXITED(at.worker.status));
	} else if (words != NULL) {
		at.worker = (struct worker){.events = -1, .errors = -1, .status = 3 << 8};
	}
	if (at.used_up)
		error_set(&err,
				  "the %.0f s of judging that a user has in an hour are used up: submit it again "
				  "later",
				  server->config->seconds_of_user);
	conclude(&at, attempts, begun, &err);
	if (words != NULL)
		worker_forget(&at.worker);
	json_decref(at.run);
	intake_words_free(words);
	json_decref(own);
	json_decref(judged);
	json_decref(job);
	free(options);
	free(source);
}

void *runner_main(void *context)
{
	struct runner *runner = context;
	struct queue_entry *entry;
	while ((entry = queue_take(runner->server->queue)) != NULL)
		judge(runner, entry);
	lender_close(&runner->referee);
	return NULL;
}
