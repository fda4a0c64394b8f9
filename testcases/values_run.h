/* Values of many elements at once, as bits: what values_block() gives, by loops that compilers make
 * vectors of. For hosts: drawing operands was an eighth of a small judgement. */
#ifndef GEMMJUDGE_TESTCASES_VALUES_RUN_H
#define GEMMJUDGE_TESTCASES_VALUES_RUN_H

#include <stddef.h>

#include "testcases/values.h"

/* Blocks from `block` on, VALUES_BLOCK elements each, to out. */
void values_run(const struct values *values, uint64_t block, size_t blocks, uint32_t *out);

/* How many elements of an operand with this share of zeros are none; fast where it is asked for the
 * same again. */
uint64_t values_not_zero(float zeros, uint32_t stream, uint64_t elements);

#endif
