/* links: compile */
/* words: harness/compile/images.c */
/* PTX in libraries of compiled solutions, which may hold anything. */
#include <stdlib.h>
#include <string.h>

#include "compile/images.h"
#include "fuzz.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	const struct images_file library = {(const char *)data, size};
	const char *text;
	size_t place = 0, length;
	while (images_next_ptx(&library, &place, &text, &length)) {
		char *copy = malloc(length + 1);
		if (copy == NULL)
			return;
		memcpy(copy, text, length);
		images_flatten_strings(copy, length);
		free(copy);
	}
}
