#include "report/document.h"

#include <math.h>
#include <stdlib.h>

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

void document_print(json_t *json, FILE *out)
{
	json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	fputc('\n', out);
	json_decref(json);
}
