/* A line of a batch: what is to be judged, and how. */
#ifndef GEMMJUDGE_BATCH_REQUEST_H
#define GEMMJUDGE_BATCH_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Members of the line:
 *
 *     id       any JSON value, given back with the answer; without it the line's number
 *     problem  --problem of `judge`
 *     source   the text of a solution, or
 *     path     a file
 *     options  an object of other options of `judge` by their long names: {"cases": 4, "fail-fast":
 *              true, "nvcc-flag": ["-DX=1"]}; false and null are as if they were not there
 */
struct batch_request {
	json_t *id;         /* owned; never NULL in one that was read */
	json_t *line;       /* owned; what follows borrows from it */
	const char *source; /* NULL: there is a path */
	size_t source_length;
	const char *path;
	char **words; /* of the options: "--cases=4"; owned, NULL-ended */
	size_t word_count;
};

/* Whether a request may have an option of this name, and whether that takes a value. */
typedef bool request_option(const char *name, bool *takes_value);

/* Reads a line, of this number. False with err where it is none; request->id is then there all the
 * same, and request_free() is due in either case. */
bool request_read(const char *text, size_t number, request_option *option,
				  struct batch_request *out, struct error *err);
void request_free(struct batch_request *request);

/* Whether the object has no other members than those that are `known`, NULL behind the last. False
 * with err, which says what the object is: "a request". */
bool request_members_known(json_t *object, const char *const *known, const char *what,
						   struct error *err);

#endif
