#include "judge/options/checks.h"

#include <stddef.h>

const char *const checks_of_emulated[] = {"default", "race", "none", NULL};
const char *const checks_of_sanitizer[] = {"memcheck", "racecheck", "initcheck", "synccheck", NULL};
