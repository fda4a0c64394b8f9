#include "batch/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_word(struct batch_request *out, struct error *err, const char *format, ...)
{
	va_list arguments;
	char *word = NULL;
	char **more = realloc(out->words, (out->word_count + 2) * sizeof *more);
	va_start(arguments, format);
	if (more == NULL || vasprintf(&word, format, arguments) < 0)
		word = NULL;
	va_end(arguments);
	if (more != NULL)
		out->words = more;
	if (word == NULL)
		return error_set(err, "out of memory");
	out->words[out->word_count++] = word;
	out->words[out->word_count] = NULL;
	return true;
}

/* One value of an option. */
static bool add_value(struct batch_request *out, const char *name, const json_t *value,
					  struct error *err)
{
	if (json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value))
		return add_word(out, err, "--%s=%s", name, json_string_value(value));
	if (json_is_integer(value))
		return add_word(out, err, "--%s=%lld", name, (long long)json_integer_value(value));
	if (json_is_real(value))
		return add_word(out, err, "--%s=%.17g", name, json_real_value(value));
	return error_set(err, "option '%s': a text or a number is needed, or a list of them", name);
}

static bool add_option(struct batch_request *out, const char *name, const json_t *value,
					   request_option *option, struct error *err)
{
	bool takes_value;
	if (!option(name, &takes_value))
		return error_set(err, "'%.64s' is no option that a request may have", name);
	if (json_is_null(value) || json_is_false(value))
		return true;
	if (!takes_value)
		return json_is_true(value) ? add_word(out, err, "--%s", name)
								   : error_set(err, "option '%s' is true or false", name);
	if (!json_is_array(value))
		return add_value(out, name, value, err);
	size_t i;
	const json_t *item;
	json_array_foreach(value, i, item)
	{
		if (!add_value(out, name, item, err))
			return false;
	}
	return true;
}

/* JSON can write half of a pair of surrogates, which no text can hold: it becomes a NUL, which none
 * of ours may hold, so that its line is answered like any other. */
static void replace_half_pairs(char *text)
{
	unsigned first, second;
	for (char *at = text; (at = strchr(at, '\\')) != NULL;) {
		const bool escape = sscanf(at, "\\u%4x", &first) == 1 && first >= 0xD800 && first < 0xE000;
		const bool pair = escape && first < 0xDC00 && sscanf(at + 6, "\\u%4x", &second) == 1 &&
						  second >= 0xDC00 && second < 0xE000;
		if (escape && !pair)
			memcpy(at + 2, "0000", 4);
		at += pair ? 12 : at[1] != '\0' ? 2 : 1;
	}
}

/* The source, whatever is in it: what is no text has a verdict. */
static bool take_source(struct batch_request *out, struct error *err)
{
	const json_t *value = json_object_get(out->line, "source");
	if (value == NULL || json_is_null(value))
		return true;
	if (!json_is_string(value))
		return error_set(err, "'source' is no text");
	out->source = json_string_value(value);
	out->source_length = json_string_length(value);
	return true;
}

/* A text without a NUL in it; *out stays NULL where there is no such member. */
static bool take_text(const json_t *line, const char *name, const char **out, struct error *err)
{
	const json_t *value = json_object_get(line, name);
	*out = NULL;
	if (value == NULL || json_is_null(value))
		return true;
	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
		return error_set(err, "'%s' is no text", name);
	*out = json_string_value(value);
	return true;
}

bool request_members_known(json_t *object, const char *const *known, const char *what,
						   struct error *err)
{
	const char *name;
	json_t *value;
	json_object_foreach(object, name, value)
	{
		char list[128] = "";
		bool some = false;
		for (size_t i = 0, used = 0; known[i] != NULL && used < sizeof list; i++) {
			some = some || strcmp(name, known[i]) == 0;
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
									 known[i]);
		}
		if (!some)
			return error_set(err, "'%.64s' is no member of %s (%s)", name, what, list);
	}
	return true;
}

static bool take_all(struct batch_request *out, request_option *option, struct error *err)
{
	const char *problem, *name;
	json_t *options = json_object_get(out->line, "options"), *value;
	static const char *const known[] = {"id", "problem", "source", "path", "options", NULL};
	if (!request_members_known(out->line, known, "a request", err) ||
		!take_text(out->line, "problem", &problem, err) || !take_source(out, err) ||
		!take_text(out->line, "path", &out->path, err))
		return false;
	if ((out->source != NULL) == (out->path != NULL))
		return error_set(err, "either 'source' or 'path' is needed");
	if (problem != NULL && !add_word(out, err, "--problem=%s", problem))
		return false;
	if (options != NULL && !json_is_object(options) && !json_is_null(options))
		return error_set(err, "'options' is no object");
	json_object_foreach(options, name, value)
	{
		if (!add_option(out, name, value, option, err))
			return false;
	}
	return true;
}

bool request_read(const char *text, size_t number, request_option *option,
				  struct batch_request *out, struct error *err)
{
	json_error_t where;
	char *line = strdup(text);
	*out = (struct batch_request){.line = NULL};
	if (line != NULL) {
		replace_half_pairs(line);
		out->line = json_loads(line, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
	}
	free(line);
	const json_t *id = json_object_get(out->line, "id");
	out->id = id != NULL ? json_incref((json_t *)id) : json_integer((json_int_t)number);
	if (out->line == NULL)
		return error_set(err, "line %zu: is no JSON: %s", number,
						 line != NULL ? where.text : "out of memory");
	if (!json_is_object(out->line))
		return error_set(err, "line %zu: is no JSON object", number);
	return take_all(out, option, err) || error_prefix(err, "line %zu", number);
}

void request_free(struct batch_request *request)
{
	json_decref(request->id);
	json_decref(request->line);
	for (size_t i = 0; i < request->word_count; i++)
		free(request->words[i]);
	free(request->words);
	*request = (struct batch_request){0};
}
