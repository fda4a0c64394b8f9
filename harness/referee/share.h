/* A share of a comparison: what one thread needs to go through some of the elements, and what it
 * finds there. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_SHARE_H
#define GEMMJUDGE_REFEREE_SHARE_H

#include "process/buffers.h"
#include "referee/block.h"
#include "referee/check.h"

/* Drawn values, kept while their neighbours are asked for. */
struct drawn_bits {
	bool any;
	uint64_t block;
	uint32_t bits[VALUES_BLOCK];
};
struct drawn_numbers {
	uint64_t first;
	uint32_t count;
	double numbers[BLOCK_ELEMENTS];
};

struct share_found {
	bool any; /* an element has been looked at */
	uint64_t worst_index;
	struct check_summary summary;
	struct block_spread spread;
};

struct check_share {
	const struct check_input *input;
	struct check_rule rule;
	const struct block_functions *functions;
	const struct buffers *buffers;                          /* of the case */
	uint32_t result;                                        /* which of them is the result */
	const struct stage_reference *stages[CHAIN_STAGES_MAX]; /* of the chain */
	struct drawn_bits bits[BUFFERS_MAX];
	struct drawn_numbers numbers[BUFFERS_MAX];
	uint32_t lane; /* of the element that is looked at: its number in its block, modulo the lanes */
	struct share_found found;
};

void share_begin(struct check_share *share, const struct check_input *input,
				 const struct buffers *buffers);

/* What a buffer held before the call, as bits and as a number. */
uint32_t share_before(struct check_share *share, uint32_t buffer, uint64_t index);
double share_number_before(struct check_share *share, uint32_t buffer, uint64_t index);

/* The result's element before the call; 0 where beta is 0. */
double share_c(struct check_share *share, uint64_t index);

/* Notes what was found of the result's element, which has these bits. */
void share_note(struct check_share *share, uint64_t index, uint32_t bits, double out,
				const struct check_finding *finding);

/* Which buffer a member of the chain is. */
uint32_t share_extra(const struct check_share *share, const struct chain_member *member);
/* Which of a member's elements belongs to C's element `index`. */
uint64_t share_member_index(const struct check_share *share, const struct chain_member *member,
							uint64_t index);
/* Compares an element that a stage has written for C's element `index`. */
void share_note_extra(struct check_share *share, const struct chain_member *member, uint64_t index,
					  const struct carried *value);

/* What the reference says of the element, the `at`th of those that are looked at. */
struct check_element share_element(const struct device_product *product, uint64_t at);

#endif
