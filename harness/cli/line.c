#include "cli/line.h"

#include <stdio.h>
#include <string.h>

static const char end[] = " ...";

/* Leaves room for the end. */
static void put(struct command_line *line, const char *text)
{
	size_t length = strlen(text);
	line->full = line->full || line->used + length + sizeof end > line->capacity;
	if (line->full)
		return;
	memcpy(line->out + line->used, text, length + 1);
	line->used += length;
}

void line_add(struct command_line *line, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"@%+=:,./-_";
	if (line->full)
		return;
	size_t before = line->used;
	const char *quote = word[0] == '\0' || word[strspn(word, plain)] != '\0' ? "'" : "";
	put(line, before > 0 ? " " : "");
	put(line, quote);
	for (const char *p = word; *p != '\0'; p++)
		put(line, *p == '\'' ? "'\\''" : (char[]){*p, '\0'});
	put(line, quote);
	if (line->full)
		strcpy(line->out + before, end);
}

void line_add_option(struct command_line *line, const char *name, const char *value)
{
	char option[40];
	snprintf(option, sizeof option, "--%s", name);
	line_add(line, option);
	if (value != NULL)
		line_add(line, value);
}
