/* Problems of files: their references are run by the supervisor (protocol.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "referee/referee.h"

static struct reference_bound *bounds_of(const struct referee *referee)
{
	const struct exchange_memory *exchange = &referee->reference;
	size_t result = problem_part_index(referee->problem, PART_RESULT);
	return (struct reference_bound *)(exchange->memory + exchange->arena.buffers[result].offset);
}

/* What the last check found, for the runner's search for faults. What is no number has none. */
static void put_result(const struct referee *referee)
{
	size_t result = problem_part_index(referee->problem, PART_RESULT);
	const struct buffer *buffer = &referee->buffers.at[result];
	const struct number_format *format = &buffer->type->format;
	struct reference_bound *to = bounds_of(referee);
	for (uint64_t i = 0; i < buffer->elements; i++) {
		const struct reference_bound *bound = &referee->bounds[i];
		double rounding = buffer->type->unit_roundoff * fabs(bound->value);
		to[i].value = values_to_double(format, values_load(format, referee->outputs[result], i));
		to[i].error = -(bound->error + rounding + buffer->type->smallest);
		to[i].deviation = bound->value;
	}
}

bool referee_reference_open(struct referee *referee, const struct referee_reference *request,
							struct referee_reference_reply *reply, int *fd, struct error *err)
{
	struct exchange_memory *exchange = &referee->reference;
	*fd = -1;
	exchange_close(exchange);
	if (!referee->has_case || referee->problem->file == NULL ||
		request->set >= referee->arena.sets || (request->faults && !referee->explainable))
		return error_set(err, "there is no reference to be run");
	reply->known = referee->has_product && referee->product_set == request->set;
	if (reply->known && !request->faults)
		return true;
	buffers_of_reference(referee->problem, &referee->test, &exchange->buffers);
	if (!exchange_open(exchange, 1, "a reference", err))
		return false;
	for (uint32_t i = 0; i < exchange->buffers.count; i++) {
		struct values values = buffer_values(&referee->buffers.at[i], referee->seed + request->set);
		if (referee->buffers.at[i].role == ROLE_INPUT)
			exchange_draw(exchange->memory + exchange->arena.buffers[i].offset, &values);
	}
	if (request->faults)
		put_result(referee);
	reply->arena = exchange->arena;
	*fd = exchange->fd;
	return true;
}

bool referee_reference_close(struct referee *referee, const struct referee_reference *request,
							 uint64_t *step_faults, struct error *err)
{
	struct exchange_memory *exchange = &referee->reference;
	if (!exchange->open)
		return error_set(err, "no reference is being run");
	const struct reference_bound *from = bounds_of(referee);
	*step_faults = from->value > 0 ? (uint64_t)from->value : 0;
	for (uint64_t i = 0;
		 !request->faults &&
		 i < referee->buffers.at[problem_part_index(referee->problem, PART_RESULT)].elements;
		 i++)
		if (isnan(from[i].value))
			return error_set(
				err,
				"the reference of %s gives no number for element %llu of %s: is a step "
				"read before it is computed ([steps] has them in their order), or a "
				"function taken where it has none, by a scalar that is drawn ('eps = "
				"1e-5' in [scalars] fixes one)?",
				referee->problem->name, (unsigned long long)i, referee->test.name);
	if (!request->faults) {
		size_t bytes =
			exchange->arena.buffers[problem_part_index(referee->problem, PART_RESULT)].bytes;
		void *grown = realloc(referee->bounds, bytes);
		if (grown == NULL)
			return error_set(err, "no memory for bounds: %zu bytes", bytes);
		referee->bounds = memcpy(grown, from, bytes); /* where nobody else can reach them */
		referee->product =
			(struct device_product){.bounds = referee->bounds, .unit_roundoff = 0x1p-53};
		referee->spot_checks = referee->spot_disagreements = 0;
		referee->product_set = request->set;
		referee->has_product = true;
	}
	exchange_close(exchange);
	return true;
}
