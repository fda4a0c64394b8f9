#include "judge/submission/serialised.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "... instructions are serialized due to ... in the function '_Z1kv'" */
#define NOTE "wgmma.mma_async instructions are serialized"
#define IN_FUNCTION "function '"

char *serialised_names(const char *log)
{
	char *names = NULL;
	size_t size = 0;
	FILE *to = log != NULL && strstr(log, NOTE) != NULL ? open_memstream(&names, &size) : NULL;
	if (to == NULL)
		return NULL;
	for (const char *at = log; (at = strstr(at, NOTE)) != NULL; at += strcspn(at, "\n")) {
		const char *name = strstr(at, IN_FUNCTION);
		if (name == NULL || name > at + strcspn(at, "\n"))
			continue;
		name += strlen(IN_FUNCTION);
		fprintf(to, "%s%.*s", ftell(to) > 0 ? "," : "", (int)strcspn(name, "'\n"), name);
	}
	fclose(to);
	if (names != NULL && names[0] != '\0')
		return names;
	free(names);
	return NULL;
}

/* "ptxas info    : Compiling entry function '_Z1kv' for 'sm_90a'", and below it "... Used 40
 * registers, ...". */
char *serialised_registers(const char *log)
{
	static const char entry[] = "Compiling entry function '", used[] = "Used ";
	char *numbers = NULL;
	size_t size = 0;
	FILE *to = log != NULL && strstr(log, entry) != NULL ? open_memstream(&numbers, &size) : NULL;
	const char *name = NULL;
	for (const char *line = log; to != NULL && *line != '\0';) {
		const char *end = line + strcspn(line, "\n"), *at = strstr(line, entry);
		if (at != NULL && at < end)
			name = at + sizeof entry - 1;
		at = strstr(line, used);
		int registers = at != NULL && at < end ? (int)strtol(at + sizeof used - 1, NULL, 10) : 0;
		if (registers > 0 && name != NULL) {
			fprintf(to, "%s%.*s=%d", ftell(to) > 0 ? "," : "", (int)strcspn(name, "'\n"), name,
					registers);
			name = NULL;
		}
		line = end + (*end == '\n');
	}
	if (to != NULL)
		fclose(to);
	if (numbers != NULL && numbers[0] != '\0')
		return numbers;
	free(numbers);
	return NULL;
}

/* Compiles the file once more, this time with the report of ptxas, and takes that. */
static void ask(const struct run *run, const struct submission *s, struct compiled *out)
{
	struct judge_options options = *run->options;
	struct run asking = *run;
	struct submission asked = *s;
	struct error ignored;
	options.emulation.uses = true;
	asking.options = &options;
	asked.compiled = (struct compiled){.log = NULL};
	submission_compile(&asking, run->control, &asked, &ignored);
	*out = asked.compiled;
}

bool serialised_find(const struct run *run, struct submission *s)
{
	struct compiled asked;
	s->serialised = serialised_names(s->compiled.log);
	if (s->serialised != NULL || run->options->emulation.uses)
		return s->serialised != NULL;
	ask(run, s, &asked);
	s->serialised = serialised_names(asked.log);
	if (s->serialised != NULL) { /* the library stays: its kernels are the same */
		char *log = s->compiled.log;
		s->compiled.log = asked.log;
		asked.log = log;
	}
	compiled_free(&asked);
	return s->serialised != NULL;
}

bool serialised_find_registers(const struct run *run, struct submission *s)
{
	struct compiled asked;
	ask(run, s, &asked);
	s->registers = serialised_registers(asked.log);
	compiled_free(&asked);
	return s->registers != NULL;
}
