/* A custom stage, computed elsewhere: the memory in which its values go out and come back.
 * process/protocol.h has its layout (struct referee_check). Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_ELSEWHERE_H
#define GEMMJUDGE_REFEREE_ELSEWHERE_H

#include "process/buffers.h"
#include "referee/check.h"

struct elsewhere {
	bool open;
	uint32_t stage; /* of the chain */
	struct buffers buffers;
	struct arena arena;
	uint8_t *memory;
	int fd; /* the memfd; owned */
	bool finishing;
};

/* Lays the memory out for the stage and fills it from input->carried; `finishing`: with what the
 * stage has reduced, for its finish(). */
bool elsewhere_open(struct elsewhere *elsewhere, const struct check_input *input, uint32_t stage,
					bool finishing, struct error *err);

/* What has come back; points into the memory. */
struct check_stage elsewhere_results(const struct elsewhere *elsewhere,
									 const struct chain_stage *stage);

void elsewhere_close(struct elsewhere *elsewhere);

#endif
