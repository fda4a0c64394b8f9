/* Which kernels a call of each entrant ran, as CUPTI tells it, and what they take, as ptxas does.
 */
#ifndef GEMMJUDGE_REPORT_KERNELS_H
#define GEMMJUDGE_REPORT_KERNELS_H

#include <stdio.h>

#include "judgement/judgement.h"

/* A line a kernel in `width` columns, below each entrant's own; nothing where no entrant
 * has any. */
void kernels_print(FILE *out, int width, const struct timing_result *timing);

/* Prints the kernels as a table. */
void kernels_markdown(FILE *out, const struct timing_result *timing);

/* What the compiled kernels of a file take of a GPU, a line a kernel; nothing where nobody knows.
 */
void kernels_uses_print(FILE *out, int width, const struct judgement *item);

#endif
