/* What a form of a browser sends: "name=value&...", or parts of multipart/form-data, as forms with
 * files have it. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_FORM_H
#define GEMMJUDGE_SERVE_FORM_H

#include <jansson.h>

#include "serve/http.h"

/* The text of a field, with lines as files have them; NULL where it is not there, or is no UTF-8.
 */
json_t *form_field(const struct http_request *request, const char *name);

/* Whether a file was chosen in this field: *text is what it holds (NULL where that is no UTF-8)
 * and *called its name, both for the caller. */
bool form_file(const struct http_request *request, const char *name, json_t **text,
			   json_t **called);

#endif
