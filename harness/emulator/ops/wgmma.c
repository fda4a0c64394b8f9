/* wgmma: asynchronous products by the four warps of a warpgroup.
 *
 * An operation is queued by each warp and carried out, for all four, when one of
 * them waits for it. Reading the operands that late is what shows a buffer that
 * was given back too soon; and registers of a pending operation that something
 * else touches are caught (wgmma_touch, which decode/decode.c puts before such
 * instructions). */
#include "emulator/ops/wgmma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/copies.h"
#include "emulator/exec/follow.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/race.h"
#include "emulator/exec/schedule.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/unfenced.h"
#include "emulator/simd/lanes.h"
#include "emulator/tensor/tensor.h"

#define GROUP_WARPS 4
#define QUEUE 64 /* operations a warp may have pending */

struct mma {
	const struct exec_instruction *in;
	uint64_t a, b; /* descriptors */
	bool scale_d;
	uint64_t group;
	uint32_t metadata[EXEC_LANES]; /* where A is sparse */
};

struct exec_mmas {
	struct mma queue[QUEUE];
	uint64_t issued, done; /* operations since the block began */
	uint64_t committed;    /* groups */
	bool fenced;           /* a wgmma.fence follows what last touched the registers */
	bool halted;           /* where they are serialised: at the last one that was issued */
	const struct exec_instruction *touched; /* by what, if they were since the block began */
	uint64_t last_of_group;                 /* operations in closed groups */
};

void wgmma_clear(struct warp *w)
{
	if (w->mmas != NULL)
		w->mmas->fenced = w->mmas->halted = false;
	if (w->mmas != NULL)
		w->mmas->touched = NULL;
	if (w->mmas != NULL)
		w->mmas->issued = w->mmas->done = w->mmas->committed = w->mmas->last_of_group = 0;
}

void wgmma_free(struct warp *w)
{
	free(w->mmas);
	w->mmas = NULL;
}

/* The four warps of w's warpgroup; false when the block has no such four. */
static bool warpgroup(struct warp *w, struct warp *warps[GROUP_WARPS])
{
	uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS;
	if (first + GROUP_WARPS > w->block->warp_count)
		return false;
	for (uint32_t i = 0; i < GROUP_WARPS; i++)
		warps[i] = &w->block->warps[first + i];
	return true;
}

/* ------------------------------------------------------------------------
 * Carrying out */

/* in->imm: sub_unpack_wgmma(); in->list: how many registers of d and of a, then the registers,
 * and that of metadata where A is sparse */
static struct tensor_wgmma operation_of(const struct mma *mma)
{
	struct tensor_wgmma operation = sub_unpack_wgmma(mma->in->imm);
	operation.scale_d = mma->scale_d;
	return operation;
}

static struct tensor_descriptor descriptor_of(const struct exec_block *block, uint64_t bits)
{
	const enum machine_swizzle swizzle = block->warps[0].worker->launch->swizzle;
	struct tensor_descriptor descriptor = tensor_descriptor_decode(bits);
	descriptor.flat = swizzle == MACHINE_SWIZZLE_FLAT;
	if (swizzle != MACHINE_SWIZZLE_SAID && !descriptor.flat)
		descriptor.swizzle = (enum tensor_swizzle)(swizzle - MACHINE_SWIZZLE_NONE);
	return descriptor;
}

/* 16-byte chunks of a row of B, or a column. */
static unsigned across_b(const struct tensor_wgmma *operation)
{
	return operation->sparse ? 4 : 2;
}

/* One operand of an operation, in shared memory. */
struct mma_operand {
	uint64_t bits; /* its descriptor */
	unsigned rows, across;
	bool mn_major;
	const char *name;
};

static struct mma_operand operand_a(const struct mma *mma, const struct tensor_wgmma *operation)
{
	return (struct mma_operand){mma->a, TENSOR_WGMMA_ROWS, 2, operation->a_mn_major, "A"};
}

static struct mma_operand operand_b(const struct mma *mma, const struct tensor_wgmma *operation)
{
	return (struct mma_operand){mma->b, operation->n, across_b(operation), operation->b_mn_major,
								"B"};
}

static bool is_a(const struct mma_operand *operand)
{
	return operand->name[0] == 'A';
}

/* Which of the operand's rows (columns, for B) the chunk's undefined bytes belong to: a chunk is
 * a part of a row, or 8 rows of one k. */
static void note_undefined(struct warp *w, const struct exec_instruction *in, uint64_t offset,
						   const struct mma_operand *operand, size_t chunk,
						   struct exec_wgmma_reads *reads)
{
	const uint8_t *known = w->block->shared_written + offset;
	bool *undefined = is_a(operand) ? reads->a : reads->b;
	for (uint32_t k = 0; k < TENSOR_CHUNK; k++) {
		if (known[k] == EXEC_SHARED_READABLE)
			continue;
		undefined[operand->mn_major ? chunk % (operand->rows / 8) * 8 + k / 2
									: chunk / operand->across] = true;
		if (!reads->any)
			reads->read = (struct exec_read){exec_pc(w, in), known[k] == EXEC_SHARED_UNDEFINED,
											 PTX_SHARED, offset + k};
		reads->any = true;
	}
}

/* Copies all chunks, when they lie in the block's shared memory and nothing is to be said about
 * any: written, none pending, none behind a missing fence, races not looked for. */
static bool quick_gather(const struct exec_block *block, const uint32_t *addresses, size_t count,
						 uint8_t *restrict out)
{
	const uint8_t *const shared = block->shared, *const written = block->shared_written;
	const uint8_t *const unfenced =
		block->unfenced_low < block->unfenced_high ? block->unfenced : NULL;
	const int32_t last = (int32_t)block->shared_bytes - (int32_t)TENSOR_CHUNK;
	int32_t outside = 0;
	uint64_t known = ~(uint64_t)0, late = 0, two[2];
	for (size_t i = 0; i < count; i++) { /* addresses have 18 bits and few more: no overflow */
		int32_t offset = (int32_t)(addresses[i] - block->shared_base);
		outside |= offset | (last - offset);
	}
	if (outside < 0 || block->race != NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint32_t offset = addresses[i] - block->shared_base;
		memcpy(two, written + offset, sizeof two);
		known &= two[0] & two[1];
		if (unfenced != NULL) {
			memcpy(two, unfenced + offset, sizeof two);
			late |= two[0] | two[1];
		}
		memcpy(out + i * TENSOR_CHUNK, shared + offset, TENSOR_CHUNK);
	}
	return known == ~(uint64_t)0 && !late;
}

/* The warp that reads a chunk, for the race check: each of the four needs its own 16 rows of A, so
 * that what it stored itself needs no barrier before (FlashAttention-3 does so). All need B, which
 * is looked at for the one that carries out. */
static struct warp *reader_of(struct warp *w, size_t chunk, const struct mma_operand *operand)
{
	const size_t row = operand->mn_major ? chunk % (TENSOR_WGMMA_ROWS / 8) * 8 : chunk / 2;
	const uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS;
	return is_a(operand) ? &w->block->warps[first + row / (TENSOR_WGMMA_ROWS / GROUP_WARPS)] : w;
}

static const char *swizzle_name(uint32_t swizzle)
{
	return swizzle == TENSOR_SWIZZLE_NONE  ? "none"
		   : swizzle == TENSOR_SWIZZLE_128 ? "128 bytes"
		   : swizzle == TENSOR_SWIZZLE_64  ? "64 bytes"
										   : "32 bytes";
}

/* Whether the tensor load that brought an operand used another swizzle than its descriptor has.
 * The right bytes may be there all the same, as where a row has no more than a unit of them. */
static void compare_swizzle(const struct warp *w, const struct exec_instruction *in,
							const struct tensor_descriptor *descriptor, const char *which)
{
	const struct exec_layout *layout =
		copies_layout(w->block, descriptor->start - w->block->shared_base);
	char load[EXEC_PLACE], product[EXEC_PLACE];
	if (layout == NULL || layout->swizzle == descriptor->swizzle)
		return;
	exec_program_place(w->worker->launch->program, layout->pc, load);
	exec_place(w, in, product);
	exec_suspect(
		w,
		"matrix %s of the wgmma%.100s is read with another swizzle (%s) than the tensor "
		"copy%.100s lays it out with (%s): bits 62 and 63 of the descriptor and the tensor "
		"map have to say the same",
		which, strstr(product, " at "), swizzle_name(descriptor->swizzle), strstr(load, " at "),
		swizzle_name(layout->swizzle));
}

static size_t chunks_of(const struct mma_operand *operand,
						const struct tensor_descriptor *descriptor,
						uint32_t addresses[TENSOR_CHUNKS])
{
	return tensor_chunks(descriptor, operand->rows, operand->across, operand->mn_major, addresses);
}

/* Copies an operand's chunks together; false after a fault. */
static bool gather(struct warp *w, const struct exec_instruction *in,
				   const struct mma_operand *operand, uint8_t *out, struct exec_wgmma_reads *reads)
{
	uint32_t addresses[TENSOR_CHUNKS];
	struct exec_block *block = w->block;
	struct tensor_descriptor descriptor = descriptor_of(block, operand->bits);
	size_t count = chunks_of(operand, &descriptor, addresses);
	if (block->layout_count)
		compare_swizzle(w, in, &descriptor, operand->name);
	if (quick_gather(block, addresses, count, out))
		return true;
	for (size_t i = 0; i < count; i++) {
		uint64_t offset = (uint64_t)addresses[i] - block->shared_base;
		if (offset >= block->shared_bytes || block->shared_bytes - offset < TENSOR_CHUNK) {
			exec_fail(w, in, 0, FAULT_ADDRESS, addresses[i],
					  "matrix %s reaches shared address 0x%x, outside the block's %zu bytes (start "
					  "0x%x, leading %u, stride %u)",
					  operand->name, addresses[i], block->shared_bytes, descriptor.start,
					  descriptor.leading, descriptor.stride);
			return false;
		}
		const uint8_t *known = block->shared_written + offset;
		for (uint32_t k = 0; k < TENSOR_CHUNK; k += 8) {
			uint64_t eight;
			memcpy(&eight, known + k, sizeof eight);
			if (eight == ~(uint64_t)0)
				continue;
			uint32_t j = 0;
			while (j < 8 && known[k + j] != EXEC_SHARED_PENDING)
				j++;
			if (j == 8) {
				note_undefined(w, in, offset, operand, i, reads);
				continue;
			}
			char verb[32];
			snprintf(verb, sizeof verb, "matrix %s reads", operand->name);
			exec_pending_read(w, in, 0, block, offset + k + j, verb);
			return false;
		}
		if (exec_unfenced_any(block, offset, TENSOR_CHUNK)) {
			char verb[32];
			snprintf(verb, sizeof verb, "matrix %s reads", operand->name);
			exec_unfenced_read(w, in, 0, block, offset, TENSOR_CHUNK, verb);
			return false;
		}
		if (exec_race_access(block, reader_of(w, i, operand), in, 0, offset, TENSOR_CHUNK,
							 EXEC_RACE_LOOK) != EXEC_NEXT)
			return false;
		memcpy(out + i * TENSOR_CHUNK, block->shared + offset, TENSOR_CHUNK);
	}
	return true;
}

/* Whether an operand has one of the bytes. */
static bool operand_has(const struct exec_block *block, const struct mma_operand operand,
						uint64_t offset, size_t bytes)
{
	struct tensor_descriptor descriptor = descriptor_of(block, operand.bits);
	uint64_t low = offset + block->shared_base, high = low + bytes;
	uint32_t apart =
		descriptor.stride > descriptor.leading ? descriptor.stride : descriptor.leading;
	uint32_t addresses[TENSOR_CHUNKS],
		reach = 1024 + (operand.rows / 8 + operand.across) * apart; /* at most */
	if (descriptor.start >= high + 1024 || descriptor.start + reach <= low)
		return false;
	size_t count = chunks_of(&operand, &descriptor, addresses);
	for (size_t i = 0; i < count; i++)
		if (addresses[i] < high && addresses[i] + TENSOR_CHUNK > low)
			return true;
	return false;
}

const struct exec_instruction *wgmma_reading(const struct exec_block *block, uint64_t offset,
											 size_t bytes)
{
	for (uint32_t i = 0; i < block->warp_count; i++) {
		const struct exec_mmas *mmas = block->warps[i].mmas;
		for (uint64_t k = mmas != NULL ? mmas->done : 0; mmas != NULL && k < mmas->issued; k++) {
			const struct mma *mma = &mmas->queue[k % QUEUE];
			struct tensor_wgmma operation = operation_of(mma);
			if (operand_has(block, operand_b(mma, &operation), offset, bytes) ||
				(mma->in->a >= 0 && operand_has(block, operand_a(mma, &operation), offset, bytes)))
				return mma->in;
		}
	}
	return NULL;
}

static bool carry_out(struct warp *w, struct warp *warps[GROUP_WARPS], uint64_t index)
{
	const struct mma *mma = &w->mmas->queue[index % QUEUE];
	const struct exec_instruction *in = mma->in;
	struct tensor_wgmma operation = operation_of(mma);
	_Alignas(64) uint8_t a[TENSOR_CHUNKS * TENSOR_CHUNK], b[TENSOR_CHUNKS * TENSOR_CHUNK];
	uint32_t *d_registers[GROUP_WARPS][TENSOR_WGMMA_COLUMNS / 2];
	const uint32_t *a_registers[GROUP_WARPS][4];
	int32_t d_count = in->list[0], a_count = in->list[1];
	for (int i = 0; i < GROUP_WARPS; i++) {
		const struct mma *other = &warps[i]->mmas->queue[index % QUEUE];
		if (other->in != in || other->b != mma->b || other->scale_d != mma->scale_d ||
			(!a_count && other->a != mma->a)) {
			exec_fail(w, in, 0, FAULT_ASYNC, 0,
					  "the four warps of the warpgroup disagree about this operation");
			return false;
		}
		for (int r = 0; r < d_count; r++)
			d_registers[i][r] = (uint32_t *)(warps[i]->base[0] + in->list[2 + r]);
		for (int r = 0; r < a_count; r++)
			a_registers[i][r] = (const uint32_t *)(warps[i]->base[0] + in->list[2 + d_count + r]);
		operation.registers[i] = d_registers[i];
		operation.metadata[i] = other->metadata;
		operation.a_registers[i] = a_registers[i];
	}
	struct exec_wgmma_reads reads = {0};
	const struct mma_operand of_a = operand_a(mma, &operation), of_b = operand_b(mma, &operation);
	if (!gather(w, in, &of_b, b, &reads) || (!a_count && !gather(w, in, &of_a, a, &reads)))
		return false;
	operation.a_bytes = a_count ? NULL : a;
	operation.b_bytes = b;
	tensor_wgmma(&operation);
	unsigned depth = TENSOR_WGMMA_K_BYTES / (unsigned)tensor_type_bytes(operation.a);
	exec_count_tensor(w, tensor_type_bits(operation.a),
					  2ull * TENSOR_WGMMA_ROWS * operation.n * depth);
	w->worker->counters.wgmma_shared_bytes +=
		(uint64_t)TENSOR_WGMMA_K_BYTES *
		(operation.n * across_b(&operation) / 2 + (a_count ? 0 : TENSOR_WGMMA_ROWS));
	return exec_follow_wgmma(warps, in, mma->scale_d, &reads);
}

/* Carries out the operations below `upto`. YIELD: other warps have not issued
 * them yet. */
static enum exec_status complete(struct warp *w, const struct exec_instruction *in, uint64_t upto)
{
	struct warp *warps[GROUP_WARPS];
	if (!warpgroup(w, warps))
		return exec_fail(w, in, 0, FAULT_BARRIER, 0, "the warpgroup has fewer than four warps");
	while (w->mmas->done < upto) {
		for (int i = 0; i < GROUP_WARPS; i++)
			if (warps[i]->mmas == NULL || warps[i]->mmas->issued <= w->mmas->done)
				return EXEC_YIELD;
		if (!carry_out(w, warps, w->mmas->done))
			return EXEC_FAULT;
		for (int i = 0; i < GROUP_WARPS; i++)
			warps[i]->mmas->done++;
	}
	return EXEC_NEXT;
}

static enum exec_status again(struct warp *w, const struct exec_instruction *in)
{
	w->pc = exec_pc(w, in);
	return EXEC_YIELD;
}

/* ------------------------------------------------------------------------
 * Instructions */

#define ADVICE_FENCE                                                                               \
	"wgmma.fence.sync.aligned comes before the first wgmma, and again where other instructions "   \
	"have touched its registers since"

static enum exec_status fail_unfenced(struct warp *w, const struct exec_instruction *in,
									  const struct exec_instruction *touched)
{
	char place[EXEC_PLACE];
	const enum exec_status status =
		touched != NULL
			? exec_fail_undefined(w, in, 0, FAULT_ASYNC, 0,
								  "no wgmma.fence since registers of a wgmma were touched (%s)",
								  exec_place(w, touched, place))
			: exec_fail_undefined(w, in, 0, FAULT_ASYNC, 0, "no wgmma.fence before it");
	if (status == EXEC_FAULT)
		w->worker->fault.advice = ADVICE_FENCE;
	return status;
}

static enum exec_status fail_pending(struct warp *w, const struct exec_instruction *in,
									 const struct exec_instruction *pending)
{
	char place[EXEC_PLACE];
	const enum exec_status status = exec_fail_undefined(
		w, in, 0, FAULT_ASYNC, 0, "touches a register of a wgmma that nothing waited for (%s)",
		exec_place(w, pending, place));
	if (status == EXEC_FAULT)
		w->worker->fault.advice = WGMMA_ADVICE_GROUP;
	return status;
}

static void issue(struct warp *w, const struct exec_instruction *in)
{
	struct exec_mmas *mmas = w->mmas;
	struct mma *mma = &mmas->queue[mmas->issued++ % QUEUE];
	mma->in = in;
	mma->a = in->a >= 0 ? SOURCE(uint64_t, in->a)[0] : 0;
	mma->b = SOURCE(uint64_t, in->b)[0];
	mma->scale_d = w->predicates[in->c] & 1;
	mma->group = mmas->committed;
	if (sub_unpack_wgmma(in->imm).sparse)
		memcpy(mma->metadata, SOURCE(uint32_t, in->list[2 + in->list[0] + in->list[1]]),
			   sizeof mma->metadata);
}

/* Issued, and then waited for, with the fences that it needs: as ptxas makes it of one that it
 * serialises. */
static enum exec_status issue_serialised(struct warp *w, const struct exec_instruction *in)
{
	if (!w->mmas->halted)
		issue(w, in);
	w->mmas->halted = true;
	enum exec_status status = complete(w, in, w->mmas->issued);
	if (status == EXEC_YIELD)
		return again(w, in);
	w->mmas->halted = false;
	return status == EXEC_NEXT ? exec_follow_on(w, in) : status;
}

/* in->a: descriptor of A, or -1; in->b: of B; in->c: predicate scale-d */
HANDLER(wgmma)
{
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (w->mmas == NULL)
		w->mmas = calloc(1, sizeof *w->mmas);
	struct exec_mmas *mmas = w->mmas;
	if (mmas == NULL)
		return exec_fail(w, in, 0, FAULT_MEMORY, 0, "no host memory for pending operations");
	if (w->worker->launch->serialised)
		return issue_serialised(w, in);
	if (!mmas->fenced && fail_unfenced(w, in, mmas->touched) != EXEC_NEXT)
		return EXEC_FAULT;
	if (mmas->issued - mmas->done == QUEUE) {
		enum exec_status status = complete(w, in, mmas->done + 1);
		if (status != EXEC_NEXT)
			return status == EXEC_YIELD ? again(w, in) : status;
	}
	issue(w, in);
	return exec_follow_on(w, in);
}

HANDLER(wgmma_fence)
{
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (w->mmas == NULL)
		w->mmas = calloc(1, sizeof *w->mmas);
	if (w->mmas == NULL)
		return exec_fail(w, in, 0, FAULT_MEMORY, 0, "no host memory for pending operations");
	w->mmas->fenced = true;
	return EXEC_NEXT;
}

HANDLER(wgmma_commit)
{
	(void)in;
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (w->mmas != NULL) {
		w->mmas->committed++;
		w->mmas->last_of_group = w->mmas->issued;
	}
	return EXEC_NEXT;
}

/* in->imm: groups that may stay */
HANDLER(wgmma_wait)
{
	struct exec_mmas *mmas = w->mmas;
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (mmas == NULL)
		return EXEC_NEXT;
	uint64_t upto = mmas->done;
	while (upto < mmas->last_of_group &&
		   mmas->queue[upto % QUEUE].group + (uint64_t)in->imm < mmas->committed)
		upto++;
	enum exec_status status = complete(w, in, upto);
	return status == EXEC_YIELD  ? again(w, in)
		   : status == EXEC_NEXT ? exec_follow_on(w, in)
								 : status;
}

/* in->list: registers that the next instruction touches, ended by -1. Says behind which
 * pending operation none is left that works on them. */
static uint64_t last_touching(const struct exec_mmas *mmas, const struct exec_instruction *in)
{
	for (uint64_t k = mmas->issued; k > mmas->done; k--) {
		const struct exec_instruction *op = mmas->queue[(k - 1) % QUEUE].in;
		for (const int32_t *touched = in->list; *touched >= 0; touched++)
			for (int r = 0; r < op->list[0] + op->list[1]; r++)
				if (op->list[2 + r] == *touched)
					return k;
	}
	return mmas->done;
}

/* in->sub: enum sub_touch. A move completes what is
 * pending on them, as ptxas serialises there; anything else has forgotten to wait. */
HANDLER(wgmma_touch)
{
	struct exec_mmas *mmas = w->mmas;
	(void)mask;
	/* a move may be the compiler's, which ptxas takes out again */
	if (mmas != NULL && in->sub == TOUCH_USES) {
		mmas->fenced = false;
		mmas->touched = in;
	}
	if (mmas == NULL || mmas->done == mmas->issued)
		return EXEC_NEXT;
	uint64_t upto = last_touching(mmas, in);
	if (upto > mmas->done && in->sub == TOUCH_USES &&
		fail_pending(w, in, mmas->queue[(upto - 1) % QUEUE].in) != EXEC_NEXT)
		return EXEC_FAULT;
	enum exec_status status = complete(w, in, upto);
	return status == EXEC_YIELD  ? again(w, in)
		   : status == EXEC_NEXT ? exec_follow_on(w, in)
								 : status;
}
