/* What the parts of `gemmjudge list` share. */
#ifndef GEMMJUDGE_CLI_LIST_H
#define GEMMJUDGE_CLI_LIST_H

#include <stdbool.h>

#include "base/error.h"

#define LIST_SUMMARY_MAX 160

/* The first sentence of a file's opening comment, "" when there is none. */
void list_summary(const char *path, char out[LIST_SUMMARY_MAX]);

bool list_epilogues(struct error *err);

#endif
