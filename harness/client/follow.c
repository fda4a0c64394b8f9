#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "client/request.h"

#define AWAY_SECONDS 600.0 /* so long without an answer one that has given some is waited for */
#define PAUSE_LEAST 0.5
#define PAUSE_MOST 30.0

struct follower {
	struct client *client;
	client_watcher watcher;
	void *context;
	double answered; /* when the server last did */
	double pause;    /* before the next try, in seconds */
	bool told;       /* that it is away */
};

/* An event came. Other answers do not count: every stream has some, unless the server is none. */
static void note_answer(struct follower *follower)
{
	follower->answered = clock_seconds();
	follower->pause = PAUSE_LEAST;
	follower->told = false;
}

static void nap(struct follower *follower)
{
	const double end = clock_seconds() + follower->pause;
	while (!follower->client->stop() && clock_seconds() < end)
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	follower->pause = follower->pause * 2 < PAUSE_MOST ? follower->pause * 2 : PAUSE_MOST;
}

/* Whoever watches hears it once. */
static void tell_away(struct follower *follower, const struct error *why)
{
	json_t *data = json_pack("{s:s}", "message", why->message);
	if (!follower->told && data != NULL)
		follower->watcher(follower->context, "away", data);
	json_decref(data);
	follower->told = true;
}

static bool has_ended(const json_t *job)
{
	const char *state = json_string_value(json_object_get(job, "state"));
	return state != NULL && (strcmp(state, "done") == 0 || strcmp(state, "withdrawn") == 0);
}

/* A server that starts again, or its proxy meanwhile. */
static bool is_passing(const struct client_reply *reply)
{
	return reply->status == 429 || reply->status >= 500;
}

/* One try; *again: nothing is decided. */
static enum client_end try_once(struct follower *follower, const char *id,
								struct client_reply *reply, bool *again, struct error *err)
{
	char path[96];
	struct client_watch watch = {follower->watcher, follower->context, false};
	snprintf(path, sizeof path, "/api/submissions/%s", id);
	*again = false;
	enum client_end end = client_ask(follower->client, "GET", path, NULL, reply, err);
	if (end == CLIENT_ANSWERED && !is_passing(reply)) {
		if (reply->status != 200 || !client_is_job(reply->body) || has_ended(reply->body))
			return end;
		if (json_is_integer(json_object_get(reply->body, "place")))
			follower->watcher(follower->context, "queued", reply->body);
		client_reply_free(reply);
		snprintf(path, sizeof path, "/api/submissions/%s/events", id);
		end = request_events(follower->client, path, &watch, reply, err);
		if (watch.heard)
			note_answer(follower);
	} else if (end == CLIENT_ANSWERED) {
		client_refusal(follower->client, reply, err);
	}
	*again = end == CLIENT_LOST || (end == CLIENT_ANSWERED && is_passing(reply));
	return end;
}

static enum client_end give_up(const struct follower *follower, struct error *err)
{
	const struct error why = *err;
	error_set(err, "%.700s; no answer for %.0f s: given up", why.message,
			  clock_seconds() - follower->answered);
	return CLIENT_LOST;
}

enum client_end client_follow(struct client *client, const char *id, client_watcher watcher,
							  void *context, struct client_reply *reply, struct error *err)
{
	struct follower follower = {.client = client,
								.watcher = watcher,
								.context = context,
								.answered = clock_seconds(),
								.pause = PAUSE_LEAST};
	for (;;) {
		bool again;
		const double patience = client->answered ? AWAY_SECONDS : CLIENT_FIRST_SECONDS;
		const enum client_end end = try_once(&follower, id, reply, &again, err);
		if (!again)
			return end;
		client_reply_free(reply);
		if (clock_seconds() - follower.answered > patience)
			return give_up(&follower, err);
		if (clock_seconds() - follower.answered > PAUSE_LEAST)
			tell_away(&follower, err);
		nap(&follower);
		if (client->stop())
			return CLIENT_STOPPED;
	}
}
