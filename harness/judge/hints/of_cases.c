#include "judge/hints/hints.h"

const struct hint_row hints_of_cases[] = {{0}};
