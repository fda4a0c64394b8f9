/* cp.async.bulk, with and without a tensor map. A load lands when a thread looks
 * at the mbarrier that it completes on, a store when its group is waited for; or either at
 * once, which the kernel must not notice. A load is pending until its phase was waited for. */
#include "emulator/ops/bulk.h"

#include <stdlib.h>

#include "emulator/exec/access.h"
#include "emulator/exec/atomic.h"
#include "emulator/exec/copies.h"
#include "emulator/exec/mbarrier.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/race.h"
#include "emulator/exec/unfenced.h"
#include "emulator/ops/atomic.h"
#include "emulator/ops/wgmma.h"
#include "emulator/simd/lanes.h"
#include "emulator/tensor/map.h"

/* ------------------------------------------------------------------------
 * Spans of a tensor's box */

struct walk {
	struct warp *warp;
	const struct bulk *bulk;
	bool undefined; /* nothing wrote some byte of the source */
};

static bool span_within(const struct walk *walk, const struct tensor_span *span)
{
	const struct bulk *bulk = walk->bulk;
	uint64_t offset = (uint64_t)span->shared - bulk->block->shared_base;
	if (offset >= bulk->block->shared_bytes || span->bytes > bulk->block->shared_bytes - offset) {
		exec_fail(walk->warp, bulk->in, bulk->lane, FAULT_ADDRESS, span->shared,
				  "the box of the tensor map does not fit into the block's %zu bytes of shared "
				  "memory at offset %llu",
				  bulk->block->shared_bytes, (unsigned long long)bulk->shared);
		return false;
	}
	return true;
}

static bool source_readable(const struct walk *walk, uint64_t offset, uint32_t bytes)
{
	const struct bulk *bulk = walk->bulk;
	if (exec_unfenced_read(walk->warp, bulk->in, bulk->lane, bulk->block, offset, bytes,
						   "copies") != EXEC_NEXT)
		return false;
	for (uint32_t k = 0; k < bytes; k++) {
		uint8_t known = bulk->block->shared_written[offset + k];
		if (known == EXEC_SHARED_READABLE)
			continue;
		if (known == EXEC_SHARED_PENDING)
			exec_pending_read(walk->warp, bulk->in, bulk->lane, bulk->block, offset + k, "stores");
		else
			exec_fail(
				walk->warp, bulk->in, bulk->lane, FAULT_UNINITIALISED, offset + k,
				known == EXEC_SHARED_UNDEFINED
					? "stores shared memory that an undefined value was stored to (offset %llu)"
					: "stores shared memory that nothing wrote (offset %llu)",
				(unsigned long long)(offset + k));
		return false;
	}
	return true;
}

static bool visit_issue(void *context, const struct tensor_span *span)
{
	struct walk *walk = context;
	const struct bulk *bulk = walk->bulk;
	if (!span_within(walk, span))
		return false;
	uint64_t offset = (uint64_t)span->shared - bulk->block->shared_base;
	bool load = bulk->kind == BULK_LOAD;
	if (!load && span->inside && !source_readable(walk, offset, span->bytes))
		return false;
	bool written = true;
	if (span->inside && load &&
		exec_access_source(walk->warp, bulk->in, bulk->lane,
						   (struct exec_address){span->global, PTX_GLOBAL}, span->bytes, 1,
						   &written) == NULL)
		return false;
	if (span->inside && !load &&
		exec_access(walk->warp, bulk->in, bulk->lane, PTX_GLOBAL, span->global, span->bytes, 1,
					true) == NULL)
		return false;
	walk->undefined |= !written;
	return exec_race_access(bulk->block, walk->warp, bulk->in, bulk->lane, offset, span->bytes,
							load ? EXEC_RACE_WRITE : EXEC_RACE_READ) == EXEC_NEXT;
}

static uint32_t shared_address(const struct bulk *bulk)
{
	return (uint32_t)(bulk->shared + bulk->block->shared_base);
}

static bool visit_begin(void *context, const struct tensor_span *span)
{
	const struct walk *walk = context;
	exec_pending_begin(walk->bulk->block, copies_kind(walk->bulk),
					   (uint64_t)span->shared - walk->bulk->block->shared_base, span->bytes);
	return true;
}

static bool visit_end(void *context, const struct tensor_span *span)
{
	const struct walk *walk = context;
	uint64_t offset = (uint64_t)span->shared - walk->bulk->block->shared_base;
	exec_pending_end(walk->bulk->block, copies_kind(walk->bulk), offset, span->bytes);
	/* what loads brought, the async proxy sees without a fence */
	if (walk->bulk->kind == BULK_LOAD)
		exec_unfenced_clear(walk->bulk->block, offset, span->bytes);
	return true;
}

/* Visits all bytes of the copy in shared memory: as one span where there is no box, or where
 * swizzling, which moves bytes within 128 of them, leaves no gaps in it. */
static void visit_shared(struct bulk *bulk,
						 bool (*visit)(void *context, const struct tensor_span *span))
{
	struct walk walk = {bulk->warp, bulk, false};
	const struct tensor_span whole = {.shared = shared_address(bulk),
									  .bytes = (uint32_t)bulk->bytes};
	if (!bulk->tensor || bulk->map.swizzle == TENSOR_SWIZZLE_NONE || bulk->bytes % 128 == 0)
		visit(&walk, &whole);
	else
		tensor_map_walk(&bulk->map, bulk->coordinates, shared_address(bulk), visit, &walk);
}

/* cp.reduce.async.bulk: in->count: operation; in->e: number and in->reg_size: bytes
 * of an element, but for tensors. Sums of f32 keep subnormals, unlike those of atom and red, but
 * through maps of the types that flush: measured on an H200. */
static struct atomic_form reduction_form(const struct bulk *bulk)
{
	const struct exec_instruction *in = bulk->in;
	struct atomic_form form = {in->count, (enum atomic_number)in->e, in->reg_size, false};
	if (bulk->tensor) {
		form.number = bulk->map.number;
		form.size = (int)bulk->map.element_bytes;
		form.flush = bulk->map.flush;
	}
	return form;
}

static void reduce_span(const struct bulk *bulk, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	const struct atomic_form form = reduction_form(bulk);
	const size_t size = (size_t)form.size;
	for (uint64_t at = 0; at + size <= bytes; at += size) {
		uint64_t value = 0;
		memcpy(&value, from + at, size);
		ops_atomic(to + at, value, 0, form);
	}
}

static bool visit_land(void *context, const struct tensor_span *span)
{
	const struct walk *walk = context;
	const struct bulk *bulk = walk->bulk;
	uint64_t offset = (uint64_t)span->shared - bulk->block->shared_base;
	uint8_t *shared = bulk->block->shared + offset;
	uint8_t *global = (uint8_t *)(uintptr_t)span->global;
	if (bulk->kind == BULK_LOAD) {
		if (span->inside) {
			memcpy(shared, global, span->bytes);
			tensor_map_loaded(&bulk->map, shared, span->bytes);
		} else {
			tensor_map_fill(&bulk->map, shared, span->bytes);
		}
	} else if (span->inside && bulk->kind == BULK_STORE) {
		memcpy(global, shared, span->bytes);
	} else if (span->inside) {
		reduce_span(bulk, global, shared, span->bytes);
	}
	return true;
}

static uint64_t read_bytes(const struct bulk *bulk)
{
	return bulk->bytes - bulk->ignored_before - bulk->ignored_behind;
}

static void move(struct bulk *bulk)
{
	struct walk walk = {bulk->warp, bulk, false};
	uint8_t *shared = bulk->block->shared + bulk->shared;
	bulk->moved = true;
	if (bulk->tensor)
		tensor_map_walk(&bulk->map, bulk->coordinates, shared_address(bulk), visit_land, &walk);
	else if (bulk->kind == BULK_LOAD)
		memcpy(shared + bulk->ignored_before, bulk->source, read_bytes(bulk));
	else if (bulk->kind == BULK_STORE)
		memcpy((void *)(uintptr_t)bulk->global, shared, bulk->bytes);
	else
		reduce_span(bulk, (uint8_t *)(uintptr_t)bulk->global, shared, bulk->bytes);
}

static bool visit_undefined(void *context, const struct tensor_span *span)
{
	const struct walk *walk = context;
	struct exec_block *block = walk->bulk->block;
	if (span->inside)
		copies_undefine(block, (uint64_t)span->shared - block->shared_base,
						(const uint8_t *)(uintptr_t)span->global, span->bytes);
	return true;
}

/* The copy was waited for. */
static void end(struct bulk *bulk)
{
	struct walk walk = {bulk->warp, bulk, false};
	if (!bulk->moved)
		move(bulk);
	visit_shared(bulk, visit_end);
	if (bulk->tensor && bulk->kind == BULK_LOAD)
		copies_laid(bulk);
	if (bulk->undefined && bulk->tensor)
		tensor_map_walk(&bulk->map, bulk->coordinates, shared_address(bulk), visit_undefined,
						&walk);
	else if (bulk->undefined)
		copies_undefine(bulk->block, bulk->shared + bulk->ignored_before, bulk->source,
						read_bytes(bulk));
	/* whatever is there now: nobody says that it is kept */
	uint8_t *known = bulk->block->shared_written + bulk->shared;
	memset(known, EXEC_SHARED_UNDEFINED, bulk->ignored_before);
	memset(known + bulk->bytes - bulk->ignored_behind, EXEC_SHARED_UNDEFINED, bulk->ignored_behind);
}

static uint64_t *barrier_of(const struct bulk *load)
{
	return (uint64_t *)(void *)(load->barrier_block->shared + load->barrier);
}

static bool completes_on(const struct bulk *entry, const struct exec_block *block, uint64_t offset)
{
	return entry->kind == BULK_LOAD && entry->barrier_block == block && entry->barrier == offset;
}

/* whoever waits for the barrier comes after the copy */
static void complete(struct bulk *load)
{
	if (!load->moved)
		move(load);
	exec_race_release(load->barrier_block, load->warp, 1u << load->lane, EXEC_RACE_MBARRIER,
					  load->barrier);
	load->completed = true;
	load->phase = mbarrier_unpack(*barrier_of(load)).phase;
	mbarrier_complete(barrier_of(load), load->bytes);
}

void bulk_land(struct exec_block *block, uint64_t offset)
{
	struct exec_bulk *bulk = block->cluster->bulk;
	for (uint32_t k = 0; bulk != NULL && k < bulk->count; k++)
		if (completes_on(&bulk->entries[k], block, offset) && !bulk->entries[k].completed)
			complete(&bulk->entries[k]);
}

void bulk_seen(struct exec_block *block, uint64_t offset)
{
	struct exec_bulk *bulk = block->cluster->bulk;
	uint32_t kept = 0;
	for (uint32_t k = 0; bulk != NULL && k < bulk->count; k++) {
		struct bulk *entry = &bulk->entries[k];
		if (completes_on(entry, block, offset) && entry->completed &&
			entry->phase != mbarrier_unpack(*barrier_of(entry)).phase)
			end(entry);
		else if (kept++ != k)
			bulk->entries[kept - 1] = *entry;
	}
	if (bulk != NULL)
		bulk->count = kept;
}

/* Its bytes, and the completion on its mbarrier, come into shared memory that is another block's by
 * then. */
static enum exec_status outlived(const struct bulk *load)
{
	if (load->bytes == 0 ||
		exec_fail_undefined(load->warp, load->in, load->lane, FAULT_ASYNC, load->shared,
							"its block ends while this copy into its shared memory is under "
							"way (%llu bytes at offset %llu): nothing waited for its mbarrier",
							(unsigned long long)load->bytes,
							(unsigned long long)load->shared) == EXEC_NEXT)
		return EXEC_NEXT;
	load->warp->worker->fault.advice =
		"wait for the mbarrier of each copy before the block ends, also of one that was made ahead "
		"and that nobody needs; or do not make it";
	return EXEC_FAULT;
}

enum exec_status bulk_finish(struct exec_cluster *cluster)
{
	struct exec_bulk *bulk = cluster->bulk;
	enum exec_status status = EXEC_NEXT;
	if (bulk == NULL)
		return EXEC_NEXT;
	for (uint32_t k = 0; k < bulk->count; k++)
		if (bulk->entries[k].kind != BULK_LOAD)
			end(&bulk->entries[k]);
		else if (status == EXEC_NEXT)
			status = outlived(&bulk->entries[k]);
	bulk->count = bulk->group_count = 0;
	return status;
}

/* ------------------------------------------------------------------------
 * Issuing. in->list: shared address, the other address or the tensor map, the
 * mbarrier (three entries each), then: 9 bytes operand or -1, 10 the multicast
 * mask or -1, 11 number of coordinates, 12... coordinates, 17 and 18 the bytes at the beginning and
 * at the end that .ignore_oob leaves out. in->sub: enum sub_bulk;
 * in->flags CLUSTER: the source of a load is shared memory of this block. */

/* .ignore_oob: what a copy leaves out at its ends, which are where they would be with it. */
static bool ignored_bytes(struct warp *w, const struct exec_instruction *in, int lane,
						  struct exec_address at, struct bulk *out)
{
	out->ignored_before = SOURCE(uint32_t, in->list[17])[lane];
	out->ignored_behind = SOURCE(uint32_t, in->list[18])[lane];
	if (out->ignored_before + out->ignored_behind > out->bytes) {
		exec_fail(w, in, lane, FAULT_INSTRUCTION, at.address,
				  "ignores %llu and %llu bytes of a copy of %llu",
				  (unsigned long long)out->ignored_before, (unsigned long long)out->ignored_behind,
				  (unsigned long long)out->bytes);
		return false;
	}
	if (out->ignored_before && at.address % 16) {
		exec_fail(w, in, lane, FAULT_ALIGNMENT, at.address,
				  "address 0x%llx is not a multiple of 16", (unsigned long long)at.address);
		return false;
	}
	return true;
}

static bool plain_source(struct warp *w, const struct exec_instruction *in, int lane,
						 struct bulk *out)
{
	struct exec_address at = exec_listed_address(w, in->list + 3, lane);
	out->bytes = SOURCE(uint32_t, in->list[9])[lane];
	if (out->bytes % 16) {
		exec_fail(w, in, lane, FAULT_ALIGNMENT, at.address, "%llu bytes are no multiple of 16",
				  (unsigned long long)out->bytes);
		return false;
	}
	if (!ignored_bytes(w, in, lane, at, out))
		return false;
	if (read_bytes(out) == 0)
		return true;
	bool written = true;
	at.address += out->ignored_before;
	void *host = out->kind == BULK_LOAD
					 ? exec_access_source(w, in, lane, at, read_bytes(out),
										  out->ignored_before ? 1 : 16, &written)
					 : exec_access(w, in, lane, at.space, at.address, out->bytes, 16, true);
	out->undefined = !written;
	out->global = at.address;
	out->source = host;
	return host != NULL;
}

/* PTX ISA 9.7.9.25.4.1 has the mbarrier accessed through the generic proxy, so that a fence or
 * a barrier behind mbarrier.init is enough; 8.9.1.1 orders complete-tx with nothing else that
 * the issuing thread did. */
static bool barrier_known(const struct bulk *load)
{
	const struct exec_block *block = load->barrier_block;
	for (uint32_t i = block->inits_fenced; i < block->init_count; i++)
		if (block->inits[i].offset == load->barrier &&
			exec_fail_undefined(load->warp, load->in, load->lane, FAULT_ASYNC, load->barrier,
								"completes on the mbarrier at offset %llu, whose mbarrier.init no "
								"fence and no barrier has followed",
								(unsigned long long)load->barrier) != EXEC_NEXT)
			return false;
	return true;
}

/* Whether a load may write where it is to: no other copy is under way there (exec/pending.c),
 * and no wgmma that nothing waited for reads there (PTX ISA 9.7.15.4: it does so until its
 * completion is observed). */
static bool destination_free(const struct bulk *load)
{
	const struct exec_instruction *reader = wgmma_reading(load->block, load->shared, load->bytes);
	char place[EXEC_PLACE];
	if (reader != NULL &&
		exec_fail_undefined(load->warp, load->in, load->lane, FAULT_ASYNC, load->shared,
							"writes shared memory from offset %llu, which a wgmma that nothing "
							"waited for still reads (%s)",
							(unsigned long long)load->shared,
							exec_place(load->warp, reader, place)) != EXEC_NEXT) {
		load->warp->worker->fault.advice = WGMMA_ADVICE_GROUP;
		return false;
	}
	return exec_pending_write(load->warp, load->in, load->lane, load->block, load->shared,
							  load->bytes, NULL, load) == EXEC_NEXT;
}

static bool issue_one(struct warp *w, const struct exec_instruction *in,
					  const struct bulk *prepared, struct exec_block *block)
{
	struct bulk *entry = copies_add_bulk(w);
	if (entry == NULL) {
		exec_fail(w, in, prepared->lane, FAULT_MEMORY, 0, "no host memory for pending copies");
		return false;
	}
	*entry = *prepared;
	entry->block = block;
	struct walk walk = {w, entry, false};
	uint32_t align = entry->tensor ? TENSOR_MAP_ALIGNMENT : 16;
	if (entry->shared % 16 || (entry->tensor && shared_address(entry) % align)) {
		exec_fail(w, in, entry->lane, FAULT_ALIGNMENT, entry->shared,
				  "shared offset %llu is not a multiple of %u", (unsigned long long)entry->shared,
				  align);
		w->worker->fault.advice =
			entry->tensor
				? "shared memory that a tensor copy reaches lies at a multiple of 128 bytes: "
				  "alignas(128), or 1024 with a swizzle of 128 bytes"
				: "both ends of a bulk copy lie at multiples of 16 bytes";
		return false;
	}
	if (entry->tensor) {
		if (!tensor_map_walk(&entry->map, entry->coordinates, shared_address(entry), visit_issue,
							 &walk))
			return false;
		entry->undefined = walk.undefined;
	} else {
		if (entry->kind != BULK_LOAD &&
			!source_readable(&walk, entry->shared, (uint32_t)entry->bytes))
			return false;
		if (exec_race_access(block, w, in, entry->lane, entry->shared, entry->bytes,
							 entry->kind == BULK_LOAD ? EXEC_RACE_WRITE : EXEC_RACE_READ) !=
			EXEC_NEXT)
			return false;
	}
	if (entry->kind == BULK_LOAD && !(barrier_known(entry) && destination_free(entry)))
		return false;
	visit_shared(entry, visit_begin);
	if (exec_pending_early(block->cluster) & 1)
		move(entry);
	return true;
}

static bool issue_load(struct warp *w, const struct exec_instruction *in, struct bulk *bulk)
{
	struct exec_address at = exec_listed_address(w, in->list + 6, bulk->lane);
	bulk->barrier_block = exec_shared_place(w, in, bulk->lane, at, 8, 8, &bulk->barrier);
	if (bulk->barrier_block == NULL)
		return false;
	if (in->list[10] < 0)
		return issue_one(w, in, bulk, bulk->block);
	/* multicast: the same offsets in every block of the mask */
	struct exec_cluster *cluster = w->block->cluster;
	uint32_t blocks = SOURCE(uint16_t, in->list[10])[bulk->lane];
	for (uint32_t rank = 0; blocks >> rank; rank++) {
		if (!(blocks >> rank & 1))
			continue;
		if (rank >= cluster->count) {
			exec_fail(w, in, bulk->lane, FAULT_ADDRESS, 0,
					  "multicast to block %u of a cluster of %u", rank, cluster->count);
			return false;
		}
		bulk->barrier_block = &cluster->blocks[rank];
		if (exec_block_ended(w, in, bulk->lane, bulk->barrier_block) ||
			!issue_one(w, in, bulk, &cluster->blocks[rank]))
			return false;
	}
	return true;
}

HANDLER(bulk)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		struct bulk bulk = {
			.kind = (enum sub_bulk)in->sub, .lane = first_lane(left), .in = in, .warp = w};
		bool ok = in->list[11] ? bulk_read_map(w, in, bulk.lane, &bulk)
							   : plain_source(w, in, bulk.lane, &bulk);
		if (!ok)
			return EXEC_FAULT;
		struct exec_address at = exec_listed_address(w, in->list, bulk.lane);
		bulk.block =
			exec_shared_place(w, in, bulk.lane, at, bulk.tensor ? 1 : bulk.bytes, 1, &bulk.shared);
		if (bulk.block == NULL)
			return EXEC_FAULT;
		struct counters *counters = &w->worker->counters;
		if (bulk.kind == BULK_LOAD) {
			ok = issue_load(w, in, &bulk);
			counters->bulk_load_requests++;
			counters->bulk_load_bytes += bulk.bytes;
		} else {
			struct groups *groups = copies_groups(w);
			bulk.group = groups != NULL ? groups->committed[bulk.lane] : 0;
			ok = groups != NULL && issue_one(w, in, &bulk, bulk.block);
			counters->bulk_store_requests++;
			counters->bulk_store_bytes += bulk.bytes;
		}
		if (!ok)
			return EXEC_FAULT;
	}
	return EXEC_NEXT;
}

HANDLER(bulk_commit)
{
	(void)in;
	struct groups *groups = copies_groups(w);
	for (int i = 0; groups != NULL && i < EXEC_LANES; i++)
		groups->committed[i] += IN_MASK(i);
	return EXEC_NEXT;
}

/* in->imm: groups that may stay */
HANDLER(bulk_wait)
{
	struct exec_bulk *bulk = w->block->cluster->bulk;
	struct groups *groups = bulk != NULL ? copies_groups(w) : NULL;
	uint32_t kept = 0;
	for (uint32_t k = 0; groups != NULL && k < bulk->count; k++) {
		struct bulk *entry = &bulk->entries[k];
		if (entry->kind != BULK_LOAD && entry->warp == w && IN_MASK(entry->lane) &&
			entry->group + (uint64_t)in->imm < groups->committed[entry->lane])
			end(entry);
		else if (kept++ != k)
			bulk->entries[kept - 1] = *entry;
	}
	if (groups != NULL)
		bulk->count = kept;
	return EXEC_NEXT;
}
