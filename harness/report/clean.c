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

void clean_print(FILE *out, const char *text)
{
	char *clean = clean_text(text);
	if (clean != NULL)
		fputs(clean, out);
	free(clean);
}

void clean_print_line(FILE *out, const char *text)
{
	char *clean = clean_text(text);
	for (const char *p = clean; p != NULL && *p != '\0'; p++)
		fputc(*p == '\n' || *p == '\t' ? '?' : *p, out);
	free(clean);
}

void clean_print_xml(FILE *out, const char *text)
{
	char *clean = clean_text(text);
	for (const char *p = clean; p != NULL && *p != '\0'; p++) {
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
	char *clean = clean_text(text);
	for (const char *p = clean; p != NULL && *p != '\0'; p++) {
		if (*p == '\n' || *p == '\t')
			fputc(' ', out);
		else if (strchr("|\\`*_<>[]", *p) != NULL)
			fprintf(out, "\\%c", *p);
		else
			fputc(*p, out);
	}
	free(clean);
}
