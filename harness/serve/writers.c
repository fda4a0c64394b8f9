#include "serve/writers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/accounts.h"

#define THREADS 2 /* the store has one writer; a body is read beside it */

struct writers {
	pthread_mutex_t mutex;
	pthread_cond_t more;
	pthread_t threads[THREADS];
	size_t thread_count;
	bool ends;
	struct writer_task *first;  /* the oldest */
	char account[ACCOUNT_NAME]; /* whose turn the last one was */
	void (*work)(void *context);
};

/* Of tasks, of which there is one: the oldest of somebody else than had the last turn, or else the
 * oldest. */
static struct writer_task *take(struct writers *writers)
{
	struct writer_task **at = &writers->first;
	while ((*at)->next != NULL && strcmp((*at)->account, writers->account) == 0)
		at = &(*at)->next;
	if (strcmp((*at)->account, writers->account) == 0)
		at = &writers->first;
	struct writer_task *task = *at;
	*at = task->next;
	snprintf(writers->account, sizeof writers->account, "%s", task->account);
	return task;
}

static void *run(void *context)
{
	struct writers *writers = context;
	pthread_mutex_lock(&writers->mutex);
	for (;;) {
		while (writers->first == NULL && !writers->ends)
			pthread_cond_wait(&writers->more, &writers->mutex);
		if (writers->first == NULL)
			break;
		struct writer_task *task = take(writers);
		pthread_mutex_unlock(&writers->mutex);
		writers->work(task->context);
		pthread_mutex_lock(&writers->mutex);
	}
	pthread_mutex_unlock(&writers->mutex);
	return NULL;
}

struct writers *writers_open(void (*work)(void *context))
{
	struct writers *writers = calloc(1, sizeof *writers);
	if (writers == NULL)
		return NULL;
	writers->work = work;
	pthread_mutex_init(&writers->mutex, NULL);
	pthread_cond_init(&writers->more, NULL);
	while (writers->thread_count < THREADS &&
		   pthread_create(&writers->threads[writers->thread_count], NULL, run, writers) == 0)
		writers->thread_count++;
	if (writers->thread_count > 0)
		return writers;
	writers_close(writers);
	return NULL;
}

void writers_end(struct writers *writers)
{
	pthread_mutex_lock(&writers->mutex);
	writers->ends = true;
	pthread_cond_broadcast(&writers->more);
	pthread_mutex_unlock(&writers->mutex);
	for (size_t i = 0; i < writers->thread_count; i++)
		pthread_join(writers->threads[i], NULL);
	writers->thread_count = 0;
}

void writers_close(struct writers *writers)
{
	if (writers == NULL)
		return;
	writers_end(writers);
	pthread_cond_destroy(&writers->more);
	pthread_mutex_destroy(&writers->mutex);
	free(writers);
}

bool writers_put(struct writers *writers, struct writer_task *task)
{
	struct writer_task **at = &writers->first;
	pthread_mutex_lock(&writers->mutex);
	const bool takes = !writers->ends;
	while (*at != NULL)
		at = &(*at)->next;
	if (takes) {
		task->next = NULL;
		*at = task;
		pthread_cond_signal(&writers->more);
	}
	pthread_mutex_unlock(&writers->mutex);
	return takes;
}
