/* What a shell's ulimit leaves to the program. */
#ifndef GEMMJUDGE_CLI_LIMITS_H
#define GEMMJUDGE_CLI_LIMITS_H

#include <stdbool.h>

#include "base/error.h"

/* Whether there are files and stack enough for the judge and for the compiler, which inherits them:
 * else a compiler that stumbles would be a verdict on the file. Raises what may be raised. To be
 * called before anything that takes much stack. */
bool limits_suffice(struct error *err);

#endif
