/* Values of many elements at once, as bits: what values_block() gives, by loops that compilers make
 * vectors of. For hosts: drawing operands was an eighth of a small judgement. */
#ifndef GEMMJUDGE_TESTCASES_VALUES_RUN_H
#define GEMMJUDGE_TESTCASES_VALUES_RUN_H

#include <stddef.h>

#include "testcases/values.h"

/* Blocks from `block` on, VALUES_BLOCK elements each, to out. */
void values_run(const struct values *values, uint64_t block, size_t blocks, uint32_t *out);

#endif
