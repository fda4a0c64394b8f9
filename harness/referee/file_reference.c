/* Problems of files: their references are run by the supervisor (protocol.h). */
#include <stdlib.h>
#include <string.h>

#include "referee/referee.h"

bool referee_reference_open(struct referee *referee, uint32_t set,
							struct referee_reference_reply *reply, int *fd, struct error *err)
{
	struct exchange *exchange = &referee->reference;
	*fd = -1;
	exchange_close(exchange);
	if (!referee->has_case || referee->problem->file == NULL || set >= referee->arena.sets)
		return error_set(err, "there is no reference to be run");
	reply->known = referee->has_product && referee->product_set == set;
	if (reply->known)
		return true;
	buffers_of_reference(referee->problem, &referee->test, &exchange->buffers);
	if (!exchange_open(exchange, 1, "a reference", err))
		return false;
	for (uint32_t i = 0; i < exchange->buffers.count; i++) {
		struct values values = buffer_values(&referee->buffers.at[i], referee->seed + set);
		if (referee->buffers.at[i].role == ROLE_INPUT)
			exchange_draw(exchange->memory + exchange->arena.buffers[i].offset, &values);
	}
	reply->arena = exchange->arena;
	*fd = exchange->fd;
	return true;
}

bool referee_reference_close(struct referee *referee, uint32_t set, struct error *err)
{
	struct exchange *exchange = &referee->reference;
	if (!exchange->open)
		return error_set(err, "no reference is being run");
	const size_t result = problem_part_index(referee->problem, PART_RESULT);
	const struct arena_buffer *at = &exchange->arena.buffers[result];
	void *grown = realloc(referee->bounds, at->bytes);
	if (grown == NULL)
		return error_set(err, "no memory for bounds: %llu bytes", (unsigned long long)at->bytes);
	referee->bounds = grown; /* a copy, which nobody else can reach */
	memcpy(referee->bounds, exchange->memory + at->offset, at->bytes);
	referee->product = (struct device_product){.bounds = referee->bounds, .unit_roundoff = 0x1p-53};
	referee->spot_checks = referee->spot_disagreements = 0;
	referee->product_set = set;
	referee->has_product = true;
	exchange_close(exchange);
	return true;
}
