/* Tensara's solution() in place of solve(), by the file's text. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_TENSARA_H
#define GEMMJUDGE_JUDGE_SUBMISSION_TENSARA_H

#include "testcases/entry.h"
#include "testcases/problem.h"

/* The order to begin with, from the file's text: ENTRY_NOT_TAKEN where the problem has more than
 * buffers and sizes, or where the text defines a solution() with other parameters. */
enum entry_order tensara_order(const struct problem *problem, const char *source);

#endif
