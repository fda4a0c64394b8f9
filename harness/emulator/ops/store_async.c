/* st.async and red.async. They are done at once, before the mbarrier that they complete on: a
 * thread that does not wait for it may see them too early. */
#include "emulator/exec/access.h"
#include "emulator/exec/mbarrier.h"
#include "emulator/exec/race.h"
#include "emulator/ops/atomic.h"
#include "emulator/simd/lanes.h"

/* The elements of a lane; false after a fault. */
static bool store(struct warp *w, const struct exec_instruction *in, int lane,
				  struct exec_address at)
{
	const size_t size = in->size, bytes = size * in->count;
	const struct atomic_form form = {in->sub, (enum atomic_number)in->e, in->size, false};
	if (in->sub != ATOM_EXCH &&
		exec_access(w, in, lane, PTX_SHARED, at.address, bytes, bytes, false) == NULL)
		return false;
	uint8_t *to = exec_access(w, in, lane, PTX_SHARED, at.address, bytes, bytes, true);
	for (uint32_t k = 0; to != NULL && k < in->count; k++) {
		uint64_t value = 0;
		memcpy(&value, SOURCE(uint8_t, in->list[6 + k]) + (size_t)lane * size, size);
		ops_atomic(to + k * size, value, 0, form);
	}
	return to != NULL;
}

/* in->list: where to, the mbarrier (three entries each), the values; in->sub: enum
 * atomic_operation, ATOM_EXCH for a store; in->e: number, in->size: bytes of each of in->count. */
HANDLER(st_async)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = first_lane(left);
		uint64_t offset, place;
		const uint64_t bytes = (uint64_t)in->size * in->count;
		struct exec_address at = exec_listed_address(w, in->list, i);
		struct exec_address barrier = exec_listed_address(w, in->list + 3, i);
		struct exec_block *block = exec_shared_place(w, in, i, barrier, 8, 8, &offset);
		struct exec_block *target = exec_shared_place(w, in, i, at, bytes, bytes, &place);
		if (block == NULL || target == NULL)
			return EXEC_FAULT;
		if (block != target)
			return exec_fail(w, in, i, FAULT_BARRIER, barrier.address,
							 "its mbarrier is not in the shared memory of the block that it "
							 "stores to");
		if (!store(w, in, i, at))
			return EXEC_FAULT;
		exec_race_release(block, w, 1u << i, EXEC_RACE_MBARRIER, offset);
		mbarrier_complete((uint64_t *)(void *)(block->shared + offset), bytes);
	}
	return EXEC_NEXT;
}
