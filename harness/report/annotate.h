/* Verdicts as lines that a CI service turns into marks beside the source. */
#ifndef GEMMJUDGE_REPORT_ANNOTATE_H
#define GEMMJUDGE_REPORT_ANNOTATE_H

#include <stdio.h>

#include "judgement/judgement.h"

/* The services; NULL after the last. */
extern const char *const annotate_kinds[];

/* As GitHub reads it from a step's output: "::error file=F,line=L,title=T::message", a line for
 * each message of the compiler, or one for a file that was not accepted for another reason, with
 * the line of the source that the finding names. Paths are from the root of the repository
 * ($GITHUB_WORKSPACE, else the present folder). */
void report_annotate(const struct judgement_list *list, FILE *out);

#endif
