/* cp.async and mbarrier. */
#include <stdlib.h>

#include "emulator/exec/access.h"
#include "emulator/exec/copies.h"
#include "emulator/exec/mbarrier.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/race.h"
#include "emulator/exec/race_global.h"
#include "emulator/exec/unfenced.h"
#include "emulator/ops/bulk.h"
#include "emulator/simd/lanes.h"

/* ------------------------------------------------------------------------
 * cp.async */

static void move(const struct warp *w, struct copy *copy)
{
	uint8_t *to = w->block->shared + copy->offset;
	if (copy->from_bytes)
		memcpy(to, copy->from, copy->from_bytes);
	memset(to + copy->from_bytes, 0, copy->bytes - copy->from_bytes);
	copy->landed = true;
}

/* It was waited for. It wrote through the generic proxy (PTX ISA 9.7.9.25.3.1: a weak memory
 * operation), at some time before this: fences up to now do not cover it. */
static void land(const struct warp *w, struct copy *copy)
{
	struct exec_block *block = w->block;
	if (!copy->landed)
		move(w, copy);
	exec_pending_end(block, EXEC_PENDING_WRITE, copy->offset, copy->bytes);
	if (copy->undefined)
		copies_undefine(block, copy->offset, copy->from, copy->from_bytes);
	if (block->unfenced != NULL)
		exec_unfenced_add(block, copy->in, copy->offset, copy->bytes);
}

/* in->list: destination, source (three entries each), size operand or -1,
 * predicate of ignore-src or -1; in->size: bytes */
static enum exec_status copy_lane(struct warp *w, const struct exec_instruction *in, int i,
								  bool early)
{
	struct exec_address to = exec_listed_address(w, in->list, i);
	struct exec_address from = exec_listed_address(w, in->list + 3, i);
	uint32_t bytes = in->size, from_bytes = bytes;
	if (in->list[6] >= 0)
		from_bytes = SOURCE(uint32_t, in->list[6])[i];
	if (in->list[7] >= 0 && (w->predicates[in->list[7]] >> i & 1))
		from_bytes = 0;
	if (from_bytes > bytes)
		return exec_fail(w, in, i, FAULT_ADDRESS, from.address,
						 "copies %u bytes of a source into %u", from_bytes, bytes);
	uint64_t offset;
	struct exec_block *block = exec_shared_place(w, in, i, to, bytes, bytes, &offset);
	if (block == NULL)
		return EXEC_FAULT;
	if (block != w->block)
		return exec_fail(w, in, i, FAULT_ADDRESS, to.address,
						 "the destination is not in the block's own shared memory");
	const uint8_t *source = NULL;
	bool written = true;
	if (from_bytes) {
		source = exec_access_source(w, in, i, from, from_bytes, 1, &written);
		if (source == NULL)
			return EXEC_FAULT;
		if (from.address % bytes)
			return exec_fail(w, in, i, FAULT_ALIGNMENT, from.address,
							 "source address 0x%llx is not a multiple of %u",
							 (unsigned long long)from.address, bytes);
	}
	struct copy copy = {
		0,        in,   source, (uint32_t)offset, (uint8_t)i, (uint8_t)bytes, (uint8_t)from_bytes,
		!written, false};
	if (exec_pending_write(w, in, i, block, offset, bytes, &copy, NULL) != EXEC_NEXT ||
		exec_race_access(block, w, in, i, offset, bytes, EXEC_RACE_WRITE) != EXEC_NEXT)
		return EXEC_FAULT;
	struct copy *entry = copies_add(w);
	if (entry == NULL)
		return exec_fail(w, in, i, FAULT_MEMORY, 0, "no host memory for pending copies");
	copy.group = w->copies->committed[i];
	exec_pending_begin(block, EXEC_PENDING_WRITE, offset, bytes);
	if (early)
		move(w, &copy);
	*entry = copy;
	return EXEC_NEXT;
}

/* fence.proxy.async: whoever executes it, what the block stored so far counts as
 * fenced. Threads that fence for others after a barrier are right to do so. */
HANDLER(fence_proxy_async)
{
	struct exec_block *block = w->block;
	(void)in;
	(void)mask;
	if (block->unfenced != NULL && block->unfenced_low < block->unfenced_high)
		memset(block->unfenced + block->unfenced_low, 0,
			   block->unfenced_high - block->unfenced_low);
	block->unfenced_low = ~(uint64_t)0;
	block->unfenced_high = 0;
	block->inits_fenced = block->init_count;
	return EXEC_NEXT;
}

/* Any other fence: what mbarriers were made is known to those that come later.
 * in->sub: enum sub_fence. */
HANDLER(fence)
{
	(void)mask;
	w->block->inits_fenced = w->block->init_count;
	/* Of what was stored before, and is read after it, no processor keeps the order by itself. */
	if (in->sub == FENCE_GPU)
		atomic_thread_fence(memory_order_seq_cst);
	if (w->block->race != NULL)
		race_global_fence(w, in);
	return EXEC_NEXT;
}

/* fence.proxy.tensormap::generic.acquire, for all maps of its block. */
HANDLER(fence_tensormap)
{
	(void)in;
	(void)mask;
	w->block->inits_fenced = w->block->init_count;
	w->block->maps_acquired = true;
	return EXEC_NEXT;
}

HANDLER(cp_async)
{
	uint32_t early = exec_pending_early(w->block->cluster);
	w->worker->counters.async_load_requests++;
	for (uint32_t left = mask; left; left &= left - 1)
		if (copy_lane(w, in, first_lane(left), early >> first_lane(left) & 1) != EXEC_NEXT)
			return EXEC_FAULT;
	/* loads as well, as on a GPU */
	w->worker->counters.global_load_requests++;
	w->worker->counters.global_load_sectors +=
		((uint32_t)__builtin_popcount(mask) * in->size + 31) / 32;
	w->worker->counters.async_load_sectors +=
		((uint32_t)__builtin_popcount(mask) * in->size + 31) / 32;
	w->worker->counters.global_lines += ((uint32_t)__builtin_popcount(mask) * in->size + 127) / 128;
	return EXEC_NEXT;
}

/* Lands what each lane's groups up to all but the newest `left` bring. */
static void land_groups(struct warp *w, uint32_t mask, uint64_t left)
{
	struct exec_copies *copies = w->copies;
	if (copies == NULL)
		return;
	uint32_t kept = 0;
	for (uint32_t k = 0; k < copies->count; k++) {
		struct copy *copy = &copies->entries[k];
		if (IN_MASK(copy->lane) && copy->group + left < copies->committed[copy->lane])
			land(w, copy);
		else
			copies->entries[kept++] = *copy;
	}
	copies->count = kept;
}

static void commit(struct warp *w, uint32_t mask)
{
	for (int i = 0; w->copies != NULL && i < EXEC_LANES; i++)
		w->copies->committed[i] += IN_MASK(i);
}

HANDLER(cp_async_commit)
{
	(void)in;
	if (w->copies == NULL)
		w->copies = calloc(1, sizeof *w->copies);
	commit(w, mask);
	return EXEC_NEXT;
}

/* in->imm: groups that may stay; -1: none, and whatever is not committed lands */
HANDLER(cp_async_wait)
{
	if (in->imm < 0)
		commit(w, mask);
	land_groups(w, mask, in->imm < 0 ? 0 : (uint64_t)in->imm);
	return EXEC_NEXT;
}

/* ------------------------------------------------------------------------
 * mbarrier */

/* The place of the offset among the inits; init_count: nowhere. */
static uint32_t find_init(const struct exec_block *block, uint64_t offset)
{
	uint32_t at = 0;
	while (at < block->init_count && block->inits[at].offset != offset)
		at++;
	return at;
}

/* Whether what lies there can still be the mbarrier that was made. */
static bool is_intact(struct warp *w, const struct exec_instruction *in, int lane,
					  const struct exec_block *block, uint64_t offset)
{
	const uint32_t at = find_init(block, offset);
	uint64_t state;
	char place[EXEC_PLACE];
	memcpy(&state, block->shared + offset, sizeof state);
	if (at == block->init_count || mbarrier_valid(state, block->inits[at].expected) ||
		exec_fail_undefined(
			w, in, lane, FAULT_BARRIER, offset,
			"the mbarrier at offset %llu (%s) has been overwritten: it holds 0x%llx, "
			"which is none",
			(unsigned long long)offset,
			exec_place(w, &w->worker->launch->program->code[block->inits[at].pc], place),
			(unsigned long long)state) == EXEC_NEXT)
		return true;
	w->worker->fault.advice = "something was stored where the mbarrier lies: give it memory of its "
							  "own, which no tile reaches, and count the mbarriers of its array";
	return false;
}

static uint64_t *barrier_at(struct warp *w, const struct exec_instruction *in, int i, bool write,
							struct exec_block **block, uint64_t *offset)
{
	uint64_t address = (uint64_t)in->imm +
					   (in->width == 8 ? SOURCE(uint64_t, in->a)[i] : SOURCE(uint32_t, in->a)[i]);
	address = in->width == 8 ? address : (uint32_t)address;
	void *host = exec_access(w, in, i, in->space, address, 8, 8, write);
	if (host == NULL)
		return NULL;
	*block = exec_shared_block(w, address & 0xffffffff, offset);
	if (*block == NULL || (uint8_t *)host < (*block)->shared ||
		(uint8_t *)host >= (*block)->shared + (*block)->shared_bytes) {
		exec_fail(w, in, i, FAULT_ADDRESS, address, "an mbarrier must be in shared memory");
		return NULL;
	}
	if ((*block)->race != NULL &&
		exec_race_access(*block, w, in, i, *offset, 8, write ? EXEC_RACE_MAKE : EXEC_RACE_USE) !=
			EXEC_NEXT)
		return NULL;
	if (!write && !is_intact(w, in, i, *block, *offset))
		return NULL;
	return host;
}

static const char *mbarrier_update(struct mbarrier *barrier, int operation, uint32_t count,
								   uint32_t bytes)
{
	bool expect = operation == MBARRIER_EXPECT || operation == MBARRIER_ARRIVE_EXPECT ||
				  operation == MBARRIER_DROP_EXPECT;
	bool arrive = operation >= MBARRIER_ARRIVE;
	bool drop = operation == MBARRIER_DROP || operation == MBARRIER_DROP_EXPECT;
	if (expect)
		barrier->bytes += (int32_t)bytes;
	if (operation == MBARRIER_COMPLETE)
		barrier->bytes -= (int32_t)bytes;
	if (operation == MBARRIER_ARRIVE_COPIES)
		barrier->pending++; /* and arrives at once */
	if (barrier->bytes > (int32_t)MBARRIER_COUNT_MAX ||
		barrier->bytes < -(int32_t)MBARRIER_COUNT_MAX)
		return "the transaction count leaves its range";
	if (arrive && (count == 0 || count > barrier->pending))
		return "arrives more often than the mbarrier expects in this phase";
	if (drop && count > barrier->expected)
		return "drops more arrivals than the mbarrier expects";
	barrier->pending -= arrive ? count : 0;
	barrier->expected -= drop ? count : 0;
	mbarrier_settle(barrier);
	return NULL;
}

/* Forgets one of the mbarriers that were made. */
static void forget_init(struct exec_block *block, uint32_t at)
{
	block->init_count--;
	block->inits_fenced -= at < block->inits_fenced;
	memmove(&block->inits[at], &block->inits[at + 1],
			(block->init_count - at) * sizeof block->inits[0]);
}

/* PTX ISA, mbarrier.init: where a valid mbarrier lies, only after mbarrier.inval. */
static enum exec_status make_mbarrier(struct warp *w, const struct exec_instruction *in, int lane,
									  struct exec_block *block, uint64_t offset, uint32_t arrivals)
{
	uint64_t *state = (uint64_t *)(void *)(block->shared + offset);
	uint32_t at = find_init(block, offset);
	char place[EXEC_PLACE];
	if (arrivals == 0 || arrivals > MBARRIER_COUNT_MAX)
		return exec_fail(w, in, lane, FAULT_BARRIER, 0, "an mbarrier expects %u arrivals",
						 arrivals);
	if (at < block->init_count && mbarrier_valid(*state, block->inits[at].expected) &&
		exec_fail_undefined(w, in, lane, FAULT_BARRIER, offset,
							"initialises the mbarrier at offset %llu again, with no mbarrier.inval "
							"since %s",
							(unsigned long long)offset,
							exec_place(w, &w->worker->launch->program->code[block->inits[at].pc],
									   place)) != EXEC_NEXT) {
		w->worker->fault.advice = "initialise an mbarrier once and wait for its phases in turn, or "
								  "call mbarrier.inval before the next mbarrier.init";
		return EXEC_FAULT;
	}
	*state = mbarrier_pack((struct mbarrier){arrivals, arrivals, 0, 0});
	if (at < block->init_count)
		forget_init(block, at);
	if (block->init_count < EXEC_INITS)
		block->inits[block->init_count++] =
			(struct exec_init){(uint32_t)offset, arrivals, exec_pc(w, in)};
	return EXEC_NEXT;
}

static void end_mbarrier(struct exec_block *block, uint64_t offset)
{
	const uint32_t at = find_init(block, offset);
	memset(block->shared_written + offset, EXEC_SHARED_UNWRITTEN, 8);
	if (at < block->init_count)
		forget_init(block, at);
}

/* in->sub: enum sub_mbarrier; in->b: count or bytes, or -1; in->c: the other one for
 * arrive.expect_tx; in->d: state, or -1 */
HANDLER(mbarrier)
{
	struct exec_block *block;
	uint64_t offset;
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = first_lane(left);
		uint64_t *state = barrier_at(w, in, i, in->sub == MBARRIER_INIT, &block, &offset);
		if (state == NULL)
			return EXEC_FAULT;
		uint32_t operand = in->b >= 0 ? SOURCE(uint32_t, in->b)[i] : 1;
		if (in->sub == MBARRIER_INIT) {
			if (make_mbarrier(w, in, i, block, offset, operand) != EXEC_NEXT)
				return EXEC_FAULT;
			continue;
		}
		if (in->sub == MBARRIER_INVAL) {
			end_mbarrier(block, offset);
			continue;
		}
		struct mbarrier barrier = mbarrier_unpack(*state);
		if (in->sub >= MBARRIER_ARRIVE_COPIES) {
			commit(w, 1u << i);
			land_groups(w, 1u << i, 0);
		}
		if (in->d >= 0)
			DEST(uint64_t, in->d)[i] = *state;
		bool bytes = in->sub == MBARRIER_EXPECT || in->sub == MBARRIER_COMPLETE ||
					 in->sub == MBARRIER_ARRIVE_EXPECT || in->sub == MBARRIER_DROP_EXPECT;
		if (in->sub >= MBARRIER_ARRIVE)
			exec_race_release(block, w, 1u << i, EXEC_RACE_MBARRIER, offset);
		const char *wrong = mbarrier_update(&barrier, in->sub, bytes ? 1 : operand, operand);
		if (wrong != NULL) {
			exec_fail(w, in, i, FAULT_BARRIER, 0, "%s", wrong);
			w->worker->fault.advice = "see that each wait on this mbarrier names the phase that it "
									  "is for, and that mbarrier.init counts all who arrive in one";
			return EXEC_FAULT;
		}
		*state = mbarrier_pack(barrier);
	}
	return EXEC_NEXT;
}

/* These lanes have seen that the phases of their mbarriers are over. */
static void acquire(struct warp *w, uint32_t lanes, struct exec_block *const blocks[],
					const uint64_t offsets[])
{
	while (lanes && w->block->race != NULL) {
		const int first = first_lane(lanes);
		uint32_t same = 0;
		for (int i = first; i < EXEC_LANES; i++)
			same |= (uint32_t)(lanes >> i & 1 && blocks[i] == blocks[first] &&
							   offsets[i] == offsets[first])
					<< i;
		exec_race_acquire(blocks[first], w, same, EXEC_RACE_MBARRIER, offsets[first]);
		lanes &= ~same;
	}
}

/* in->sub: enum sub_mbarrier_wait, what b is; flag VOLATILE: a
 * failed try_wait gives up its turn; in->d: predicate */
HANDLER(mbarrier_wait)
{
	uint32_t done = 0;
	struct exec_block *blocks[EXEC_LANES];
	uint64_t offsets[EXEC_LANES];
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = first_lane(left);
		struct exec_block *block;
		uint64_t offset;
		uint64_t *state = barrier_at(w, in, i, false, &block, &offset);
		if (state == NULL)
			return EXEC_FAULT;
		bulk_land(block, offset);
		uint32_t waited = in->sub == WAIT_PARITY ? SOURCE(uint32_t, in->b)[i] & 1
												 : (uint32_t)(SOURCE(uint64_t, in->b)[i] >> 63);
		bool over = mbarrier_unpack(*state).phase != waited;
		done |= (uint32_t)over << i;
		if (!over) {
			w->mbarrier_found = *state;
			continue;
		}
		bulk_seen(block, offset);
		blocks[i] = block;
		offsets[i] = offset;
	}
	acquire(w, done, blocks, offsets);
	w->predicates[in->d] = (w->predicates[in->d] & ~mask) | (done & mask);
	if ((done & mask) == mask)
		return EXEC_NEXT;
	w->pc = exec_pc(w, in) + 1;
	return EXEC_YIELD;
}

HANDLER(mbarrier_pending)
{
	const uint64_t *state = SOURCE(uint64_t, in->a);
	uint32_t t[EXEC_LANES];
	FOR_LANES t[i] = mbarrier_unpack(state[i]).pending;
	merge32(DEST(uint32_t, in->d), t, mask);
	return EXEC_NEXT;
}
