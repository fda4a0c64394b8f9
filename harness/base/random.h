/* Random bytes of the system, which nobody can foresee. */
#ifndef GEMMJUDGE_BASE_RANDOM_H
#define GEMMJUDGE_BASE_RANDOM_H

#include <stdint.h>

#include "base/error.h"

/* 64 bits of the system's own source, never 0; false with err where it gives none. */
bool random_draw(uint64_t *out, struct error *err);

#endif
