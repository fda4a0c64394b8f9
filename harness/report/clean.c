#include "report/clean.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Bytes of the UTF-8 character at `s`, or 0 when it is not a valid one
 * (Unicode 15, table 3-7), a control, or one of the two that XML forbids. */
static size_t character_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return s[0] == '\n' || s[0] == '\t' || (s[0] >= 0x20 && s[0] != 0x7F);
	if (s[0] >= 0xC2 && s[0] <= 0xDF) {
		bool valid = (s[1] & 0xC0) == 0x80;
		bool control = s[0] == 0xC2 && s[1] < 0xA0;
		return valid && !control ? 2 : 0;
	}
	if (s[0] >= 0xE0 && s[0] <= 0xEF) {
		if ((s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80)
			return 0;
		bool overlong = s[0] == 0xE0 && s[1] < 0xA0;
		bool surrogate = s[0] == 0xED && s[1] > 0x9F;
		bool noncharacter = s[0] == 0xEF && s[1] == 0xBF && s[2] >= 0xBE;
		return overlong || surrogate || noncharacter ? 0 : 3;
	}
	if (s[0] >= 0xF0 && s[0] <= 0xF4) {
		if ((s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80 || (s[3] & 0xC0) != 0x80)
			return 0;
		bool overlong = s[0] == 0xF0 && s[1] < 0x90;
		bool beyond = s[0] == 0xF4 && s[1] > 0x8F;
		return overlong || beyond ? 0 : 4;
	}
	return 0;
}

char *clean_text(const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(3 * length + 1); /* each byte may become U+FFFD */
	if (copy == NULL)
		return NULL;
	char *to = copy;
	for (const char *from = text; *from != '\0';) {
		size_t bytes = character_length((const unsigned char *)from);
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

/* ---- commands of CI runners --------------------------------------------------------- */

static bool is_unseen(char c)
{
	unsigned char byte = (unsigned char)c;
	return byte >= 0x7F;
}

/* Whether a line begins at `p` for some reader: behind a newline, U+2028 and U+2029. */
static bool begins_line(const char *text, const char *p)
{
	return p == text || p[-1] == '\n' ||
		   (p - text >= 3 &&
			(memcmp(p - 3, "\xE2\x80\xA8", 3) == 0 || memcmp(p - 3, "\xE2\x80\xA9", 3) == 0));
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
	return marked(clean_text(text));
}

char *clean_line(const char *text)
{
	char *clean = clean_text(text);
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

void clean_print_xml(FILE *out, const char *text)
{
	char *clean = clean_text(text);
	struct marks marks = {.text = clean};
	for (const char *p = clean; p != NULL && *p != '\0'; p++) {
		if (is_marked(&marks, p)) {
			fprintf(out, "&#%d;", *p);
			continue;
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
