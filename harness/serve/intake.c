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
static const struct intake_option allowed[] = {
	{"epilogue", LOWER DIGITS "_:,.+-", 0, "stages fused behind the product, as in bias,clamp:0:6",
	 NULL},
	{"cases", "", CASES_MOST, "how many generated cases; left out: as the server has it", NULL},
	{"case", LOWER DIGITS "-,", 0, "only these of the cases, as in random-4", NULL},
	{"max-dim", "", 1 << 22, "no size of a generated case is larger", NULL},
	{"multiple-of", "", 1 << 22, "every size is a multiple of this", NULL},
	{"sizes", LOWER, 0,
	 "how sizes are drawn: aligned and ragged ones, or each as likely as another", "mixed uniform"},
	{"suite", LOWER DIGITS "-_", 0,
	 "cases of a shipped suite instead of generated ones, such as edges", NULL},
	{"shape", DIGITS "x", 0, "this shape alone, as 65x64x63", NULL},
	{"time", LOWER DIGITS, 0, "the shape that is timed, or none", NULL},
	{"seed", DIGITS "abcdefxABCDEF", ((1LL << 62) - 1) * 2 + 1,
	 "draws the cases and values of an earlier run again", NULL},
	{"tolerance", LOWER DIGITS ".,e-", 0, "bound, leetgpu, or ATOL,RTOL as in 0.01,0.01", NULL},
	{"fail-fast", NULL, 0, "ends at the first case that is not accepted", NULL},
};
#define ALLOWED (sizeof allowed / sizeof *allowed)

/* ---- options ----------------------------------------------------------------------- */

const struct intake_option *intake_options(size_t *count)
{
	*count = ALLOWED;
	return allowed;
}

/* Where a sentence has this word, as "--cases" or "suite"; NULL: nowhere. */
static const char *word_in(const char *sentence, const char *word)
{
	static const char of_words[] = LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const size_t length = strlen(word);
	for (const char *at = strstr(sentence, word); at != NULL; at = strstr(at + 1, word)) {
		const char before = at > sentence ? at[-1] : ' ', behind = at[length];
		const bool begins = strchr(of_words, before) == NULL || before == '\0';
		if (begins && (behind == '\0' || (strchr(of_words, behind) == NULL && behind != '-')))
			return at;
	}
	return NULL;
}

const char *intake_option_in(const char *sentence, const json_t *options)
{
	const char *first = NULL, *found = NULL;
	for (size_t i = 0; i < ALLOWED; i++) {
		const char *at = json_object_get(options, allowed[i].name) != NULL
							 ? word_in(sentence, allowed[i].name)
							 : NULL;
		if (at != NULL && (first == NULL || at < first)) {
			first = at;
			found = allowed[i].name;
		}
	}
	return found;
}

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
		const long long least = allowed[i].of[0] == '\0'; /* a seed may be 0 */
		if (number < least || number > allowed[i].most)
			return error_set(err, "option '%s': from %lld to %lld", name, least, allowed[i].most);
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
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].name, name) == 0)
			return true;
	return error_set(err, "unknown problem '%.64s'%s (GET /api/problems has all)", name,
					 problem_suggest(end, name));
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

bool intake_options_suit(const struct serve_config *config, const char *problem,
						 const json_t *options, struct error *err)
{
	size_t count;
	char **words = intake_words(options, problem, &count, err);
	const char **all = calloc(config->word_count + count + 1, sizeof *all);
	bool ok = words != NULL && all != NULL;
	if (words != NULL && all == NULL)
		error_set(err, "out of memory");
	for (size_t i = 0; ok && i < config->word_count + count; i++)
		all[i] = i < config->word_count ? config->words[i] : words[i - config->word_count];
	ok = ok && config->suits(all, config->word_count + count, err);
	free(all);
	intake_words_free(words);
	return ok;
}

/* Which of them is refused: by itself, else by what was said of all. */
static const char *refused_of(const struct serve_config *config, const char *problem,
							  json_t *options, const struct error *said)
{
	const char *name, *found = NULL;
	json_t *value;
	json_object_foreach(options, name, value)
	{
		struct error err;
		size_t i;
		json_t *one = json_pack("{s:O}", name, value);
		if (found == NULL && find_option(name, &i, &err) &&
			!intake_options_suit(config, problem, one, &err))
			found = allowed[i].name;
		json_decref(one);
	}
	return found != NULL ? found : intake_option_in(said->message, options);
}

static bool take_options(const struct serve_config *config, struct intake *out, struct error *err)
{
	json_t *options = json_object_get(out->body, "options");
	if (options != NULL && !json_is_null(options) && !json_is_object(options))
		return error_set(err, "'options' is no object");
	options = json_is_object(options) ? options : NULL;
	if (!intake_options_suit(config, out->problem, options, err)) {
		out->refused = refused_of(config, out->problem, options, err);
		return false;
	}
	out->options = options != NULL ? json_dumps(options, JSON_COMPACT) : strdup("{}");
	return out->options != NULL || error_set(err, "out of memory");
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
