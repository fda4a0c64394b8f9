#include "serve/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "serve/http.h"
#include "serve/socket.h"
#include "serve/standard.h"

#define DESCRIPTORS 4096

/* ---- the threads -------------------------------------------------------------------------- */

static bool runners_start(struct server *server, struct runner *runners, size_t *started,
						  struct error *err)
{
	const struct serve_config *config = server->config;
	for (*started = 0; *started < config->worker_count; ++*started) {
		runners[*started] =
			(struct runner){.server = server,
							.device = config->devices[*started],
							.referee.program = config->through == NULL ? "libexec/referee" : NULL,
							.beside = server->beside,
							.own_calibration = {.program = "libexec/contestant", .shared = true}};
		size_t first = 0;
		while (first < *started && (config->devices[first] == NULL ||
									strcmp(config->devices[first], config->devices[*started]) != 0))
			first++;
		runners[*started].calibration = &runners[first].own_calibration;
		if (pthread_create(&runners[*started].thread, NULL, runner_main, &runners[*started]) != 0)
			return error_set(err, "no new thread");
	}
	return true;
}

static bool is_idle(struct server *server)
{
	return queue_counts(server->queue, NULL).judging == 0;
}

/* Whose account was removed hears no more. */
static void drop_removed(struct server *server)
{
	const char *id;
	json_t *value, *users = queue_users_watching(server->queue);
	json_object_foreach(users, id, value) if (!account_is(server->jobs, id))
		queue_drop_user(server->queue, id);
	json_decref(users);
}

/* Until a signal comes and the present judgements are done, or a second signal. */
static void wait_for_end(struct server *server, struct http *http, const sigset_t *signals)
{
	static const struct timespec second = {.tv_sec = 1}, soon = {.tv_nsec = 100000000};
	while (server->stop != SERVE_ENDS_NOW && !(server->stop == SERVE_DRAINS && is_idle(server))) {
		const int number =
			sigtimedwait(signals, NULL, server->stop == SERVE_GOES_ON ? &second : &soon);
		if (number == SIGINT || number == SIGTERM) {
			server->stop = server->stop == SERVE_GOES_ON ? SERVE_DRAINS : SERVE_ENDS_NOW;
			if (server->stop == SERVE_DRAINS)
				server->config->tell("ends after the present judgements; once more: at once");
			queue_end(server->queue);
		}
		http_tick(http);
		drop_removed(server);
	}
}

static bool run(struct server *server, const sigset_t *signals, struct error *err)
{
	struct runner runners[SERVE_WORKERS_MAX];
	unsigned port;
	size_t started = 0;
	struct http *http = NULL;
	if (server->config->share) { /* without it they only disturb each other's times */
		const int beside = memfd_create("beside", MFD_CLOEXEC);
		server->beside = beside > 0 ? beside : 0;
	}
	bool ok = (server->boards = boards_open(server, err)) != NULL &&
			  (http = http_open(server, &port, err)) != NULL &&
			  runners_start(server, runners, &started, err);
	if (ok) {
		const char *colon = strrchr(server->config->listen, ':');
		printf("gemmjudge: listens at http://%.*s:%u/\n", (int)(colon - server->config->listen),
			   server->config->listen, port);
		fflush(stdout);
		wait_for_end(server, http, signals);
	} else {
		server->stop = SERVE_ENDS_NOW;
	}
	queue_end(server->queue);
	for (size_t i = 0; i < started; i++)
		pthread_join(runners[i].thread, NULL);
	for (size_t i = 0; i < started; i++)
		lender_close(&runners[i].own_calibration);
	http_close(http);
	boards_close(server->boards);
	if (server->beside > 0)
		close(server->beside);
	return ok;
}

/* Connections are descriptors. */
static void raise_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool may_begin(struct server *server, struct error *err)
{
	if (!socket_is_loopback(server->config->listen, &server->loopback, err))
		return false;
	const bool users = server_has_users(server); /* looked at here also where it may be open */
	return server->loopback || users ||
		   error_set(err,
					 "--listen %s: others reach it, and there are no users: 'gemmjudge user add "
					 "NAME --store %s' makes one",
					 server->config->listen, server->config->store);
}

static bool standard_is_fit(const struct serve_config *config, struct error *err)
{
	return standard_suits(config, err) || error_prefix(err, "--standard");
}

bool serve_run(const struct serve_config *config, struct error *err)
{
	struct server server = {.config = config, .verdicts = json_object()};
	sigset_t signals, before;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, &before); /* of all threads: children take it off */
	signal(SIGPIPE, SIG_IGN);
	pthread_mutex_init(&server.mutex, NULL);
	pthread_mutex_init(&server.lending, NULL);
	raise_limit();
	bool ok = standard_is_fit(config, err) &&
			  (server.jobs = jobs_open(config->store, config->through != NULL, err)) != NULL &&
			  may_begin(&server, err) && (server.queue = queue_open(server.jobs, err)) != NULL &&
			  run(&server, &signals, err);
	queue_close(server.queue);
	jobs_close(server.jobs);
	pthread_mutex_destroy(&server.mutex);
	json_decref(server.verdicts);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}
