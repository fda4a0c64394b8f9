/* PTX in a compiled library, which may hold whatever the file's author put into it. */
#ifndef GEMMJUDGE_COMPILE_IMAGES_H
#define GEMMJUDGE_COMPILE_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

struct images_file {
	const char *at;
	size_t size;
};

/* The next PTX of a library from *place on (0 at first) that is not compressed; its end is by its
 * length, not a 0. False: there is no more. */
bool images_next_ptx(const struct images_file *library, size_t *place, const char **text,
					 size_t *length);

/* Makes each string in PTX one of one line, in place: ptxas prints them in messages, where a line
 * of its own would look like one of ptxas. */
void images_flatten_strings(char *text, size_t length);

#endif
