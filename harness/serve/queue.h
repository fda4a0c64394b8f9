/* What waits and what is being judged, in memory: the store has it, too, and first (store/jobs.h).
 * Every function may be called by several threads at once. */
#ifndef GEMMJUDGE_SERVE_QUEUE_H
#define GEMMJUDGE_SERVE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/jobs.h"

struct queue;
struct queue_entry;
struct queue_watcher;

/* With what the store has waiting. NULL with err. */
struct queue *queue_open(struct jobs *jobs, struct error *err);
void queue_close(struct queue *queue); /* nobody uses it any more */

/* ---- in ---------------------------------------------------------------------------- */

struct queue_counts {
	size_t waiting, judging; /* of all */
	size_t of_user;          /* those that wait, of one */
};
/* `user` is an id of accounts.h; NULL: of nobody. */
struct queue_counts queue_counts(struct queue *queue, const char *user);

enum queue_answer { QUEUE_TAKEN, QUEUE_FULL, QUEUE_FULL_OF_USER, QUEUE_FAILED };
struct queue_limits {
	size_t all, of_user;
};

/* Keeps it in the store and lets it wait. QUEUE_FAILED comes with err. */
enum queue_answer queue_add(struct queue *queue, const struct job_given *job,
							const struct queue_limits *limits, struct error *err);

/* True where it waited; false also where it is not here at all, and with err where the store
 * cannot be written. */
bool queue_withdraw(struct queue *queue, const char *id, struct error *err);

/* Its place among those that wait, the next one has 1; 0: it does not wait. */
size_t queue_place(struct queue *queue, const char *id);

/* ---- out --------------------------------------------------------------------------- */

/* The next one: of the user with the fewest in judgement, of these the one with the fewest seconds
 * in the last hour; waits until there is one. NULL: the queue has been ended. The entry is the
 * caller's until queue_again() or queue_done(). */
struct queue_entry *queue_take(struct queue *queue);
const char *queue_id(const struct queue_entry *entry);
const char *queue_name(const struct queue_entry *entry);

/* Something happened, for those who watch: an object whose member `event` names it, which stays the
 * caller's. `needed`: else it may be left out where there is very much. */
void queue_tell(struct queue *queue, struct queue_entry *entry, json_t *event, bool needed);

/* It waits again; those who watch begin anew. */
void queue_again(struct queue *queue, struct queue_entry *entry);

/* It is judged, as the store knows; the last event was told. */
void queue_done(struct queue *queue, struct queue_entry *entry);

/* Nothing is begun any more. */
void queue_end(struct queue *queue);
/* Nobody watches any more, either: queue_next() says QUEUE_ENDED. */
void queue_shut(struct queue *queue);

/* ---- who watches --------------------------------------------------------------------- */

/* `user` watches, by the id of an account, "" without. NULL where it neither waits nor is judged.
 * wake() is called, whenever there is more, by any thread, and must call no function of the queue.
 */
struct queue_watcher *queue_watch(struct queue *queue, const char *id, const char *user,
								  void (*wake)(void *context), void *context);
void queue_unwatch(struct queue *queue, struct queue_watcher *watcher);

enum queue_news {
	QUEUE_NEWS,  /* *text: an event as server-sent events have it, for the caller to free */
	QUEUE_SLEPT, /* nothing new: sleep() was called, and wake() will be */
	QUEUE_ENDED, /* no more will come */
};
enum queue_news queue_next(struct queue *queue, struct queue_watcher *watcher,
						   void (*sleep)(void *context), char **text);

/* The accounts of those who watch: an object with their ids. */
json_t *queue_users_watching(struct queue *queue);
/* One of them watches no more: queue_next() says QUEUE_ENDED. */
void queue_drop_user(struct queue *queue, const char *user);

/* Wakes all, with a comment in place of an event: so that connections that are gone are noticed. */
void queue_beat(struct queue *queue);

/* The event's text as server-sent events have it, for the caller to free; NULL: memory is short. */
char *queue_event(json_t *event);
/* That it waits, at this place; as above. */
char *queue_event_of_place(size_t place);

#endif
