#include "report/clean.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Bytes of the character at `s` that data keeps, or 0. */
static size_t character_length(const char *s)
{
	uint32_t character;
	const size_t length = utf8_decode(s, &character);
	const bool control = character < ' ' || character == 0x7F;
	return length > 0 && control && character != '\n' && character != '\t' ? 0 : length;
}

char *clean_text(const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(3 * length + 1); /* each byte may become U+FFFD */
	if (copy == NULL)
		return NULL;
	char *to = copy;
	for (const char *from = text; *from != '\0';) {
		size_t bytes = character_length(from);
		if (bytes > 0) {
			memcpy(to, from, bytes);
			to += bytes;
			from += bytes;
		} else if (from[0] == '\r' && from[1] == '\n') {
			from++;
		} else {
			memcpy(to, REPLACEMENT, 3);
			to += 3;
			from++;
		}
	}
	*to = '\0';
	return copy;
}

/* Six characters for two bytes, or ten for four, are the most that an escape is longer. */
char *clean_visible(const char *text)
{
	char *clean = clean_text(text);
	char *copy = clean != NULL ? malloc(3 * strlen(clean) + 1) : NULL, *to = copy;
	for (const char *from = clean; copy != NULL && *from != '\0';) {
		char escape[UTF8_ESCAPE_BYTES];
		uint32_t character;
		const size_t bytes = utf8_decode(from, &character);
		const bool unseen = utf8_is_unseen(character);
		const size_t length = unseen ? utf8_escape(escape, character) : bytes;
		memcpy(to, unseen ? escape : from, length);
		to += length;
		from += bytes;
	}
	if (copy != NULL)
		*to = '\0';
	free(clean);
	return copy;
}

/* ---- commands of CI runners --------------------------------------------------------- */

static bool is_unseen(char c)
{
	unsigned char byte = (unsigned char)c;
	return byte >= 0x7F;
}

static bool begins_line(const char *text, const char *p)
{
	return p == text || p[-1] == '\n';
}

/* The first character of a line that is seen, behind blanks and characters that are not. */
static const char *first_seen(const char *p)
{
	while (*p == ' ' || *p == '\t' || is_unseen(*p))
		p++;
	return p;
}

static bool is_colons(const char *p)
{
	if (*p++ != ':')
		return false;
	while (is_unseen(*p))
		p++;
	return *p == ':';
}

bool clean_begins_command(const char *text)
{
	return is_colons(first_seen(text));
}

/* The last character before `p` that is seen, or `text` - 1. */
static const char *seen_before(const char *text, const char *p)
{
	do
		p--;
	while (p >= text && is_unseen(*p));
	return p;
}

bool clean_ends_mark(const char *text, const char *bracket)
{
	static const char *const names[] = {"", "osv", "yticmaet"}; /* backwards */
	for (size_t i = 0; *bracket == '[' && i < sizeof names / sizeof *names; i++) {
		const char *p = seen_before(text, bracket), *name = names[i];
		for (; *name != '\0' && p >= text && (*p | 0x20) == *name; name++)
			p = seen_before(text, p);
		if (*name != '\0' || p < text || *p != '#')
			continue;
		p = seen_before(text, p);
		if (p >= text && *p == '#')
			return true;
	}
	return false;
}

/* Where commands begin in a text, asked from its first character to its last. */
struct marks {
	const char *text, *first; /* what is seen first of the present line; NULL before the first */
};

static bool is_marked(struct marks *marks, const char *p)
{
	bool known = marks->first != NULL && p <= marks->first; /* from an end of a line before */
	if (!known && begins_line(marks->text, p))
		marks->first = first_seen(p);
	return (p == marks->first && is_colons(p)) || clean_ends_mark(marks->text, p);
}

/* `text` is freed. */
static char *marked(char *text)
{
	struct marks marks = {.text = text};
	char *copy = text != NULL ? malloc(2 * strlen(text) + 1) : NULL, *to = copy;
	for (const char *p = text; copy != NULL && *p != '\0'; p++) {
		if (is_marked(&marks, p))
			*to++ = '\\';
		*to++ = *p;
	}
	if (copy != NULL)
		*to = '\0';
	free(text);
	return copy;
}

char *clean_shown(const char *text)
{
	return marked(clean_visible(text));
}

char *clean_line(const char *text)
{
	char *clean = clean_visible(text);
	char *line = clean != NULL ? malloc(2 * strlen(clean) + 1) : NULL, *to = line;
	for (const char *p = clean; line != NULL && *p != '\0'; p++) {
		bool escaped = *p == '\n' || *p == '\t';
		if (escaped)
			*to++ = '\\';
		*to++ = !escaped ? *p : *p == '\n' ? 'n' : 't';
	}
	if (line != NULL)
		*to = '\0';
	free(clean);
	return marked(line);
}

/* ---- written ------------------------------------------------------------------------ */

static void print_and_free(FILE *out, char *text)
{
	if (text != NULL)
		fputs(text, out);
	free(text);
}

void clean_print(FILE *out, const char *text)
{
	print_and_free(out, clean_shown(text));
}

void clean_print_line(FILE *out, const char *text)
{
	print_and_free(out, clean_line(text));
}

void clean_print_page(FILE *out, void (*print)(const void *what, FILE *out), const void *what)
{
	char *text = NULL;
	size_t size;
	FILE *page = open_memstream(&text, &size);
	if (page == NULL)
		return;
	print(what, page);
	if (fclose(page) == 0)
		clean_print(out, text);
	free(text);
}

static void put_xml(FILE *out, struct marks *marks, const char *p)
{
	if (is_marked(marks, p)) {
		fprintf(out, "&#%d;", *p);
		return;
	}
	switch (*p) {
	case '&': fputs("&amp;", out); break;
	case '<': fputs("&lt;", out); break;
	case '>': fputs("&gt;", out); break;
	case '"': fputs("&quot;", out); break;
	case '\n': fputs("&#10;", out); break; /* an attribute would turn it into a blank */
	case '\t': fputs("&#9;", out); break;
	default: fputc(*p, out);
	}
}

void clean_print_xml(FILE *out, const char *text)
{
	char *clean = clean_visible(text);
	struct marks marks = {.text = clean};
	for (const char *p = clean; p != NULL && *p != '\0'; p++)
		put_xml(out, &marks, p);
	free(clean);
}

void clean_print_field(FILE *out, const char *text)
{
	char *clean = clean_text(text);
	struct marks marks = {.text = clean};
	for (const char *p = clean; p != NULL && *p != '\0';) {
		uint32_t character;
		const size_t bytes = utf8_decode(p, &character);
		const bool refer = utf8_is_unseen(character);
		if (refer &&
			character < 0xA0) /* HTML takes a reference to such a control for another one */
			fputs(REPLACEMENT, out);
		else if (refer)
			fprintf(out, "&#x%x;", (unsigned)character);
		for (size_t i = 0; i < bytes && !refer; i++)
			put_xml(out, &marks, p + i);
		p += bytes;
	}
	free(clean);
}

void clean_print_cell(FILE *out, const char *text)
{
	char *clean = clean_line(text);
	for (const char *p = clean; p != NULL && *p != '\0'; p++) {
		if (strchr("|\\`*_<>[]", *p) != NULL)
			fprintf(out, "\\%c", *p);
		else
			fputc(*p, out);
	}
	free(clean);
}

/* The signs that begin a formula, of which some have a wide form (U+FF0B, U+FF0D, U+FF1D, U+FF20).
 */
static bool begins_formula(const char *p)
{
	static const char *const signs[] = {
		"=", "+", "-", "@", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\x9D", "\xEF\xBC\xA0"};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (strncmp(p, signs[i], strlen(signs[i])) == 0)
			return true;
	return false;
}

/* Where programs take a semicolon, a tab or the end of any line for the end of a cell, too, the
 * next one begins there. */
void clean_print_csv(FILE *out, const char *text)
{
	char *clean = clean_shown(text);
	bool quoted = clean != NULL && strpbrk(clean, ",;\t\"\n") != NULL, starts = true;
	fputs(quoted ? "\"" : "", out);
	for (const char *p = clean; p != NULL && *p != '\0'; p++) {
		if (starts && begins_formula(p))
			fputc('\'', out);
		starts =
			strchr(";\t\n", *p) != NULL || (starts && (*p == ' ' || *p == '"' || is_unseen(*p)));
		fputs(*p == '"' ? "\"" : "", out);
		fputc(*p, out);
	}
	fputs(quoted ? "\"" : "", out);
	free(clean);
}
