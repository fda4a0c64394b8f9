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

static uint8_t *row_at(struct warp *w, const struct exec_instruction *in, int lane, bool write)
{
	uint64_t address = (uint64_t)in->imm + (in->width == 8 ? SOURCE(uint64_t, in->a)[lane]
														   : SOURCE(uint32_t, in->a)[lane]);
	address = in->width == 8 ? address : (uint32_t)address;
	struct exec_block *block = w->block;
	uint64_t offset = exec_own_offset(block, address);
	if (in->space == PTX_SHARED && block->race == NULL && offset < block->shared_bytes &&
		block->shared_bytes - offset >= ROW_BYTES && offset % ROW_BYTES == 0 &&
		!(write && exec_pending_touched(block, offset, ROW_BYTES))) {
		uint64_t *known = (uint64_t *)(void *)(block->shared_written + offset);
		if (write && block->unfenced != NULL)
			exec_unfenced_add(block, in, offset, ROW_BYTES);
		if (write)
			known[0] = known[1] = ~(uint64_t)0;
		if ((known[0] & known[1]) == ~(uint64_t)0)
			return block->shared + offset;
	}
	return exec_access(w, in, lane, in->space, address, ROW_BYTES, ROW_BYTES, write);
}

/* All rows at once, when they lie aligned in the block's own shared memory and were written. */
static bool quick_rows(struct warp *w, const struct exec_instruction *in, int count,
					   uint8_t *rows[])
{
	const struct exec_block *block = w->block;
	const uint32_t *address = SOURCE(uint32_t, in->a), own = (uint32_t)block->own_bits,
				   imm = (uint32_t)in->imm;
	const uint32_t base = (uint32_t)block->shared_base;
	const uint64_t bytes = block->shared_bytes;
	uint8_t *const shared = block->shared;
	const uint8_t *const written = block->shared_written;
	uint64_t all = ~(uint64_t)0, far = 0;
	uint32_t offsets[4 * ROWS], low = 0;
	if (in->space != PTX_SHARED || in->width != 4 || block->race != NULL || bytes < ROW_BYTES)
		return false;
	for (int i = 0; i < count; i++) {
		uint32_t at = address[i] + imm, offset = at - base - (at >= own ? own : 0);
		far |= bytes - ROW_BYTES - offset; /* wraps where the row does not fit */
		low |= offset % ROW_BYTES;
		offsets[i] = offset;
	}
	if (low || far >> 63)
		return false;
	for (int i = 0; i < count; i++) {
		const uint64_t *known = (const uint64_t *)(const void *)(written + offsets[i]);
		all &= known[0] & known[1];
		rows[i] = shared + offsets[i];
	}
	return all == ~(uint64_t)0;
}

/* The most different rows of a matrix that share their four banks. */
static uint32_t matrix_passes(uint8_t *const rows[ROWS])
{
	uint64_t depth = 0; /* a byte for each four banks */
	for (uint32_t r = 0; r < ROWS; r++)
		depth += (uint64_t)1 << ((uint64_t)(uintptr_t)rows[r] / ROW_BYTES % 8 * 8);
	if (depth == 0x0101010101010101)
		return 1;
	uint32_t worst = 1;
	depth = 0;
	for (uint32_t r = 0; r < ROWS; r++) {
		uint64_t shift = (uint64_t)(uintptr_t)rows[r] / ROW_BYTES % 8 * 8;
		bool seen = false;
		for (uint32_t k = 0; k < r; k++)
			seen |= rows[k] == rows[r];
		depth += (uint64_t)!seen << shift;
		worst = (depth >> shift & 0xff) > worst ? depth >> shift & 0xff : worst;
	}
	return worst;
}

static void count_shared(struct warp *w, uint32_t passes, uint32_t ideal, bool write)
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
static void count_rows(struct warp *w, uint8_t *const rows[], uint32_t count, bool write)
{
	uint32_t passes = 0;
	for (uint32_t m = 0; m < count; m++)
		passes += matrix_passes(rows + (size_t)m * ROWS);
	count_shared(w, passes, count, write);
}

/* in->list: registers; in->count: matrices; in->sub: enum sub_matrix */
HANDLER(ldmatrix)
{
	uint8_t *rows[4 * ROWS];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	const int count = in->count * ROWS;
	bool quick = quick_rows(w, in, count, rows);
	for (int i = 0; !quick && i < count; i++) {
		rows[i] = row_at(w, in, i, false);
		if (rows[i] == NULL)
			return EXEC_FAULT;
	}
	count_rows(w, rows, in->count, false);
	/* Addresses are behind us: a destination may be their register. */
	for (int m = 0; m < in->count; m++) {
		uint32_t *d = DEST(uint32_t, in->list[m]);
		for (int r = 0; r < ROWS; r++)
			memcpy((uint8_t *)d + r * ROW_BYTES, rows[m * ROWS + r], ROW_BYTES);
		if (in->sub == MATRIX_TRANSPOSED)
			tensor_transpose_b16(d);
	}
	return EXEC_NEXT;
}

HANDLER(stmatrix)
{
	uint8_t *rows[4 * ROWS];
	uint32_t t[4][EXEC_LANES];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	for (int m = 0; m < in->count; m++) {
		memcpy(t[m], SOURCE(uint32_t, in->list[m]), sizeof t[m]);
		if (in->sub == MATRIX_TRANSPOSED)
			tensor_transpose_b16(t[m]);
	}
	for (int i = 0; i < in->count * ROWS; i++) {
		rows[i] = row_at(w, in, i, true);
		if (rows[i] == NULL)
			return EXEC_FAULT;
		memcpy(rows[i], (uint8_t *)t + i * ROW_BYTES, ROW_BYTES);
	}
	count_rows(w, rows, in->count, true);
	return EXEC_NEXT;
}

/* movmatrix.trans: d = the transposed matrix that the warp holds in a */
HANDLER(movmatrix)
{
	uint32_t t[EXEC_LANES];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	memcpy(t, SOURCE(uint32_t, in->a), sizeof t);
	tensor_transpose_b16(t);
	memcpy(DEST(uint32_t, in->d), t, sizeof t);
	return EXEC_NEXT;
}

/* ------------------------------------------------------------------------
 * wmma.load and wmma.store. The tile is made of runs: rows, or columns when it is
 * stored column by column. in->list: registers (in->count of them), then for the
 * distinct ones of each lane and item: run << 16 | place in the run, then 0;
 * in->size: bytes of an element; in->reg_size: of a register; in->e: the stride,
 * an operand; in->c: number of runs; in->d: elements of a run; in->sub: distinct
 * registers; in->b: enum exec_tile */

static inline __attribute__((always_inline)) bool known_runs(const uint8_t *known, uint64_t stride,
															 int runs, size_t bytes)
{
	uint64_t all = ~(uint64_t)0;
	for (int run = 0; run < runs; run++, known += stride) {
		size_t i = 0;
		for (uint64_t some; i + sizeof some <= bytes; i += sizeof some) {
			memcpy(&some, known + i, sizeof some);
			all &= some;
		}
		for (; i < bytes; i++)
			all &= known[i] | ~(uint64_t)0xff;
	}
	return all == ~(uint64_t)0;
}

static bool all_readable(const uint8_t *known, uint64_t stride, int runs, size_t bytes)
{
	return bytes == 32 ? known_runs(known, stride, runs, 32) /* 16 elements of 16 bits */
					   : known_runs(known, stride, runs, bytes);
}

/* The runs, when all are within the block's shared memory or one allocation, can
 * be read, and are aligned. */
static bool quick_runs(struct warp *w, const struct exec_instruction *in, uint64_t address,
					   uint64_t stride, size_t bytes, bool write, uint8_t *runs[])
{
	uint64_t last = (uint64_t)(in->c - 1) * stride, base = address;
	size_t align = bytes < 16 ? bytes : 16; /* a power of two */
	if (write || w->block->race != NULL || ((address | stride) & (align - 1)) ||
		stride > (1u << 20))
		return false;
	if (in->space == PTX_SHARED) {
		uint64_t offset = exec_own_offset(w->block, address), size = w->block->shared_bytes;
		if (offset >= size || last + bytes > size - offset)
			return false;
		base = (uint64_t)(uintptr_t)(w->block->shared + offset);
		if (!all_readable(w->block->shared_written + offset, stride, in->c, bytes))
			return false;
	} else {
		const struct exec_cached *cached =
			address >> EXEC_WINDOW_SHIFT ? NULL
										 : exec_lookup(w->worker, in->cache, address, last + bytes);
		if (cached == NULL || !cached->written)
			return false;
	}
	for (int run = 0; run < in->c; run++)
		runs[run] = (uint8_t *)(uintptr_t)(base + (uint64_t)run * stride);
	return true;
}

/* By generic addresses, too. */
static bool is_shared(const struct warp *w, const struct exec_instruction *in, uint64_t host)
{
	const struct exec_block *block = w->block;
	return in->space == PTX_SHARED ||
		   (in->space == PTX_GENERIC &&
			host - (uint64_t)(uintptr_t)block->shared < block->shared_bytes);
}

/* One access of the lanes; a row's lanes follow each other. */
static void count_one(struct warp *w, const struct exec_instruction *in, bool write,
					  const uint64_t at[], uint32_t width)
{
	struct counters *counters = &w->worker->counters;
	if (is_shared(w, in, at[0])) {
		uint32_t conflicts, passes = exec_bank_passes(at, width, &conflicts);
		count_shared(w, passes, passes - conflicts, write);
		return;
	}
	uint32_t sectors = 1, lines = 1;
	for (uint32_t i = 1; i < EXEC_LANES; i++) {
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
		for (uint32_t i = 0; w->worker->footprint != NULL && i < EXEC_LANES; i++)
			counters->global_footprint += exec_footprint_add(w->worker->footprint, at[i], width);
	}
}

/* Tiles of 16-bit elements come from shared memory as ldmatrix brings them, and
 * from global memory a matrix of 8 runs of 16 bytes at a time. */
static void count_matrices(struct warp *w, const struct exec_instruction *in, uint8_t *const runs[],
						   size_t bytes)
{
	struct counters *counters = &w->worker->counters;
	const uint32_t across = (uint32_t)bytes / ROW_BYTES, count = (uint32_t)in->c / ROWS * across;
	uint32_t passes = 0;
	if (is_shared(w, in, (uint64_t)(uintptr_t)runs[0])) {
		for (int run = 0; run < in->c; run += ROWS)
			passes += matrix_passes(runs + run) * across; /* the same for neighbours */
		count_shared(w, passes, count, false);
		return;
	}
	counters->global_load_requests += count;
	counters->global_lines +=
		(uint64_t)in->c * across; /* runs of a matrix lie in lines of their own */
	for (int r = 0; r < in->c; r++) {
		const uint64_t at = (uint64_t)(uintptr_t)runs[r];
		for (size_t chunk = 0; chunk < bytes; chunk += ROW_BYTES)
			counters->global_load_sectors +=
				r % ROWS == 0 ||
				(at + chunk) >> 5 != ((uint64_t)(uintptr_t)runs[r - 1] + chunk) >> 5;
		if (w->worker->footprint != NULL)
			counters->global_footprint += exec_footprint_add(w->worker->footprint, at, bytes);
	}
}

/* As the hardware does them: what are no such matrices by an access for each
 * register, or for two whose elements are neighbours. */
static void count_runs(struct warp *w, const struct exec_instruction *in, bool write,
					   uint8_t *const runs[], size_t bytes)
{
	uint64_t at[EXEC_LANES];
	const uint32_t *places = (const uint32_t *)in->list + in->count;
	const uint32_t size = in->size, items = in->reg_size / size, step = EXEC_LANES * items;
	if (!write && size == 2 && in->c % ROWS == 0) {
		count_matrices(w, in, runs, bytes);
		return;
	}
	for (uint32_t r = 0; r < in->sub; r++) {
		const uint32_t *own = places + r * step;
		bool pair = items == 1 && r + 1 < in->sub && own[step] == own[0] + 1;
		bool whole = items == 1 || own[1] == own[0] + 1; /* the register's own elements */
		for (uint32_t item = 0; item < (whole ? 1 : items); item++) {
			for (uint32_t i = 0; i < EXEC_LANES; i++) {
				uint32_t place = own[i * items + item];
				at[i] = (uint64_t)(uintptr_t)runs[place >> 16] + (place & 0xffff) * size;
			}
			count_one(w, in, write, at, whole ? (uint32_t)in->reg_size << pair : size);
		}
		r += pair;
	}
}

static bool runs_at(struct warp *w, const struct exec_instruction *in, bool write, uint8_t *runs[])
{
	uint64_t address = (uint64_t)in->imm +
					   (in->width == 8 ? SOURCE(uint64_t, in->a)[0] : SOURCE(uint32_t, in->a)[0]);
	address = in->width == 8 ? address : (uint32_t)address;
	uint64_t stride = ((uint64_t)SOURCE(uint32_t, in->e)[0] * in->size) >> exec_tile_shift(in->b);
	size_t bytes = (size_t)in->d * in->size;
	bool quick = quick_runs(w, in, address, stride, bytes, write, runs);
	for (int run = 0; !quick && run < in->c; run++) {
		runs[run] = exec_access(w, in, 0, in->space, address + (uint64_t)run * stride, bytes,
								bytes < 16 ? bytes : 16, write);
		if (runs[run] == NULL)
			return false;
	}
	count_runs(w, in, write, runs, bytes);
	return true;
}

/* Where run `run` of an 8x8 matrix, or of its part of 16 bytes, lies. */
static uint8_t *tile_row(uint8_t *const runs[], uint32_t first, uint32_t run, size_t size)
{
	return runs[(first >> 16) + run] + (first & 0xffff) * size;
}

static void load_scattered(uint8_t *d, uint8_t *const runs[], const uint32_t *places, int count,
						   size_t size)
{
	for (int i = 0; i < count; i++)
		memcpy(d + (size_t)i * size, tile_row(runs, places[i], 0, size), size);
}

static void store_scattered(const uint8_t *s, uint8_t *const runs[], const uint32_t *places,
							int count, size_t size)
{
	for (int i = 0; i < count; i++)
		memcpy(tile_row(runs, places[i], 0, size), s + (size_t)i * size, size);
}

/* A register of 8 rows of 16 bytes each, or the transposed of that. */
static void load_rows(uint32_t *restrict d, uint8_t *const runs[], uint32_t first, size_t size,
					  bool turned)
{
	const size_t along = (first & 0xffff) * size;
	runs += first >> 16;
	for (uint32_t run = 0; run < ROWS; run++)
		memcpy(d + 4 * run, runs[run] + along, ROW_BYTES);
	if (turned)
		tensor_transpose_b16(d);
}

static void store_rows(const uint32_t *s, uint8_t *const runs[], uint32_t first, size_t size,
					   bool turned)
{
	uint32_t t[EXEC_LANES];
	memcpy(t, s, sizeof t);
	if (turned)
		tensor_transpose_b16(t);
	for (uint32_t run = 0; run < ROWS; run++)
		memcpy(tile_row(runs, first, run, size), t + 4 * run, ROW_BYTES);
}

/* Two registers of 32-bit elements, neighbours in memory. */
static void load_pairs(uint32_t *even, uint32_t *odd, uint8_t *const runs[], uint32_t first)
{
	for (uint32_t run = 0; run < ROWS; run++) {
		uint32_t row[ROWS];
		memcpy(row, tile_row(runs, first, run, sizeof *row), sizeof row);
		for (int i = 0; i < 4; i++) {
			even[4 * run + (uint32_t)i] = row[2 * i];
			odd[4 * run + (uint32_t)i] = row[2 * i + 1];
		}
	}
}

static void store_pairs(const uint32_t *even, const uint32_t *odd, uint8_t *const runs[],
						uint32_t first)
{
	for (uint32_t run = 0; run < ROWS; run++) {
		uint32_t row[ROWS];
		for (int i = 0; i < 4; i++) {
			row[2 * i] = even[4 * run + (uint32_t)i];
			row[2 * i + 1] = odd[4 * run + (uint32_t)i];
		}
		memcpy(tile_row(runs, first, run, sizeof *row), row, sizeof row);
	}
}

HANDLER(wmma_load)
{
	uint8_t *runs[OPERANDS_MAX];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (!runs_at(w, in, false, runs))
		return EXEC_FAULT;
	const int step = EXEC_LANES * in->reg_size / in->size, distinct = in->sub;
	const uint32_t *places = (const uint32_t *)in->list + in->count;
	for (int r = 0; r < distinct; r++, places += step) {
		if (in->b == EXEC_TILE_PAIRS) {
			load_pairs(DEST(uint32_t, in->list[r]), DEST(uint32_t, in->list[r + 1]), runs,
					   places[0]);
			r++, places += step;
		} else if (in->b == EXEC_TILE_SCATTERED) {
			load_scattered(DEST(uint8_t, in->list[r]), runs, places, step, in->size);
		} else {
			load_rows(DEST(uint32_t, in->list[r]), runs, places[0], in->size,
					  in->b == EXEC_TILE_TURNED);
		}
	}
	for (int r = distinct; distinct > 0 && r < in->count; r++) /* each a copy of one before */
		if (in->reg_size == sizeof(uint32_t))
			memcpy(DEST(uint8_t, in->list[r]), SOURCE(uint8_t, in->list[r - distinct]),
				   sizeof(uint32_t) * EXEC_LANES);
		else
			memcpy(DEST(uint8_t, in->list[r]), SOURCE(uint8_t, in->list[r - distinct]),
				   sizeof(uint64_t) * EXEC_LANES);
	return EXEC_NEXT;
}

HANDLER(wmma_store)
{
	uint8_t *runs[OPERANDS_MAX];
	enum exec_status here = exec_whole_warp(w, in, mask);
	if (here != EXEC_NEXT)
		return here;
	if (!runs_at(w, in, true, runs))
		return EXEC_FAULT;
	const int step = EXEC_LANES * in->reg_size / in->size;
	const uint32_t *places = (const uint32_t *)in->list + in->count;
	for (int r = 0; r < in->sub; r++, places += step) {
		if (in->b == EXEC_TILE_PAIRS) {
			store_pairs(SOURCE(uint32_t, in->list[r]), SOURCE(uint32_t, in->list[r + 1]), runs,
						places[0]);
			r++, places += step;
		} else if (in->b == EXEC_TILE_SCATTERED) {
			store_scattered(SOURCE(uint8_t, in->list[r]), runs, places, step, in->size);
		} else {
			store_rows(SOURCE(uint32_t, in->list[r]), runs, places[0], in->size,
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
static uint64_t tensor_flops(const struct tensor_shape *shape)
{
	const uint64_t dense = 2ull * shape->m * shape->n * shape->k;
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
		tensor_mma_sparse(&shape, (uint32_t *const *)(void *)registers[0],
						  (const uint32_t *const *)(void *)registers[1],
						  (const uint32_t *const *)(void *)registers[2],
						  (const uint32_t *const *)(void *)registers[3],
						  (const uint32_t *)(const void *)(w->base[*next & 1] + *next));
	else
		tensor_mma(&shape, (uint32_t *const *)(void *)registers[0],
				   (const uint32_t *const *)(void *)registers[1],
				   (const uint32_t *const *)(void *)registers[2],
				   (const uint32_t *const *)(void *)registers[3]);
	exec_count_tensor(w, tensor_type_bits(shape.a), tensor_flops(&shape));
	return EXEC_NEXT;
}
