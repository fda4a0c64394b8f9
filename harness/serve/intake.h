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
	const char *refused; /* which option intake_read() refuses; NULL: something else, or several */
};

/* False with err and the status that is answered then. intake_free() is due in either case. */
bool intake_read(const struct serve_config *config, const char *body, size_t length,
				 struct intake *out, unsigned *status, struct error *err);
void intake_free(struct intake *intake);

/* The options that a submission may have, as forms show them. */
struct intake_option {
	const char *name, *of; /* characters of a text; NULL: it is true or false; "": a number */
	long long most;        /* of a number; 0: none is taken */
	const char *help;      /* what it does, and what is taken without it */
	const char *words;     /* all that it may be, blanks between them; NULL: others, too */
};
const struct intake_option *intake_options(size_t *count);

/* Which of these options of a submission a sentence of `judge` is about: the first that it names,
 * as in "--cases '0': ..." or "unknown suite 'x'"; NULL: none. */
const char *intake_option_in(const char *sentence, const json_t *options);

/* Whether `judge` takes these options of a submission behind the server's own words; false with
 * err.
 */
bool intake_options_suit(const struct serve_config *config, const char *problem,
						 const json_t *options, struct error *err);

/* The words for `judge` of such options and problem, for intake_words_free(); NULL with err where
 * they are none. */
char **intake_words(const json_t *options, const char *problem, size_t *count, struct error *err);
void intake_words_free(char **words);

#endif
