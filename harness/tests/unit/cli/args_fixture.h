/* A command line as a test writes it, parsed. */
#ifndef GEMMJUDGE_TESTS_ARGS_FIXTURE_H
#define GEMMJUDGE_TESTS_ARGS_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/reader.h"

#define ARGUMENTS_MAX 48

/* Parses the words of a line (blanks between them). */
struct parsed {
	char words[512];
	char *argv[ARGUMENTS_MAX + 1];
	struct options options;
	struct error err;
	bool ok;
};

static void parse(struct parsed *p, const char *line)
{
	*p = (struct parsed){0};
	snprintf(p->words, sizeof p->words, "%s", line);
	int argc = 0;
	for (char *word = strtok(p->words, " "); word != NULL; word = strtok(NULL, " ")) {
		cr_assert(argc < ARGUMENTS_MAX);
		p->argv[argc++] = word;
	}
	p->ok = options_parse(argc, p->argv, &p->options, &p->err);
}

#endif
