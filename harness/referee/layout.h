/* Where the buffers of a case lie in its arena. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_LAYOUT_H
#define GEMMJUDGE_REFEREE_LAYOUT_H

#include "process/protocol.h"

#define LAYOUT_ALIGNMENT 256u

static inline uint64_t layout_round_up(uint64_t bytes)
{
	return (bytes + LAYOUT_ALIGNMENT - 1) / LAYOUT_ALIGNMENT * LAYOUT_ALIGNMENT;
}

/* Buffers of an arena: A, B, C, and those of the epilogue. */
static inline uint32_t layout_buffers(const struct arena *arena)
{
	return 3 + arena->extras;
}

/* Buffer 0, 1, 2 is A, B, C; 3 + i is extra i. */
static inline void layout_buffer(const struct arena *arena, uint32_t buffer, uint64_t *offset,
								 uint64_t *bytes)
{
	const uint64_t offsets[] = {arena->a_offset, arena->b_offset, arena->c_offset};
	const uint64_t sizes[] = {arena->a_bytes, arena->b_bytes, arena->c_bytes};
	*offset = buffer < 3 ? offsets[buffer] : arena->extra_offset[buffer - 3];
	*bytes = buffer < 3 ? sizes[buffer] : arena->extra_bytes[buffer - 3];
}

/* From the sizes, the offsets and the stride. Guard, A, guard, guard, B, guard,
 * guard, C, guard, ...: each buffer has its own band on either side, and the gap up
 * to the next multiple of 256 belongs to the band behind it. */
static inline void layout_offsets(struct arena *arena)
{
	uint64_t end = 0;
	uint64_t *offsets[3] = {&arena->a_offset, &arena->b_offset, &arena->c_offset};
	for (uint32_t i = 0; i < layout_buffers(arena); i++) {
		uint64_t offset, bytes;
		layout_buffer(arena, i, &offset, &bytes);
		*(i < 3 ? offsets[i] : &arena->extra_offset[i - 3]) = end + GUARD_BYTES;
		end += GUARD_BYTES + layout_round_up(bytes) + GUARD_BYTES;
	}
	arena->set_stride = end;
}

#endif
