/* What the wrong elements of a result have in common, for whoever has to find the fault
 * (judgement/wrong.h). Nothing here decides whether they are wrong: check.h does. */
#ifndef GEMMJUDGE_REFEREE_DIAGNOSIS_H
#define GEMMJUDGE_REFEREE_DIAGNOSIS_H

#include "judgement/wrong.h"
#include "referee/check.h"

/* Compares the whole result once more, and fills what is found. facts->wrong is 0 where there is
 * no memory for it, or nothing of the result is wrong: then only `gated` is filled. `rows` and
 * `carried` of the input are not looked at. */
void diagnosis_result(const struct check_input *input, struct wrong_pattern *facts);

/* Where elements with a mark lie: fills `places` and `map`. False: no memory. */
bool diagnosis_places(const uint8_t *marks, const struct shape *shape, struct wrong_pattern *facts);

/* Whether the elements that were not written are all that lie beyond some rows and columns of each
 * matrix: fills written_rows and written_columns. */
void diagnosis_unwritten(const uint8_t *marks, const struct shape *shape,
						 struct wrong_pattern *facts);

/* Tries faults at wrong elements that were written: fills `compared`, `fits` and what goes with
 * them; where what stages wrote is wrong, `gated`. Of operands that are not too large; else fills
 * nothing. An epilogue has no custom stage. */
void diagnosis_faults(const struct check_input *input, const uint8_t *marks, bool outputs_wrong,
					  struct wrong_pattern *facts);

#endif
