#include "serve/naming.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVEN "stdin"

/* Whether the file is named here: with its line, or as the end of a quotation. */
static bool is_named(const char *at)
{
	const char *behind = at + strlen(GIVEN);
	return ((*behind == '(' || *behind == ':') && isdigit((unsigned char)behind[1])) ||
		   *behind == '"';
}

/* How many characters before `at` are its folder. */
static size_t folder_before(const char *text, const char *at)
{
	const char *begin = at;
	while (begin > text && strchr(" \t\n\"'(", begin[-1]) == NULL)
		begin--;
	return begin < at && (*begin != '/' || at[-1] != '/') ? SIZE_MAX : (size_t)(at - begin);
}

char *naming_text(const char *text, const char *name)
{
	char *out = NULL;
	size_t size;
	FILE *memory = open_memstream(&out, &size);
	if (memory == NULL)
		return NULL;
	for (const char *at; (at = strstr(text, GIVEN)) != NULL; text = at + strlen(GIVEN)) {
		const size_t folder = is_named(at) ? folder_before(text, at) : SIZE_MAX;
		if (folder == SIZE_MAX)
			fwrite(text, 1, (size_t)(at - text) + strlen(GIVEN), memory);
		else
			fprintf(memory, "%.*s%s", (int)((size_t)(at - text) - folder), text, name);
	}
	fputs(text, memory);
	if (fclose(memory) == 0)
		return out;
	free(out);
	return NULL;
}

static json_t *renamed(const json_t *value, const char *name)
{
	char *text = json_is_string(value) ? naming_text(json_string_value(value), name) : NULL;
	json_t *json = text != NULL ? json_string(text) : NULL;
	free(text);
	return json;
}

static void rename_member(json_t *object, const char *member, const char *name)
{
	json_t *value = renamed(json_object_get(object, member), name);
	if (value != NULL)
		json_object_set_new(object, member, value);
}

/* Among timed entries the file is called by its last part. */
static void rename_entries(json_t *timing, const char *name)
{
	size_t i;
	json_t *entry, *entries = json_object_get(timing, "entries");
	json_array_foreach(entries, i, entry)
	{
		const char *label = json_string_value(json_object_get(entry, "label"));
		if (label != NULL && strcmp(label, GIVEN) == 0)
			json_object_set_new(entry, "label", json_string(name));
	}
}

void naming_apply(json_t *json, const char *name)
{
	size_t k;
	json_t *hints = json_object_get(json, "hints"), *one;
	if (json_is_object(json))
		json_object_set_new(json, "file", json_string(name));
	rename_member(json_object_get(json, "case"), "detail", name);
	json_array_foreach(json_object_get(json, "cases"), k, one) rename_member(one, "detail", name);
	rename_entries(json_object_get(json, "timing"), name);
	rename_entries(json_object_get(json, "larger_timing"), name);
	rename_member(json, "detail", name);
	rename_member(json, "reason", name);
	rename_member(json, "log", name);
	rename_member(json_object_get(json, "compile"), "log", name);
	for (size_t i = 0; i < json_array_size(hints); i++) {
		json_t *hint = renamed(json_array_get(hints, i), name);
		if (hint != NULL)
			json_array_set_new(hints, i, hint);
	}
}
