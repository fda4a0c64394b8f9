#include "serve/advice.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that sentences of `judge` advise and intake.c does not let a submission have; a test
 * looks for others in the sources. */
static const char *const of_the_server[] = {
	"device",      "timeout",   "file-timeout", "compile-timeout", "steps",    "sanitize",
	"check",       "nvcc-flag", "nvcc-flags",   "large-cases",     "memory",   "emulate",
	"large-sizes", "under",     "require",      "verbose",         "counters",
};

/* What is said by an option, and is true and of use without it. */
static const char *const said_otherwise[][2] = {
	{"is it --problem ", "is it the problem "},
	{"--check race finds", "the race check finds"},
	{"with --check race:", "with the race check:"},
	{" need --large-sizes", " are not taken here"},
};

/* `old` in text is replaced; takes text, gives what is the caller's; NULL: memory is short. */
static char *replaced(char *text, const char *old, const char *with)
{
	const char *at = text != NULL ? strstr(text, old) : NULL;
	char *out = NULL;
	if (at == NULL)
		return text;
	if (asprintf(&out, "%.*s%s%s", (int)(at - text), text, with, at + strlen(old)) < 0)
		out = NULL;
	free(text);
	return out;
}

/* The first option of the server's, or command, that a text names; NULL: none. */
static char *option_in(char *text)
{
	char *command = strstr(text, "'gemmjudge list ");
	if (command != NULL)
		return command;
	for (char *at = strstr(text, "--"); at != NULL; at = strstr(at + 2, "--")) {
		size_t length = 0;
		while (islower((unsigned char)at[2 + length]) || at[2 + length] == '-')
			length++;
		const bool begins = at == text || strchr(" (\"", at[-1]) != NULL;
		for (size_t i = 0; begins && i < sizeof of_the_server / sizeof *of_the_server; i++)
			if (strlen(of_the_server[i]) == length && memcmp(at + 2, of_the_server[i], length) == 0)
				return at;
	}
	return NULL;
}

/* Where the parenthesis around `at` opens; NULL: there is none. */
static char *opened_before(char *text, const char *at)
{
	int closed = 0;
	for (char *p = (char *)at; p > text; p--) {
		closed += p[-1] == ')';
		if (p[-1] == '(' && closed-- == 0)
			return p - 1;
	}
	return NULL;
}

static char *closed_behind(char *at)
{
	int open = 0;
	for (; *at != '\0'; at++) {
		open += *at == '(';
		if (*at == ')' && open-- == 0)
			return at + 1;
	}
	return at;
}

/* Takes the clause around `at` out of the text: its parenthesis, else all from the semicolon or
 * colon before it to the next semicolon. */
static void clause_cut(char *text, char *at)
{
	char *begin = opened_before(text, at), *end;
	if (begin != NULL) {
		end = closed_behind(at);
		begin -= begin > text && begin[-1] == ' ';
	} else {
		end = at + strcspn(at, ";");
		for (begin = at; begin > text && !(strchr(";:", begin[-1]) != NULL && *begin == ' ');)
			begin--;
		begin -= begin > text;
	}
	memmove(begin, end, strlen(end) + 1);
}

char *advice_text(const char *sentence)
{
	char *text = strdup(sentence), *at;
	for (size_t i = 0; i < sizeof said_otherwise / sizeof *said_otherwise; i++)
		text = replaced(text, said_otherwise[i][0], said_otherwise[i][1]);
	while (text != NULL && (at = option_in(text)) != NULL)
		clause_cut(text, at);
	if (text != NULL && text[0] == ';') /* what was before it is gone */
		memmove(text, text + 2, strlen(text + 1));
	return text;
}

/* ---- of what a child says ----------------------------------------------------------------- */

static json_t *advised(const json_t *value)
{
	char *text = json_is_string(value) ? advice_text(json_string_value(value)) : NULL;
	json_t *json = text != NULL ? json_string(text) : NULL;
	free(text);
	return json;
}

static void member_apply(json_t *object, const char *member)
{
	json_t *value = advised(json_object_get(object, member));
	if (value != NULL)
		json_object_set_new(object, member, value);
}

void advice_apply(json_t *json)
{
	json_t *hints = json_object_get(json, "hints"), *cases = json_object_get(json, "cases");
	member_apply(json, "detail");
	member_apply(json, "reason");
	member_apply(json, "timing_note");
	member_apply(json_object_get(json, "case"), "detail");
	for (size_t i = 0; i < json_array_size(cases); i++)
		member_apply(json_array_get(cases, i), "detail");
	for (size_t i = json_array_size(hints); i-- > 0;) {
		json_t *hint = advised(json_array_get(hints, i));
		if (hint == NULL)
			continue;
		if (json_string_length(hint) > 0)
			json_array_set(hints, i, hint);
		else
			json_array_remove(hints, i);
		json_decref(hint);
	}
}
