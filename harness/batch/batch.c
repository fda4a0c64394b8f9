#include "batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "batch/lines.h"
#include "batch/worker.h"
#include "report/document.h"

#define POLL_MILLISECONDS 200 /* how soon an interrupt is seen */
#define STORED_AS "--stored-as="
#define NAME_BYTES 200

/* A worker and what it works on. */
struct place {
	struct worker worker;
	struct batch_request request;
	struct lender referee; /* that its judges use one after the other */
	bool emulated;         /* its first judgement, of two */
};

struct batch_state {
	const struct batch *batch;
	struct batch_outcome *outcome;
	struct lines requests;
	int answers;
	int beside;    /* what judges that share a device have in common; -1: nothing */
	json_t *known; /* ids, as JSON text */
	size_t line;
	struct place places[BATCH_WORKERS_MAX];
	struct lender calibrations[BATCH_WORKERS_MAX]; /* of GPUs, at the first place that each has */
	struct error *err;
};

/* ---- answers ----------------------------------------------------------------------- */

static char *id_text(const json_t *id)
{
	return json_dumps(id, JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT);
}

static bool put_line(struct batch_state *state, json_t *json)
{
	if (state->batch->answers == NULL) {
		const bool taken = state->batch->answer(state->batch->context, json, state->err);
		json_decref(json);
		return taken;
	}
	char *line = document_line(json);
	errno = ENOMEM;
	const bool ok =
		(line != NULL && text_write(state->answers, line, strlen(line))) ||
		error_set(state->err, "cannot write %s: %s", state->batch->answers, strerror(errno));
	free(line);
	return ok;
}

static bool answer_error(struct batch_state *state, json_t *id, const struct error *why)
{
	json_t *json = json_object();
	json_object_set(json, "id", id);
	json_object_set_new(json, "error", document_text(why->message));
	state->outcome->failed++;
	return put_line(state, json);
}

static bool answer_verdict(struct batch_state *state, json_t *id, const json_t *event)
{
	const char *verdict = json_string_value(json_object_get(event, "verdict"));
	json_t *json = json_object();
	json_object_set(json, "id", id);
	json_object_set(json, "verdict", json_object_get(event, "verdict"));
	json_object_set(json, "seed", json_object_get(event, "seed"));
	json_object_set(json, "result", json_object_get(event, "result"));
	json_object_set(json, "bench", json_object_get(event, "bench")); /* of `bench` alone */
	state->outcome->answered++;
	state->outcome->accepted += verdict != NULL && strcmp(verdict, "accepted") == 0;
	return put_line(state, json);
}

/* The ids that a file of answers has a verdict for. A last line without its end is another run's
 * that was killed: what follows begins a new one. */
static bool know_answers(struct batch_state *state)
{
	struct lines lines;
	char *text;
	bool whole = true;
	if (strcmp(state->batch->answers, "-") == 0)
		return true;
	if (access(state->batch->answers, F_OK) != 0)
		return true;
	if (!lines_open(&lines, state->batch->answers, state->err))
		return false;
	while (lines_fill(&lines, state->err) && (lines_has(&lines) || !lines.ended)) {
		if ((text = lines_take(&lines, &whole)) == NULL)
			continue;
		json_t *line = json_loads(text, 0, NULL);
		const json_t *id = json_object_get(line, "id");
		char *key = id != NULL && json_object_get(line, "verdict") != NULL ? id_text(id) : NULL;
		if (key != NULL)
			json_object_set_new(state->known, key, json_true());
		free(key);
		json_decref(line);
		free(text);
	}
	lines_close(&lines);
	return whole || write(state->answers, "\n", 1) == 1 ||
		   error_set(state->err, "cannot write %s: %s", state->batch->answers, strerror(errno));
}

static bool open_answers(struct batch_state *state)
{
	const char *path = state->batch->answers;
	if (path == NULL)
		return true;
	state->answers = strcmp(path, "-") == 0
						 ? dup(STDOUT_FILENO)
						 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (state->answers < 0)
		return error_set(state->err, "cannot write %s: %s", path, strerror(errno));
	if (flock(state->answers, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return error_set(state->err, "%s: another batch writes its answers there", path);
	return know_answers(state);
}

/* ---- a judgement ------------------------------------------------------------------- */

/* A source that has a text as its id is remembered by it, as a file is by its name. NULL: it has
 * none, or says what it is remembered by. */
static const char *name_of(const struct batch_request *request)
{
	const char *id = json_string_value(request->id);
	if (request->source == NULL || id == NULL || id[0] == '\0' || strlen(id) > NAME_BYTES ||
		strlen(id) != json_string_length(request->id))
		return NULL;
	for (const char *at = id; *at != '\0'; at++)
		if ((unsigned char)*at < ' ')
			return NULL;
	for (size_t i = 0; i < request->word_count; i++)
		if (strncmp(request->words[i], STORED_AS, sizeof STORED_AS - 1) == 0)
			return NULL;
	return id;
}

static size_t first_of_device(const struct batch *batch, size_t i)
{
	size_t first = 0;
	while (batch->devices != NULL && first < i &&
		   strcmp(batch->devices[first], batch->devices[i]) != 0)
		first++;
	return batch->devices != NULL ? first : 0;
}

static bool start(struct batch_state *state, size_t i)
{
	const struct batch *batch = state->batch;
	struct place *place = &state->places[i];
	const struct batch_request *request = &place->request;
	const char *argv[BATCH_WORDS_MAX + 16];
	char beside[32], stored_as[sizeof STORED_AS + NAME_BYTES];
	struct worker_loans loans;
	size_t count = 0;
	argv[count++] = "gemmjudge";
	for (size_t k = 0; batch->command[k] != NULL; k++)
		argv[count++] = batch->command[k];
	argv[count++] = "--jsonl=-";
	for (size_t k = 0; k < batch->word_count; k++)
		argv[count++] = batch->words[k];
	for (size_t k = 0; k < request->word_count; k++)
		argv[count++] = request->words[k];
	if (place->emulated)
		argv[count++] = "--device=emu";
	else if (batch->devices != NULL) {
		argv[count++] = "--device";
		argv[count++] = batch->devices[i];
	}
	if (name_of(request) != NULL) {
		snprintf(stored_as, sizeof stored_as, STORED_AS "%s", name_of(request));
		argv[count++] = stored_as;
	}
	const int kept = place->emulated ? -1 : state->beside;
	snprintf(beside, sizeof beside, "--beside=%d", kept);
	if (kept >= 0)
		argv[count++] = beside;
	worker_loans_take(&loans, &place->referee,
					  kept >= 0 ? &state->calibrations[first_of_device(batch, i)] : NULL);
	for (size_t k = 0; k < loans.count; k++)
		argv[count++] = loans.words[k];
	argv[count++] = "--";
	argv[count++] = request->path != NULL ? request->path : "-";
	argv[count] = NULL;
	const struct worker_how how = {.through = batch->through,
								   .quotes = true,
								   .apart = batch->through != NULL,
								   .kept = {kept > 0 ? kept : 0, loans.referee, loans.calibration}};
	const bool started =
		worker_start(&place->worker, &how, argv, request->source != NULL ? request->source : "",
					 request->source_length, state->err);
	worker_loans_end(&loans);
	return started;
}

static bool is_known(const struct batch_state *state, const json_t *id)
{
	char *key = id_text(id);
	const bool known = key != NULL && json_object_get(state->known, key) != NULL;
	free(key);
	return known;
}

/* *line is NULL where there is none by now. */
static bool next_line(struct batch_state *state, char **line)
{
	bool whole;
	if (state->batch->requests != NULL) {
		*line = lines_take(&state->requests, &whole);
		return true;
	}
	const bool ok = state->batch->ask(state->batch->context, line, state->err);
	state->requests.ended = !ok || *line == NULL;
	return ok;
}

static bool has_line(const struct batch_state *state)
{
	return state->batch->requests != NULL ? lines_has(&state->requests) : !state->requests.ended;
}

/* Takes the next request to a free place, unless there is none by now. */
static bool take_request(struct batch_state *state, size_t i)
{
	struct place *place = &state->places[i];
	struct error why;
	char *text = NULL;
	if (!next_line(state, &text))
		return false;
	if (text == NULL)
		return true;
	state->line++;
	if (text[strspn(text, " \t\r")] == '\0') { /* an empty line asks for nothing */
		free(text);
		return true;
	}
	bool good = request_read(text, state->line, state->batch->option, &place->request, &why);
	free(text);
	if (good && state->batch->word_count + place->request.word_count > BATCH_WORDS_MAX)
		good = error_set(&why, "line %zu: more than %d options", state->line, BATCH_WORDS_MAX);
	bool ok = true;
	if (is_known(state, place->request.id)) {
		state->outcome->known++;
	} else if (!good) {
		ok = answer_error(state, place->request.id, &why);
	} else {
		place->emulated = state->batch->first_emulated;
		return start(state, i);
	}
	request_free(&place->request);
	return ok;
}

static bool finish(struct batch_state *state, size_t i)
{
	struct place *place = &state->places[i];
	struct error why;
	worker_end(&place->worker, &why);
	json_t *event = json_incref(place->worker.verdict);
	const char *verdict = json_string_value(json_object_get(event, "verdict"));
	lender_take_back(&place->referee, verdict != NULL && WIFEXITED(place->worker.status));
	worker_forget(&place->worker);
	bool ok;
	if (place->emulated && verdict != NULL && strcmp(verdict, "accepted") == 0) {
		json_decref(event);
		place->emulated = false;
		return start(state, i);
	}
	const bool cut_short = verdict == NULL || strcmp(verdict, "not_run") == 0;
	if (cut_short && state->batch->stopped(state->batch->context))
		ok = true; /* not judged: the next run does */
	else if (verdict != NULL)
		ok = answer_verdict(state, place->request.id, event);
	else
		ok = answer_error(state, place->request.id, &why);
	json_decref(event);
	request_free(&place->request);
	return ok;
}

/* ---- all of them ------------------------------------------------------------------- */

/* Waits until a judge says something, a request comes, or some time is over. */
static bool wait_for_some(struct batch_state *state, bool wants, size_t *working)
{
	struct pollfd polled[BATCH_WORKERS_MAX + 1];
	size_t of[BATCH_WORKERS_MAX];
	nfds_t count = 0;
	bool ok = true;
	for (size_t i = 0; i < state->batch->worker_count; i++)
		if (state->places[i].worker.pid > 0) {
			of[count] = i;
			polled[count++] =
				(struct pollfd){.fd = state->places[i].worker.events, .events = POLLIN};
		}
	*working = count;
	if (wants)
		polled[count] = (struct pollfd){.fd = state->requests.fd, .events = POLLIN};
	if (count == 0 && !wants)
		return true;
	if (poll(polled, count + wants, POLL_MILLISECONDS) < 0)
		return errno == EINTR || error_set(state->err, "cannot wait: %s", strerror(errno));
	for (nfds_t k = 0; k < count && ok; k++)
		if (polled[k].revents != 0 && !worker_read(&state->places[of[k]].worker))
			ok = finish(state, of[k]);
	return ok;
}

static bool fill_places(struct batch_state *state)
{
	bool ok = true;
	for (size_t i = 0; i < state->batch->worker_count && ok; i++)
		while (ok && state->places[i].worker.pid == 0 && has_line(state))
			ok = take_request(state, i);
	return ok;
}

static bool is_full(const struct batch_state *state)
{
	for (size_t i = 0; i < state->batch->worker_count; i++)
		if (state->places[i].worker.pid == 0)
			return false;
	return true;
}

static bool run_all(struct batch_state *state)
{
	bool told = false;
	for (;;) {
		const bool stopped = state->batch->stopped(state->batch->context);
		size_t working;
		if (!stopped && !fill_places(state))
			return false;
		const bool wants = !stopped && !state->requests.ended && !is_full(state);
		if (!wait_for_some(state, wants, &working))
			return false;
		if (wants && !lines_fill(&state->requests, state->err))
			return false;
		for (size_t i = 0; stopped && !told && i < state->batch->worker_count; i++)
			if (state->places[i].worker.pid > 0)
				worker_signal(&state->places[i].worker, SIGTERM); /* ends after its present case */
		told = told || stopped;
		if (working == 0 && (stopped || (state->requests.ended && !has_line(state))))
			return true;
	}
}

bool batch_run(const struct batch *batch, struct batch_outcome *out, struct error *err)
{
	struct batch_state *state = calloc(1, sizeof *state);
	*out = (struct batch_outcome){0};
	if (state == NULL)
		return error_set(err, "out of memory");
	*state = (struct batch_state){.batch = batch,
								  .outcome = out,
								  .answers = -1,
								  .beside = -1,
								  .known = json_object(),
								  .err = err};
	if (batch->share) /* without it they only disturb each other's times */
		state->beside = memfd_create("beside", MFD_CLOEXEC);
	for (size_t i = 0; i < BATCH_WORKERS_MAX; i++) {
		state->places[i].worker = (struct worker){.events = -1, .errors = -1};
		if (batch->referees)
			state->places[i].referee.program = "libexec/referee";
		if (batch->referees && batch->share)
			state->calibrations[i] =
				(struct lender){.program = "libexec/contestant", .shared = true};
	}
	state->requests.fd = -1;
	const bool opened =
		batch->requests == NULL || lines_open(&state->requests, batch->requests, err);
	const bool ok = opened && open_answers(state) && run_all(state);
	for (size_t i = 0; i < BATCH_WORKERS_MAX; i++) {
		if (state->places[i].worker.pid > 0)
			worker_signal(&state->places[i].worker, SIGKILL);
		worker_forget(&state->places[i].worker);
		lender_close(&state->places[i].referee);
		lender_close(&state->calibrations[i]);
		request_free(&state->places[i].request);
	}
	lines_close(&state->requests);
	if (state->answers >= 0)
		close(state->answers);
	if (state->beside >= 0)
		close(state->beside);
	json_decref(state->known);
	free(state);
	return ok;
}
