/* What a result holds, as a digest, without a comparison. */
#include "referee/referee.h"

bool referee_digest(struct referee *referee, uint32_t set, struct digest *out, struct error *err)
{
	if (!referee->has_case || referee->group > 0 || set >= referee->arena.sets)
		return error_set(err, "a digest of a result that is not there");
	const struct arena *arena = &referee->arena;
	const struct arena_buffer *at =
		&arena->buffers[problem_part_index(referee->problem, PART_RESULT)];
	return referee->device->digest(referee->state, set * arena->set_stride + at->offset, at->bytes,
								   out, err);
}

bool referee_note_digest(struct referee *referee, struct error *err)
{
	return referee->group > 0 ||
		   referee_digest(referee, referee->checked.set, &referee->reply.result, err);
}
