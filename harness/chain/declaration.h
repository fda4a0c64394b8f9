/* What the files of chain/ share: declarations in a stage file's first comment, and a message. */
#ifndef GEMMJUDGE_CHAIN_DECLARATION_H
#define GEMMJUDGE_CHAIN_DECLARATION_H

#include "chain/chain.h"

/* How the message begins where operator() has another form: chain_header() writes it into an
 * assertion, chain_refusal() finds it in nvcc's log. */
#define CHAIN_FORM "operator() should be "

/* And where memory() calls the wrong functions. */
#define CHAIN_MEMORY "memory() should "

/* How that of epilogue_chain.cuh begins where a kernel has single values for a stage of pairs. */
#define CHAIN_PAIRS "a stage of this chain needs two neighbouring columns"

/* A decimal number that float can hold, or inf or -inf; nothing before or after. */
bool declaration_number(const char *text, float *out);

/* A name that C++ takes. */
bool declaration_name(const char *text);

#endif
