/* A source's lines, as a preprocessor sees them. */
#ifndef GEMMJUDGE_STARTER_DIRECTIVE_H
#define GEMMJUDGE_STARTER_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>

enum directive {
	DIRECTIVE_NONE, /* the line is text */
	DIRECTIVE_IF,
	DIRECTIVE_IFDEF,
	DIRECTIVE_IFNDEF,
	DIRECTIVE_ELIF, /* of any kind */
	DIRECTIVE_ELSE,
	DIRECTIVE_ENDIF,
	DIRECTIVE_INCLUDE,
	DIRECTIVE_DEFINE,
	DIRECTIVE_ONCE, /* #pragma once */
	DIRECTIVE_OTHER,
};

/* A line, with those that a backslash joins to it, and with its end. Borrows from the text. */
struct source_line_text {
	const char *begin;
	size_t length, number; /* from 1 */
	enum directive is;
	const char *rest; /* behind the directive's name */
	bool empty;       /* blanks and comments */
};

/* Where reading stands; `next` begins as the text, the rest as 0. */
struct line_cursor {
	const char *next;
	size_t number;
	bool in_comment;
};

/* The next line; false at the text's end. A directive in a comment is text. */
bool directive_next(struct line_cursor *cursor, struct source_line_text *out);

/* The length of the name (of a macro) that a text begins with; 0: with none. */
size_t directive_name(const char *text);

/* What an #include names: 'q', 'a' or 'm' for "quotes", <angles> and a macro, 0 for none of these.
 * Cut where it does not fit. */
char directive_included(const char *rest, char *out, size_t size);

/* Whether a macro is defined: 1, 0, or -1 where nobody knows. */
typedef int directive_known(void *context, const char *name, size_t length);

/* Whether an #if, #ifdef or #ifndef holds: 1, 0, or -1 where that is not known. */
int directive_holds(const struct source_line_text *line, directive_known *known, void *context);

/* The guard of a text: it begins with `#ifndef G` and `#define G` and ends with their #endif, but
 * for comments. `lines` takes the numbers of the three lines. */
bool directive_guard(const char *text, size_t lines[3]);

#endif
