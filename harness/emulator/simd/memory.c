/* Loads and stores. */
#include "emulator/simd/resolve.h"

/* ------------------------------------------------------------------------
 * Lanes that fall into few bytes: one or two vectors hold them all */

#if SIMD_LEVEL >= 4
#define HAS_COMPACT 1
static inline void load_compact_32(u32 *t, const struct warp_access *x)
{
	u32 index[EXEC_LANES], words = (u32)(x->span >> 2);
	const u8 *from = (const u8 *)(uintptr_t)x->low;
	FOR_LANES index[i] = (u32)(x->at[i] - x->low) >> 2;
	__mmask16 low = (__mmask16)(words < 16 ? (1u << words) - 1 : 0xffff);
	__mmask16 high = (__mmask16)(words <= 16 ? 0 : words < 32 ? (1u << (words - 16)) - 1 : 0xffff);
	__m512i a = _mm512_maskz_loadu_epi32(low, from);
	__m512i b = _mm512_maskz_loadu_epi32(high, from + 64);
	for (int i = 0; i < EXEC_LANES; i += 16)
		_mm512_storeu_si512(t + i, _mm512_permutex2var_epi32(a, _mm512_loadu_si512(index + i), b));
}

static inline void load_compact_16(u16 *t, const struct warp_access *x)
{
	u16 index[EXEC_LANES];
	u64 halves = x->span >> 1;
	const u8 *from = (const u8 *)(uintptr_t)x->low;
	FOR_LANES index[i] = (u16)((x->at[i] - x->low) >> 1);
	__mmask32 low = (__mmask32)(halves < 32 ? (1u << halves) - 1 : EXEC_FULL);
	__mmask32 high = (__mmask32)(halves <= 32  ? 0
								 : halves < 64 ? (1u << (halves - 32)) - 1
											   : EXEC_FULL);
	__m512i a = _mm512_maskz_loadu_epi16(low, from);
	__m512i b = _mm512_maskz_loadu_epi16(high, from + 64);
	_mm512_storeu_si512(t, _mm512_permutex2var_epi16(a, _mm512_loadu_si512(index), b));
}
#else
#define HAS_COMPACT 0
static inline void load_compact_32(u32 *t, const struct warp_access *x)
{
	(void)t;
	(void)x;
}
static inline void load_compact_16(u16 *t, const struct warp_access *x)
{
	(void)t;
	(void)x;
}
#endif

static inline void load_compact_64(u64 *t, const struct warp_access *x)
{
	(void)t;
	(void)x;
}

/* ------------------------------------------------------------------------
 * The usual accesses: lanes at neighbouring addresses, which are all 32 or at the edge of a matrix
 * a run of them, and lanes at one address */

/* Whether lane i is i * bytes behind the first one of the mask; at bytes 0: at the same address. */
static inline bool neighbours(struct warp *w, const struct exec_instruction *in, u32 mask,
							  u64 bytes)
{
	u64 apart = 0;
	if (in->width == 8) {
		const int lane = first_lane(mask);
		const u64 *p = SOURCE(u64, in->a), first = p[lane] - (u64)lane * bytes;
#if SIMD_LEVEL >= 4
		__m512i step = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
										  _mm512_set1_epi64((s64)bytes));
		for (u64 i = 0; i < EXEC_LANES; i += 8)
			apart |= _mm512_mask_cmpneq_epi64_mask(
				(__mmask8)(mask >> i), _mm512_loadu_si512(p + i),
				_mm512_add_epi64(step, _mm512_set1_epi64((s64)(first + i * bytes))));
#else
		FOR_LANES apart |= p[i] ^ (first + (u64)i * bytes);
#endif
	} else {
		const u32 *p = SOURCE(u32, in->a), first = p[0], size = (u32)bytes;
		u32 different = 0;
		FOR_LANES different |= p[i] ^ (first + (u32)i * size);
		apart = different;
	}
	return apart == 0;
}

static inline bool all_known(const u8 *known, u64 bytes)
{
	u64 all = ~(u64)0;
	for (u64 i = 0; i < bytes; i += sizeof all) {
		u64 some;
		memcpy(&some, known + i, sizeof some);
		all &= some;
	}
	return all == ~(u64)0;
}

static inline u8 *whole_shared(struct warp *w, const struct exec_instruction *in, u64 address,
							   u64 bytes, bool write)
{
	struct exec_block *block = w->block;
	struct counters *counters = &w->worker->counters;
	u64 offset = exec_own_offset(block, address), wavefronts = (bytes + 127) / 128;
	if (block->race != NULL || offset >= block->shared_bytes ||
		bytes > block->shared_bytes - offset)
		return NULL;
	if (!write) {
		if (!all_known(block->shared_written + offset, bytes))
			return NULL;
		counters->shared_load_requests++;
		counters->shared_load_wavefronts += wavefronts;
		return block->shared + offset;
	}
	if (__builtin_expect(block->pending_count && exec_pending_touched(block, offset, bytes), 0))
		return NULL;
	memset(block->shared_written + offset, EXEC_SHARED_READABLE, bytes);
	if (block->unfenced != NULL)
		exec_unfenced_add(block, in, offset, bytes);
	counters->shared_store_requests++;
	counters->shared_store_wavefronts += wavefronts;
	return block->shared + offset;
}

static inline u8 *whole_global(struct warp *w, const struct exec_instruction *in, u64 address,
							   u64 bytes, bool write)
{
	const struct exec_cached *cached = &w->worker->cache[in->cache];
	struct counters *counters = &w->worker->counters;
	u64 offset = address - cached->base, sectors = ((address & 31) + bytes + 31) >> 5;
	if (offset >= cached->size || bytes > cached->size - offset || in->flags & EXEC_FLAG_VOLATILE ||
		w->block->race != NULL || (write && cached->allocation->read_only))
		return NULL;
	if (!write && !cached->written && !exec_written(cached, address, bytes))
		return NULL;
	counters->global_lines += ((address & 127) + bytes + 127) >> 7;
	if (write) {
		exec_mark(cached, address, bytes);
		counters->global_store_requests++;
		counters->global_store_sectors += sectors;
	} else {
		counters->global_load_requests++;
		counters->global_load_sectors += sectors;
		if (__builtin_expect(w->worker->footprint != NULL, 0))
			counters->global_footprint += exec_footprint_add(w->worker->footprint, address, bytes);
	}
	return (u8 *)(uintptr_t)address;
}

/* Whether the lanes of the mask are a run that whole_access() takes. */
static inline bool is_run(const struct exec_instruction *in, u32 mask)
{
	if (SIMD_LEVEL < 4 || in->space != PTX_GLOBAL || in->width != 8)
		return false;
	const u32 from_first = mask >> first_lane(mask);
	return (from_first & (from_first + 1)) == 0;
}

/* The host address of the first lane of such an access; NULL when it is no such access, or when
 * something is to be said of it, which the other way does. */
static inline u8 *whole_access(struct warp *w, const struct exec_instruction *in, u32 mask,
							   u64 bytes, bool write)
{
	if ((mask != EXEC_FULL && !is_run(in, mask)) || !neighbours(w, in, mask, bytes))
		return NULL;
	const u64 count = (u64)__builtin_popcount(mask);
	u64 address = in->width == 8 ? SOURCE(u64, in->a)[first_lane(mask)] + (u64)in->imm
								 : (u64)(u32)(SOURCE(u32, in->a)[0] + (u32)in->imm);
	if (address & (bytes - 1))
		return NULL;
	if (in->space == PTX_SHARED)
		return whole_shared(w, in, address, count * bytes, write);
	if (in->space == PTX_GLOBAL)
		return whole_global(w, in, address, count * bytes, write);
	return NULL;
}

static inline __attribute__((always_inline)) void store_run(u8 *whole, const void *s, u64 bytes,
															u32 mask)
{
	if (mask == EXEC_FULL)
		memcpy(whole, s, EXEC_LANES * bytes);
	else
		memcpy(whole, s, (u64)__builtin_popcount(mask) * bytes);
}

/* To the registers of the mask's lanes, what lies at the address and behind. */
static inline __attribute__((always_inline)) void load_run(void *d, const u8 *whole, u64 bytes,
														   u32 mask)
{
#if SIMD_LEVEL >= 4
	const u8 *from = whole - (u64)first_lane(mask) * bytes;
	if (mask != EXEC_FULL && bytes == 2) {
		_mm512_storeu_si512(d, _mm512_mask_loadu_epi16(_mm512_loadu_si512(d), mask, from));
		return;
	}
	for (int i = 0; mask != EXEC_FULL && bytes == 4 && i < EXEC_LANES; i += 16)
		_mm512_storeu_si512((u32 *)d + i,
							_mm512_mask_loadu_epi32(_mm512_loadu_si512((u32 *)d + i),
													(__mmask16)(mask >> i), (u32 *)from + i));
	for (int i = 0; mask != EXEC_FULL && bytes == 8 && i < EXEC_LANES; i += 8)
		_mm512_storeu_si512((u64 *)d + i,
							_mm512_mask_loadu_epi64(_mm512_loadu_si512((u64 *)d + i),
													(__mmask8)(mask >> i), (u64 *)from + i));
#endif
	if (mask == EXEC_FULL)
		memcpy(d, whole, EXEC_LANES * bytes);
}

/* The host address that all lanes load from; NULL as of whole_access(). */
static inline const u8 *single_access(struct warp *w, const struct exec_instruction *in, u32 mask,
									  u64 bytes)
{
	if (in->space != PTX_GLOBAL || in->width != 8 || (SIMD_LEVEL < 4 && mask != EXEC_FULL) ||
		!neighbours(w, in, mask, 0))
		return NULL;
	const u64 address = SOURCE(u64, in->a)[first_lane(mask)] + (u64)in->imm;
	return (address & (bytes - 1)) == 0 ? whole_global(w, in, address, bytes, false) : NULL;
}

/* ------------------------------------------------------------------------
 * Loads and stores whose elements are as wide as their registers
 *
 * Volatile, relaxed and ordered ones are the host's acquires and releases, whatever they are in
 * PTX: on x86-64 every access is that, and a kernel should not do one thing there and another one
 * on a processor that keeps less order. */

static inline bool is_strong(const struct exec_instruction *in)
{
	return __builtin_expect(in->flags & EXEC_FLAG_VOLATILE, 0);
}

/* Slots of local memory need not be aligned on the host; no other thread reads them. */
#define STRONG(bits)                                                                               \
	static inline u##bits load_strong_##bits(u64 at)                                               \
	{                                                                                              \
		u##bits value;                                                                             \
		if (at % sizeof value == 0)                                                                \
			return __atomic_load_n((const u##bits *)(uintptr_t)at, __ATOMIC_ACQUIRE);              \
		memcpy(&value, (const void *)(uintptr_t)at, sizeof value);                                 \
		return value;                                                                              \
	}                                                                                              \
	static void load_each_strong_##bits(u##bits *t, const struct warp_access *x, u64 offset)       \
	{                                                                                              \
		t[0] = load_strong_##bits(x->at[0] + offset);                                              \
		for (int i = 1; i < EXEC_LANES; i++)                                                       \
			t[i] = x->uniform ? t[0] : load_strong_##bits(x->at[i] + offset);                      \
	}                                                                                              \
	static void store_each_strong_##bits(const struct warp_access *x, const u##bits *s,            \
										 u64 offset, u32 mask)                                     \
	{                                                                                              \
		for (u32 left = mask; left; left &= left - 1) {                                            \
			const int i = first_lane(left);                                                        \
			u##bits *at = (u##bits *)(uintptr_t)(x->at[i] + offset);                               \
			if ((x->at[i] + offset) % sizeof *at == 0)                                             \
				__atomic_store_n(at, s[i], __ATOMIC_RELEASE);                                      \
			else                                                                                   \
				memcpy(at, &s[i], sizeof *at);                                                     \
		}                                                                                          \
	}
STRONG(16)
STRONG(32)
STRONG(64)

#define LOAD(bits)                                                                                 \
	static inline void load_scattered_##bits(u##bits *t, const struct warp_access *x, u64 offset)  \
	{                                                                                              \
		for (int i = 0; i < EXEC_LANES; i++)                                                       \
			memcpy(&t[i], (const void *)(uintptr_t)(x->at[i] + offset), sizeof t[0]);              \
	}                                                                                              \
	HANDLER(ld_##bits)                                                                             \
	{                                                                                              \
		struct warp_access x;                                                                      \
		u##bits t[EXEC_LANES], *d = DEST(u##bits, in->d), *o = mask == EXEC_FULL ? d : t;          \
		const u8 *whole = whole_access(w, in, mask, sizeof *d, false);                             \
		if (whole) {                                                                               \
			load_run(d, whole, sizeof *d, mask);                                                   \
			return EXEC_NEXT;                                                                      \
		}                                                                                          \
		if ((whole = single_access(w, in, mask, sizeof *d)) != NULL) {                             \
			u##bits value;                                                                         \
			memcpy(&value, whole, sizeof value);                                                   \
			FOR_LANES o[i] = value;                                                                \
			if (mask != EXEC_FULL)                                                                 \
				merge(d, t, sizeof t[0], mask);                                                    \
			return EXEC_NEXT;                                                                      \
		}                                                                                          \
		if (resolve(w, in, mask, &x, sizeof(u##bits), false) != EXEC_NEXT)                         \
			return EXEC_FAULT;                                                                     \
		if (is_strong(in)) {                                                                       \
			load_each_strong_##bits(o, &x, 0);                                                     \
		} else if (x.uniform) {                                                                    \
			u##bits value;                                                                         \
			memcpy(&value, (const void *)(uintptr_t)x.at[0], sizeof value);                        \
			FOR_LANES o[i] = value;                                                                \
		} else if (x.dense) {                                                                      \
			memcpy(o, (const void *)(uintptr_t)x.at[0], sizeof t);                                 \
		} else if (HAS_COMPACT && bits < 64 && x.span && x.span <= COMPACT) {                      \
			load_compact_##bits(o, &x);                                                            \
		} else {                                                                                   \
			load_scattered_##bits(o, &x, 0);                                                       \
		}                                                                                          \
		note_seen(w, in, mask, &x, sizeof(u##bits));                                               \
		if (mask != EXEC_FULL)                                                                     \
			merge(d, t, sizeof t[0], mask);                                                        \
		return EXEC_NEXT;                                                                          \
	}                                                                                              \
	HANDLER(ldv_##bits)                                                                            \
	{                                                                                              \
		struct warp_access x;                                                                      \
		const u64 bytes = sizeof(u##bits) * in->count;                                             \
		if (resolve_any(w, in, mask, &x, bytes, false) != EXEC_NEXT)                               \
			return EXEC_FAULT;                                                                     \
		for (int e = 0; e < in->count; e++) {                                                      \
			u##bits t[EXEC_LANES];                                                                 \
			u64 offset = (u64)e * sizeof t[0];                                                     \
			if (in->list[e] < 0)                                                                   \
				continue;                                                                          \
			u##bits *d = DEST(u##bits, in->list[e]), *o = mask == EXEC_FULL ? d : t;               \
			if (is_strong(in)) {                                                                   \
				load_each_strong_##bits(o, &x, offset);                                            \
			} else if (x.uniform) {                                                                \
				u##bits value;                                                                     \
				memcpy(&value, (const void *)(uintptr_t)(x.at[0] + offset), sizeof value);         \
				FOR_LANES o[i] = value;                                                            \
			} else {                                                                               \
				load_scattered_##bits(o, &x, offset);                                              \
			}                                                                                      \
			if (mask != EXEC_FULL)                                                                 \
				merge(d, t, sizeof t[0], mask);                                                    \
		}                                                                                          \
		note_seen(w, in, mask, &x, bytes);                                                         \
		return EXEC_NEXT;                                                                          \
	}                                                                                              \
	HANDLER(st_##bits)                                                                             \
	{                                                                                              \
		struct warp_access x;                                                                      \
		const u##bits *s = SOURCE(u##bits, in->d);                                                 \
		u8 *whole = whole_access(w, in, mask, sizeof *s, true);                                    \
		if (whole) {                                                                               \
			store_run(whole, s + first_lane(mask), sizeof *s, mask);                               \
			return EXEC_NEXT;                                                                      \
		}                                                                                          \
		if (resolve(w, in, mask, &x, sizeof s[0], true) != EXEC_NEXT)                              \
			return EXEC_FAULT;                                                                     \
		if (is_strong(in)) {                                                                       \
			store_each_strong_##bits(&x, s, 0, mask);                                              \
			return EXEC_NEXT;                                                                      \
		}                                                                                          \
		if (x.dense) {                                                                             \
			memcpy((void *)(uintptr_t)x.at[0], s, sizeof s[0] * EXEC_LANES);                       \
			return EXEC_NEXT;                                                                      \
		}                                                                                          \
		for (u32 left = mask; left; left &= left - 1) {                                            \
			int i = first_lane(left);                                                              \
			memcpy((void *)(uintptr_t)x.at[i], &s[i], sizeof s[0]);                                \
		}                                                                                          \
		return EXEC_NEXT;                                                                          \
	}                                                                                              \
	HANDLER(stv_##bits)                                                                            \
	{                                                                                              \
		struct warp_access x;                                                                      \
		const u64 bytes = sizeof(u##bits) * in->count;                                             \
		if (resolve_any(w, in, mask, &x, bytes, true) != EXEC_NEXT)                                \
			return EXEC_FAULT;                                                                     \
		for (int e = 0; e < in->count; e++) {                                                      \
			const u##bits *s = SOURCE(u##bits, in->list[e]);                                       \
			u64 offset = (u64)e * sizeof s[0];                                                     \
			if (is_strong(in)) {                                                                   \
				store_each_strong_##bits(&x, s, offset, mask);                                     \
				continue;                                                                          \
			}                                                                                      \
			for (u32 left = mask; left; left &= left - 1) {                                        \
				int i = first_lane(left);                                                          \
				memcpy((void *)(uintptr_t)(x.at[i] + offset), &s[i], sizeof s[0]);                 \
			}                                                                                      \
		}                                                                                          \
		return EXEC_NEXT;                                                                          \
	}
LOAD(16)
LOAD(32)
LOAD(64)

/* Narrow elements in wider registers, and 128-bit registers. */
HANDLER(ld_any)
{
	struct warp_access x;
	const int size = in->size, wide = in->reg_size;
	if (resolve_any(w, in, mask, &x, (u64)size * in->count, false) != EXEC_NEXT)
		return EXEC_FAULT;
	for (int e = 0; e < in->count; e++) {
		if (in->list[e] < 0)
			continue;
		u8 *d = DEST(u8, in->list[e]);
		for (int i = 0; i < EXEC_LANES; i++) {
			if (!IN_MASK(i))
				continue;
			const void *from = (const void *)(uintptr_t)(x.at[i] + (u64)(e * size));
			if (size == 16) {
				memcpy(d + i * 16, from, 16);
				continue;
			}
			u64 value = 0;
			memcpy(&value, from, (size_t)size);
			if (in->flags & EXEC_FLAG_SIGNED)
				value = (u64)((s64)(value << (64 - 8 * size)) >> (64 - 8 * size));
			memcpy(d + i * wide, &value, (size_t)wide);
		}
	}
	if (is_strong(in))
		atomic_thread_fence(memory_order_acquire);
	note_seen(w, in, mask, &x, (u64)size * in->count);
	return EXEC_NEXT;
}

HANDLER(st_any)
{
	struct warp_access x;
	const int size = in->size, wide = in->reg_size;
	if (resolve_any(w, in, mask, &x, (u64)size * in->count, true) != EXEC_NEXT)
		return EXEC_FAULT;
	if (is_strong(in))
		atomic_thread_fence(memory_order_release);
	for (int e = 0; e < in->count; e++) {
		const u8 *s = SOURCE(u8, in->list[e]);
		for (int i = 0; i < EXEC_LANES; i++)
			if (IN_MASK(i))
				memcpy((void *)(uintptr_t)(x.at[i] + (u64)(e * size)), s + i * wide, (size_t)size);
	}
	return EXEC_NEXT;
}
