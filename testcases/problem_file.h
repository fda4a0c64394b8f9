/* Problems as files: testcases/problems/NAME/, or a folder of one's own, with problem.ini and
 * reference.cuh. testcases/problems/README.md describes both. A file becomes a row like those of
 * problem.c: whoever walks these tables needs to know nothing of it. */
#ifndef GEMMJUDGE_TESTCASES_PROBLEM_FILE_H
#define GEMMJUDGE_TESTCASES_PROBLEM_FILE_H

#include "base/error.h"
#include "testcases/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads FOLDER/problem.ini and adds it to the table, under the folder's name; one that was added
 * before is found again. False with err, in one line: "FILE:LINE: what is wrong". Before other
 * threads look for problems. */
bool problem_add(const char *folder, const struct problem **out, struct error *err);

/* The header that a runner of the reference is compiled with: the sizes, scalars, buffers and steps
 * by their names, and reference.cuh behind them. The caller's to free; NULL without memory. */
char *problem_reference_header(const struct problem *problem);

#ifdef __cplusplus
}
#endif

#endif
