#include "serve/queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/accounts.h"

#define EVENT_BYTES ((size_t)4 << 20) /* of one submission; cases are left out beyond */
#define FAIR_SECONDS 3600

enum state { WAITING, WITHDRAWING, JUDGING, ENDED };

struct person {
	char *name;
	size_t waiting, judging;
	int64_t first;  /* the number of the oldest that waits; see place_of() */
	double seconds; /* of judging in the last hour, as of its last submission or
					   judgement */
};

struct queue_entry {
	char id[JOB_ID_TEXT];
	char *name;
	struct person *person;
	int64_t number;
	enum state state;
	size_t round; /* how often it was begun anew */
	char **events;
	size_t event_count, event_bytes;
	size_t watchers;
};

struct queue_watcher {
	struct queue_watcher *next;
	struct queue_entry *entry;
	size_t round, seen, place;
	bool asleep, beat, removed; /* whose account was */
	char user[ACCOUNT_ID];
	void (*wake)(void *context);
	void *context;
};

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t more;
	struct jobs *jobs;
	bool ended, shut;
	size_t reserved, judging;
	size_t count, capacity;
	struct queue_entry **entries; /* the oldest first; ended ones only while they are watched */
	size_t person_count;
	struct person **persons;
	struct queue_watcher *watchers;
};

static void hold(struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
}

static void release(struct queue *queue)
{
	pthread_mutex_unlock(&queue->mutex);
}

/* ---- entries -------------------------------------------------------------------------- */

static struct person *person_of(struct queue *queue, const char *name)
{
	for (size_t i = 0; i < queue->person_count; i++)
		if (strcmp(queue->persons[i]->name, name) == 0)
			return queue->persons[i];
	struct person **more =
		realloc(queue->persons, (queue->person_count + 1) * sizeof(struct person *));
	struct person *person = calloc(1, sizeof *person);
	if (more != NULL)
		queue->persons = more;
	if (more == NULL || person == NULL || (person->name = strdup(name)) == NULL) {
		free(person);
		return NULL;
	}
	return queue->persons[queue->person_count++] = person;
}

static bool has_room(struct queue *queue)
{
	if (queue->count < queue->capacity)
		return true;
	const size_t capacity = 2 * queue->capacity + 64;
	struct queue_entry **more = realloc(queue->entries, capacity * sizeof(struct queue_entry *));
	if (more == NULL)
		return false;
	queue->entries = more;
	queue->capacity = capacity;
	return true;
}

static void events_drop(struct queue_entry *entry)
{
	for (size_t i = 0; i < entry->event_count; i++)
		free(entry->events[i]);
	free(entry->events);
	entry->events = NULL;
	entry->event_count = entry->event_bytes = 0;
}

static void entry_free(struct queue_entry *entry)
{
	if (entry == NULL)
		return;
	events_drop(entry);
	free(entry->name);
	free(entry);
}

static struct queue_entry *entry_make(struct queue *queue, const struct job_given *job)
{
	struct queue_entry *entry = calloc(1, sizeof *entry);
	if (entry == NULL)
		return NULL;
	snprintf(entry->id, sizeof entry->id, "%s", job->id);
	entry->name = strdup(job->name);
	entry->person = person_of(queue, job->account);
	if (entry->name != NULL && entry->person != NULL && has_room(queue))
		return entry;
	entry_free(entry);
	return NULL;
}

static void entry_wait(struct queue *queue, struct queue_entry *entry, int64_t number)
{
	size_t at = queue->count++;
	entry->number = number; /* threads may come here in another order than the store's */
	for (; at > 0 && queue->entries[at - 1]->number > number; at--)
		queue->entries[at] = queue->entries[at - 1];
	queue->entries[at] = entry;
	entry->person->waiting++;
}

/* Where nobody needs it any more. */
static void entry_leave(struct queue *queue, struct queue_entry *entry)
{
	size_t at = 0;
	if (entry->state != ENDED || entry->watchers > 0)
		return;
	while (queue->entries[at] != entry)
		at++;
	queue->count--;
	memmove(&queue->entries[at], &queue->entries[at + 1],
			(queue->count - at) * sizeof *queue->entries);
	entry_free(entry);
}

static struct queue_entry *entry_find(struct queue *queue, const char *id)
{
	for (size_t i = 0; i < queue->count; i++)
		if (strcmp(queue->entries[i]->id, id) == 0)
			return queue->entries[i];
	return NULL;
}

/* ---- the queue ------------------------------------------------------------------------- */

struct loading {
	struct queue *queue;
	bool failed;
};

static void load(void *context, const struct job_given *job, int64_t number)
{
	struct loading *loading = context;
	struct queue_entry *entry = entry_make(loading->queue, job);
	if (entry != NULL)
		entry_wait(loading->queue, entry, number);
	loading->failed = loading->failed || entry == NULL;
}

static double hour_of(struct queue *queue, const char *user)
{
	return jobs_seconds(queue->jobs, user, (double)time(NULL) - FAIR_SECONDS);
}

struct queue *queue_open(struct jobs *jobs, struct error *err)
{
	struct queue *queue = calloc(1, sizeof *queue);
	struct loading loading = {.queue = queue};
	if (queue == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	queue->jobs = jobs;
	pthread_mutex_init(&queue->mutex, NULL);
	pthread_cond_init(&queue->more, NULL);
	if (jobs_waiting(jobs, load, &loading, err) &&
		(!loading.failed || error_set(err, "out of memory"))) {
		for (size_t i = 0; i < queue->person_count; i++)
			queue->persons[i]->seconds = hour_of(queue, queue->persons[i]->name);
		return queue;
	}
	queue_close(queue);
	return NULL;
}

void queue_close(struct queue *queue)
{
	if (queue == NULL)
		return;
	for (size_t i = 0; i < queue->count; i++)
		entry_free(queue->entries[i]);
	for (size_t i = 0; i < queue->person_count; i++) {
		free(queue->persons[i]->name);
		free(queue->persons[i]);
	}
	free(queue->entries);
	free(queue->persons);
	pthread_cond_destroy(&queue->more);
	pthread_mutex_destroy(&queue->mutex);
	free(queue);
}

static size_t waiting_of_all(const struct queue *queue)
{
	size_t count = queue->reserved;
	for (size_t i = 0; i < queue->person_count; i++)
		count += queue->persons[i]->waiting;
	return count;
}

struct queue_counts queue_counts(struct queue *queue, const char *user)
{
	struct queue_counts counts = {0};
	hold(queue);
	counts.waiting = waiting_of_all(queue);
	counts.judging = queue->judging;
	for (size_t i = 0; user != NULL && i < queue->person_count; i++)
		if (strcmp(queue->persons[i]->name, user) == 0)
			counts.of_user = queue->persons[i]->waiting;
	release(queue);
	return counts;
}

/* Whether `a` is taken before `b`, the first ones that wait of each. */
static bool is_before(const struct person *a, const struct person *b, int64_t a_number,
					  int64_t b_number)
{
	if (a->judging != b->judging)
		return a->judging < b->judging;
	if (a->seconds != b->seconds)
		return a->seconds < b->seconds;
	return a_number < b_number;
}

/* Users take turns: before the n-th of one user come n or n - 1 of each other one. */
static size_t place_of(const struct queue *queue, const struct queue_entry *entry)
{
	size_t rank = 0, place = 1;
	if (entry->state != WAITING)
		return 0;
	for (size_t i = 0; i < queue->person_count; i++)
		queue->persons[i]->first = INT64_MAX;
	for (size_t i = 0; i < queue->count; i++) {
		const struct queue_entry *other = queue->entries[i];
		if (other->state != WAITING)
			continue;
		if (other->number < other->person->first)
			other->person->first = other->number;
		rank += other->person == entry->person && other->number < entry->number;
	}
	for (size_t i = 0; i < queue->person_count; i++) {
		const struct person *other = queue->persons[i];
		if (other == entry->person)
			continue;
		const size_t turns =
			rank + is_before(other, entry->person, other->first, entry->person->first);
		place += other->waiting < turns ? other->waiting : turns;
	}
	return place + rank;
}

enum why { NEWS, BEAT, MOVED };

static bool has_moved(const struct queue *queue, const struct queue_watcher *watcher)
{
	const size_t place = watcher->asleep ? place_of(queue, watcher->entry) : 0;
	return (place > 0 && place != watcher->place) || watcher->round != watcher->entry->round;
}

/* Wakes those who watch one entry; NULL: any. Where places have changed, only those whose own did:
 * who submits and withdraws for ever does not wake everybody each time. */
static void wake_all(struct queue *queue, const struct queue_entry *of, enum why why)
{
	for (struct queue_watcher *w = queue->watchers; w != NULL; w = w->next) {
		if ((of != NULL && w->entry != of) || (why == MOVED && !has_moved(queue, w)))
			continue;
		w->beat = w->beat || why == BEAT;
		if (w->asleep) {
			w->asleep = false;
			w->wake(w->context);
		}
	}
}

enum queue_answer queue_add(struct queue *queue, const struct job_given *job,
							const struct queue_limits *limits, struct error *err)
{
	enum queue_answer answer = QUEUE_TAKEN;
	int64_t number = 0;
	const double seconds = hour_of(queue, job->account);
	hold(queue);
	struct queue_entry *entry = entry_make(queue, job);
	if (entry != NULL)
		entry->person->seconds = seconds;
	if (entry == NULL) {
		error_set(err, "out of memory");
		answer = QUEUE_FAILED;
	} else if (waiting_of_all(queue) >= limits->all) {
		answer = QUEUE_FULL;
	} else if (entry->person->waiting >= limits->of_user) {
		answer = QUEUE_FULL_OF_USER;
	}
	queue->reserved += answer == QUEUE_TAKEN;
	release(queue);
	if (answer == QUEUE_TAKEN) {
		char *name = NULL;
		const bool kept = job_insert(queue->jobs, job, &number, &name, err);
		hold(queue);
		queue->reserved--;
		if (kept) {
			free(entry->name);
			entry->name = name;
		}
		if (kept && has_room(queue)) {
			entry_wait(queue, entry, number);
			pthread_cond_signal(&queue->more);
			release(queue);
			return QUEUE_TAKEN;
		}
		release(queue);
		answer = QUEUE_FAILED;
	}
	entry_free(entry);
	return answer;
}

bool queue_withdraw(struct queue *queue, const char *id, struct error *err)
{
	err->message[0] = '\0';
	hold(queue);
	struct queue_entry *entry = entry_find(queue, id);
	const bool waits = entry != NULL && entry->state == WAITING;
	if (waits)
		entry->state = WITHDRAWING; /* nobody begins it meanwhile */
	release(queue);
	if (!waits)
		return false;
	const bool gone = job_withdraw(queue->jobs, id, err);
	hold(queue);
	if (gone) {
		json_t *json =
			json_pack("{s:s, s:s, s:s}", "event", "withdrawn", "id", id, "state", "withdrawn");
		char *event = queue_event(json);
		json_decref(json);
		events_drop(entry);
		entry->events = malloc(sizeof *entry->events);
		if (event != NULL && entry->events != NULL)
			entry->events[entry->event_count++] = event;
		else
			free(event);
		entry->person->waiting--;
		entry->state = ENDED;
		wake_all(queue, entry, NEWS);
		wake_all(queue, NULL, MOVED);
		entry_leave(queue, entry);
	} else {
		entry->state = WAITING;
		pthread_cond_signal(&queue->more);
	}
	release(queue);
	return gone;
}

size_t queue_place(struct queue *queue, const char *id)
{
	hold(queue);
	const struct queue_entry *entry = entry_find(queue, id);
	const size_t place = entry != NULL ? place_of(queue, entry) : 0;
	release(queue);
	return place;
}

/* ---- out ------------------------------------------------------------------------------- */

static struct queue_entry *best(struct queue *queue)
{
	struct queue_entry *found = NULL;
	for (size_t i = 0; i < queue->count; i++) {
		struct queue_entry *entry = queue->entries[i];
		if (entry->state == WAITING && (found == NULL || is_before(entry->person, found->person,
																   entry->number, found->number)))
			found = entry;
	}
	return found;
}

struct queue_entry *queue_take(struct queue *queue)
{
	struct queue_entry *entry = NULL;
	hold(queue);
	while (!queue->ended && (entry = best(queue)) == NULL)
		pthread_cond_wait(&queue->more, &queue->mutex);
	if (entry != NULL) {
		entry->state = JUDGING;
		entry->person->waiting--;
		entry->person->judging++;
		queue->judging++;
		wake_all(queue, NULL, MOVED);
	}
	release(queue);
	return entry;
}

const char *queue_id(const struct queue_entry *entry)
{
	return entry->id;
}

const char *queue_name(const struct queue_entry *entry)
{
	return entry->name;
}

void queue_tell(struct queue *queue, struct queue_entry *entry, json_t *event, bool needed)
{
	char *text = queue_event(event);
	hold(queue);
	char **more = text != NULL && (needed || entry->event_bytes + strlen(text) <= EVENT_BYTES)
					  ? realloc(entry->events, (entry->event_count + 1) * sizeof(char *))
					  : NULL;
	if (more != NULL) {
		entry->events = more;
		entry->events[entry->event_count++] = text;
		entry->event_bytes += strlen(text);
		wake_all(queue, entry, NEWS);
	} else {
		free(text);
	}
	release(queue);
}

static void judged_no_more(struct queue *queue, struct queue_entry *entry)
{
	entry->person->judging--;
	queue->judging--;
}

void queue_again(struct queue *queue, struct queue_entry *entry)
{
	hold(queue);
	judged_no_more(queue, entry);
	events_drop(entry);
	entry->state = WAITING;
	entry->round++;
	entry->person->waiting++;
	pthread_cond_signal(&queue->more);
	wake_all(queue, NULL, MOVED);
	release(queue);
}

void queue_done(struct queue *queue, struct queue_entry *entry)
{
	const double seconds = hour_of(queue, entry->person->name);
	hold(queue);
	entry->person->seconds = seconds;
	judged_no_more(queue, entry);
	entry->state = ENDED;
	wake_all(queue, entry, NEWS);
	entry_leave(queue, entry);
	release(queue);
}

void queue_end(struct queue *queue)
{
	hold(queue);
	queue->ended = true;
	pthread_cond_broadcast(&queue->more);
	release(queue);
}

void queue_shut(struct queue *queue)
{
	hold(queue);
	queue->shut = true;
	wake_all(queue, NULL, NEWS);
	release(queue);
}

/* ---- who watches ------------------------------------------------------------------------ */

struct queue_watcher *queue_watch(struct queue *queue, const char *id, const char *user,
								  void (*wake)(void *context), void *context)
{
	struct queue_watcher *watcher = calloc(1, sizeof *watcher);
	if (watcher == NULL)
		return NULL;
	hold(queue);
	struct queue_entry *entry = entry_find(queue, id);
	if (entry != NULL && (entry->state != ENDED || entry->event_count > 0)) {
		*watcher = (struct queue_watcher){.next = queue->watchers,
										  .entry = entry,
										  .round = entry->round,
										  .wake = wake,
										  .context = context};
		snprintf(watcher->user, sizeof watcher->user, "%s", user);
		queue->watchers = watcher;
		entry->watchers++;
	} else {
		free(watcher);
		watcher = NULL;
	}
	release(queue);
	return watcher;
}

void queue_unwatch(struct queue *queue, struct queue_watcher *watcher)
{
	hold(queue);
	for (struct queue_watcher **at = &queue->watchers; *at != NULL; at = &(*at)->next)
		if (*at == watcher) {
			*at = watcher->next;
			break;
		}
	watcher->entry->watchers--;
	entry_leave(queue, watcher->entry);
	release(queue);
	free(watcher);
}

enum queue_news queue_next(struct queue *queue, struct queue_watcher *watcher,
						   void (*sleep)(void *context), char **text)
{
	enum queue_news news = QUEUE_NEWS;
	hold(queue);
	const struct queue_entry *entry = watcher->entry;
	const size_t place = place_of(queue, entry);
	if (watcher->round != entry->round) {
		watcher->round = entry->round;
		watcher->seen = watcher->place = 0;
	}
	if (queue->shut || watcher->removed) {
		news = QUEUE_ENDED;
	} else if (watcher->seen < entry->event_count) {
		*text = strdup(entry->events[watcher->seen++]);
	} else if (place > 0 && place != watcher->place) {
		watcher->place = place;
		*text = queue_event_of_place(place);
	} else if (entry->state == ENDED) {
		news = QUEUE_ENDED;
	} else if (watcher->beat) {
		*text = strdup(":\n\n");
	} else {
		news = QUEUE_SLEPT;
		watcher->asleep = true;
		sleep(watcher->context);
	}
	watcher->beat = false;
	release(queue);
	return news == QUEUE_NEWS && *text == NULL ? QUEUE_ENDED : news;
}

json_t *queue_users_watching(struct queue *queue)
{
	json_t *users = json_object();
	hold(queue);
	for (const struct queue_watcher *w = queue->watchers; w != NULL; w = w->next)
		if (w->user[0] != '\0')
			json_object_set_new(users, w->user, json_true());
	release(queue);
	return users;
}

void queue_drop_user(struct queue *queue, const char *user)
{
	hold(queue);
	for (struct queue_watcher *w = queue->watchers; w != NULL; w = w->next)
		w->removed = w->removed || strcmp(w->user, user) == 0;
	wake_all(queue, NULL, NEWS);
	release(queue);
}

void queue_beat(struct queue *queue)
{
	hold(queue);
	wake_all(queue, NULL, BEAT);
	release(queue);
}
