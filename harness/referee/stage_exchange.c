#include "referee/stage_exchange.h"

#include <math.h>

#include "referee/reduced.h"

/* Of a stage that takes two columns, set 2 has the odd one at its least: of two sets in which both
 * change, one shows what both errors come to. */
static void fill_values(float *to, const struct check_input *input, uint32_t stage, uint32_t set,
						uint64_t elements)
{
	static const double sides[STAGE_SETS] = {0, -1, 1};
	uint64_t columns = shape_columns(&input->test->shape);
	bool pairs = set == 2 && chain_columns(&input->chain->stages[stage]) > 1;
	for (uint64_t i = 0; i < elements; i++) {
		const struct carried *value = &input->carried[i];
		/* the value itself is rounded to f32 on its way, which belongs to its error */
		double reach = (double)value->error + 0x1p-24 * fabs(value->x);
		bool known = isfinite(value->x) && isfinite(reach);
		double side = pairs && i % columns % 2 == 1 ? -1 : sides[set];
		to[i] = (float)(known ? value->x + side * reach : value->x);
	}
}

/* As many as the reduction has elements: no more than C has. */
static void fill_reduced(float *to, const struct check_input *input, uint32_t stage, uint32_t set)
{
	static const double sides[STAGE_SETS] = {0, -1, 1};
	const struct shape *shape = &input->test->shape;
	const struct chain_member *member = chain_finish(&input->chain->stages[stage]);
	uint64_t count = chain_elements(member, shape_rows(shape), shape_columns(shape));
	for (uint64_t i = 0; i < count; i++) {
		struct carried value = reduced_value(&input->reduced[member->buffer][i], member->kind);
		bool known = isfinite(value.x) && isfinite(value.error);
		to[i] = (float)(known ? value.x + sides[set] * (double)value.error : value.x);
	}
}

static void fill_set(const struct stage_exchange *exchange, const struct check_input *input,
					 uint32_t set)
{
	const struct arena *arena = &exchange->exchange.arena;
	uint8_t *base = exchange->exchange.memory + set * arena->set_stride;
	for (uint32_t i = 0; i < exchange->exchange.buffers.count; i++) {
		const struct buffer *buffer = &exchange->exchange.buffers.at[i];
		uint8_t *at = base + arena->buffers[i].offset;
		struct values values = buffer_values(buffer, input->seed);
		if (i == PROBLEM_STAGE_VALUES && exchange->finishing)
			fill_reduced((float *)at, input, exchange->stage, set);
		else if (i == PROBLEM_STAGE_VALUES)
			fill_values((float *)at, input, exchange->stage, set, buffer->elements);
		else
			exchange_draw(at, &values);
	}
}

bool stage_exchange_open(struct stage_exchange *exchange, const struct check_input *input,
						 uint32_t stage, bool finishing, struct error *err)
{
	stage_exchange_close(exchange);
	*exchange = (struct stage_exchange){.stage = stage, .finishing = finishing};
	buffers_of_stage(input->problem, input->test, &input->chain->stages[stage],
					 &exchange->exchange.buffers);
	if (!exchange_open(&exchange->exchange, STAGE_SETS, "an epilogue stage", err))
		return false;
	for (uint32_t set = 0; set < STAGE_SETS; set++)
		fill_set(exchange, input, set);
	return true;
}

struct check_stage stage_exchange_results(const struct stage_exchange *exchange,
										  const struct chain_stage *stage)
{
	struct check_stage results = {0};
	const struct arena *arena = &exchange->exchange.arena;
	uint32_t operands = (uint32_t)problem_operands(problem_find(PROBLEM_STAGE));
	for (uint32_t set = 0; set < STAGE_SETS; set++) {
		const uint8_t *base = exchange->exchange.memory + set * arena->set_stride;
		results.finished[set] = (const float *)(base + arena->buffers[PROBLEM_STAGE_VALUES].offset);
		results.values[set] = (const float *)(base + arena->buffers[PROBLEM_STAGE_OUT].offset);
		for (uint32_t i = 0, next = operands; i < stage->count; i++)
			if (stage->members[i].kind != CHAIN_ARGUMENT)
				results.written[set][i] = base + arena->buffers[next++].offset;
	}
	return results;
}

void stage_exchange_close(struct stage_exchange *exchange)
{
	exchange_close(&exchange->exchange);
}
