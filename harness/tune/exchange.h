/* A search space in the T1 format of the auto-tuning community (github.com/odgaard/TuningSchema,
 * which Kernel Tuner, KTT and others read): parameters, and conditions in Python's syntax. */
#ifndef GEMMJUDGE_TUNE_EXCHANGE_H
#define GEMMJUDGE_TUNE_EXCHANGE_H

#include <jansson.h>

#include "tune/space.h"

/* An expression of the space in Python's syntax, with numbers for what the problem and the GPU give
 * and the expressions of lets in their place. NULL where that is too long; the caller frees it. */
char *exchange_python(const struct space *space, const struct expression *expression,
					  const int64_t *given);

/* The space at one case on one GPU; `flags` (of nvcc, NULL-ended, or NULL) are part of it. A
 * table's columns are parameters, too, and a condition says which rows there are. The caller lets
 * go of it; NULL with err, a line. */
json_t *exchange_space(const struct space *space, const struct tune_gpu *gpu,
					   const struct test_case *test, const char *const *flags, struct error *err);

#endif
