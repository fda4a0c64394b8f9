/* The two connections of a server. Internal to store/. */
#ifndef GEMMJUDGE_STORE_JOBS_OPEN_H
#define GEMMJUDGE_STORE_JOBS_OPEN_H

#include <pthread.h>

#include "store/database.h"

struct jobs_side {
	pthread_mutex_t mutex;
	struct store *store;
};

/* Who reads waits for no writer. */
struct jobs {
	struct jobs_side writes, reads;
	int lock; /* a descriptor */
	/* Of jobs_writable(), under the mutex of `writes`: when it was found out, and why not. */
	double probed;
	struct error refused;
};

/* A statement, with its side held until jobs_done(); NULL with err. */
sqlite3_stmt *jobs_statement(struct jobs_side *side, const char *sql, struct error *err);
void jobs_done(struct jobs_side *side, sqlite3_stmt *statement);

#endif
