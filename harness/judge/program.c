#include "judge/program.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "process/child.h"

#define WORDS_MAX 32
#define TEXT_MAX 1024

static const struct {
	const char *name;
	enum size size;
} placeholders[] = {{"{m}", SIZE_M}, {"{n}", SIZE_N}, {"{k}", SIZE_K}};
#define PLACEHOLDERS (sizeof placeholders / sizeof *placeholders)

struct command {
	char text[TEXT_MAX];
	char program[PATHS_MAX];
	const char *words[WORDS_MAX + 1]; /* in it */
};

bool program_is(const char *text)
{
	return strchr(text, '{') != NULL;
}

/* The command with the sizes in their places. */
static bool put_sizes(const char *text, const struct shape *shape, char out[TEXT_MAX],
					  struct error *err)
{
	size_t used = 0;
	while (*text != '\0') {
		size_t i = 0;
		while (i < PLACEHOLDERS && strncmp(text, placeholders[i].name, 3) != 0)
			i++;
		if (i == PLACEHOLDERS && (*text == '{' || *text == '}'))
			return error_set(err, "only {m}, {n} and {k} stand in braces");
		int length = i < PLACEHOLDERS ? snprintf(out + used, TEXT_MAX - used, "%d",
												 (int)shape->size[placeholders[i].size])
									  : snprintf(out + used, TEXT_MAX - used, "%c", *text);
		used += (size_t)length;
		if (used >= TEXT_MAX)
			return error_set(err, "a command has at most %d characters", TEXT_MAX - 1);
		text += i < PLACEHOLDERS ? 3 : 1;
	}
	out[used] = '\0';
	return true;
}

static bool take_words(struct command *command, struct error *err)
{
	size_t count = 0;
	char *rest = command->text;
	for (char *word; (word = strtok_r(rest, " \t", &rest)) != NULL;) {
		if (count == WORDS_MAX)
			return error_set(err, "a command has at most %d words", WORDS_MAX);
		command->words[count++] = word;
	}
	command->words[count] = NULL;
	if (count == 0)
		return error_set(err, "there is no program");
	const char *name = command->words[0];
	if (strchr(name, '/') != NULL
			? !paths_is_program(name) || realpath(name, command->program) == NULL
			: !paths_program(name, command->program))
		return error_set(err, "no such program: %s", name);
	command->words[0] = command->program;
	return true;
}

bool program_holds(const char *text, struct error *err)
{
	const struct shape shape = {.size = {1, 1, 1, 1, 1}};
	struct command command;
	for (size_t i = 0; i < PLACEHOLDERS; i++)
		if (strstr(text, placeholders[i].name) == NULL)
			return error_set(err,
							 "a command has {m}, {n} and {k} where the sizes go; %s is missing",
							 placeholders[i].name);
	return put_sizes(text, &shape, command.text, err) && take_words(&command, err);
}

void program_name(const char *text, char out[PROGRAM_NAME])
{
	text += strspn(text, " \t");
	size_t length = strcspn(text, " \t"), first = length;
	while (first > 0 && text[first - 1] != '/')
		first--;
	snprintf(out, PROGRAM_NAME, "%.*s", (int)(length - first), text + first);
}

bool program_number(const char *text, double *out)
{
	bool found = false;
	for (const char *at = text; *at != '\0';) {
		bool begins = isdigit((unsigned char)*at) &&
					  (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_'));
		if (!begins) {
			at++;
			continue;
		}
		char *end;
		bool negative = at > text && at[-1] == '-';
		*out = strtod(at, &end);
		found = !negative && *out > 0.0 && isfinite(*out);
		at = end;
	}
	return found;
}

/* Whether the program ended well; else an error that says how it ended. */
static bool ended_well(const struct child_result *result, double seconds, struct error *err)
{
	if (result->outcome == CHILD_EXITED && result->exit_status == 0)
		return true;
	if (result->outcome == CHILD_EXITED)
		return error_set(err, "the program ended with status %d", result->exit_status);
	if (result->outcome == CHILD_SIGNALED)
		return error_set(err, "signal %d ended the program", result->signal_number);
	if (result->outcome == CHILD_TIMED_OUT)
		return error_set(err, "the program did not end in %g s", seconds);
	return error_set(err, "the program could not be run to its end");
}

bool program_time(const char *text, const struct shape *shape, double seconds, double *microseconds,
				  struct error *err)
{
	struct command command;
	if (!put_sizes(text, shape, command.text, err) || !take_words(&command, err))
		return false;
	const struct child_options options = {.argv = command.words, .environment = ENVIRONMENT_WHOLE};
	struct child *child = child_start(&options, err);
	if (child == NULL)
		return false;
	struct child_result result = child_wait(child, seconds);
	bool ok = ended_well(&result, seconds, err) &&
			  (program_number(child_output(child), microseconds) ||
			   error_set(err, "the program printed no time: its last number is the microseconds"));
	child_stop(child);
	return ok;
}
