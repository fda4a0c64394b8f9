#include "starter/directive.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------- */

/* The end of a string or character that begins at p, or of its line. */
static const char *quoted_end(const char *p)
{
	const char quote = *p++;
	for (; *p != '\0' && *p != '\n' && *p != quote; p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return *p == quote ? p + 1 : p;
}

/* The end of a comment that is open at p. */
static const char *comment_end(const char *p, bool *open)
{
	const char *end = strstr(p, "*/");
	*open = end == NULL;
	return end != NULL ? end + 2 : p + strlen(p);
}

/* Whether a quote parts digits, as in 1'000, and opens nothing. */
static bool parts_digits(const char *text, const char *p)
{
	return *p == '\'' && p > text && isalnum((unsigned char)p[-1]) && isalnum((unsigned char)p[1]);
}

/* One step behind p, which is at no newline. */
static const char *line_step(const char *begin, const char *p, bool *in_comment, bool *empty)
{
	if (*in_comment) {
		*in_comment = p[0] != '*' || p[1] != '/';
		return p + (*in_comment ? 1 : 2);
	}
	if (p[0] == '/' && p[1] == '*') {
		*in_comment = true;
		return p + 2;
	}
	if (p[0] == '/' && p[1] == '/') { /* to the newline, but for one behind a backslash */
		while (*p != '\0' && (*p != '\n' || p[-1] == '\\'))
			p++;
		return p;
	}
	*empty = *empty && strchr(" \t\r\f\v\\", *p) != NULL;
	return (*p == '"' || *p == '\'') && !parts_digits(begin, p) ? quoted_end(p) : p + 1;
}

/* The end of the line that begins at `begin`, and how many newlines it goes over. */
static const char *line_end(const char *begin, size_t *lines, bool *in_comment, bool *empty)
{
	const char *p = begin;
	*lines = 1;
	*empty = true;
	while (*p != '\0') {
		if (*p != '\n') {
			p = line_step(begin, p, in_comment, empty);
			continue;
		}
		p++;
		if (p - 1 == begin || p[-2] != '\\')
			return p;
		(*lines)++;
	}
	return p;
}

size_t directive_name(const char *text)
{
	size_t length = 0;
	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length > 0 && !isdigit((unsigned char)*text) ? length : 0;
}

/* Behind blanks and comments of this line. */
static const char *skip_blanks(const char *p)
{
	bool open;
	for (;;) {
		p += strspn(p, " \t");
		if (p[0] == '\\' && p[1] == '\n')
			p += 2;
		else if (p[0] == '/' && p[1] == '*')
			p = comment_end(p + 2, &open);
		else
			return p;
	}
}

static enum directive directive_of(const char *word, size_t length, const char *rest)
{
	static const struct {
		const char *name;
		enum directive is;
	} names[] = {
		{"if", DIRECTIVE_IF},         {"ifdef", DIRECTIVE_IFDEF},  {"ifndef", DIRECTIVE_IFNDEF},
		{"elif", DIRECTIVE_ELIF},     {"elifdef", DIRECTIVE_ELIF}, {"elifndef", DIRECTIVE_ELIF},
		{"else", DIRECTIVE_ELSE},     {"endif", DIRECTIVE_ENDIF},  {"include", DIRECTIVE_INCLUDE},
		{"define", DIRECTIVE_DEFINE},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == length && memcmp(names[i].name, word, length) == 0)
			return names[i].is;
	const bool pragma = length == 6 && memcmp(word, "pragma", 6) == 0;
	return pragma && directive_name(rest) == 4 && memcmp(rest, "once", 4) == 0 ? DIRECTIVE_ONCE
																			   : DIRECTIVE_OTHER;
}

bool directive_next(struct line_cursor *cursor, struct source_line_text *out)
{
	if (*cursor->next == '\0')
		return false;
	const bool text = cursor->in_comment;
	size_t lines;
	*out = (struct source_line_text){.begin = cursor->next, .number = cursor->number + 1};
	cursor->next = line_end(cursor->next, &lines, &cursor->in_comment, &out->empty);
	cursor->number += lines;
	out->length = (size_t)(cursor->next - out->begin);
	const char *p = skip_blanks(out->begin);
	if (text || *p != '#' || p >= cursor->next)
		return true;
	p = skip_blanks(p + 1);
	const size_t length = directive_name(p);
	out->rest = skip_blanks(p + length);
	out->is = directive_of(p, length, out->rest);
	return true;
}

char directive_included(const char *rest, char *out, size_t size)
{
	const char closes = *rest == '"' ? '"' : *rest == '<' ? '>' : '\0';
	const char *begin = closes != '\0' ? rest + 1 : rest;
	const size_t length =
		closes != '\0' ? strcspn(begin, closes == '"' ? "\"\n" : ">\n") : directive_name(begin);
	snprintf(out, size, "%.*s", (int)length, begin);
	if (length == 0 || (closes != '\0' && begin[length] != closes))
		return '\0';
	return closes == '"' ? 'q' : closes == '>' ? 'a' : 'm';
}

/* ---- conditions ------------------------------------------------------------------ */

/* An expression of defined(X), !, && and ||; anything else makes it unknown. */
struct condition {
	const char *at;
	directive_known *known;
	void *context;
	bool odd; /* has something else */
};

static int condition_any(struct condition *condition);

static bool condition_takes(struct condition *condition, const char *token)
{
	const char *p = skip_blanks(condition->at);
	if (strncmp(p, token, strlen(token)) != 0)
		return false;
	condition->at = p + strlen(token);
	return true;
}

static int condition_defined(struct condition *condition)
{
	const bool bracket = condition_takes(condition, "(");
	const char *name = skip_blanks(condition->at);
	const size_t length = directive_name(name);
	condition->at = name + length;
	condition->odd = condition->odd || length == 0 || (bracket && !condition_takes(condition, ")"));
	return condition->odd ? -1 : condition->known(condition->context, name, length);
}

static int condition_one(struct condition *condition)
{
	if (condition_takes(condition, "!")) {
		const int value = condition_one(condition);
		return value < 0 ? value : !value;
	}
	if (condition_takes(condition, "(")) {
		const int value = condition_any(condition);
		condition->odd = condition->odd || !condition_takes(condition, ")");
		return value;
	}
	if (condition_takes(condition, "defined"))
		return condition_defined(condition);
	condition->odd = true;
	return -1;
}

/* With three values: what decides alone decides, beside anything. */
static int condition_all(struct condition *condition)
{
	int value = condition_one(condition);
	while (!condition->odd && condition_takes(condition, "&&")) {
		const int next = condition_one(condition);
		value = value == 0 || next == 0 ? 0 : value < 0 || next < 0 ? -1 : 1;
	}
	return value;
}

static int condition_any(struct condition *condition)
{
	int value = condition_all(condition);
	while (!condition->odd && condition_takes(condition, "||")) {
		const int next = condition_all(condition);
		value = value == 1 || next == 1 ? 1 : value < 0 || next < 0 ? -1 : 0;
	}
	return value;
}

int directive_holds(const struct source_line_text *line, directive_known *known, void *context)
{
	struct condition condition = {.at = line->rest, .known = known, .context = context};
	if (line->is == DIRECTIVE_IF) {
		const int value = condition_any(&condition);
		const char *end = skip_blanks(condition.at);
		const bool whole = *end == '\n' || *end == '\0' || strncmp(end, "//", 2) == 0;
		return condition.odd || !whole ? -1 : value;
	}
	const int value = known(context, line->rest, directive_name(line->rest));
	return value < 0 || line->is == DIRECTIVE_IFDEF ? value : !value;
}

/* ---- guards ---------------------------------------------------------------------- */

static bool same_name(const char *a, const char *b)
{
	const size_t length = directive_name(a);
	return length > 0 && directive_name(b) == length && memcmp(a, b, length) == 0;
}

static int steps_of(enum directive is)
{
	const bool begins = is == DIRECTIVE_IF || is == DIRECTIVE_IFDEF || is == DIRECTIVE_IFNDEF;
	return begins ? 1 : is == DIRECTIVE_ENDIF ? -1 : 0;
}

bool directive_guard(const char *text, size_t lines[3])
{
	struct line_cursor cursor = {.next = text};
	struct source_line_text line, first = {0};
	size_t count = 0;
	int depth = 0;
	bool closed = false;
	while (directive_next(&cursor, &line)) {
		if (line.is == DIRECTIVE_NONE && (line.empty || (count >= 2 && !closed)))
			continue;
		if (closed || line.is == DIRECTIVE_NONE) /* something stands around it */
			return false;
		if (count == 0 && line.is != DIRECTIVE_IFNDEF)
			return false;
		if (count == 1 && (line.is != DIRECTIVE_DEFINE || !same_name(first.rest, line.rest)))
			return false;
		if (count == 0)
			first = line;
		if (count < 2)
			lines[count] = line.number;
		count++;
		depth += steps_of(line.is);
		if (depth == 1 && (line.is == DIRECTIVE_ELSE || line.is == DIRECTIVE_ELIF))
			return false;
		closed = depth == 0;
		lines[2] = line.number;
	}
	return closed;
}
