/* Fixed lists of cases in INI files; README.md in this folder has the format. */
#ifndef GEMMJUDGE_TESTCASES_SUITE_H
#define GEMMJUDGE_TESTCASES_SUITE_H

#include "testcases/case.h"

struct suite {
	char name[64];
	char summary[160];
	char problem[32]; /* "" when the suite fits every problem of the GEMM family */
	size_t count;
	struct test_case *cases; /* owned */
};

/* Loads the suite NAME from `suites_folder`, or the file when `name_or_file`
 * has a '/' or ends in ".ini". `seed` keys the values. Errors name the file and
 * the line. max_dim > 0 drops cases with a larger size (count may become 0). */
bool suite_load(const char *name_or_file, const char *suites_folder, const struct problem *problem,
				uint64_t seed, int max_dim, struct suite *out, struct error *err);
void suite_free(struct suite *suite);

#endif
