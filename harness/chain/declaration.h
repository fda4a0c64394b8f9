/* The declarations in a stage file's first comment. Internal to chain/. */
#ifndef GEMMJUDGE_CHAIN_DECLARATION_H
#define GEMMJUDGE_CHAIN_DECLARATION_H

#include "chain/chain.h"

/* A decimal number that float can hold, or inf or -inf; nothing before or after. */
bool declaration_number(const char *text, float *out);

/* A name that C++ takes. */
bool declaration_name(const char *text);

#endif
