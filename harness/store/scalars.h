/* Scalars of a case as the store and the JSON report have them: a JSON object, by the names that
 * solve() gives them. */
#ifndef GEMMJUDGE_STORE_SCALARS_H
#define GEMMJUDGE_STORE_SCALARS_H

#include <stddef.h>

#include "testcases/case.h"

/* Equal texts are equal scalars. The caller frees it; NULL where memory runs out. */
char *scalars_of_case(const struct problem *problem, const struct test_case *test);

/* Of a problem of a file the text has the sizes, too, as integers: takes them into the shape. */
void scalars_sizes(const struct problem *problem, const char *scalars, struct shape *shape);

/* "alpha 1, beta 0"; "" without any. Sizes are left out. */
void scalars_print(const char *scalars, char *out, size_t capacity);

#endif
