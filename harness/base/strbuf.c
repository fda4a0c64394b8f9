#include "base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_LEAST 64

const char *strbuf_text(const struct strbuf *buf)
{
	return buf->bytes != NULL ? buf->bytes : "";
}

/* Makes room for so many more bytes, and a NUL. */
static bool has_room(struct strbuf *buf, size_t more)
{
	if (buf->failed || more >= PTRDIFF_MAX - buf->length) {
		buf->failed = true;
		return false;
	}
	size_t needed = buf->length + more + 1;
	if (needed <= buf->capacity)
		return true;
	size_t capacity = buf->capacity > 0 ? buf->capacity : CAPACITY_LEAST;
	while (capacity < needed)
		capacity *= 2;
	char *bytes = realloc(buf->bytes, capacity);
	buf->failed = bytes == NULL;
	if (bytes == NULL)
		return false;
	buf->bytes = bytes;
	buf->capacity = capacity;
	return true;
}

void strbuf_add(struct strbuf *buf, const char *text)
{
	strbuf_add_bytes(buf, text, strlen(text));
}

void strbuf_add_bytes(struct strbuf *buf, const char *bytes, size_t length)
{
	if (!has_room(buf, length))
		return;
	memcpy(buf->bytes + buf->length, bytes, length);
	buf->length += length;
	buf->bytes[buf->length] = '\0';
}

static void add_formatted(struct strbuf *buf, const char *format, va_list values)
{
	va_list again;
	va_copy(again, values);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (!has_room(buf, length >= 0 ? (size_t)length : SIZE_MAX))
		return;
	vsnprintf(buf->bytes + buf->length, (size_t)length + 1, format, values);
	buf->length += (size_t)length;
}

void strbuf_addf(struct strbuf *buf, const char *format, ...)
{
	va_list values;
	va_start(values, format);
	add_formatted(buf, format, values);
	va_end(values);
}

void strbuf_clear(struct strbuf *buf)
{
	buf->length = 0;
	if (buf->bytes != NULL)
		buf->bytes[0] = '\0';
}

void strbuf_setf(struct strbuf *buf, const char *format, ...)
{
	va_list values;
	strbuf_clear(buf);
	va_start(values, format);
	add_formatted(buf, format, values);
	va_end(values);
}

char *strbuf_detach(struct strbuf *buf)
{
	char *text = has_room(buf, 0) ? buf->bytes : NULL;
	if (text != NULL) {
		text[buf->length] = '\0';
		buf->bytes = NULL; /* it is not ours any more */
	}
	strbuf_release(buf);
	return text;
}

void strbuf_release(struct strbuf *buf)
{
	free(buf->bytes);
	*buf = (struct strbuf){.failed = false};
}
