/* Leaderboards: what `gemmjudge leaderboard --json` says, made anew after verdicts. A child makes
 * it, as reading the whole store takes a while, and this process has it open (store/jobs.h). */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "batch/worker.h"
#include "serve/server.h"

#define PAUSE_SHARE 4    /* it takes a fifth of one processor's time at most */
#define PAUSE_LEAST 0.2  /* seconds */
#define PAUSE_PIECE 0.05 /* how soon the end is seen */

struct boards {
	struct server *server;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t more;
	bool changed, ended;
	json_t *json; /* never changed once it is here; or NULL */
};

static void take_line(void *text, const char *line)
{
	fprintf(text, "%s\n", line);
}

/* Who submitted what: at each object with a content. */
static void name_contents(struct jobs *jobs, json_t *json)
{
	size_t i;
	json_t *item;
	const char *key;
	const char *content = json_string_value(json_object_get(json, "content"));
	json_t *job = content != NULL ? job_of_content(jobs, content) : NULL;
	json_array_foreach(json, i, item) name_contents(jobs, item);
	json_object_foreach(json, key, item) name_contents(jobs, item);
	if (job != NULL)
		json_object_update(json, job);
	json_decref(job);
}

static json_t *make(struct boards *boards)
{
	const char *const argv[] = {
		"gemmjudge", "leaderboard", "--json=-", "--store", boards->server->config->store, NULL};
	char *text = NULL;
	size_t length = 0;
	struct error err;
	struct worker worker;
	json_t *json = NULL;
	FILE *out = open_memstream(&text, &length);
	if (out == NULL)
		return NULL;
	const struct worker_how how = {.apart = true, .line = take_line, .context = out};
	const bool started = worker_start(&worker, &how, argv, "", 0, &err);
	if (started) {
		while (worker_read(&worker))
			continue;
		worker_end(&worker, &err);
	}
	if (fclose(out) == 0 && started && worker.status == 0)
		json = json_loadb(text, length, 0, NULL);
	if (started)
		worker_forget(&worker);
	free(text);
	if (json != NULL)
		name_contents(boards->server->jobs, json);
	return json;
}

static bool has_ended(struct boards *boards)
{
	pthread_mutex_lock(&boards->mutex);
	const bool ended = boards->ended;
	pthread_mutex_unlock(&boards->mutex);
	return ended;
}

static void *boards_main(void *context)
{
	struct boards *boards = context;
	for (;;) {
		pthread_mutex_lock(&boards->mutex);
		while (!boards->changed && !boards->ended)
			pthread_cond_wait(&boards->more, &boards->mutex);
		const bool ended = boards->ended;
		boards->changed = false;
		pthread_mutex_unlock(&boards->mutex);
		if (ended)
			return NULL;
		const double begun = clock_seconds();
		json_t *json = make(boards);
		const double pause = PAUSE_SHARE * (clock_seconds() - begun) + PAUSE_LEAST;
		pthread_mutex_lock(&boards->mutex);
		if (json != NULL) {
			json_decref(boards->json);
			boards->json = json;
		}
		pthread_mutex_unlock(&boards->mutex);
		for (const double until = clock_seconds() + pause;
			 clock_seconds() < until && !has_ended(boards);)
			poll(NULL, 0, (int)(1000 * PAUSE_PIECE));
	}
}

struct boards *boards_open(struct server *server, struct error *err)
{
	struct boards *boards = calloc(1, sizeof *boards);
	if (boards == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	*boards = (struct boards){.server = server, .changed = true};
	pthread_mutex_init(&boards->mutex, NULL);
	pthread_cond_init(&boards->more, NULL);
	if (pthread_create(&boards->thread, NULL, boards_main, boards) == 0)
		return boards;
	error_set(err, "no new thread");
	free(boards);
	return NULL;
}

void boards_close(struct boards *boards)
{
	if (boards == NULL)
		return;
	pthread_mutex_lock(&boards->mutex);
	boards->ended = true;
	pthread_cond_signal(&boards->more);
	pthread_mutex_unlock(&boards->mutex);
	pthread_join(boards->thread, NULL);
	json_decref(boards->json);
	pthread_cond_destroy(&boards->more);
	pthread_mutex_destroy(&boards->mutex);
	free(boards);
}

void boards_changed(struct boards *boards)
{
	if (boards == NULL)
		return;
	pthread_mutex_lock(&boards->mutex);
	boards->changed = true;
	pthread_cond_signal(&boards->more);
	pthread_mutex_unlock(&boards->mutex);
}

/* Of a list's items those of the problem. */
static json_t *of_problem(const json_t *list, const char *problem)
{
	size_t i;
	json_t *item, *found = json_array();
	json_array_foreach(list, i, item)
	{
		const json_t *its = json_object_get(item, "problem");
		if (its == NULL)
			its = json_object_get(json_object_get(item, "judgement"), "problem");
		if (json_is_string(its) && strcmp(json_string_value(its), problem) == 0)
			json_array_append(found, item);
	}
	return found;
}

json_t *boards_json(struct boards *boards, const char *problem)
{
	static const char *const lists[] = {"boards", "by_correctness", "not_ranked"};
	json_t *shown = json_object();
	if (boards == NULL)
		return shown;
	pthread_mutex_lock(&boards->mutex);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		json_t *list = json_object_get(boards->json, lists[i]);
		json_object_set_new(shown, lists[i],
							list == NULL      ? json_array()
							: problem != NULL ? of_problem(list, problem)
											  : json_deep_copy(list));
	}
	/* what is shared must not be let go of by two threads at once */
	json_t *copy = problem != NULL ? json_deep_copy(shown) : json_incref(shown);
	json_decref(shown);
	pthread_mutex_unlock(&boards->mutex);
	return copy;
}
