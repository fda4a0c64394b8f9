/* Loads and stores of undefined values. The handlers do the access, with every check; here the
 * bytes of memory are looked up again, for what is known of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/access.h"
#include "emulator/exec/fault.h"
#include "emulator/exec/follow.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/worker.h"

#define ROW_BYTES 16
#define ROWS 8
#define ELEMENTS 8 /* of a vector */
#define PARTS 8    /* of a register */

/* The addresses of the lanes, which the instruction may overwrite. */
struct addresses {
	uint64_t at[EXEC_LANES];
};

static struct addresses addresses_of(const struct warp *w, const struct exec_instruction *in)
{
	struct addresses addresses;
	const void *from = w->base[in->a & 1] + in->a;
	for (int i = 0; i < EXEC_LANES; i++)
		addresses.at[i] = in->width == 8
							  ? ((const uint64_t *)from)[i] + (uint64_t)in->imm
							  : (uint64_t)(((const uint32_t *)from)[i] + (uint32_t)in->imm);
	return addresses;
}

static enum ptx_space space_at(const struct exec_instruction *in, uint64_t address)
{
	if (in->space != PTX_GENERIC)
		return (enum ptx_space)in->space;
	uint64_t window = address >> EXEC_WINDOW_SHIFT;
	return window == 0   ? PTX_GLOBAL
		   : window == 1 ? PTX_SHARED
		   : window == 2 ? PTX_LOCAL
						 : PTX_PARAM;
}

/* EXEC_SHARED_* of the bytes at an address that the handler found right; NULL: all defined. */
static uint8_t *known_at(struct warp *w, const struct exec_instruction *in, int lane,
						 uint64_t address)
{
	enum ptx_space space = space_at(in, address);
	uint64_t offset;
	if (in->space == PTX_GENERIC)
		address &= ((uint64_t)1 << EXEC_WINDOW_SHIFT) - 1;
	if (space == PTX_SHARED) {
		struct exec_block *block = exec_shared_block(w, address, &offset);
		return block != NULL ? block->shared_written + offset : NULL;
	}
	if (space != PTX_LOCAL || w->undefined->local == NULL)
		return NULL;
	return w->undefined->local + (size_t)lane * w->worker->launch->program->local_bytes +
		   (address - EXEC_LOCAL_BASE);
}

/* As known_at() of `bytes` bytes to read, for those of global memory made in `room`. */
static const uint8_t *known_of(struct warp *w, const struct exec_instruction *in, int lane,
							   uint64_t address, int bytes, uint8_t room[])
{
	if (space_at(in, address) != PTX_GLOBAL)
		return known_at(w, in, lane, address);
	const struct allocation *allocation = memory_find(address);
	if (allocation == NULL || w->worker->launch->check_none ||
		memory_is_written(allocation, address, (size_t)bytes))
		return NULL;
	for (int i = 0; i < bytes; i++)
		room[i] = memory_is_written(allocation, address + (uint64_t)i, 1) ? EXEC_SHARED_READABLE
																		  : EXEC_SHARED_UNWRITTEN;
	return room;
}

/* What a store leaves of a byte in global memory. */
static void set_global(struct warp *w, const struct exec_instruction *in, uint64_t address,
					   const struct exec_lanes *part)
{
	char place[EXEC_PLACE], of[EXEC_READ_TEXT], text[EXEC_PLACE + EXEC_READ_TEXT + 32];
	const struct allocation *allocation = memory_find(address);
	text[0] = '\0';
	if (allocation != NULL && !allocation->undefined[0])
		snprintf(text, sizeof text, "%s stored a value made of %s", exec_place(w, in, place),
				 exec_undefined_describe(w, &part->read, of));
	exec_undefine(w->worker, address, 1, text);
}

/* Whether undefined values may be stored at the address: not where the host looks at any time,
 * and not in what somebody has named, which are the arguments of the program. */
static bool takes_undefined(uint64_t address)
{
	const struct allocation *allocation = memory_find(address);
	return allocation == NULL ||
		   (allocation->written != NULL && !allocation->name[0] && !allocation->read_only);
}

static struct exec_lanes *register_at(const struct warp *w, int32_t slot)
{
	return &w->undefined->parts[slot / 64];
}

/* ------------------------------------------------------------------------
 * ld, st: in->list: registers, in->count of them; in->size: bytes in memory */

/* Local memory that nothing wrote is noted here: the handler does not look. */
static void note_local(struct warp *w, const struct exec_instruction *in, uint64_t address,
					   uint8_t known)
{
	if (known == EXEC_SHARED_UNWRITTEN && space_at(in, address) == PTX_LOCAL)
		w->undefined->read = (struct exec_read){exec_pc(w, in), false, PTX_LOCAL,
												(uint32_t)address - EXEC_LOCAL_BASE};
}

static void set_loaded(struct warp *w, const struct exec_instruction *in, uint32_t mask,
					   const struct addresses *addresses)
{
	uint32_t undefined[ELEMENTS][PARTS] = {0};
	for (uint32_t left = mask; left; left &= left - 1) {
		int lane = __builtin_ctz(left);
		uint8_t room[ELEMENTS * PARTS * 2];
		const uint8_t *known =
			known_of(w, in, lane, addresses->at[lane], in->count * in->size, room);
		for (int i = 0; known != NULL && i < in->count * in->size; i++) {
			if (known[i] == EXEC_SHARED_READABLE)
				continue;
			undefined[i / in->size][i % in->size / 2] |= 1u << lane;
			note_local(w, in, addresses->at[lane] + (uint64_t)i, known[i]);
		}
	}
	for (int e = 0; e < in->count; e++) {
		if (in->list[e] < 0)
			continue;
		uint32_t any = 0; /* of an element that is extended */
		for (int p = 0; p < PARTS && in->size < in->reg_size; p++)
			any |= undefined[e][p];
		for (int p = 0; p < in->reg_size / 2; p++)
			exec_lanes_set(w->undefined, register_at(w, in->list[e]) + p, mask,
						   undefined[e][p] | any, &w->undefined->read);
	}
}

static void set_stored(struct warp *w, const struct exec_instruction *in, uint32_t mask,
					   const struct addresses *addresses)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		int lane = __builtin_ctz(left);
		uint8_t *known = known_at(w, in, lane, addresses->at[lane]);
		bool global = space_at(in, addresses->at[lane]) == PTX_GLOBAL;
		for (int i = 0; (known != NULL || global) && i < in->count * in->size; i++) {
			int32_t slot = in->list[i / in->size];
			const struct exec_lanes *part =
				slot & 1 ? NULL : register_at(w, slot) + i % in->size / 2;
			bool bad = part != NULL && part->lanes >> lane & 1;
			if (known != NULL)
				known[i] = bad ? EXEC_SHARED_UNDEFINED : EXEC_SHARED_READABLE;
			else if (bad)
				set_global(w, in, addresses->at[lane] + (uint64_t)i, part);
		}
	}
}

/* ------------------------------------------------------------------------
 * ldmatrix, stmatrix: in->list: a register for each of in->count matrices; lane 4r + c has
 * bytes 4c to 4c + 3 of row r, or transposed its elements (in->sub) */

static void set_rows(struct warp *w, const struct exec_instruction *in,
					 const struct addresses *addresses, bool store)
{
	for (int m = 0; m < in->count; m++) {
		struct exec_lanes *reg = register_at(w, in->list[m]);
		uint32_t undefined[2] = {0};
		for (int i = 0; i < ROWS * ROW_BYTES; i++) {
			int row = i / ROW_BYTES, element = i % ROW_BYTES / 2;
			int lane = in->sub ? 4 * element + row / 2 : 4 * row + element / 2;
			int part = in->sub ? row % 2 : element % 2;
			uint8_t *known = known_at(w, in, 0, addresses->at[m * ROWS + row]);
			if (known == NULL)
				continue;
			if (store)
				known[i % ROW_BYTES] =
					reg[part].lanes >> lane & 1 ? EXEC_SHARED_UNDEFINED : EXEC_SHARED_READABLE;
			else if (known[i % ROW_BYTES] != EXEC_SHARED_READABLE)
				undefined[part] |= 1u << lane;
		}
		for (int p = 0; p < 2 && !store; p++)
			exec_lanes_set(w->undefined, reg + p, EXEC_FULL, undefined[p], &w->undefined->read);
	}
}

/* ------------------------------------------------------------------------
 * wmma.load, wmma.store: in->list: registers, then the place of each element of the distinct
 * ones, run << 16 | place (ops/matrix.c) */

static void set_tile(struct warp *w, const struct exec_instruction *in, uint64_t address,
					 uint64_t stride, bool store)
{
	const uint32_t *place = (const uint32_t *)in->list + in->count;
	const int size = in->size, items = in->reg_size / size;
	for (int r = 0; r < in->sub; r++) {
		struct exec_lanes *reg = register_at(w, in->list[r]);
		uint32_t undefined[PARTS] = {0};
		for (int i = 0; i < EXEC_LANES * items; i++, place++) {
			int lane = i / items, first = i % items * size;
			uint64_t at = address + (*place >> 16) * stride + (uint64_t)(*place & 0xffff) * size;
			uint8_t room[8], *stored = store ? known_at(w, in, 0, at) : NULL;
			const uint8_t *known = store ? NULL : known_of(w, in, 0, at, size, room);
			for (int k = 0; k < size; k++) {
				int part = (first + k) / 2;
				bool bad = reg[part].lanes >> lane & 1;
				if (stored != NULL)
					stored[k] = bad ? EXEC_SHARED_UNDEFINED : EXEC_SHARED_READABLE;
				else if (store && bad)
					set_global(w, in, at + (uint64_t)k, &reg[part]);
				else if (known != NULL && known[k] != EXEC_SHARED_READABLE)
					undefined[part] |= 1u << lane;
			}
		}
		/* registers beyond the distinct ones repeat them */
		for (int copy = r; copy < in->count && !store; copy += in->sub)
			for (int p = 0; p < in->reg_size / 2; p++)
				exec_lanes_set(w->undefined, register_at(w, in->list[copy]) + p, EXEC_FULL,
							   undefined[p], &w->undefined->read);
	}
}

static uint64_t stride_of(const struct warp *w, const struct exec_instruction *in)
{
	return ((uint64_t)((const uint32_t *)(w->base[in->e & 1] + in->e))[0] * in->size) >>
		   exec_tile_shift(in->b);
}

/* ------------------------------------------------------------------------ */

/* 16-bit parts of each register that is loaded or stored. */
static int parts_of(const struct exec_instruction *in, int kind)
{
	return kind == EFFECT_LOAD_ROWS || kind == EFFECT_STORE_ROWS ? 2 : in->reg_size / 2;
}

static void set_defined(struct warp *w, const struct exec_instruction *in, uint32_t mask, int kind)
{
	for (int i = 0; i < in->count; i++)
		for (int p = 0; in->list[i] >= 0 && p < parts_of(in, kind); p++) {
			struct exec_lanes *part = register_at(w, in->list[i]) + p;
			if (part->lanes)
				exec_lanes_set(w->undefined, part, mask, 0, NULL);
		}
}

/* The attempt of the other loop was counted where it counts before it looks. */
static void uncount(struct warp *w, const struct counters *before)
{
	struct counters *counters = &w->worker->counters;
	counters->shared_load_requests = before->shared_load_requests;
	counters->shared_load_wavefronts = before->shared_load_wavefronts;
	counters->shared_load_conflicts = before->shared_load_conflicts;
	counters->global_load_requests = before->global_load_requests;
	counters->global_load_sectors = before->global_load_sectors;
	counters->global_lines = before->global_lines;
}

enum exec_status exec_follow_load(struct warp *w, const struct exec_instruction *in, uint32_t mask,
								  int kind)
{
	struct exec_undefined *undefined = w->undefined;
	struct addresses addresses = addresses_of(w, in);
	uint64_t stride = kind == EFFECT_LOAD_TILE ? stride_of(w, in) : 0;
	struct counters before = w->worker->counters;
	bool again = undefined->again && kind == EFFECT_LOAD;
	undefined->noted = undefined->again = false;
	enum exec_status status = in->handler(w, in, mask);
	if (status != EXEC_NEXT)
		return status;
	if (again)
		uncount(w, &before);
	if (!undefined->noted && undefined->local == NULL)
		set_defined(w, in, mask, kind);
	else if (kind == EFFECT_LOAD)
		set_loaded(w, in, mask, &addresses);
	else if (kind == EFFECT_LOAD_ROWS)
		set_rows(w, in, &addresses, false);
	else if (undefined->noted)
		set_tile(w, in, addresses.at[0], stride, false);
	else
		set_defined(w, in, mask, kind);
	return EXEC_NEXT;
}

/* The undefined lanes of what is stored. */
static uint32_t stored_lanes(const struct warp *w, const struct exec_instruction *in, int kind,
							 struct exec_read *read)
{
	uint32_t lanes = 0;
	int used = kind == EFFECT_STORE ? (in->size + 1) / 2 : parts_of(in, kind);
	for (int i = 0; i < in->count; i++)
		for (int p = 0; !(in->list[i] & 1) && p < used; p++) {
			const struct exec_lanes *part = register_at(w, in->list[i]) + p;
			if (part->lanes)
				*read = part->read;
			lanes |= part->lanes;
		}
	return lanes;
}

static bool local_known(struct warp *w, const struct exec_instruction *in)
{
	size_t bytes = w->worker->launch->program->local_bytes * EXEC_LANES;
	if (w->undefined->local != NULL)
		return true;
	w->undefined->local = malloc(bytes + 1);
	if (w->undefined->local != NULL)
		memset(w->undefined->local, EXEC_SHARED_READABLE, bytes);
	else
		exec_fail(w, in, 0, FAULT_MEMORY, 0, "no host memory to follow undefined values");
	return w->undefined->local != NULL;
}

enum exec_status exec_follow_store(struct warp *w, const struct exec_instruction *in, uint32_t mask,
								   int kind)
{
	struct addresses addresses = addresses_of(w, in);
	struct exec_read read = {0};
	uint32_t lanes = stored_lanes(w, in, kind, &read) & mask, global = 0, local = 0;
	uint64_t stride = kind == EFFECT_STORE_TILE ? stride_of(w, in) : 0;
	for (uint32_t left = lanes; left; left &= left - 1) {
		int lane = __builtin_ctz(left);
		int from = kind == EFFECT_STORE ? lane : 0; /* a tile lies where lane 0 says */
		enum ptx_space space = space_at(in, addresses.at[from]);
		global |= (uint32_t)(space == PTX_GLOBAL && !takes_undefined(addresses.at[from])) << lane;
		local |= (uint32_t)(space == PTX_LOCAL) << lane;
	}
	if (global)
		return exec_undefined_fail(w, in, global, "stores a value", &read);
	if (local && !local_known(w, in))
		return EXEC_FAULT;
	enum exec_status status = in->handler(w, in, mask);
	if (status != EXEC_NEXT || (!lanes && w->undefined->local == NULL))
		return status;
	if (kind == EFFECT_STORE)
		set_stored(w, in, mask, &addresses);
	else if (kind == EFFECT_STORE_ROWS)
		set_rows(w, in, &addresses, true);
	else if (lanes)
		set_tile(w, in, addresses.at[0], stride, true);
	return status;
}
