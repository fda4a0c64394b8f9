#include "process/buffers.h"

#include <stdio.h>
#include <string.h>

#include "testcases/values.h"

/* Small integers keep an exact case exact through stages that add and multiply. */
static struct value_spec extra_values(const struct test_case *test,
									  const struct chain_member *member)
{
	if (member->kind != CHAIN_INPUT)
		return (struct value_spec){.distribution = VALUES_UNWRITTEN};
	if (test->exact)
		return (struct value_spec){.distribution = VALUES_INTEGER, .scale = 2.0f};
	return member->type == CHAIN_INT8
			   ? (struct value_spec){.distribution = VALUES_INTEGER, .scale = 16.0f}
			   : (struct value_spec){.distribution = VALUES_UNIFORM, .scale = 1.0f};
}

static void name_extra(const struct chain_stage *stage, const struct chain_member *member,
					   char out[BUFFER_NAME_MAX])
{
	snprintf(out, BUFFER_NAME_MAX, "%s.%s", stage->name, member->name);
}

static const struct type *extra_type(const struct problem *problem,
									 const struct chain_member *member)
{
	static const enum dtype types[CHAIN_TYPES] = {
		[CHAIN_FLOAT] = DTYPE_F32, [CHAIN_HALF] = DTYPE_F16,  [CHAIN_BFLOAT16] = DTYPE_BF16,
		[CHAIN_INT8] = DTYPE_S8,   [CHAIN_E4M3] = DTYPE_E4M3,
	};
	if (member->type == CHAIN_ELEMENT)
		return type_of(problem_part(problem, PART_RESULT)->type);
	return type_of(types[member->type]);
}

static struct buffer extra_of(const struct problem *problem, const struct test_case *test,
							  const struct chain_stage *stage, const struct chain_member *member)
{
	uint64_t rows = shape_rows(&test->shape), columns = shape_columns(&test->shape);
	struct buffer buffer = {
		.role = member->kind != CHAIN_INPUT ? ROLE_OUTPUT : ROLE_INPUT,
		.type = extra_type(problem, member),
		.spec = extra_values(test, member),
		.stream = VALUES_STREAM_EXTRA + member->buffer,
		.elements = chain_allocated(member, rows, columns),
		.columns = chain_width(member, columns),
	};
	name_extra(stage, member, buffer.name);
	return buffer;
}

static struct buffer operand_buffer(const struct problem *problem, const struct test_case *test,
									size_t index)
{
	const struct operand *operand = &problem->operands[index];
	struct buffer buffer = {
		.role = operand->role,
		.type = type_of(operand->type),
		.spec = test->values[index],
		.stream = values_stream((uint32_t)index),
		.elements = operand_elements(operand, &test->shape),
		.columns = operand_columns(operand, &test->shape),
	};
	snprintf(buffer.name, sizeof buffer.name, "%s", operand->name);
	return buffer;
}

void buffers_of_case(const struct problem *problem, const struct test_case *test,
					 const struct chain *chain, struct buffers *out)
{
	out->count = 0;
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		out->at[out->count++] = operand_buffer(problem, test, i);
	for (uint32_t i = 0; chain != NULL && i < chain->buffers && i < CHAIN_BUFFERS_MAX; i++) {
		const struct chain_stage *stage;
		const struct chain_member *member = chain_buffer(chain, i, &stage);
		out->at[out->count++] = extra_of(problem, test, stage, member);
	}
}

/* Of a stage run by itself: one that reduces leaves its values apart, for the referee to combine
 * with what it knows of each (EPILOGUE_APART). */
static struct buffer extra_apart(const struct problem *problem, const struct test_case *test,
								 const struct chain_stage *stage, const struct chain_member *member)
{
	struct chain_member apart = *member;
	if (chain_is_reduction(member)) {
		apart.kind = CHAIN_SUM;
		apart.rows = apart.columns = 1;
	}
	return extra_of(problem, test, stage, &apart);
}

void buffers_of_stage(const struct problem *problem, const struct test_case *test,
					  const struct chain_stage *stage, struct buffers *out)
{
	const struct problem *by_itself = problem_find(PROBLEM_STAGE);
	size_t result = problem_part_index(problem, PART_RESULT);
	struct buffer judged = operand_buffer(problem, test, result);
	out->count = 0;
	for (size_t i = 0; by_itself->operands[i].name != NULL; i++) {
		const struct operand *operand = &by_itself->operands[i];
		struct buffer *buffer = &out->at[out->count++];
		*buffer = judged; /* all are as large as the result */
		buffer->role = operand->role;
		buffer->type = type_of(operand->type);
		snprintf(buffer->name, sizeof buffer->name, "%s", operand->name);
	}
	struct buffer *result_before = &out->at[PROBLEM_STAGE_RESULT];
	*result_before = judged;
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind != CHAIN_ARGUMENT)
			out->at[out->count++] = extra_apart(problem, test, stage, &stage->members[i]);
}

void buffers_of_reference(const struct problem *problem, const struct test_case *test,
						  struct buffers *out)
{
	struct buffer *bounds = &out->at[problem_part_index(problem, PART_RESULT)];
	buffers_of_case(problem, test, NULL, out);
	bounds->type = type_of(DTYPE_F32);
	bounds->elements *= sizeof(struct reference_bound) / sizeof(float);
	bounds->columns = bounds->elements;
}

void buffers_name(const struct problem *problem, const struct chain *chain, uint32_t index,
				  char out[BUFFER_NAME_MAX])
{
	uint32_t operands = (uint32_t)problem_operands(problem);
	const struct chain_stage *stage;
	const struct chain_member *member =
		chain != NULL && index >= operands ? chain_buffer(chain, index - operands, &stage) : NULL;
	if (member != NULL)
		name_extra(stage, member, out);
	else
		snprintf(out, BUFFER_NAME_MAX, "%s",
				 index < operands ? problem->operands[index].name : "?");
}

uint64_t buffer_bytes(const struct buffer *buffer)
{
	return type_bytes(buffer->type, buffer->elements);
}

uint64_t buffers_bytes(const struct buffers *buffers)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < buffers->count; i++)
		bytes += buffer_bytes(&buffers->at[i]);
	return bytes;
}

struct values buffer_values(const struct buffer *buffer, uint64_t seed)
{
	return (struct values){.format = buffer->type->format,
						   .spec = buffer->spec,
						   .seed = seed,
						   .stream = buffer->stream,
						   .columns = buffer->columns,
						   .elements = buffer->elements};
}

void buffers_lay_out(const struct buffers *buffers, struct arena *arena)
{
	uint64_t end = 0;
	arena->count = buffers->count;
	for (uint32_t i = 0; i < buffers->count; i++) {
		uint64_t bytes = buffer_bytes(&buffers->at[i]);
		arena->buffers[i] = (struct arena_buffer){.offset = end + GUARD_BYTES, .bytes = bytes};
		end += GUARD_BYTES +
			   (bytes + BUFFERS_ALIGNMENT - 1) / BUFFERS_ALIGNMENT * BUFFERS_ALIGNMENT +
			   GUARD_BYTES;
	}
	arena->set_stride = end;
}
