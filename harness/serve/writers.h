/* Threads that do what waits for the disk, so that those which poll connections never do. Users
 * take turns: one who has many tasks waiting does not hold up another's. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_WRITERS_H
#define GEMMJUDGE_SERVE_WRITERS_H

#include <stdbool.h>

struct writers;

/* Whose memory it is stays as it is until work() was called. */
struct writer_task {
	struct writer_task *next;
	const char *account;
	void *context;
};

/* work() gets a task's context. NULL: memory is short, or there are no threads. */
struct writers *writers_open(void (*work)(void *context));
void writers_end(struct writers *writers); /* does what waits, and takes no more */
void writers_close(struct writers *writers);

/* False where it takes no more. */
bool writers_put(struct writers *writers, struct writer_task *task);

#endif
