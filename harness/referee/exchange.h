/* Memory that a process of the supervisor's computes in for the referee: a memfd with an arena.
 * Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_EXCHANGE_H
#define GEMMJUDGE_REFEREE_EXCHANGE_H

#include "process/buffers.h"
#include "testcases/values.h"

struct exchange_memory {
	bool open;
	struct buffers buffers;
	struct arena arena;
	uint8_t *memory;
	int fd; /* the memfd; owned */
};

/* Lays the buffers out in so many sets; what they hold is undefined. `whose`: for errors. False
 * with err, and closed. */
bool exchange_open(struct exchange_memory *exchange, uint32_t sets, const char *whose,
				   struct error *err);
void exchange_draw(uint8_t *to, const struct values *values);
void exchange_close(struct exchange_memory *exchange);

#endif
