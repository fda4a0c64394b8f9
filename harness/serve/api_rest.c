/* Problems, boards, who one is, and how the server is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/http.h"
#include "serve/standard.h"
#include "testcases/problem.h"
#include "testcases/shape.h"

#define COOKIE_SECONDS (90 * 24 * 3600)

/* ---- problems ---------------------------------------------------------------------- */

static json_t *problem_json(const struct serve_config *config, const struct problem *problem)
{
	const json_t *standard = standard_of(config, problem->name);
	char prototype[PROTOTYPE_TEXT], explanation[EXPLANATION_TEXT], large[SHAPE_TEXT];
	json_t *json = json_object(), *sizes = json_array();
	problem_prototype(problem, prototype);
	problem_explain(problem, explanation);
	shape_print(problem, &problem->large, large);
	json_object_set_new(json, "name", json_string(problem->name));
	json_object_set_new(json, "summary", json_string(problem->summary));
	json_object_set_new(json, "formula", json_string(problem->formula));
	json_object_set_new(json, "prototype", json_string(prototype));
	json_object_set_new(json, "explanation", json_string(explanation));
	json_object_set_new(json, "timed_at", json_string(large));
	json_object_set_new(json, "epilogue", json_boolean(problem_has_epilogue(problem)));
	for (const struct problem_size *size = problem->sizes; size->name != NULL; size++)
		json_array_append_new(sizes, json_pack("{s:s, s:i, s:i}", "name", size->shown, "min",
											   size->min, "max", size->max));
	json_object_set_new(json, "sizes", sizes);
	json_object_set_new(json, "standard",
						standard != NULL ? json_deep_copy(standard) : json_object());
	return json;
}

void api_problems(struct server *server, const struct http_request *request,
				  struct http_reply *reply)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	json_t *list = json_array();
	(void)request;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, problem_json(server->config, &table[i]));
	reply_json(reply, 200, json_pack("{s:o}", "problems", list));
}

void api_leaderboard(struct server *server, const struct http_request *request,
					 struct http_reply *reply)
{
	const char *problem = request->query(request->context, "problem");
	if (problem != NULL && problem[0] == '\0')
		problem = NULL;
	if (problem != NULL && problem_find(problem) == NULL)
		reply_error(reply, 400, "unknown problem '%.64s' (GET /api/problems has all)", problem);
	else
		reply_json(reply, 200, api_boards(server, request, problem));
}

/* ---- people -------------------------------------------------------------------------- */

void api_me(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	const struct serve_config *config = server->config;
	const struct queue_counts counts = queue_counts(server->queue, request->user.id);
	const double used =
		jobs_seconds(server->jobs, request->user.id, (double)time(NULL) - SERVE_HOUR);
	const int64_t bytes =
		jobs_bytes(server->jobs, request->user.id, (double)time(NULL) - SERVE_HOUR);
	json_t *limits = json_pack(
		"{s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:b}", "queue", (json_int_t)config->queue,
		"queue_of_user", (json_int_t)config->queue_of_user, "seconds_of_user",
		config->seconds_of_user, "bytes_of_user", (json_int_t)config->disk_of_user, "source_bytes",
		(json_int_t)SERVE_SOURCE_BYTES, "cases", (json_int_t)config->cases, "max_dim",
		(json_int_t)config->max_dim, "timed", !config->emulated);
	reply_json(reply, 200,
			   json_pack("{s:s, s:s, s:I, s:f, s:I, s:b, s:b, s:o, s:s}", "user",
						 request->user.name, "role", account_roles[request->user.role], "waiting",
						 (json_int_t)counts.of_user, "seconds_in_last_hour", used, "bytes",
						 (json_int_t)bytes, "public", config->public, "open",
						 request->user.name[0] == '\0', "limits", limits, "version",
						 config->version));
}

static void set_cookie(const struct http_request *request, struct http_reply *reply,
					   const char *token, int seconds)
{
	snprintf(reply->cookie, sizeof reply->cookie,
			 "gemmjudge=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s", token, seconds,
			 session_is_https(request) ? "; Secure" : "");
}

void api_login(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct account account = {.name = ""};
	struct error err;
	if (!api_takes_json(request, reply))
		return;
	json_t *body = json_loadb(request->body, request->length, JSON_REJECT_DUPLICATES, NULL);
	const char *token = json_string_value(json_object_get(body, "token"));
	if (token == NULL) {
		reply_error(reply, 400, "the body is to be {\"token\": \"...\"}");
	} else if (!account_find(server->jobs, token, &account, &err)) {
		reply_error(reply, 401, "this token is nobody's");
	} else {
		set_cookie(request, reply, token, COOKIE_SECONDS);
		reply_json(
			reply, 200,
			json_pack("{s:s, s:s}", "user", account.name, "role", account_roles[account.role]));
	}
	json_decref(body);
}

void api_logout(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	(void)server;
	set_cookie(request, reply, "", 0);
	reply_json(reply, 200, json_object());
}

/* ---- the server ------------------------------------------------------------------------- */

void api_health(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	const struct queue_counts counts = queue_counts(server->queue, NULL);
	struct error err;
	const char *state = server->stop != SERVE_GOES_ON        ? "ending"
						: !jobs_writable(server->jobs, &err) ? "failing"
															 : "ok";
	(void)request;
	reply_json(reply, strcmp(state, "ok") == 0 ? 200 : 503,
			   json_pack("{s:s, s:I, s:I}", "state", state, "waiting", (json_int_t)counts.waiting,
						 "judging", (json_int_t)counts.judging));
}

static void print_metric(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP gemmjudge_%s %s\n# TYPE gemmjudge_%s %s\n", name, help, name, type);
}

static void print_metrics(FILE *out, struct server *server)
{
	const struct serve_config *config = server->config;
	const struct queue_counts counts = queue_counts(server->queue, NULL);
	const char *verdict;
	json_t *number;
	print_metric(out, "waiting", "gauge", "Submissions that wait.");
	fprintf(out, "gemmjudge_waiting %zu\n", counts.waiting);
	print_metric(out, "judging", "gauge", "Submissions that are being judged.");
	fprintf(out, "gemmjudge_judging %zu\n", counts.judging);
	print_metric(out, "workers", "gauge", "Workers of each device.");
	for (size_t i = 0; i < config->worker_count; i++) {
		const char *device = config->devices[i] != NULL ? config->devices[i] : "auto";
		size_t same = 0, before = 0;
		for (size_t k = 0; k < config->worker_count; k++) {
			const char *other = config->devices[k] != NULL ? config->devices[k] : "auto";
			same += strcmp(device, other) == 0;
			before += k < i && strcmp(device, other) == 0;
		}
		if (before == 0 && strpbrk(device, "\"\\\n") == NULL)
			fprintf(out, "gemmjudge_workers{device=\"%s\"} %zu\n", device, same);
	}
	print_metric(out, "store_bytes", "gauge", "What of the store is in use.");
	fprintf(out, "gemmjudge_store_bytes %lld\n", (long long)jobs_size(server->jobs));
	pthread_mutex_lock(&server->mutex);
	print_metric(out, "judging_seconds_total", "counter", "Time of judging since the start.");
	fprintf(out, "gemmjudge_judging_seconds_total %.3f\n", server->seconds);
	print_metric(out, "verdicts_total", "counter", "Verdicts since the start; none: no verdict.");
	json_object_foreach(server->verdicts, verdict, number)
		fprintf(out, "gemmjudge_verdicts_total{verdict=\"%s\"} %lld\n", verdict,
				(long long)json_integer_value(number));
	pthread_mutex_unlock(&server->mutex);
}

void api_metrics(struct server *server, const struct http_request *request,
				 struct http_reply *reply)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	(void)request;
	if (out != NULL) {
		print_metrics(out, server);
		fclose(out);
	}
	reply_text(reply, 200, "text/plain; version=0.0.4; charset=utf-8", text);
}
