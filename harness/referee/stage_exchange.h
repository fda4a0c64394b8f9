/* A custom stage, computed elsewhere: the memory in which its values go out and come back.
 * process/protocol.h has its layout (struct referee_check). Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_STAGE_EXCHANGE_H
#define GEMMJUDGE_REFEREE_STAGE_EXCHANGE_H

#include "referee/check.h"
#include "referee/exchange.h"

struct stage_exchange {
	struct exchange_memory exchange;
	uint32_t stage; /* of the chain */
	bool finishing;
};

/* Lays the memory out for the stage and fills it from input->carried; `finishing`: with what the
 * stage has reduced, for its finish(). */
bool stage_exchange_open(struct stage_exchange *exchange, const struct check_input *input,
						 uint32_t stage, bool finishing, struct error *err);

/* The values that have come back; points into the memory. */
struct check_stage stage_exchange_results(const struct stage_exchange *exchange,
										  const struct chain_stage *stage);

void stage_exchange_close(struct stage_exchange *exchange);

#endif
