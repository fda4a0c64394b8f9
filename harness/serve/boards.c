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

static json_t *make(struct boards *boards)
{
	const char *const argv[] = {"gemmjudge", "leaderboard", "--submitted",
								"--json=-",  "--store",     boards->server->config->store,
								NULL};
	char *text = NULL;
	size_t length = 0;
	struct error err;
	struct worker worker;
	json_t *json = NULL;
	FILE *out = open_memstream(&text, &length);
	if (out == NULL)
		return NULL;
	const struct worker_how how = {
		.apart = true, .yields = true, .line = take_line, .context = out};
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

/* What is shared must not be let go of by two threads at once: the view is a copy. */
json_t *boards_json(struct boards *boards, const struct boards_viewer *viewer)
{
	if (boards == NULL)
		return json_object();
	pthread_mutex_lock(&boards->mutex);
	json_t *view = board_view(boards->json, viewer);
	pthread_mutex_unlock(&boards->mutex);
	return view;
}
