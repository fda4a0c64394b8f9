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

bool serialised_find(const struct run *run, struct submission *s)
{
	struct judge_options options = *run->options;
	struct run asking = *run;
	struct submission asked = *s;
	struct error ignored;
	s->serialised = serialised_names(s->compiled.log);
	if (s->serialised != NULL || options.uses)
		return s->serialised != NULL;
	options.uses = true;
	asking.options = &options;
	asked.compiled = (struct compiled){.log = NULL};
	if (submission_compile(&asking, run->control, &asked, &ignored))
		s->serialised = serialised_names(asked.compiled.log);
	if (s->serialised != NULL) { /* the library stays: its kernels are the same */
		char *log = s->compiled.log;
		s->compiled.log = asked.compiled.log;
		asked.compiled.log = log;
	}
	compiled_free(&asked.compiled);
	return s->serialised != NULL;
}
