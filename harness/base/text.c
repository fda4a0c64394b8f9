#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_append(char **text, const char *more)
{
	size_t used = *text != NULL ? strlen(*text) : 0, length = strlen(more);
	char *both = realloc(*text, used + length + 1);
	if (both == NULL)
		return false;
	memcpy(both + used, more, length + 1);
	*text = both;
	return true;
}

bool text_format(char *out, size_t size, const char *format, ...)
{
	va_list values;
	va_start(values, format);
	bool fits = text_vformat(out, size, format, values);
	va_end(values);
	return fits;
}

bool text_vformat(char *out, size_t size, const char *format, va_list values)
{
	static const char more[] = "...";
	int length = vsnprintf(out, size, format, values);
	if (length >= 0 && (size_t)length < size)
		return true;
	size_t end = size > sizeof more ? size - sizeof more : 0;
	while (end > 0 && (out[end] & 0xC0) == 0x80) /* in the middle of a character */
		end--;
	snprintf(out + end, size - end, "%s", more);
	return false;
}

void text_drop_line(char *text, const char *line)
{
	size_t length = strlen(line);
	char *to = text;
	for (const char *from = text; *from != '\0';) {
		size_t all = strcspn(from, "\n"), with_end = all + (from[all] == '\n');
		if (all != length || memcmp(from, line, length) != 0) {
			memmove(to, from, with_end);
			to += with_end;
		}
		from += with_end;
	}
	*to = '\0';
}

const char *text_line_with(const char *text, const char *word, size_t *length)
{
	const char *found = strstr(text, word);
	while (found != NULL && found > text && found[-1] != '\n')
		found--;
	*length = found != NULL ? strcspn(found, "\n") : 0;
	return found;
}

const char *text_last_line(const char *text, size_t *length)
{
	size_t end = strlen(text);
	while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r'))
		end--;
	size_t begin = end;
	while (begin > 0 && text[begin - 1] != '\n')
		begin--;
	*length = end - begin;
	return text + begin;
}

const char *text_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

size_t text_index(const char *word, const char *const *names, size_t count)
{
	size_t i = 0;
	while (i < count && strcmp(word, names[i]) != 0)
		i++;
	return i;
}

const char *text_names(char *out, size_t size, const char *const *names, size_t count,
					   const char *last)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const char *between = i == 0 ? "" : i + 1 < count ? ", " : last;
		if (used + strlen(between) + strlen(names[i]) < size)
			used += (size_t)sprintf(out + used, "%s%s", between, names[i]);
	}
	return out;
}
