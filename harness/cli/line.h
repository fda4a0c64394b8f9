/* A command line in a buffer, its words quoted for a shell, or a list of words. */
#ifndef GEMMJUDGE_CLI_LINE_H
#define GEMMJUDGE_CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct command_line {
	char *out; /* the caller's; empty at first */
	size_t capacity, used;
	bool full;
	void (*take)(void *context,
				 const char *word); /* takes the words as they are; NULL: the buffer */
	void *context;
};

/* Adds a blank and the word, whole or not at all: "..." ends a line that is full. */
void line_add(struct command_line *line, const char *word);

/* Adds "--NAME", and the value unless it is NULL. */
void line_add_option(struct command_line *line, const char *name, const char *value);

#endif
