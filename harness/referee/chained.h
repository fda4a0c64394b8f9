/* Elements that go through the stages of a chain. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_CHAINED_H
#define GEMMJUDGE_REFEREE_CHAINED_H

#include "referee/share.h"

/* Element i, the `at`th that is looked at, through the stages of this part of the chain. */
void chained_element(struct check_share *share, uint64_t i, uint64_t at);

/* Whether the whole chain can be gone through in blocks: its stages are known, and write nothing.
 */
bool chained_in_blocks(const struct check_share *share);

/* Elements i and on, as many as a block holds at most. The block has what the reference says of
 * them, and takes what is found, as block_functions.find() has it. */
struct block_sums chained_block(struct check_share *share, uint64_t i, uint32_t count,
								struct block *block);

/* Notes element `at` of a reduction. */
void chained_note_reduced(struct check_share *share, const struct chain_member *member, uint64_t at,
						  const struct carried *value);

/* When all elements have been gone through: the outputs that reduce them. */
void chained_reduced(struct check_share *share);

#endif
