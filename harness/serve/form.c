#include "serve/form.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BOUNDARY_MOST 80 /* RFC 2046: 70, and two hyphens before them */

/* ---- name=value&... -------------------------------------------------------------------- */

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;
	return at != NULL ? (int)(at - digits) : -1;
}

/* Two hexadecimal digits behind a %; -1: they are none. */
static int escaped(const char *at)
{
	const int high = digit_of(at[0]), low = high >= 0 ? digit_of(at[1]) : -1;
	return low >= 0 ? 16 * high + low : -1;
}

/* Adds a character; lines end as those of files do. */
static void take(char *text, size_t *used, char c)
{
	if (c == '\n' && *used > 0 && text[*used - 1] == '\r')
		--*used;
	text[(*used)++] = c;
}

static json_t *encoded_field(const struct http_request *request, const char *name)
{
	const size_t length = strlen(name);
	const char *at = request->body;
	while (strncmp(at, name, length) != 0 || at[length] != '=') {
		at = strchr(at, '&');
		if (at == NULL)
			return NULL;
		at++;
	}
	at += length + 1;
	char *text = malloc(strcspn(at, "&") + 1);
	size_t used = 0;
	for (; text != NULL && *at != '\0' && *at != '&'; at++) {
		const int byte = *at == '%' ? escaped(at + 1) : -1;
		take(text, &used, byte >= 0 ? (char)byte : *at == '+' ? ' ' : *at);
		at += byte >= 0 ? 2 : 0;
	}
	json_t *json = text != NULL ? json_stringn(text, used) : NULL;
	free(text);
	return json;
}

/* ---- multipart/form-data ------------------------------------------------------------------ */

/* A part, in the body. */
struct form_part {
	const char *head, *content;
	size_t head_length, length;
};

/* "--" and the boundary; "" where the body has no parts. */
static void boundary_of(const struct http_request *request, char out[BOUNDARY_MOST])
{
	static const char kind[] = "multipart/form-data;", word[] = "boundary=";
	const char *type = request->header(request->context, "Content-Type");
	out[0] = '\0';
	if (type == NULL || strncasecmp(type, kind, sizeof kind - 1) != 0)
		return;
	const char *at = strstr(type, word);
	if (at == NULL)
		return;
	at += sizeof word - 1;
	at += *at == '"';
	const size_t length = strcspn(at, "\"; ");
	if (length > 0 && length < BOUNDARY_MOST - 2)
		snprintf(out, BOUNDARY_MOST, "--%.*s", (int)length, at);
}

/* A boundary has a line of its own; behind the last one are two hyphens. */
static bool is_boundary(const char *content, const char *at, size_t length)
{
	return at >= content + 2 && strncmp(at - 2, "\r\n", 2) == 0 &&
		   (strncmp(at + length, "\r\n", 2) == 0 || strncmp(at + length, "--", 2) == 0);
}

/* The part behind `*at`, which begins at a boundary; leads *at to the next one. */
static bool part_next(const struct http_request *request, const char *boundary, const char **at,
					  struct form_part *out)
{
	const char *end = request->body + request->length;
	const size_t length = strlen(boundary);
	if ((size_t)(end - *at) < length + 2 || strncmp(*at + length, "\r\n", 2) != 0)
		return false; /* the last boundary has hyphens there */
	out->head = *at + length + 2;
	const char *blank = memmem(out->head, (size_t)(end - out->head), "\r\n\r\n", 4);
	if (blank == NULL)
		return false;
	out->head_length = (size_t)(blank - out->head);
	out->content = blank + 4;
	const char *next = out->content;
	while ((next = memmem(next, (size_t)(end - next), boundary, length)) != NULL &&
		   !is_boundary(out->content, next, length))
		next += length;
	if (next == NULL)
		return false;
	out->length = (size_t)(next - 2 - out->content);
	*at = next;
	return true;
}

/* The value of `name="value"` in a part's head, as browsers write it; NULL: it has none. */
static json_t *parameter(const struct form_part *part, const char *name)
{
	char sought[32];
	const size_t length = (size_t)snprintf(sought, sizeof sought, "; %s=\"", name);
	const char *at = memmem(part->head, part->head_length, sought, length);
	if (at == NULL)
		return NULL;
	at += length;
	const char *end = memchr(at, '"', (size_t)(part->head + part->head_length - at));
	char *text = end != NULL ? malloc((size_t)(end - at) + 1) : NULL;
	size_t used = 0;
	for (; text != NULL && at < end; at++) { /* a quote and the ends of lines are escaped */
		const int byte = *at == '%' && end - at > 2 ? escaped(at + 1) : -1;
		const bool is_one = byte == '"' || byte == '\r' || byte == '\n';
		text[used++] = is_one ? (char)byte : *at;
		at += is_one ? 2 : 0;
	}
	json_t *json = text != NULL ? json_stringn(text, used) : NULL;
	free(text);
	return json;
}

/* The part of that name. */
static bool part_find(const struct http_request *request, const char *name, struct form_part *out)
{
	char boundary[BOUNDARY_MOST];
	boundary_of(request, boundary);
	const char *at = boundary[0] != '\0'
						 ? memmem(request->body, request->length, boundary, strlen(boundary))
						 : NULL;
	bool found = false;
	while (at != NULL && !found && part_next(request, boundary, &at, out)) {
		json_t *called = parameter(out, "name");
		found = called != NULL && strcmp(json_string_value(called), name) == 0;
		json_decref(called);
	}
	return found;
}

static json_t *part_text(const struct form_part *part)
{
	char *text = malloc(part->length + 1);
	size_t used = 0;
	for (size_t i = 0; text != NULL && i < part->length; i++)
		take(text, &used, part->content[i]);
	json_t *json = text != NULL ? json_stringn(text, used) : NULL;
	free(text);
	return json;
}

/* ---- both ------------------------------------------------------------------------------------ */

json_t *form_field(const struct http_request *request, const char *name)
{
	char boundary[BOUNDARY_MOST];
	struct form_part part;
	boundary_of(request, boundary);
	if (boundary[0] == '\0')
		return encoded_field(request, name);
	return part_find(request, name, &part) ? part_text(&part) : NULL;
}

bool form_file(const struct http_request *request, const char *name, json_t **text, json_t **called)
{
	struct form_part part;
	*text = *called = NULL;
	if (!part_find(request, name, &part))
		return false;
	*called = parameter(&part, "filename");
	if (json_string_length(*called) == 0) { /* so it is sent where none was chosen */
		json_decref(*called);
		*called = NULL;
		return false;
	}
	*text = part_text(&part);
	return true;
}
