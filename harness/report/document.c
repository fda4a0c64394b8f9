#include "report/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/clean.h"

json_t *document_text(const char *text)
{
	char *clean = clean_text(text);
	json_t *json = clean != NULL ? json_string(clean) : NULL;
	free(clean);
	return json;
}

json_t *document_real(double value)
{
	if (isnan(value))
		return json_string("nan");
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	return json_real(value);
}

json_t *document_positive(double value)
{
	return value > 0.0 ? document_real(value) : json_null();
}

json_t *document_make(const char *what, int schema_version)
{
	json_t *json = json_object();
	json_object_set_new(json, "schema_version", json_integer(schema_version));
	json_object_set_new(json, "program", json_string("gemmjudge"));
	json_object_set_new(json, "kind", json_string(what));
	return json;
}

json_t *document_of_file(const char *what, int schema_version, const char *file,
						 const char *content, const char *problem)
{
	json_t *json = document_make(what, schema_version);
	json_object_set_new(json, "version", json_string(GEMMJUDGE_VERSION));
	json_object_set_new(json, "file", document_text(file));
	json_object_set_new(json, "content", json_string(content));
	json_object_set_new(json, "problem", json_string(problem));
	return json;
}

/* All of them stand in strings only: "[" of "##[" and its like, and the characters that are not
 * seen, as JSON writes them. Returns how many bytes were written otherwise. */
static size_t put_escaped(const char *text, const char *p, FILE *out)
{
	uint32_t character;
	const size_t bytes = utf8_decode(p, &character);
	if (!clean_ends_mark(text, p) && !(bytes > 0 && utf8_is_unseen(character)))
		return 0;
	if (character > 0xFFFF) /* a pair of surrogates */
		fprintf(out, "\\u%04x\\u%04x", 0xD7C0 + (character >> 10), 0xDC00 + (character & 0x3FF));
	else
		fprintf(out, "\\u%04x", (unsigned)character);
	return bytes;
}

static void put(json_t *json, size_t flags, int blanks, FILE *out)
{
	char *text = json_dumps(json, flags | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
	for (const char *p = text; p != NULL && *p != '\0';) {
		size_t escaped = put_escaped(text, p, out);
		p += escaped;
		if (escaped > 0)
			continue;
		fputc(*p, out);
		if (*p++ == '\n') /* within strings it is escaped */
			fprintf(out, "%*s", blanks, "");
	}
	free(text);
	json_decref(json);
}

void document_put(json_t *json, int blanks, FILE *out)
{
	put(json, JSON_INDENT(2), blanks, out);
}

char *document_line(json_t *json)
{
	char *line = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);
	if (out == NULL) {
		json_decref(json);
		return NULL;
	}
	put(json, JSON_COMPACT, 0, out);
	fputc('\n', out);
	if (fclose(out) == 0)
		return line;
	free(line);
	return NULL;
}

void document_print(json_t *json, FILE *out)
{
	document_put(json, 0, out);
	fputc('\n', out);
}
