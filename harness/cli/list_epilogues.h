/* A part of `gemmjudge list`. */
#ifndef GEMMJUDGE_CLI_LIST_EPILOGUES_H
#define GEMMJUDGE_CLI_LIST_EPILOGUES_H

#include <stdbool.h>

#include "base/error.h"

bool list_epilogues(struct error *err);

#endif
