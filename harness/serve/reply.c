#include "serve/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/document.h"

void reply_text(struct http_reply *reply, unsigned status, const char *type, char *text)
{
	free(reply->text);
	reply->status = text != NULL ? status : 503;
	reply->type = type;
	reply->text = text;
	reply->length = text != NULL ? strlen(text) : 0;
}

void reply_json(struct http_reply *reply, unsigned status, json_t *json)
{
	char *text = document_line(json);
	reply_text(reply, status, "application/json", text);
}

void reply_error(struct http_reply *reply, unsigned status, const char *format, ...)
{
	struct error err;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(err.message, sizeof err.message, format, arguments);
	va_end(arguments);
	json_t *json = json_object();
	json_object_set_new(json, "error", document_text(err.message));
	reply_json(reply, status, json);
}

void reply_free(struct http_reply *reply)
{
	free(reply->text);
	*reply = (struct http_reply){0};
}
