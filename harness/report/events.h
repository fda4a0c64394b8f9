/* What happens in a run, as it happens: a line of JSON each, whole when it is there (README.md has
 * the members). */
#ifndef GEMMJUDGE_REPORT_EVENTS_H
#define GEMMJUDGE_REPORT_EVENTS_H

#include "judgement/judgement.h"

#define EVENTS_SCHEMA_VERSION 1

struct events {
	int fd;     /* -1: nobody wants them */
	int failed; /* the errno of the first line that could not be written, or 0; none follows */
};

/* Lines go behind what the file has: a run that ended early, or another one. "-" is stdout, NULL
 * none. False with err. */
bool events_open(struct events *events, const char *path, struct error *err);
/* False with err where a line could not be written. */
bool events_close(struct events *events, struct error *err);

void events_queued(struct events *events, const char *file);
void events_compiling(struct events *events, const char *file);
void events_compiled(struct events *events, const struct judgement *item);
void events_case(struct events *events, const struct judgement *item, size_t i);
void events_timing(struct events *events, const char *file);
void events_verdict(struct events *events, const struct judgement_list *list, size_t i);
/* Why there is nothing else. */
void events_error(struct events *events, const struct error *err);
void events_end(struct events *events, const struct run_description *facts);

#endif
