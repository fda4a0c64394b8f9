/* Submissions by the API: they are taken, shown, and taken back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/random.h"
#include "report/document.h"
#include "serve/advice.h"
#include "serve/http.h"
#include "serve/intake.h"
#include "serve/standard.h"

#define LIST_MOST 500
#define LIST_USUAL 50
#define RETRY_SECONDS 30

static bool id_draw(char id[JOB_ID_TEXT], struct error *err)
{
	uint64_t high, low;
	if (!random_draw(&high, err) || !random_draw(&low, err))
		return false;
	snprintf(id, JOB_ID_TEXT, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
	return true;
}

/* null: it does not wait. */
static json_t *place_json(struct server *server, const char *id)
{
	const size_t place = queue_place(server->queue, id);
	return place > 0 ? json_integer((json_int_t)place) : json_null();
}

/* "" as where it is not there. */
static const char *query_text(const struct http_request *request, const char *name)
{
	const char *text = request->query(request->context, name);
	return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Replies that the store failed, which is no fault of who asks. */
static void reply_failed(const struct server *server, struct http_reply *reply,
						 const struct error *err)
{
	server->config->tell(err->message);
	reply->retry_after = RETRY_SECONDS;
	reply_error(reply, 503, "the server cannot do this now; try again");
}

bool api_takes_json(const struct http_request *request, struct http_reply *reply)
{
	static const char json[] = "application/json";
	const char *type = request->header(request->context, "Content-Type");
	if (request->from_form)
		return true;
	if (type != NULL && strncasecmp(type, json, sizeof json - 1) == 0 &&
		strchr("; \t", type[sizeof json - 1]) != NULL)
		return true;
	reply_error(reply, 415, "the body is to be application/json");
	return false;
}

static bool has_time_left(struct server *server, const struct http_request *request,
						  struct http_reply *reply)
{
	const double most = server->config->seconds_of_user;
	if (request->user.id[0] == '\0')
		return true;
	const double used =
		jobs_seconds(server->jobs, request->user.id, (double)time(NULL) - SERVE_HOUR);
	if (!(used >= most))
		return true;
	reply->retry_after = 600;
	reply_error(reply, 429, "%s had %.0f s of judging in the last hour, of %.0f: try later",
				request->user.name, used, most);
	return false;
}

/* Whether the store may take this body, and so much of this user. */
static bool has_room_left(struct server *server, const struct http_request *request,
						  struct http_reply *reply)
{
	const struct serve_config *config = server->config;
	const int64_t more = (int64_t)request->length;
	if (jobs_size(server->jobs) + more > config->disk) {
		reply_error(reply, 507,
					"the store has no room left: whoever looks after the server can give it more "
					"than %lld MiB (--disk)",
					(long long)(config->disk >> 20));
		return false;
	}
	if (request->user.name[0] == '\0' ||
		jobs_bytes(server->jobs, request->user.id, (double)time(NULL) - SERVE_HOUR) + more <=
			config->disk_of_user)
		return true;
	reply->retry_after = SERVE_HOUR;
	reply_error(reply, 429,
				"submissions of %s take %lld MiB of the store, as many as may be: whoever looks "
				"after the server can allow more (--disk-of-user)",
				request->user.name, (long long)(config->disk_of_user >> 20));
	return false;
}

/* The name is the server's, where none was given. */
static void reply_taken(struct server *server, const char *id, struct http_reply *reply)
{
	struct error err;
	json_t *job = job_find(server->jobs, id, false, &err);
	json_t *taken =
		json_pack("{s:s, s:s, s:o}", "id", id, "state", "waiting", "place", place_json(server, id));
	json_object_set(taken, "name", json_object_get(job, "name"));
	json_decref(job);
	reply_json(reply, 202, taken);
}

static void submit(struct server *server, const struct http_request *request,
				   const struct intake *intake, struct http_reply *reply)
{
	const struct serve_config *config = server->config;
	struct error err;
	char id[JOB_ID_TEXT];
	const json_t *options = json_object_get(intake->body, "options");
	if (!id_draw(id, &err)) {
		reply_failed(server, reply, &err);
		return;
	}
	const struct queue_limits limits = {
		.all = config->queue,
		.of_user = request->user.id[0] != '\0' ? config->queue_of_user : config->queue};
	const struct job_given job = {.id = id,
								  .account = request->user.id,
								  .problem = intake->problem,
								  .name = intake->name,
								  .options = intake->options,
								  .source = intake->source,
								  .source_length = intake->source_length,
								  .practice = standard_is_left(config, intake->problem, options)};
	switch (queue_add(server->queue, &job, &limits, &err)) {
	case QUEUE_TAKEN: reply_taken(server, id, reply); return;
	case QUEUE_FULL:
		reply->retry_after = RETRY_SECONDS;
		reply_error(reply, 429, "%zu submissions wait, as many as may: try later", config->queue);
		return;
	case QUEUE_FULL_OF_USER:
		reply->retry_after = RETRY_SECONDS;
		reply_error(reply, 429, "%zu submissions of %s wait, as many as may: try later",
					config->queue_of_user, request->user.name);
		return;
	case QUEUE_FAILED: reply_failed(server, reply, &err); return;
	}
}

/* What is wrong with a submission, and with which of its options. */
static void reply_refused(struct http_reply *reply, unsigned status, const char *option,
						  const struct error *err)
{
	char *sentence = advice_text(err->message);
	json_t *json = json_pack("{s:o}", "error", document_text(sentence != NULL ? sentence : ""));
	if (option != NULL)
		json_object_set_new(json, "option", json_string(option));
	reply_json(reply, status, json);
	free(sentence);
}

void api_submit(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct intake intake;
	struct error err;
	unsigned status;
	if (server->stop != SERVE_GOES_ON) {
		reply->retry_after = RETRY_SECONDS;
		reply_error(reply, 503, "the server is ending: try again");
		return;
	}
	if (!api_takes_json(request, reply) || !has_time_left(server, request, reply) ||
		!has_room_left(server, request, reply))
		return;
	if (intake_read(server->config, request->body, request->length, &intake, &status, &err))
		submit(server, request, &intake, reply);
	else
		reply_refused(reply, status, intake.refused, &err);
	intake_free(&intake);
}

/* ---- one ------------------------------------------------------------------------------- */

bool api_is_own(const struct http_request *request, const json_t *job)
{
	const char *id = json_string_value(json_object_get(job, "user_id"));
	return id != NULL && strcmp(id, request->user.id) == 0;
}

json_t *api_visible(struct server *server, const struct http_request *request, bool whole,
					struct http_reply *reply)
{
	struct error err;
	json_t *job = job_find(server->jobs, request->id, whole, &err);
	if (job == NULL && err.message[0] != '\0') {
		reply_failed(server, reply, &err);
		return NULL;
	}
	if (job != NULL && (server->config->public || request->user.role == ACCOUNT_TEACHER ||
						api_is_own(request, job))) {
		json_object_set_new(job, "place", place_json(server, request->id));
		return job;
	}
	json_decref(job);
	reply_error(reply, 404, "there is no such submission of yours");
	return NULL;
}

void api_get(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	json_t *job = api_visible(server, request, true, reply);
	if (job != NULL)
		reply_json(reply, 200, job);
}

void api_source(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct error err;
	json_t *job = api_visible(server, request, false, reply);
	if (job == NULL)
		return;
	json_decref(job);
	char *source = job_source(server->jobs, request->id, &err);
	if (source != NULL)
		reply_text(reply, 200, "text/plain; charset=utf-8", source);
	else if (err.message[0] == '\0')
		reply_error(reply, 404, "it was withdrawn, and its source with it");
	else
		reply_failed(server, reply, &err);
}

/* The event that ended it, as those heard who watched: of what is in the store. */
static char *last_event(json_t *job)
{
	const char *state = json_string_value(json_object_get(job, "state"));
	const char *event = state != NULL && strcmp(state, "withdrawn") == 0  ? "withdrawn"
						: json_is_string(json_object_get(job, "verdict")) ? "verdict"
																		  : "error";
	json_object_set_new(job, "event", json_string(event));
	return queue_event(job);
}

void api_events(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	json_t *job = api_visible(server, request, true, reply);
	if (job == NULL)
		return;
	const char *state = json_string_value(json_object_get(job, "state"));
	reply->type = "text/event-stream";
	if (state != NULL && (strcmp(state, "done") == 0 || strcmp(state, "withdrawn") == 0)) {
		reply_text(reply, 200, "text/event-stream", last_event(job));
	} else {
		reply->status = 200;
		snprintf(reply->watch, sizeof reply->watch, "%s", request->id);
	}
	json_decref(job);
}

void api_withdraw(struct server *server, const struct http_request *request,
				  struct http_reply *reply)
{
	struct error err;
	json_t *job = api_visible(server, request, false, reply);
	if (job == NULL)
		return;
	const bool may = request->user.role == ACCOUNT_TEACHER || api_is_own(request, job);
	json_decref(job);
	if (!may)
		reply_error(reply, 404, "there is no such submission of yours");
	else if (queue_withdraw(server->queue, request->id, &err))
		reply_json(reply, 200, json_pack("{s:s, s:s}", "id", request->id, "state", "withdrawn"));
	else if (err.message[0] != '\0')
		reply_failed(server, reply, &err);
	else
		reply_error(reply, 409, "it does not wait any more");
}

/* ---- many ------------------------------------------------------------------------------ */

static int64_t number_of(const struct http_request *request, const char *name, int64_t usual,
						 int64_t most)
{
	const char *text = request->query(request->context, name);
	if (text == NULL || text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return usual;
	const int64_t number = strtoll(text, NULL, 10);
	return number < 1 ? usual : number > most ? most : number;
}

json_t *api_jobs(struct server *server, const struct http_request *request, int own,
				 struct http_reply *reply)
{
	struct error err;
	const bool sees_all = server->config->public || request->user.role == ACCOUNT_TEACHER;
	const bool mine = own > 0 || !sees_all || request->query(request->context, "mine") != NULL;
	const struct job_filter filter = {
		.account = mine ? request->user.id : NULL,
		.user = mine ? NULL : query_text(request, "user"),
		.problem = own > 0 ? NULL : query_text(request, "problem"),
		.name = own > 0 ? NULL : query_text(request, "name"),
		.before = own > 0 ? 0 : number_of(request, "before", 0, INT64_MAX),
		.limit = own > 0 ? own : (int)number_of(request, "limit", LIST_USUAL, LIST_MOST)};
	size_t i;
	json_t *job, *list = jobs_list(server->jobs, &filter, &err);
	if (list == NULL) {
		reply_failed(server, reply, &err);
		return NULL;
	}
	json_array_foreach(list, i, job)
	{
		const char *id = json_string_value(json_object_get(job, "id"));
		json_object_set_new(job, "place", place_json(server, id != NULL ? id : ""));
	}
	return list;
}

void api_list(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	json_t *list = api_jobs(server, request, 0, reply);
	if (list != NULL)
		reply_json(reply, 200, json_pack("{s:o}", "submissions", list));
}

json_t *api_boards(struct server *server, const struct http_request *request, const char *problem)
{
	const bool teacher = request->user.role == ACCOUNT_TEACHER;
	const struct boards_viewer viewer = {.problem = problem,
										 .user_id = request->user.id,
										 .all = teacher || server->config->public,
										 .teacher = teacher};
	return boards_json(server->boards, &viewer);
}
