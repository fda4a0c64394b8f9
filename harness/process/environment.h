/* Which variables of the caller's environment a child program finds in its own: a short list, in
 * environment.c. All others, such as the tokens that a CI runner keeps there, are nobody's business
 * but the caller's, as code of a submission can read and print what its process was given. */
#ifndef GEMMJUDGE_PROCESS_ENVIRONMENT_H
#define GEMMJUDGE_PROCESS_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

enum environment {
	ENVIRONMENT_PROGRAM,  /* the referee, the contestant, tools: the list for these */
	ENVIRONMENT_COMPILER, /* nvcc and what it starts: the list for these */
	ENVIRONMENT_EMULATED, /* nobody: what the emulated GPU is set to (settings.h) */
	ENVIRONMENT_NOTHING,
	ENVIRONMENT_WHOLE, /* of a program that the user wrote down himself */
};

/* Whether a variable, "NAME" or "NAME=VALUE", is handed on. */
bool environment_hands_on(enum environment kind, const char *variable);

/* The i'th name of those that decide what the compiler makes; NULL behind the last. */
const char *environment_of_compiler(size_t i);

/* What is handed on of `environ`, and the additions ("NAME=VALUE", NULL-ended, or NULL), which take
 * the place of variables of the same name. The strings are borrowed, the array is the caller's to
 * free; NULL: out of memory. */
char **environment_make(enum environment kind, const char *const *additions);

#endif
