#include "cli/line.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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

/* What stands for a character between the quotes: as it is, or with an escape. */
static void put_quoted(struct command_line *line, char c, bool escapes)
{
	char octal[8];
	snprintf(octal, sizeof octal, "\\%03o", (unsigned char)c);
	if (escapes && ((unsigned char)c < ' ' || (unsigned char)c >= 0x7F || c == '\\' || c == '\''))
		put(line, octal);
	else
		put(line, c == '\'' ? "'\\''" : (char[]){c, '\0'});
}

/* Whether characters of it are not seen: controls, ends of lines, marks of direction, ... */
static bool has_unseen(const char *word)
{
	uint32_t character;
	for (size_t bytes; *word != '\0'; word += bytes > 0 ? bytes : 1) {
		bytes = utf8_decode(word, &character);
		if (bytes > 0 && (utf8_is_unseen(character) || character < ' '))
			return true;
	}
	return false;
}

void line_add(struct command_line *line, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"@%+=:,./-_";
	if (line->take != NULL) {
		line->take(line->context, word);
		return;
	}
	if (line->full)
		return;
	size_t before = line->used;
	bool escapes = has_unseen(word); /* the quotes of bash, zsh and ksh: it stays one line */
	bool quotes = word[0] == '\0' || word[strspn(word, plain)] != '\0';
	put(line, before > 0 ? " " : "");
	put(line, escapes ? "$'" : quotes ? "'" : "");
	for (const char *p = word; *p != '\0'; p++)
		put_quoted(line, *p, escapes);
	put(line, quotes ? "'" : "");
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
