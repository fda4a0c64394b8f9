/* What somebody submits: read, bounded, and refused where it is not what strangers may ask for.
 * Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_INTAKE_H
#define GEMMJUDGE_SERVE_INTAKE_H

#include <jansson.h>

#include "serve/serve.h"

/* Members of the body's object:
 *
 *     problem  a problem's name
 *     source   the text of a solution, of at most 1 MiB
 *     name     what its author calls it (without one: submission-NUMBER.cu)
 *     options  an object of options of `judge` by their long names, of those in intake.c
 */
struct intake {
	json_t *body; /* owned; what follows borrows from it */
	const char *problem, *source;
	char *name;    /* in one clean line, or ""; owned */
	char *options; /* JSON text; owned */
	size_t source_length;
};

/* False with err and the status that is answered then. intake_free() is due in either case. */
bool intake_read(const struct serve_config *config, const char *body, size_t length,
				 struct intake *out, unsigned *status, struct error *err);
void intake_free(struct intake *intake);

/* The words for `judge` of such options and problem, for intake_words_free(); NULL with err where
 * they are none. */
char **intake_words(const json_t *options, const char *problem, size_t *count, struct error *err);
void intake_words_free(char **words);

#endif
