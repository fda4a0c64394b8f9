/* Counters of kernels as text for people. */
#ifndef GEMMJUDGE_REPORT_COUNTERS_H
#define GEMMJUDGE_REPORT_COUNTERS_H

#include <stdio.h>

#include "judgement/judgement.h"

/* A block of lines for each kernel, two columns in. */
void counters_print(FILE *out, const struct judgement *judgement);

#endif
