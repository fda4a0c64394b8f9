/* ldmatrix, stmatrix, wmma and mma.sync: from registers and memory to the pure
 * functions of tensor.h. */
#include "emulator/exec/access.h"
#include "emulator/exec/banks.h"
#include "emulator/exec/footprint.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/schedule.h"
#include "emulator/exec/unfenced.h"
#include "emulator/simd/lanes.h"
#include "emulator/tensor/tensor.h"

#define OPERANDS_MAX 32 /* registers of one fragment */

/* ------------------------------------------------------------------------
 * ldmatrix, stmatrix */

#define ROW_BYTES 16
#define ROWS 8

static u8 *row_at(struct warp *w, const struct exec_instruction *in, int lane, bool write)
{
	u64 address =
		(u64)in->imm + (in->width == 8 ? SOURCE(u64, in->a)[lane] : SOURCE(u32, in->a)[lane]);
	address = in->width == 8 ? address : (u32)address;
	struct exec_block *block = w->block;
	u64 offset = exec_own_offset(block, address);
	if (in->space == PTX_SHARED && !block->race && offset < block->shared_bytes &&
		block->shared_bytes - offset >= ROW_BYTES && offset % ROW_BYTES == 0 &&
		!(write && exec_pending_touched(block, offset, ROW_BYTES))) {
		u64 *known = (u64 *)(void *)(block->shared_written + offset);
		if (write && block->unfenced)
			exec_unfenced_add(block, in, offset, ROW_BYTES);
		if (write)
			known[0] = known[1] = ~(u64)0;
		if ((known[0] & known[1]) == ~(u64)0)
			return block->shared + offset;
	}
	return exec_access(w, in, lane, in->space, address, ROW_BYTES, ROW_BYTES, write);
}

/* All rows at once, when they lie aligned in the block's own shared memory and were written. */
static bool quick_rows(struct warp *w, const struct exec_instruction *in, int count, u8 *rows[])
{
	const struct exec_block *block = w->block;
	const u32 *address = SOURCE(u32, in->a), own = (u32)block->own_bits, imm = (u32)in->imm;
	const u32 base = (u32)block->shared_base;
	const u64 bytes = block->shared_bytes;
	u8 *const shared = block->shared;
	const u8 *const written = block->shared_written;
	u64 all = ~(u64)0, far = 0;
	u32 offsets[4 * ROWS], low = 0;
	if (in->space != PTX_SHARED || in->width != 4 || block->race || bytes < ROW_BYTES)
		return false;
	for (int i = 0; i < count; i++) {
		u32 at = address[i] + imm, offset = at - base - (at >= own ? own : 0);
		far |= bytes - ROW_BYTES - offset; /* wraps where the row does not fit */
		low |= offset % ROW_BYTES;
		offsets[i] = offset;
	}
	if (low || far >> 63)
		return false;
	for (int i = 0; i < count; i++) {
		const u64 *known = (const u64 *)(const void *)(written + offsets[i]);
		all &= known[0] & known[1];
		rows[i] = shared + offsets[i];
	}
	return all == ~(u64)0;
}

/* The most different rows of a matrix that share their four banks. */
static u32 matrix_passes(u8 *const rows[ROWS])
{
	u64 depth = 0; /* a byte for each four banks */
	for (u32 r = 0; r < ROWS; r++)
		depth += (u64)1 << ((u64)(uintptr_t)rows[r] / ROW_BYTES % 8 * 8);
	if (depth == 0x0101010101010101)
		return 1;
	u32 worst = 1;
	depth = 0;
	for (u32 r = 0; r < ROWS; r++) {
		u64 shift = (u64)(uintptr_t)rows[r] / ROW_BYTES % 8 * 8;
		bool seen = false;
		for (u32 k = 0; k < r; k++)
			seen |= rows[k] == rows[r];
		depth += (u64)!seen << shift;
		worst = (depth >> shift & 0xff) > worst ? depth >> shift & 0xff : worst;
	}
	return worst;
}

static void count_shared(struct warp *w, u32 passes, u32 ideal, bool write)
{
	struct counters *counters = &w->worker->counters;
	if (write) {
		counters->shared_store_requests++;
		counters->shared_store_wavefronts += passes;
		counters->shared_store_conflicts += passes - ideal;
	} else {
		counters->shared_load_requests++;
		counters->shared_load_wavefronts += passes;
		counters->shared_load_conflicts += passes - ideal;
	}
}

/* Each matrix takes one pass over the banks, more where rows share banks. */
static void count_rows(struct warp *w, u8 *const rows[], u32 count, bool write)
{
	u32 passes = 0;
	for (u32 m = 0; m < count; m++)
		passes += matrix_passes(rows + (size_t)m * ROWS);
	count_shared(w, passes, count, write);
}

/* in->list: registers; in->count: matrices; in->sub: enum sub_matrix */
HANDLER(ldmatrix)
{
	u8 *rows[4 * ROWS];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	const int count = in->count * ROWS;
	bool quick = quick_rows(w, in, count, rows);
	for (int i = 0; !quick && i < count; i++) {
		rows[i] = row_at(w, in, i, false);
		if (!rows[i])
			return EXEC_FAULT;
	}
	count_rows(w, rows, in->count, false);
	/* Addresses are behind us: a destination may be their register. */
	for (int m = 0; m < in->count; m++) {
		u32 *d = DEST(u32, in->list[m]);
		for (int r = 0; r < ROWS; r++)
			memcpy((u8 *)d + r * ROW_BYTES, rows[m * ROWS + r], ROW_BYTES);
		if (in->sub == MATRIX_TRANSPOSED)
			tensor_transpose_b16(d);
	}
	return EXEC_NEXT;
}

HANDLER(stmatrix)
{
	u8 *rows[4 * ROWS];
	u32 t[4][EXEC_LANES];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	for (int m = 0; m < in->count; m++) {
		memcpy(t[m], SOURCE(u32, in->list[m]), sizeof t[m]);
		if (in->sub == MATRIX_TRANSPOSED)
			tensor_transpose_b16(t[m]);
	}
	for (int i = 0; i < in->count * ROWS; i++) {
		rows[i] = row_at(w, in, i, true);
		if (!rows[i])
			return EXEC_FAULT;
		memcpy(rows[i], (u8 *)t + i * ROW_BYTES, ROW_BYTES);
	}
	count_rows(w, rows, in->count, true);
	return EXEC_NEXT;
}

/* movmatrix.trans: d = the transposed matrix that the warp holds in a */
HANDLER(movmatrix)
{
	u32 t[EXEC_LANES];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	memcpy(t, SOURCE(u32, in->a), sizeof t);
	tensor_transpose_b16(t);
	memcpy(DEST(u32, in->d), t, sizeof t);
	return EXEC_NEXT;
}

/* ------------------------------------------------------------------------
 * wmma.load and wmma.store. The tile is made of runs: rows, or columns when it is
 * stored column by column. in->list: registers (in->count of them), then for the
 * distinct ones of each lane and item: run << 16 | place in the run, then 0;
 * in->size: bytes of an element; in->reg_size: of a register; in->e: the stride,
 * an operand; in->c: number of runs; in->d: elements of a run; in->sub: distinct
 * registers; in->b: enum exec_tile */

static inline __attribute__((always_inline)) bool known_runs(const u8 *known, u64 stride, int runs,
															 size_t bytes)
{
	u64 all = ~(u64)0;
	for (int run = 0; run < runs; run++, known += stride) {
		size_t i = 0;
		for (u64 some; i + sizeof some <= bytes; i += sizeof some) {
			memcpy(&some, known + i, sizeof some);
			all &= some;
		}
		for (; i < bytes; i++)
			all &= known[i] | ~(u64)0xff;
	}
	return all == ~(u64)0;
}

static bool all_readable(const u8 *known, u64 stride, int runs, size_t bytes)
{
	return bytes == 32 ? known_runs(known, stride, runs, 32) /* 16 elements of 16 bits */
					   : known_runs(known, stride, runs, bytes);
}

/* The runs, when all are within the block's shared memory or one allocation, can
 * be read, and are aligned. */
static bool quick_runs(struct warp *w, const struct exec_instruction *in, u64 address, u64 stride,
					   size_t bytes, bool write, u8 *runs[])
{
	u64 last = (u64)(in->c - 1) * stride, base = address;
	size_t align = bytes < 16 ? bytes : 16; /* a power of two */
	if (write || w->block->race || ((address | stride) & (align - 1)) || stride > (1u << 20))
		return false;
	if (in->space == PTX_SHARED) {
		u64 offset = exec_own_offset(w->block, address), size = w->block->shared_bytes;
		if (offset >= size || last + bytes > size - offset)
			return false;
		base = (u64)(uintptr_t)(w->block->shared + offset);
		if (!all_readable(w->block->shared_written + offset, stride, in->c, bytes))
			return false;
	} else {
		const struct exec_cached *cached =
			address >> EXEC_WINDOW_SHIFT ? NULL
										 : exec_lookup(w->worker, in->cache, address, last + bytes);
		if (!cached || !cached->written)
			return false;
	}
	for (int run = 0; run < in->c; run++)
		runs[run] = (u8 *)(uintptr_t)(base + (u64)run * stride);
	return true;
}

/* By generic addresses, too. */
static bool is_shared(const struct warp *w, const struct exec_instruction *in, u64 host)
{
	const struct exec_block *block = w->block;
	return in->space == PTX_SHARED ||
		   (in->space == PTX_GENERIC && host - (u64)(uintptr_t)block->shared < block->shared_bytes);
}

/* One access of the lanes; a row's lanes follow each other. */
static void count_one(struct warp *w, const struct exec_instruction *in, bool write, const u64 at[],
					  u32 width)
{
	struct counters *counters = &w->worker->counters;
	if (is_shared(w, in, at[0])) {
		u32 conflicts, passes = exec_bank_passes(at, width, &conflicts);
		count_shared(w, passes, passes - conflicts, write);
		return;
	}
	u32 sectors = 1, lines = 1;
	for (u32 i = 1; i < EXEC_LANES; i++) {
		sectors += at[i] >> 5 != at[i - 1] >> 5;
		lines += at[i] >> 7 != at[i - 1] >> 7;
	}
	counters->global_lines += lines;
	if (write) {
		counters->global_store_requests++;
		counters->global_store_sectors += sectors;
	} else {
		counters->global_load_requests++;
		counters->global_load_sectors += sectors;
		for (u32 i = 0; w->worker->footprint && i < EXEC_LANES; i++)
			counters->global_footprint += exec_footprint_add(w->worker->footprint, at[i], width);
	}
}

/* Tiles of 16-bit elements come from shared memory as ldmatrix brings them, and
 * from global memory a matrix of 8 runs of 16 bytes at a time. */
static void count_matrices(struct warp *w, const struct exec_instruction *in, u8 *const runs[],
						   size_t bytes)
{
	struct counters *counters = &w->worker->counters;
	const u32 across = (u32)bytes / ROW_BYTES, count = (u32)in->c / ROWS * across;
	u32 passes = 0;
	if (is_shared(w, in, (u64)(uintptr_t)runs[0])) {
		for (int run = 0; run < in->c; run += ROWS)
			passes += matrix_passes(runs + run) * across; /* the same for neighbours */
		count_shared(w, passes, count, false);
		return;
	}
	counters->global_load_requests += count;
	counters->global_lines += (u64)in->c * across; /* runs of a matrix lie in lines of their own */
	for (int r = 0; r < in->c; r++) {
		const u64 at = (u64)(uintptr_t)runs[r];
		for (size_t chunk = 0; chunk < bytes; chunk += ROW_BYTES)
			counters->global_load_sectors +=
				r % ROWS == 0 || (at + chunk) >> 5 != ((u64)(uintptr_t)runs[r - 1] + chunk) >> 5;
		if (w->worker->footprint)
			counters->global_footprint += exec_footprint_add(w->worker->footprint, at, bytes);
	}
}

/* As the hardware does them: what are no such matrices by an access for each
 * register, or for two whose elements are neighbours. */
static void count_runs(struct warp *w, const struct exec_instruction *in, bool write,
					   u8 *const runs[], size_t bytes)
{
	u64 at[EXEC_LANES];
	const u32 *places = (const u32 *)in->list + in->count;
	const u32 size = in->size, items = in->reg_size / size, step = EXEC_LANES * items;
	if (!write && size == 2 && in->c % ROWS == 0) {
		count_matrices(w, in, runs, bytes);
		return;
	}
	for (u32 r = 0; r < in->sub; r++) {
		const u32 *own = places + r * step;
		bool pair = items == 1 && r + 1 < in->sub && own[step] == own[0] + 1;
		bool whole = items == 1 || own[1] == own[0] + 1; /* the register's own elements */
		for (u32 item = 0; item < (whole ? 1 : items); item++) {
			for (u32 i = 0; i < EXEC_LANES; i++) {
				u32 place = own[i * items + item];
				at[i] = (u64)(uintptr_t)runs[place >> 16] + (place & 0xffff) * size;
			}
			count_one(w, in, write, at, whole ? (u32)in->reg_size << pair : size);
		}
		r += pair;
	}
}

static bool runs_at(struct warp *w, const struct exec_instruction *in, bool write, u8 *runs[])
{
	u64 address = (u64)in->imm + (in->width == 8 ? SOURCE(u64, in->a)[0] : SOURCE(u32, in->a)[0]);
	address = in->width == 8 ? address : (u32)address;
	u64 stride = ((u64)SOURCE(u32, in->e)[0] * in->size) >> exec_tile_shift(in->b);
	size_t bytes = (size_t)in->d * in->size;
	bool quick = quick_runs(w, in, address, stride, bytes, write, runs);
	for (int run = 0; !quick && run < in->c; run++) {
		runs[run] = exec_access(w, in, 0, in->space, address + (u64)run * stride, bytes,
								bytes < 16 ? bytes : 16, write);
		if (!runs[run])
			return false;
	}
	count_runs(w, in, write, runs, bytes);
	return true;
}

/* Where run `run` of an 8x8 matrix, or of its part of 16 bytes, lies. */
static u8 *tile_row(u8 *const runs[], u32 first, u32 run, size_t size)
{
	return runs[(first >> 16) + run] + (first & 0xffff) * size;
}

static void load_scattered(u8 *d, u8 *const runs[], const u32 *places, int count, size_t size)
{
	for (int i = 0; i < count; i++)
		memcpy(d + (size_t)i * size, tile_row(runs, places[i], 0, size), size);
}

static void store_scattered(const u8 *s, u8 *const runs[], const u32 *places, int count,
							size_t size)
{
	for (int i = 0; i < count; i++)
		memcpy(tile_row(runs, places[i], 0, size), s + (size_t)i * size, size);
}

/* A register of 8 rows of 16 bytes each, or the transposed of that. */
static void load_rows(u32 *restrict d, u8 *const runs[], u32 first, size_t size, bool turned)
{
	const size_t along = (first & 0xffff) * size;
	runs += first >> 16;
	for (u32 run = 0; run < ROWS; run++)
		memcpy(d + 4 * run, runs[run] + along, ROW_BYTES);
	if (turned)
		tensor_transpose_b16(d);
}

static void store_rows(const u32 *s, u8 *const runs[], u32 first, size_t size, bool turned)
{
	u32 t[EXEC_LANES];
	memcpy(t, s, sizeof t);
	if (turned)
		tensor_transpose_b16(t);
	for (u32 run = 0; run < ROWS; run++)
		memcpy(tile_row(runs, first, run, size), t + 4 * run, ROW_BYTES);
}

/* Two registers of 32-bit elements, neighbours in memory. */
static void load_pairs(u32 *even, u32 *odd, u8 *const runs[], u32 first)
{
	for (u32 run = 0; run < ROWS; run++) {
		u32 row[ROWS];
		memcpy(row, tile_row(runs, first, run, sizeof *row), sizeof row);
		for (int i = 0; i < 4; i++) {
			even[4 * run + (u32)i] = row[2 * i];
			odd[4 * run + (u32)i] = row[2 * i + 1];
		}
	}
}

static void store_pairs(const u32 *even, const u32 *odd, u8 *const runs[], u32 first)
{
	for (u32 run = 0; run < ROWS; run++) {
		u32 row[ROWS];
		for (int i = 0; i < 4; i++) {
			row[2 * i] = even[4 * run + (u32)i];
			row[2 * i + 1] = odd[4 * run + (u32)i];
		}
		memcpy(tile_row(runs, first, run, sizeof *row), row, sizeof row);
	}
}

HANDLER(wmma_load)
{
	u8 *runs[OPERANDS_MAX];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (!runs_at(w, in, false, runs))
		return EXEC_FAULT;
	const int step = EXEC_LANES * in->reg_size / in->size, distinct = in->sub;
	const u32 *places = (const u32 *)in->list + in->count;
	for (int r = 0; r < distinct; r++, places += step) {
		if (in->b == EXEC_TILE_PAIRS) {
			load_pairs(DEST(u32, in->list[r]), DEST(u32, in->list[r + 1]), runs, places[0]);
			r++, places += step;
		} else if (in->b == EXEC_TILE_SCATTERED) {
			load_scattered(DEST(u8, in->list[r]), runs, places, step, in->size);
		} else {
			load_rows(DEST(u32, in->list[r]), runs, places[0], in->size, in->b == EXEC_TILE_TURNED);
		}
	}
	for (int r = distinct; distinct > 0 && r < in->count; r++) /* each a copy of one before */
		if (in->reg_size == sizeof(u32))
			memcpy(DEST(u8, in->list[r]), SOURCE(u8, in->list[r - distinct]),
				   sizeof(u32) * EXEC_LANES);
		else
			memcpy(DEST(u8, in->list[r]), SOURCE(u8, in->list[r - distinct]),
				   sizeof(u64) * EXEC_LANES);
	return EXEC_NEXT;
}

HANDLER(wmma_store)
{
	u8 *runs[OPERANDS_MAX];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (!runs_at(w, in, true, runs))
		return EXEC_FAULT;
	const int step = EXEC_LANES * in->reg_size / in->size;
	const u32 *places = (const u32 *)in->list + in->count;
	for (int r = 0; r < in->sub; r++, places += step) {
		if (in->b == EXEC_TILE_PAIRS) {
			store_pairs(SOURCE(u32, in->list[r]), SOURCE(u32, in->list[r + 1]), runs, places[0]);
			r++, places += step;
		} else if (in->b == EXEC_TILE_SCATTERED) {
			store_scattered(SOURCE(u8, in->list[r]), runs, places, step, in->size);
		} else {
			store_rows(SOURCE(u32, in->list[r]), runs, places[0], in->size,
					   in->b == EXEC_TILE_TURNED);
		}
	}
	return EXEC_NEXT;
}

/* ------------------------------------------------------------------------
 * wmma.mma and mma.sync. in->imm: the shape, packed by decode/matrix.c;
 * in->list: the numbers of registers of d, a, b, c, then the registers, and that of metadata
 * where A is sparse. */

/* Products that are done: those of a sparse A are half of them, m8n8k4 of f16 is four of them. */
static u64 tensor_flops(const struct tensor_shape *shape)
{
	const u64 dense = 2ull * shape->m * shape->n * shape->k;
	bool quads = shape->a == TENSOR_F16 && shape->k == 4;
	return shape->sparse ? dense / 2 : quads ? 4 * dense : dense;
}

HANDLER(mma)
{
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	struct tensor_shape shape = sub_unpack_shape(in->imm);
	void *registers[4][OPERANDS_MAX];
	const int32_t *next = in->list + 4;
	for (int operand = 0; operand < 4; operand++) {
		const int count = in->list[operand];
		for (int r = 0; r < count; r++)
			registers[operand][r] = w->base[next[r] & 1] + next[r];
		next += count;
	}
	if (shape.a == TENSOR_F64)
		tensor_mma_f64(&shape, (double *const *)(void *)registers[0],
					   (const double *const *)(void *)registers[1],
					   (const double *const *)(void *)registers[2],
					   (const double *const *)(void *)registers[3]);
	else if (shape.sparse)
		tensor_mma_sparse(
			&shape, (u32 *const *)(void *)registers[0], (const u32 *const *)(void *)registers[1],
			(const u32 *const *)(void *)registers[2], (const u32 *const *)(void *)registers[3],
			(const u32 *)(const void *)(w->base[*next & 1] + *next));
	else
		tensor_mma(
			&shape, (u32 *const *)(void *)registers[0], (const u32 *const *)(void *)registers[1],
			(const u32 *const *)(void *)registers[2], (const u32 *const *)(void *)registers[3]);
	exec_count_tensor(w, tensor_type_bits(shape.a), tensor_flops(&shape));
	return EXEC_NEXT;
}
