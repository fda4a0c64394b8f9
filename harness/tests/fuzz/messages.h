/* Messages made from an input: well-formed ones, and what the input changes in them. */
#ifndef GEMMJUDGE_TESTS_FUZZ_MESSAGES_H
#define GEMMJUDGE_TESTS_FUZZ_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct source {
	const uint8_t *at, *end;
};

/* Zeros behind the end. */
static inline uint32_t source_number(struct source *source, size_t bytes)
{
	uint32_t number = 0;
	size_t left = (size_t)(source->end - source->at);
	if (bytes > left)
		bytes = left;
	if (bytes > 0)
		memcpy(&number, source->at, bytes);
	source->at += bytes;
	return number;
}

/* The next bytes of the input into some of the message: where, how many (from 200 on a row of
 * sixteen and more equal ones), which. */
static inline void source_patch(struct source *source, void *message, size_t size)
{
	size_t offset = source_number(source, 2) % size, count = source_number(source, 1);
	unsigned char *to = (unsigned char *)message + offset;
	size_t left = (size_t)(source->end - source->at);
	if (count >= 200) {
		size_t room = size - offset, row = (count - 199) * 16;
		memset(to, (int)source_number(source, 1), row < room ? row : room);
		return;
	}
	if (count > left)
		count = left;
	if (count > size - offset)
		count = size - offset;
	if (count > 0)
		memcpy(to, source->at, count);
	source->at += count;
}

#endif
