/* Atomics. They are the host's own, so that they hold between blocks on different
 * threads. in->sub is the operation, in->e the kind of number. */
#include "emulator/ops/atomic.h"

#include "emulator/exec/access.h"
#include "emulator/exec/atomic.h"
#include "emulator/exec/race_global.h"
#include "emulator/simd/lanes.h"

/* -0 is less than +0, and a number comes before a NaN of either kind. */
static float chosen(float a, float b, bool least)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	bool less = a < b || (a == b && signbit(a));
	return less == least ? a : b;
}

static uint16_t half_combine(uint16_t a, uint16_t b, enum atomic_operation operation, bool brain)
{
	float fa[16] = {0}, fb[16] = {0}, r[16] = {0};
	uint16_t ha[16] = {a}, hb[16] = {b}, h[16];
	(brain ? bf16_to_floats : f16_to_floats)(fa, ha, 16);
	(brain ? bf16_to_floats : f16_to_floats)(fb, hb, 16);
	r[0] = operation == ATOM_ADD   ? fa[0] + fb[0]
		   : operation == ATOM_MIN ? chosen(fa[0], fb[0], true)
								   : chosen(fa[0], fb[0], false);
	(brain ? floats_to_bf16 : floats_to_f16)(h, r, 16);
	return h[0];
}

static uint64_t combine_halves(uint64_t old, uint64_t b, struct atomic_form form)
{
	uint64_t result = 0;
	for (int k = 0; k < form.size; k += 2)
		result |= (uint64_t)half_combine((uint16_t)(old >> (8 * k)), (uint16_t)(b >> (8 * k)),
										 form.operation, form.number == ATOM_BF16)
				  << (8 * k);
	return result;
}

/* The NaN of an f32 sum is that of add.f32: in shared memory ptxas makes a loop around one; of
 * global memory nobody has looked. */
static uint64_t add_floats(uint64_t old, uint64_t b, struct atomic_form form)
{
	const float a32 = float_of_bits((uint32_t)old), b32 = float_of_bits((uint32_t)b);
	if (form.size == 4)
		return bits_of_float(canonical(form.flush ? ftz(ftz(a32) + ftz(b32)) : a32 + b32));
	double x, y;
	memcpy(&x, &old, 8);
	memcpy(&y, &b, 8);
	if (x != x || y != y) /* its bits stay */
		return y != y ? b : old;
	x += y;
	memcpy(&old, &x, 8);
	return old;
}

static uint64_t combine(uint64_t old, uint64_t b, uint64_t c, struct atomic_form form)
{
	if (form.number == ATOM_F16 || form.number == ATOM_BF16)
		return combine_halves(old, b, form);
	if (form.number == ATOM_FLOAT && form.operation == ATOM_ADD)
		return add_floats(old, b, form);
	bool is_signed = form.number == ATOM_SIGNED;
	int64_t so = form.size == 4 ? (int32_t)old : (int64_t)old,
			sb = form.size == 4 ? (int32_t)b : (int64_t)b;
	switch (form.operation) {
	case ATOM_ADD: return old + b;
	case ATOM_MIN: return is_signed ? (so < sb ? old : b) : old < b ? old : b;
	case ATOM_MAX: return is_signed ? (so > sb ? old : b) : old > b ? old : b;
	case ATOM_AND: return old & b;
	case ATOM_OR: return old | b;
	case ATOM_XOR: return old ^ b;
	case ATOM_EXCH: return b;
	case ATOM_CAS: return old == b ? c : old;
	case ATOM_INC: return old >= b ? 0 : old + 1;
	default: return old == 0 || old > b ? b : old - 1;
	}
}

#define SWAP(bits)                                                                                 \
	static uint64_t atomic_##bits(uint##bits##_t *p, uint64_t b, uint64_t c,                       \
								  struct atomic_form form)                                         \
	{                                                                                              \
		uint##bits##_t old = __atomic_load_n(p, __ATOMIC_RELAXED);                                 \
		while (!__atomic_compare_exchange_n(p, &old, (uint##bits##_t)combine(old, b, c, form),     \
											false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))            \
			;                                                                                      \
		return old;                                                                                \
	}
SWAP(16)
SWAP(32)
SWAP(64)

uint64_t ops_atomic(void *p, uint64_t b, uint64_t c, struct atomic_form form)
{
	if (form.size == 4 && form.operation == ATOM_ADD && form.number <= ATOM_SIGNED)
		return __atomic_fetch_add((uint32_t *)p, (uint32_t)b, __ATOMIC_SEQ_CST);
	return form.size == 8   ? atomic_64(p, b, c, form)
		   : form.size == 4 ? atomic_32(p, b, c, form)
							: atomic_16(p, b, c, form);
}

/* Whether the atomic, which found `old`, looks at memory and leaves it as it is. */
static bool only_looks(uint64_t old, uint64_t b, uint64_t c, struct atomic_form form)
{
	const uint64_t differs = combine(old, b, c, form) ^ old;
	return (form.size == 8 ? differs : differs & (((uint64_t)1 << 8 * form.size) - 1)) == 0;
}

/* in->list: destinations (or -1), then operands b, then c when there is one */
HANDLER(atom)
{
	const int size = in->size, count = in->count;
	struct atomic_form form = {in->sub, (enum atomic_number)in->e, size, false};
	const bool flushes = size == 4 && in->e == ATOM_FLOAT && !(in->flags & EXEC_FLAG_SUBNORMALS);
	struct counters *counters = &w->worker->counters;
	uint64_t at[EXEC_LANES], low = ~(uint64_t)0, high = 0, some = 0;
	bool looks = false;
	for (int i = 0; i < EXEC_LANES; i++) {
		if (!IN_MASK(i))
			continue;
		uint64_t address = (uint64_t)in->imm + (in->width == 8 ? SOURCE(uint64_t, in->a)[i]
															   : SOURCE(uint32_t, in->a)[i]);
		address = in->width == 8 ? address : (uint32_t)address;
		const uint64_t bytes = (uint64_t)(size * count);
		/* PTX ISA, atom: of shared memory it keeps subnormals */
		form.flush = flushes && in->space != PTX_SHARED && !(address >> EXEC_WINDOW_SHIFT);
		/* what is combined with must have been written */
		void *p = exec_access(w, in, i, in->space, address, bytes, bytes, false);
		if (p == NULL || exec_access(w, in, i, in->space, address, bytes, bytes, true) == NULL)
			return EXEC_FAULT;
		at[i] = some = (uint64_t)(uintptr_t)p;
		low = some < low ? some : low;
		high = some > high ? some : high;
		for (int e = 0; e < count; e++) {
			uint64_t b = 0, c = 0, old;
			memcpy(&b, SOURCE(uint8_t, in->list[count + e]) + i * size, (size_t)size);
			if (in->sub == ATOM_CAS)
				memcpy(&c, SOURCE(uint8_t, in->list[2 * count + e]) + i * size, (size_t)size);
			old = ops_atomic((uint8_t *)p + e * size, b, c, form);
			if (in->list[e] < 0)
				continue;
			memcpy(DEST(uint8_t, in->list[e]) + i * size, &old, (size_t)size);
			looks |= only_looks(old, b, c, form);
		}
	}
	for (int i = 0; i < EXEC_LANES; i++)
		at[i] = IN_MASK(i) ? at[i] : some;
	if (w->block->race != NULL && in->list[0] >= 0)
		race_global_seen(w, in, mask, at, (uint64_t)(size * count));
	w->block->polls += looks;
	if (in->space != PTX_SHARED) {
		counters->global_atomic_requests++;
		counters->global_atomic_sectors += count_scattered(at, low, high, 5);
		counters->global_lines += count_scattered(at, low, high, 7);
	}
	return EXEC_NEXT;
}

/* Exchanges and compare-and-swaps of 128 bits, under one lock. */
HANDLER(atom_128)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < EXEC_LANES; i++) {
		if (!IN_MASK(i))
			continue;
		uint64_t address = (uint64_t)in->imm + (in->width == 8 ? SOURCE(uint64_t, in->a)[i]
															   : SOURCE(uint32_t, in->a)[i]);
		void *p = exec_access(w, in, i, in->space, address, 16, 16, false);
		if (p == NULL || exec_access(w, in, i, in->space, address, 16, 16, true) == NULL)
			return EXEC_FAULT;
		uint8_t old[16];
		const uint8_t *b = SOURCE(uint8_t, in->list[1]) + i * 16;
		pthread_mutex_lock(&lock);
		memcpy(old, p, 16);
		if (in->sub == ATOM_EXCH)
			memcpy(p, b, 16);
		else if (memcmp(old, b, 16) == 0)
			memcpy(p, SOURCE(uint8_t, in->list[2]) + i * 16, 16);
		w->block->polls += memcmp(old, p, 16) == 0;
		pthread_mutex_unlock(&lock);
		const uint64_t at[EXEC_LANES] = {[0] = (uint64_t)(uintptr_t)p};
		if (w->block->race != NULL && in->list[0] >= 0)
			race_global_seen(w, in, 1, at, 16);
		if (in->list[0] >= 0)
			memcpy(DEST(uint8_t, in->list[0]) + i * 16, old, 16);
	}
	return EXEC_NEXT;
}
