/* A program that measures a kernel itself and prints its time: what --baseline runs where it is no
 * file. The command has {m}, {n} and {k} where the sizes go; the last number that it prints is a
 * call's time in microseconds. Nothing of that is checked, and it runs outside of the jail: with
 * all rights of the user, who named it. */
#ifndef GEMMJUDGE_JUDGE_PROGRAM_H
#define GEMMJUDGE_JUDGE_PROGRAM_H

#include <stddef.h>

#include "base/error.h"
#include "judgement/timing.h"

/* Whether the text is a command: it has a placeholder. */
bool program_is(const char *text);

/* Whether it can be run: words with blanks between them (no quotes), the first of which is a
 * program; all three placeholders; and nothing else in braces. */
bool program_holds(const char *text, struct error *err);

/* The program's name, without its folder. */
#define PROGRAM_NAME 64
void program_name(const char *text, char out[PROGRAM_NAME]);

/* Runs it for the shape, for at most `seconds`. False with err: why it gave no time. */
bool program_time(const char *text, const struct shape *shape, double seconds, double *microseconds,
				  struct error *err);

/* The last number of a text, which is above 0: "12.5 us" ends with 12.5, and the 100 of "H100" is
 * none. False: there is no such. */
bool program_number(const char *text, double *out);

#endif
