/* Whether calls leave the same bits: operands whose sums show their order, and outputs that are
 * compared with earlier ones. */
#include "referee/bits.h"

#include <stdlib.h>
#include <string.h>

#include "referee/referee.h"
#include "testcases/values.h"

/* ---- operands ----------------------------------------------------------------------- */

/* One operand on the host, and how it lies along K. */
struct arranged {
	const struct operand *operand;
	const struct number_format *format;
	uint64_t elements, offset, bytes;
	uint8_t *memory; /* owned */
};

static bool arranged_open(struct referee *referee, enum part part, struct arranged *out,
						  struct error *err)
{
	const size_t index = problem_part_index(referee->problem, part);
	const struct arena_buffer *at = &referee->arena.buffers[index];
	*out = (struct arranged){.operand = &referee->problem->operands[index],
							 .format = &referee->buffers.at[index].type->format,
							 .elements = referee->buffers.at[index].elements,
							 .offset = at->offset,
							 .bytes = at->bytes,
							 .memory = calloc(1, at->bytes + 1)};
	if (out->memory == NULL)
		return error_set(err, "no memory for operands of %llu bytes",
						 (unsigned long long)at->bytes);
	return referee->device->read(referee->state, at->offset, at->bytes, out->memory, err);
}

static bool arranged_close(struct referee *referee, struct arranged *operand, bool good,
						   struct error *err)
{
	good = good && referee->device->write(referee->state, operand->offset, operand->bytes,
										  operand->memory, err);
	free(operand->memory);
	return good;
}

/* Element k of a sum stands `stride` behind the one before, `length` of them; the next sum's
 * operands begin one element on, and after `stride` of these, a matrix on. Each element of the
 * second half becomes its partner of the first half, with other bits where `flip` has any. */
static void repeat_half(const struct arranged *of, uint64_t length, uint64_t stride, uint32_t flip)
{
	const uint64_t half = length / 2;
	for (uint64_t first = 0; first < of->elements; first += length * stride)
		for (uint64_t k = half; k < 2 * half; k++)
			for (uint64_t i = first + k * stride; i < first + (k + 1) * stride; i++)
				values_store(of->format, of->memory, i,
							 flip ^ values_load(of->format, of->memory, i - half * stride));
}

/* How far the elements of one sum stand apart: operands that are M x K or N x K have them side by
 * side. */
static uint64_t stride_along_k(const struct arranged *of, const struct shape *shape)
{
	const bool beside = (of->operand->part == PART_LEFT) != of->operand->transposed;
	const enum size other = of->operand->part == PART_LEFT ? SIZE_M : SIZE_N;
	return beside ? 1 : (uint64_t)shape->size[other];
}

static bool cancel_part(struct referee *referee, enum part part, struct error *err)
{
	struct arranged of;
	const struct shape *shape = &referee->test.shape;
	if (problem_part(referee->problem, part) == NULL)
		return true;
	bool good = arranged_open(referee, part, &of, err);
	if (good) {
		uint64_t length = (uint64_t)shape->size[SIZE_K];
		if (of.operand->grouped)
			length /= (uint64_t)shape->size[SIZE_GROUP];
		repeat_half(&of, length, stride_along_k(&of, shape),
					part == PART_LEFT ? of.format->sign : 0);
	}
	return arranged_close(referee, &of, good, err);
}

/* Whether sums are rounded, and those of other signs can be had. */
static bool can_cancel(const struct problem *problem)
{
	const struct operand *left = problem_part(problem, PART_LEFT);
	return problem->algebra == ALGEBRA_PLUS_TIMES && left != NULL &&
		   problem_part(problem, PART_RIGHT) != NULL && !type_of(left->type)->format.is_integer;
}

static bool copy_rows(struct referee *referee, enum part part, uint64_t rows, uint64_t to,
					  struct error *err)
{
	const size_t index = problem_part_index(referee->problem, part);
	const struct buffer *buffer = &referee->buffers.at[index];
	const uint64_t row = type_bytes(buffer->type, buffer->columns);
	const uint64_t offset = referee->arena.buffers[index].offset;
	return referee->device->copy(referee->state, offset, offset + to * row, rows * row, err);
}

/* All buffers of set 0 into the other sets. */
static bool copy_sets(struct referee *referee, struct error *err)
{
	const struct arena *arena = &referee->arena;
	for (uint32_t set = 1; set < arena->sets; set++)
		for (uint32_t i = 0; i < arena->count; i++) {
			const struct arena_buffer *at = &arena->buffers[i];
			if (!referee->device->copy(referee->state, at->offset,
									   at->offset + set * arena->set_stride, at->bytes, err))
				return false;
		}
	return true;
}

static bool rows_are_sound(const struct referee *referee, const struct referee_arrange *request)
{
	const struct operand *left = problem_part(referee->problem, PART_LEFT);
	const uint64_t height = (uint64_t)referee->test.shape.size[SIZE_M];
	return request->rows == 0 ||
		   (left != NULL && !left->transposed && request->rows <= request->to &&
			request->to + (uint64_t)request->rows <= height);
}

bool referee_arrange(struct referee *referee, const struct referee_arrange *request,
					 struct error *err)
{
	if (!referee->has_case || referee->group > 0)
		return error_set(err, "operands to be arranged before any case");
	if (!rows_are_sound(referee, request))
		return error_set(err, "%u rows that are to stand from row %u on, too", request->rows,
						 request->to);
	referee->arranged = true;
	referee->explainable = referee->has_product = false;
	if (request->cancels != 0 && can_cancel(referee->problem) &&
		(!cancel_part(referee, PART_LEFT, err) || !cancel_part(referee, PART_RIGHT, err) ||
		 !cancel_part(referee, PART_RIGHT_SCALES, err)))
		return false;
	return (request->rows == 0 ||
			(copy_rows(referee, PART_LEFT, request->rows, request->to, err) &&
			 copy_rows(referee, PART_RESULT, request->rows, request->to, err))) &&
		   copy_sets(referee, err);
}

/* ---- results ------------------------------------------------------------------------ */

/* Elements of an output that mean something: behind those of a deterministic sum lies memory to
 * make it in. */
static uint64_t elements_of(const struct referee *referee, uint32_t index)
{
	const uint32_t operands = (uint32_t)problem_operands(referee->problem);
	const struct chain_stage *stage;
	const struct chain_member *member =
		index < operands ? NULL : chain_buffer(&referee->chain, index - operands, &stage);
	return member == NULL ? referee->buffers.at[index].elements
						  : chain_elements(member, shape_rows(&referee->test.shape),
										   shape_columns(&referee->test.shape));
}

static uint64_t bytes_of(const struct referee *referee, uint32_t index)
{
	const struct buffer *buffer = &referee->buffers.at[index];
	return buffer->role == ROLE_INPUT ? 0 : type_bytes(buffer->type, elements_of(referee, index));
}

/* All outputs of a set, one after the other. */
static bool read_set(struct referee *referee, uint32_t set, uint8_t *to, struct error *err)
{
	for (uint32_t i = 0; i < referee->buffers.count; i++) {
		const uint64_t bytes = bytes_of(referee, i);
		const uint64_t at = referee->arena.buffers[i].offset + set * referee->arena.set_stride;
		if (bytes > 0 && !referee->device->read(referee->state, at, bytes, to, err))
			return false;
		to += bytes;
	}
	return true;
}

static uint64_t bytes_of_set(const struct referee *referee)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < referee->buffers.count; i++)
		bytes += bytes_of(referee, i);
	return bytes;
}

static bool keep_set(struct referee *referee, const struct referee_bits *request, struct error *err)
{
	struct bits_kept *kept = &referee->kept[request->slot];
	const size_t result = problem_part_index(referee->problem, PART_RESULT);
	const uint64_t bytes = bytes_of_set(referee);
	if (bytes > kept->capacity) {
		free(kept->outputs);
		*kept = (struct bits_kept){.outputs = calloc(1, bytes + 1)};
		kept->capacity = kept->outputs != NULL ? bytes : 0;
	}
	if (bytes > kept->capacity)
		return error_set(err, "no memory for results of %llu bytes", (unsigned long long)bytes);
	kept->bytes = bytes;
	kept->columns = referee->buffers.at[result].columns;
	kept->rows = shape_rows(&referee->test.shape);
	kept->result = 0;
	for (uint32_t i = 0; i < result; i++)
		kept->result += bytes_of(referee, i);
	return read_set(referee, request->set, kept->outputs, err);
}

/* Elements of one buffer, from number `first` of it on. */
struct span {
	uint32_t buffer;
	uint64_t first, count;
};

static void compare(const struct referee *referee, struct span span, const uint8_t *before,
					const uint8_t *now, struct bits_compared *found)
{
	const struct buffer *buffer = &referee->buffers.at[span.buffer];
	const struct number_format *format = &buffer->type->format;
	const uint64_t columns = buffer->columns > 0 ? buffer->columns : 1;
	if (memcmp(before, now, type_bytes(buffer->type, span.count)) == 0)
		return;
	for (uint64_t i = 0; i < span.count; i++) {
		const uint32_t was = values_load(format, before, i), is = values_load(format, now, i);
		if (was == is || found->differing++ > 0)
			continue;
		found->buffer = span.buffer;
		found->row = (int32_t)((span.first + i) / columns);
		found->column = (int32_t)((span.first + i) % columns);
		found->before = values_to_double(format, was);
		found->now = values_to_double(format, is);
	}
}

static void compare_set(const struct referee *referee, const struct bits_kept *kept,
						const uint8_t *now, struct bits_compared *found)
{
	const uint8_t *before = kept->outputs;
	for (uint32_t i = 0; i < referee->buffers.count; i++) {
		const uint64_t bytes = bytes_of(referee, i);
		if (bytes > 0)
			compare(referee, (struct span){i, 0, elements_of(referee, i)}, before, now, found);
		before += bytes;
		now += bytes;
	}
}

/* Rows of the result alone. */
static void compare_rows(const struct referee *referee, const struct bits_kept *kept,
						 const uint8_t *now, const struct referee_bits *request,
						 struct bits_compared *found)
{
	const uint32_t result = (uint32_t)problem_part_index(referee->problem, PART_RESULT);
	const struct buffer *buffer = &referee->buffers.at[result];
	for (uint32_t i = 0; i < result; i++)
		now += bytes_of(referee, i);
	const struct span span = {result, request->first * kept->columns,
							  request->rows * kept->columns};
	compare(referee, span, (const uint8_t *)kept->outputs + kept->result,
			now + type_bytes(buffer->type, span.first), found);
}

/* Whether what is asked for can be compared with what was kept. */
static bool is_comparable(const struct referee *referee, const struct bits_kept *kept,
						  const struct referee_bits *request)
{
	const size_t result = problem_part_index(referee->problem, PART_RESULT);
	const uint64_t rows = request->rows;
	if (kept->bytes == 0 || kept->columns != referee->buffers.at[result].columns)
		return false;
	return rows == 0
			   ? kept->bytes == bytes_of_set(referee)
			   : rows <= kept->rows && request->first + rows <= shape_rows(&referee->test.shape);
}

/* One set; the first that differs stays in *found. */
static bool compare_one(struct referee *referee, const struct referee_bits *request, uint32_t set,
						uint8_t *now, struct bits_compared *found, struct error *err)
{
	const struct bits_kept *kept = &referee->kept[request->slot];
	struct bits_compared one = {.results = 0};
	if (!read_set(referee, set, now, err))
		return false;
	if (request->rows == 0)
		compare_set(referee, kept, now, &one);
	else
		compare_rows(referee, kept, now, request, &one);
	if (one.differing == 0)
		return true;
	one.results = found->results + 1;
	if (found->results == 0)
		*found = one;
	found->results = one.results;
	return true;
}

bool referee_bits(struct referee *referee, const struct referee_bits *request,
				  struct bits_compared *found, struct error *err)
{
	*found = (struct bits_compared){.results = 0};
	if (!referee->has_case || referee->group > 0 || request->slot >= BITS_SLOTS ||
		request->set >= referee->arena.sets || request->sets > referee->arena.sets - request->set)
		return error_set(err, "bits of what no case has");
	if (request->keep != 0)
		return keep_set(referee, request, err);
	if (!is_comparable(referee, &referee->kept[request->slot], request))
		return error_set(err, "bits that have no others to be compared with");
	uint8_t *now = calloc(1, bytes_of_set(referee) + 1);
	if (now == NULL)
		return error_set(err, "no memory for results");
	bool good = true;
	for (uint32_t i = 0; i < request->sets && good; i++)
		good = compare_one(referee, request, request->set + i, now, found, err);
	free(now);
	return good;
}
