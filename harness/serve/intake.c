#include "serve/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "batch/request.h"
#include "report/clean.h"
#include "serve/server.h"
#include "testcases/problem.h"

#define NAME_BYTES 100
#define VALUE_BYTES 200
#define CASES_MOST 256

/* Options of `judge` that strangers may have. None of their values is a path: no character of
 * `of` begins one or leads out of a folder. */
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
static const struct {
	const char *name, *of; /* characters of a text; NULL: it is true or false */
	long long most;        /* of a number; 0: none is taken */
} allowed[] = {
	{"epilogue", LOWER DIGITS "_:,.+-", 0},
	{"cases", "", CASES_MOST},
	{"case", LOWER DIGITS "-,", 0},
	{"max-dim", "", 1 << 22},
	{"multiple-of", "", 1 << 22},
	{"sizes", LOWER, 0},
	{"suite", LOWER DIGITS "-_", 0},
	{"shape", DIGITS "x", 0},
	{"time", LOWER DIGITS, 0},
	{"seed", DIGITS "abcdefxABCDEF", ((1LL << 62) - 1) * 2 + 1},
	{"tolerance", LOWER DIGITS ".,e-", 0},
	{"fail-fast", NULL, 0},
};
#define ALLOWED (sizeof allowed / sizeof *allowed)

/* ---- options ----------------------------------------------------------------------- */

static bool add_word(char **words, size_t *count, struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static bool add_word(char **words, size_t *count, struct error *err, const char *format, ...)
{
	va_list arguments;
	char *word = NULL;
	va_start(arguments, format);
	const int length = vasprintf(&word, format, arguments);
	va_end(arguments);
	if (length < 0)
		return error_set(err, "out of memory");
	words[(*count)++] = word;
	return true;
}

static bool add_option(char **words, size_t *count, size_t i, const json_t *value,
					   struct error *err)
{
	const char *name = allowed[i].name, *text = json_string_value(value);
	if (allowed[i].of == NULL) {
		if (json_is_true(value))
			return add_word(words, count, err, "--%s", name);
		return json_is_false(value) || error_set(err, "option '%s' is true or false", name);
	}
	if (json_is_integer(value)) {
		const long long number = json_integer_value(value);
		if (allowed[i].most == 0)
			return error_set(err, "option '%s': a text is needed", name);
		if (number < 0 || number > allowed[i].most)
			return error_set(err, "option '%s': from 0 to %lld", name, allowed[i].most);
		return add_word(words, count, err, "--%s=%lld", name, number);
	}
	if (text == NULL || allowed[i].of[0] == '\0')
		return error_set(err, "option '%s': a %s is needed", name,
						 allowed[i].of[0] == '\0' ? "whole number" : "text");
	if (text[0] == '\0' || strlen(text) > VALUE_BYTES ||
		text[strspn(text, allowed[i].of)] != '\0' || strstr(text, ".cu") != NULL ||
		strstr(text, "..") != NULL)
		return error_set(err, "option '%s': it has no such value here (files are not taken)", name);
	return add_word(words, count, err, "--%s=%s", name, text);
}

static bool find_option(const char *name, size_t *i, struct error *err)
{
	const char *names[ALLOWED];
	char phrase[160];
	for (*i = 0; *i < ALLOWED; (*i)++) {
		if (strcmp(name, allowed[*i].name) == 0)
			return true;
		names[*i] = allowed[*i].name;
	}
	return error_set(err, "'%.64s' is no option that a submission may have%s", name,
					 suggest_phrase(phrase, name, names, ALLOWED));
}

char **intake_words(const json_t *options, const char *problem, size_t *count, struct error *err)
{
	char **words = calloc(ALLOWED + 2, sizeof *words);
	const char *name;
	json_t *value;
	*count = 0;
	bool ok = words != NULL ? add_word(words, count, err, "--problem=%s", problem)
							: error_set(err, "out of memory");
	json_object_foreach((json_t *)options, name, value)
	{
		size_t i;
		ok = ok && find_option(name, &i, err) &&
			 (json_is_null(value) || add_option(words, count, i, value, err));
	}
	if (ok)
		return words;
	intake_words_free(words);
	return NULL;
}

void intake_words_free(char **words)
{
	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		free(words[i]);
	free(words);
}

/* ---- the body ------------------------------------------------------------------------ */

static bool find_problem(const char *name, struct error *err)
{
	size_t count;
	char end[SUGGEST_TEXT];
	const struct problem *table = problem_table(&count);
	const char *names[64];
	for (size_t i = 0; i < count; i++) {
		if (strcmp(table[i].name, name) == 0)
			return true;
		if (i < sizeof names / sizeof *names)
			names[i] = table[i].name;
	}
	return error_set(err, "unknown problem '%.64s'%s (GET /api/problems has all)", name,
					 suggest_end(end, SUGGEST_PROBLEM, name, names, count < 64 ? count : 64));
}

static bool take_name(struct intake *out, struct error *err)
{
	const json_t *name = json_object_get(out->body, "name");
	if (name != NULL && !json_is_null(name) && !json_is_string(name))
		return error_set(err, "'name' is no text");
	const char *text = json_is_string(name) ? json_string_value(name) : "";
	if (strlen(text) > NAME_BYTES)
		return error_set(err, "'name' has %d bytes at most", NAME_BYTES);
	out->name = clean_line(text[strspn(text, " \t\r\n")] != '\0' ? text : "");
	return out->name != NULL || error_set(err, "out of memory");
}

static bool take_options(const struct serve_config *config, struct intake *out, struct error *err)
{
	json_t *options = json_object_get(out->body, "options");
	size_t count;
	if (options != NULL && !json_is_null(options) && !json_is_object(options))
		return error_set(err, "'options' is no object");
	char **words =
		intake_words(json_is_object(options) ? options : NULL, out->problem, &count, err);
	if (words == NULL)
		return false;
	const bool ok = config->suits((const char *const *)words, count, err);
	intake_words_free(words);
	out->options = json_is_object(options) ? json_dumps(options, JSON_COMPACT) : strdup("{}");
	return ok && (out->options != NULL || error_set(err, "out of memory"));
}

bool intake_read(const struct serve_config *config, const char *body, size_t length,
				 struct intake *out, unsigned *status, struct error *err)
{
	static const char *const known[] = {"problem", "source", "name", "options", NULL};
	json_error_t where;
	*status = 400;
	*out = (struct intake){.body = json_loadb(body, length, JSON_REJECT_DUPLICATES, &where)};
	if (out->body == NULL)
		return error_set(err, "the body is no JSON: %s", where.text);
	if (!json_is_object(out->body))
		return error_set(err, "the body is no JSON object");
	if (!request_members_known(out->body, known, "a submission", err))
		return false;
	out->problem = json_string_value(json_object_get(out->body, "problem"));
	const json_t *source = json_object_get(out->body, "source");
	if (out->problem == NULL || json_string_value(source) == NULL)
		return error_set(err, "'problem' and 'source' are needed, both texts");
	out->source = json_string_value(source);
	out->source_length = json_string_length(source);
	if (out->source_length > SERVE_SOURCE_BYTES) {
		*status = 413;
		return error_set(err, "the source has %zu bytes, more than 1 MiB", out->source_length);
	}
	if (out->source_length == 0)
		return error_set(err, "the source is empty");
	return find_problem(out->problem, err) && take_name(out, err) && take_options(config, out, err);
}

void intake_free(struct intake *intake)
{
	json_decref(intake->body);
	free(intake->name);
	free(intake->options);
	*intake = (struct intake){0};
}
