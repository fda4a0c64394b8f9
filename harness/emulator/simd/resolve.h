/* Where the lanes of an access point: its addresses, of which shape they are, what the access
 * costs, and the host addresses behind them. An access of a warp is resolved once: when all lanes
 * fall into one object, which is nearly always, bounds and alignment are checked for the warp as a
 * whole. For simd/memory.c, into which all of it is inlined. */
#ifndef EMULATOR_SIMD_RESOLVE_H
#define EMULATOR_SIMD_RESOLVE_H

#include "emulator/exec/access.h"
#include "emulator/exec/banks.h"
#include "emulator/exec/footprint.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/race.h"
#include "emulator/exec/race_global.h"
#include "emulator/exec/unfenced.h"
#include "emulator/simd/lanes.h"

struct warp_access {
	u64 at[EXEC_LANES]; /* device, then host addresses; idle lanes repeat an active one */
	u64 low, high;
	u64 span;     /* bytes from the first to the last; 0: several objects */
	bool uniform; /* all lanes at one address */
	bool dense;   /* lane i at the first address + i * bytes */
};

static inline void fetch_addresses(struct warp *w, const struct exec_instruction *in, u32 mask,
								   struct warp_access *x)
{
	if (in->width == 8) {
		const u64 *p = SOURCE(u64, in->a);
		FOR_LANES x->at[i] = p[i] + (u64)in->imm;
	} else {
		const u32 *p = SOURCE(u32, in->a);
		FOR_LANES x->at[i] = (u32)(p[i] + (u32)in->imm);
	}
	if (mask != EXEC_FULL) {
		u64 first = x->at[first_lane(mask)], t[EXEC_LANES];
		FOR_LANES t[i] = first;
		merge64(t, x->at, mask);
		memcpy(x->at, t, sizeof t);
	}
}

/* Whether the addresses are equal, are neighbours, are all multiples of bytes. */
static inline void compare_addresses(const u64 *at, u64 bytes, bool *uniform, bool *dense,
									 bool *aligned)
{
#if SIMD_LEVEL >= 4
	__m512i first = _mm512_set1_epi64((s64)at[0]), low = _mm512_set1_epi64((s64)bytes - 1);
	__m512i step = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
									  _mm512_set1_epi64((s64)bytes));
	__mmask8 different = 0, strided = 0, odd = 0;
	for (int i = 0; i < EXEC_LANES; i += 8) {
		__m512i own = _mm512_loadu_si512(at + i);
		__m512i wanted = _mm512_add_epi64(_mm512_set1_epi64((s64)(at[0] + (u64)i * bytes)), step);
		different |= _mm512_cmpneq_epi64_mask(own, first);
		strided |= _mm512_cmpneq_epi64_mask(own, wanted);
		odd |= _mm512_test_epi64_mask(own, low);
	}
#else
	u64 first = at[0], different = 0, strided = 0, odd = 0;
	FOR_LANES
	{
		different |= at[i] ^ first;
		strided |= at[i] ^ (first + (u64)i * bytes);
		odd |= at[i] & (bytes - 1);
	}
#endif
	*uniform = different == 0;
	*dense = strided == 0;
	*aligned = odd == 0;
}

/* Shapes of the addresses; false when an address is not a multiple of bytes. */
static inline bool classify(struct warp_access *x, u64 bytes)
{
	u64 first = x->at[0];
	bool aligned;
	compare_addresses(x->at, bytes, &x->uniform, &x->dense, &aligned);
	if (x->uniform) {
		x->low = x->high = first;
	} else if (x->dense) {
		x->low = first;
		x->high = first + (EXEC_LANES - 1) * bytes;
	} else {
		s64 low = (s64)first, high = (s64)first;
		FOR_LANES
		{
			s64 at = (s64)x->at[i];
			low = at < low ? at : low;
			high = at > high ? at : high;
		}
		x->low = (u64)low;
		x->high = (u64)high;
	}
	x->span = x->high - x->low + bytes;
	return aligned;
}

/* ------------------------------------------------------------------------
 * Counting: sectors of 32 bytes, passes over the 32 banks of shared memory */

static inline u32 count_sectors(const struct warp_access *x, u64 bytes)
{
	if (x->uniform)
		return 1;
	if (x->dense)
		return (u32)(((x->low & 31) + EXEC_LANES * bytes + 31) >> 5);
	return count_scattered(x->at, x->low, x->high, 5);
}

/* Lines of 128 bytes: lookups in L1. */
static inline u32 count_lines(const struct warp_access *x, u64 bytes)
{
	if (x->uniform || x->low >> 7 == x->high >> 7)
		return 1;
	if (x->dense)
		return (u32)(((x->low & 127) + EXEC_LANES * bytes + 127) >> 7);
	return count_scattered(x->at, x->low, x->high, 7);
}

static __attribute__((noinline)) void note_footprint(struct warp *w, const struct warp_access *x,
													 u64 bytes)
{
	for (int i = 0; i < (x->uniform ? 1 : EXEC_LANES); i++)
		w->worker->counters.global_footprint +=
			exec_footprint_add(w->worker->footprint, x->at[i], bytes);
}

static inline u32 count_wavefronts(const struct warp_access *x, u64 bytes, u32 *conflicts)
{
	*conflicts = 0;
	if (x->uniform)
		return bytes <= 8 ? 1 : 2;
	if (x->dense)
		return bytes <= 4 ? 1 : (u32)bytes / 4;
	if (bytes <= 4 && x->high - x->low < 128)
		return 1;
	return exec_bank_passes(x->at, (u32)bytes, conflicts);
}

static inline void count_access(struct warp *w, const struct warp_access *x, enum ptx_space space,
								u64 bytes, bool write)
{
	struct counters *counters = &w->worker->counters;
	if (space == PTX_GLOBAL) {
		u32 sectors = count_sectors(x, bytes);
		counters->global_lines += count_lines(x, bytes);
		if (write) {
			counters->global_store_requests++;
			counters->global_store_sectors += sectors;
		} else {
			counters->global_load_requests++;
			counters->global_load_sectors += sectors;
			if (__builtin_expect(w->worker->footprint != NULL, 0))
				note_footprint(w, x, bytes);
		}
	} else if (space == PTX_SHARED) {
		u32 conflicts, wavefronts = count_wavefronts(x, bytes, &conflicts);
		if (write) {
			counters->shared_store_requests++;
			counters->shared_store_wavefronts += wavefronts;
			counters->shared_store_conflicts += conflicts;
		} else {
			counters->shared_load_requests++;
			counters->shared_load_wavefronts += wavefronts;
			counters->shared_load_conflicts += conflicts;
		}
	}
}

/* ------------------------------------------------------------------------
 * Resolving */

/* Lane by lane, with every check. `space`: of the addresses in x, from which the window of a
 * generic address may have been taken already. */
static __attribute__((noinline)) enum exec_status
resolve_each(struct warp *w, const struct exec_instruction *in, u32 mask, struct warp_access *x,
			 enum ptx_space space, u64 bytes, bool write)
{
	u64 host[EXEC_LANES], some = 0;
	for (int i = 0; i < EXEC_LANES; i++) {
		if (!IN_MASK(i))
			continue;
		void *p = exec_access(w, in, i, space, x->at[i], bytes, bytes, write);
		if (p == NULL)
			return EXEC_FAULT;
		some = host[i] = (u64)(uintptr_t)p;
	}
	for (int i = 0; i < EXEC_LANES; i++)
		x->at[i] = IN_MASK(i) ? host[i] : some;
	x->uniform = x->dense = false;
	x->span = 0;
	return EXEC_NEXT;
}

/* All lanes read one parameter. */
static __attribute__((noinline)) enum exec_status
resolve_parameter(struct warp *w, const struct exec_instruction *in, u32 mask,
				  struct warp_access *x, u64 bytes, bool write)
{
	void *p = exec_access(w, in, first_lane(mask), PTX_PARAM, x->low, bytes, bytes, write);
	if (p == NULL)
		return EXEC_FAULT;
	x->low = x->high = (u64)(uintptr_t)p;
	FOR_LANES x->at[i] = x->low;
	return EXEC_NEXT;
}

static inline bool written_global(const struct exec_cached *cached, const struct warp_access *x,
								  u64 bytes)
{
	if (x->uniform)
		return exec_written(cached, x->low, bytes);
	if (x->dense)
		return exec_written(cached, x->low, EXEC_LANES * bytes);
	for (int i = 0; i < EXEC_LANES; i++)
		if (!exec_written(cached, x->at[i], bytes))
			return false;
	return true;
}

static inline void mark_global(const struct exec_cached *cached, const struct warp_access *x,
							   u64 bytes)
{
	if (x->uniform)
		exec_mark(cached, x->low, bytes);
	else if (x->dense)
		exec_mark(cached, x->low, EXEC_LANES * bytes);
	else
		for (int i = 0; i < EXEC_LANES; i++)
			exec_mark(cached, x->at[i], bytes);
}

/* The race check in global memory: of neighbours, and of one address, in one step. */
static __attribute__((noinline)) enum exec_status race_lanes(struct warp *w,
															 const struct exec_instruction *in,
															 u32 mask, const struct warp_access *x,
															 u64 bytes, bool write)
{
	if (x->dense && mask == EXEC_FULL)
		return race_global_lanes(w, in, 0, x->low, bytes, EXEC_LANES, write);
	for (int i = first_lane(mask); i < EXEC_LANES; i++) {
		const int first = i;
		if (!IN_MASK(i))
			continue;
		while (i + 1 < EXEC_LANES && IN_MASK(i + 1) && x->at[i + 1] == x->at[i] + bytes)
			i++;
		if (race_global_lanes(w, in, first, x->at[first], bytes, (u32)(i - first + 1), write) !=
			EXEC_NEXT)
			return EXEC_FAULT;
		while (!write && i + 1 < EXEC_LANES && IN_MASK(i + 1) && x->at[i + 1] == x->at[i])
			i++;
	}
	return EXEC_NEXT;
}

static inline enum exec_status resolve_global(struct warp *w, const struct exec_instruction *in,
											  u32 mask, struct warp_access *x, u64 bytes,
											  bool write)
{
	const struct exec_cached *cached = &w->worker->cache[in->cache];
	if (__builtin_expect(x->low - cached->base >= cached->size ||
							 x->high + bytes - cached->base > cached->size,
						 0)) {
		cached = exec_lookup(w->worker, in->cache, x->low, x->high - x->low + bytes);
		if (cached == NULL)
			return resolve_each(w, in, mask, x, in->space, bytes, write);
	}
	if (write) {
		if (cached->allocation->read_only)
			return resolve_each(w, in, mask, x, in->space, bytes, write);
		if (!cached->written)
			mark_global(cached, x, bytes);
	} else if (!cached->written && !written_global(cached, x, bytes)) {
		return resolve_each(w, in, mask, x, in->space, bytes, write);
	}
	if (__builtin_expect(w->block->race != NULL, 0))
		return race_lanes(w, in, mask, x, bytes, write);
	return EXEC_NEXT;
}

/* Lanes that fall into few bytes: one or two vectors hold them all. */
#define COMPACT 128

#if SIMD_LEVEL >= 4
static inline bool compact_written(const u8 *known, u64 span)
{
	const __m512i ones = _mm512_set1_epi8(-1);
	__mmask64 low = span < 64 ? ((u64)1 << span) - 1 : ~(u64)0;
	__mmask64 high = span <= 64 ? 0 : span < 128 ? ((u64)1 << (span - 64)) - 1 : ~(u64)0;
	return (_mm512_mask_cmpneq_epi8_mask(low, _mm512_maskz_loadu_epi8(low, known), ones) |
			_mm512_mask_cmpneq_epi8_mask(high, _mm512_maskz_loadu_epi8(high, known + 64), ones)) ==
		   0;
}

#else
static inline bool compact_written(const u8 *known, u64 span)
{
	u32 all = 0xff;
	for (u64 k = 0; k < span; k++)
		all &= known[k];
	return all == 0xff;
}
#endif

static inline bool shared_written(const u8 *shadow, const struct warp_access *x, u64 bytes)
{
	u32 all = 0xff;
	if (x->span <= COMPACT && compact_written(shadow + x->low, x->span))
		return true;
	if (x->uniform) {
		for (u64 k = 0; k < bytes; k++)
			all &= shadow[x->at[0] + k];
	} else if (x->dense) {
		for (u64 k = 0; k < EXEC_LANES * bytes; k++)
			all &= shadow[x->low + k];
	} else {
		/* the first and the last byte of each lane: what the elements between
		 * hold is seen by the accesses that wrote them */
		for (int i = 0; i < EXEC_LANES; i++)
			all &= shadow[x->at[i]] & shadow[x->at[i] + bytes - 1];
	}
	return all == 0xff;
}

static inline void mark_shared(u8 *shadow, const struct warp_access *x, u64 bytes)
{
	if (x->dense) {
		memset(shadow + x->low, 0xff, EXEC_LANES * bytes);
		return;
	}
	for (int i = 0; i < EXEC_LANES; i++)
		memset(shadow + x->at[i], 0xff, bytes);
}

/* Whether a copy under way touches bytes that are to be written. */
static bool pending_shared(const struct exec_block *block, const struct warp_access *x, u64 bytes)
{
	if (x->dense)
		return exec_pending_touched(block, x->low, EXEC_LANES * bytes);
	for (int i = 0; i < EXEC_LANES; i++)
		if (exec_pending_touched(block, x->at[i], bytes))
			return true;
	return false;
}

static inline enum exec_status resolve_shared(struct warp *w, const struct exec_instruction *in,
											  u32 mask, struct warp_access *x, u64 bytes,
											  bool write)
{
	struct exec_block *block = w->block;
	if (__builtin_expect(block->race != NULL, 0))
		return resolve_each(w, in, mask, x, PTX_SHARED, bytes, write);
	u64 low = exec_own_offset(block, x->low), high = exec_own_offset(block, x->high);
	if (__builtin_expect(
			low > high || high >= block->shared_bytes || high + bytes > block->shared_bytes, 0))
		return resolve_each(w, in, mask, x, PTX_SHARED, bytes, write);
	u64 base = (u64)(uintptr_t)block->shared, before = x->low - low;
	FOR_LANES x->at[i] -= before;
	x->low = low;
	if (write) {
		if (__builtin_expect(block->pending_count && pending_shared(block, x, bytes), 0)) {
			FOR_LANES x->at[i] += before;
			return resolve_each(w, in, mask, x, PTX_SHARED, bytes, write);
		}
		mark_shared(block->shared_written, x, bytes);
		if (__builtin_expect(block->unfenced != NULL, 0))
			for (int i = 0; i < EXEC_LANES; i++)
				exec_unfenced_add(block, in, x->at[i], bytes);
	} else if (__builtin_expect(!shared_written(block->shared_written, x, bytes), 0)) {
		FOR_LANES x->at[i] += before;
		return resolve_each(w, in, mask, x, PTX_SHARED, bytes, write);
	}
	FOR_LANES x->at[i] += base;
	x->low += base;
	return EXEC_NEXT;
}

static inline enum exec_status resolve_local(struct warp *w, const struct exec_instruction *in,
											 u32 mask, struct warp_access *x, u64 bytes, bool write)
{
	u64 size = w->worker->launch->program->local_bytes;
	u64 low = x->low - EXEC_LOCAL_BASE, high = x->high - EXEC_LOCAL_BASE;
	if (__builtin_expect(low > high || high >= size || high + bytes > size, 0))
		return resolve_each(w, in, mask, x, PTX_LOCAL, bytes, write);
	u64 base = (u64)(uintptr_t)w->local - EXEC_LOCAL_BASE;
	FOR_LANES x->at[i] += base + (u64)i * size;
	x->uniform = x->dense = false;
	x->span = 0;
	/* idle lanes keep their own, unused, slots: reading those is harmless */
	return EXEC_NEXT;
}

static inline __attribute__((always_inline)) enum exec_status
resolve(struct warp *w, const struct exec_instruction *in, u32 mask, struct warp_access *x,
		u64 bytes, bool write)
{
	fetch_addresses(w, in, mask, x);
	bool aligned = classify(x, bytes);
	enum ptx_space space = in->space;
	if (space == PTX_GENERIC) {
		u64 window = x->low >> EXEC_WINDOW_SHIFT;
		bool same = window == x->high >> EXEC_WINDOW_SHIFT;
		space = window == 0 ? PTX_GLOBAL : window == 1 ? PTX_SHARED : PTX_LOCAL;
		if (!same || window > 2)
			return resolve_each(w, in, mask, x, PTX_GENERIC, bytes, write);
		FOR_LANES x->at[i] -= window << EXEC_WINDOW_SHIFT;
		x->low -= window << EXEC_WINDOW_SHIFT;
		x->high -= window << EXEC_WINDOW_SHIFT;
	}
	if (space == PTX_PARAM && aligned && x->uniform)
		return resolve_parameter(w, in, mask, x, bytes, write);
	if (__builtin_expect(!aligned || space == PTX_PARAM, 0))
		return resolve_each(w, in, mask, x, space, bytes, write);
	if (space == PTX_CONST)
		space = PTX_GLOBAL;
	count_access(w, x, space, bytes, write);
	if (__builtin_expect(in->flags & EXEC_FLAG_VOLATILE, 0))
		w->block->polls += !write;
	if (space == PTX_GLOBAL)
		return resolve_global(w, in, mask, x, bytes, write);
	if (space == PTX_SHARED)
		return resolve_shared(w, in, mask, x, bytes, write);
	return resolve_local(w, in, mask, x, bytes, write);
}

static __attribute__((noinline)) enum exec_status resolve_any(struct warp *w,
															  const struct exec_instruction *in,
															  u32 mask, struct warp_access *x,
															  u64 bytes, bool write)
{
	return resolve(w, in, mask, x, bytes, write);
}

/* An ordered load has been carried out. */
static inline void note_seen(struct warp *w, const struct exec_instruction *in, u32 mask,
							 const struct warp_access *x, u64 bytes)
{
	if (__builtin_expect(in->flags & EXEC_FLAG_VOLATILE && w->block->race != NULL, 0))
		race_global_seen(w, in, mask, x->at, bytes);
}

#endif
