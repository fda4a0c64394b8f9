/* What the parts of a server share. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_SERVER_H
#define GEMMJUDGE_SERVE_SERVER_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "process/lender.h"
#include "serve/queue.h"
#include "serve/serve.h"

#define SERVE_SOURCE_BYTES ((size_t)1 << 20)
#define SERVE_BODY_BYTES (2 * SERVE_SOURCE_BYTES + 65536) /* as JSON may write it with escapes */
#define SERVE_HOUR 3600

/* How far the end has come. */
enum serve_stop { SERVE_GOES_ON, SERVE_DRAINS, SERVE_ENDS_NOW };

struct boards;

struct server {
	const struct serve_config *config;
	struct jobs *jobs;
	struct queue *queue;
	struct boards *boards;
	int beside;             /* what judges that share a device have in common; 0: nothing */
	bool loopback;          /* nobody else reaches the address */
	_Atomic bool had_users; /* since the start: it stays closed when the last one is removed */
	_Atomic(enum serve_stop) stop;
	pthread_mutex_t lending; /* of what several runners lend */
	/* Since the start; under the mutex. */
	pthread_mutex_t mutex;
	json_t *verdicts; /* an object: how many of each */
	double seconds;
};

/* Whether there is a user, or there was one since the start; true also where it cannot be read. */
bool server_has_users(struct server *server);
/* Whether nobody needs a token: the address is a loopback one, and no user was ever there. */
bool server_is_open(struct server *server);

void server_count(struct server *server, const char *verdict, double seconds);

/* Judges one after the other until the queue ends. */
struct runner {
	pthread_t thread;
	struct server *server;
	const char *device;            /* NULL: none is named */
	struct lender referee;         /* that its judges use one after the other */
	struct lender own_calibration; /* of the GPU, where it is the first runner there, */
	struct lender *calibration;    /* which others use, too */
	int beside;                    /* what judges that share a device have in common; 0: nothing */
};
void *runner_main(void *runner);

/* ---- boards.c ---------------------------------------------------------------------- */

/* NULL with err. */
struct boards *boards_open(struct server *server, struct error *err);
void boards_close(struct boards *boards); /* waits for its thread */
void boards_changed(struct boards *boards);
/* Who looks at boards. */
struct boards_viewer {
	const char *problem; /* only its boards; NULL: all */
	const char *user_id; /* whose own submissions are shown whole */
	bool all;            /* everybody's are, */
	bool teacher;        /* with all that is known of them, and who is not ranked and why */
};
/* As `leaderboard --submitted --json` has it, as far as the viewer may see it: of others' a rank, a
 * name and a time. Nothing where `boards` is NULL. */
json_t *boards_json(struct boards *boards, const struct boards_viewer *viewer);
/* board_view.c: the lists of such a document as the viewer may see them: a new object. */
json_t *board_view(const json_t *document, const struct boards_viewer *viewer);

#endif
