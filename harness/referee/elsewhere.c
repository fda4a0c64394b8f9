#include "referee/elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "referee/layout.h"
#include "testcases/values.h"

static bool make_memory(struct elsewhere *elsewhere, struct error *err)
{
	uint64_t bytes = elsewhere->arena.bytes;
	elsewhere->fd = memfd_create("gemmjudge-stage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* sealed, so that nobody else can make our own reads fault */
	if (elsewhere->fd < 0 || ftruncate(elsewhere->fd, (off_t)bytes) != 0 ||
		fcntl(elsewhere->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return error_set(err, "no shared memory of %llu bytes for an epilogue stage: %s",
						 (unsigned long long)bytes, strerror(errno));
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, elsewhere->fd, 0);
	if (memory == MAP_FAILED)
		return error_set(err, "no shared memory of %llu bytes for an epilogue stage: %s",
						 (unsigned long long)bytes, strerror(errno));
	elsewhere->memory = memory;
	return true;
}

static void draw_into(uint8_t *to, enum dtype type, struct value_spec spec, uint64_t seed,
					  uint32_t stream, uint64_t elements)
{
	size_t size = dtype_size(type);
	for (uint64_t i = 0; i < elements; i += VALUES_BLOCK) {
		uint32_t block[VALUES_BLOCK];
		values_block(type, spec, seed, stream, i / VALUES_BLOCK, block);
		for (uint64_t j = i; j < i + VALUES_BLOCK && j < elements; j++)
			memcpy(to + j * size, &block[j - i], size); /* the low bytes come first */
	}
}

static void fill_values(float *to, const struct check_input *input, double side, uint64_t elements)
{
	for (uint64_t i = 0; i < elements; i++) {
		const struct carried *value = &input->carried[i];
		/* the value itself is rounded to f32 on its way, which belongs to its error */
		double reach = (double)value->error + 0x1p-24 * fabs(value->x);
		bool known = isfinite(value->x) && isfinite(reach);
		to[i] = (float)(known ? value->x + side * reach : value->x);
	}
}

static void fill_set(const struct elsewhere *elsewhere, const struct check_input *input,
					 uint32_t set)
{
	static const double sides[ELSEWHERE_SETS] = {0, -1, 1};
	const struct arena *arena = &elsewhere->arena;
	const struct chain_stage *stage = &input->chain->stages[elsewhere->stage];
	uint8_t *base = elsewhere->memory + set * arena->set_stride;
	uint64_t elements = (uint64_t)input->test->shape.m * (uint64_t)input->test->shape.n;

	fill_values((float *)(base + arena->a_offset), input, sides[set], elements);
	if (input->test->beta != 0)
		draw_into(base + arena->b_offset, input->type, input->test->c, input->seed, VALUES_STREAM_C,
				  elements);
	else
		memset(base + arena->b_offset, POISON_PATTERN, arena->b_bytes);
	memset(base + arena->c_offset, POISON_PATTERN, arena->c_bytes);
	for (uint32_t i = 0, extra = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		if (member->kind == CHAIN_ARGUMENT)
			continue;
		uint8_t *at = base + arena->extra_offset[extra];
		uint64_t bytes = arena->extra_bytes[extra++];
		if (member->kind == CHAIN_INPUT)
			draw_into(at, input->type, check_extra_values(input->test), input->seed,
					  CHECK_EXTRA_STREAM + member->buffer, bytes / dtype_size(input->type));
		else
			memset(at, POISON_PATTERN, bytes);
	}
}

bool elsewhere_open(struct elsewhere *elsewhere, const struct check_input *input, uint32_t stage,
					struct error *err)
{
	uint64_t m = (uint64_t)input->test->shape.m, n = (uint64_t)input->test->shape.n;
	const struct chain_stage *asked = &input->chain->stages[stage];
	size_t size = dtype_size(input->type);
	elsewhere_close(elsewhere);
	*elsewhere = (struct elsewhere){.open = true, .stage = stage, .fd = -1};
	struct arena *arena = &elsewhere->arena;
	arena->a_bytes = arena->c_bytes = m * n * sizeof(float);
	arena->b_bytes = m * n * size;
	for (uint32_t i = 0; i < asked->count; i++)
		if (asked->members[i].kind != CHAIN_ARGUMENT)
			arena->extra_bytes[arena->extras++] =
				chain_elements(asked->members[i].extent, m, n) * size;
	layout_offsets(arena);
	arena->sets = ELSEWHERE_SETS;
	arena->bytes = arena->sets * arena->set_stride;
	if (!make_memory(elsewhere, err)) {
		elsewhere_close(elsewhere);
		return false;
	}
	for (uint32_t set = 0; set < ELSEWHERE_SETS; set++)
		fill_set(elsewhere, input, set);
	return true;
}

struct check_stage elsewhere_results(const struct elsewhere *elsewhere,
									 const struct chain_stage *stage)
{
	struct check_stage results = {0};
	const struct arena *arena = &elsewhere->arena;
	for (uint32_t set = 0; set < ELSEWHERE_SETS; set++) {
		const uint8_t *base = elsewhere->memory + set * arena->set_stride;
		results.values[set] = (const float *)(base + arena->c_offset);
		for (uint32_t i = 0, extra = 0; i < stage->count; i++)
			if (stage->members[i].kind != CHAIN_ARGUMENT)
				results.written[set][i] = base + arena->extra_offset[extra++];
	}
	return results;
}

void elsewhere_close(struct elsewhere *elsewhere)
{
	if (!elsewhere->open)
		return;
	if (elsewhere->memory != NULL)
		munmap(elsewhere->memory, elsewhere->arena.bytes);
	if (elsewhere->fd >= 0)
		close(elsewhere->fd);
	*elsewhere = (struct elsewhere){0};
}
