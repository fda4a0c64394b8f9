/* What the files of chain/ share: declarations in a stage file's first comment, and a message. */
#ifndef GEMMJUDGE_CHAIN_DECLARATION_H
#define GEMMJUDGE_CHAIN_DECLARATION_H

#include "chain/chain.h"

/* How the message begins where operator() has another form: chain_header() writes it into an
 * assertion, chain_refusal() finds it in nvcc's log. */
#define CHAIN_FORM "operator() should be "

/* A decimal number that float can hold, or inf or -inf; nothing before or after. */
bool declaration_number(const char *text, float *out);

/* A name that C++ takes. */
bool declaration_name(const char *text);

#endif
