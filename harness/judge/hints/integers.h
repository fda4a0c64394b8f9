/* Parts of sentences of hints_of_products, on faults that make integers of numbers. Each writes
 * what stands behind "what comes of", of the fault's number (judgement/wrong.h), in `size` bytes.
 */
#ifndef GEMMJUDGE_JUDGE_HINTS_INTEGERS_H
#define GEMMJUDGE_JUDGE_HINTS_INTEGERS_H

#include "judge/hints/hints.h"

/* FAULT_CUT: what became an integer on the way. */
void hint_say_cut(int32_t number, struct strbuf *out);

/* FAULT_INPUTS_INT8: which inputs became codes of 8 bits, and of how many there is a scale. */
void hint_say_int8(const struct hint_context *facts, int32_t number, struct strbuf *out);

/* FAULT_SUM_INT16: which sums have 16 bits. */
void hint_say_int16(int32_t number, struct strbuf *out);

#endif
