/* An mbarrier: 64 bits in shared memory, of our own layout. */
#ifndef EMULATOR_EXEC_MBARRIER_H
#define EMULATOR_EXEC_MBARRIER_H

#include <stdint.h>

struct mbarrier {
	uint32_t pending, expected; /* arrivals; 20 bits */
	int32_t bytes;              /* transactions outstanding; 22 bits, signed */
	uint32_t phase;
};

#define MBARRIER_VALID ((uint64_t)1 << 62) /* from mbarrier.init to mbarrier.inval */
#define MBARRIER_COUNT_BITS 20
#define MBARRIER_COUNT_MAX ((1u << MBARRIER_COUNT_BITS) - 1)

static inline struct mbarrier mbarrier_unpack(uint64_t bits)
{
	return (struct mbarrier){(uint32_t)bits & MBARRIER_COUNT_MAX,
							 (uint32_t)(bits >> 20) & MBARRIER_COUNT_MAX,
							 (int32_t)((int64_t)(bits << 2) >> 42), (uint32_t)(bits >> 63)};
}

static inline uint64_t mbarrier_pack(struct mbarrier barrier)
{
	return (uint64_t)barrier.pending | (uint64_t)barrier.expected << 20 |
		   ((uint64_t)barrier.bytes & 0x3fffff) << 40 | MBARRIER_VALID |
		   (uint64_t)barrier.phase << 63;
}

/* Whether what lies where an mbarrier with so many arrivals was made can still be that one, rather
 * than something that was stored there. */
static inline int mbarrier_valid(uint64_t bits, uint32_t made)
{
	const struct mbarrier barrier = mbarrier_unpack(bits);
	return (bits & MBARRIER_VALID) && barrier.expected <= made && barrier.pending <= made &&
		   (barrier.pending || barrier.bytes || !barrier.expected);
}

static inline void mbarrier_settle(struct mbarrier *barrier)
{
	if (barrier->pending || barrier->bytes)
		return;
	barrier->phase ^= 1;
	barrier->pending = barrier->expected;
}

/* Subtracts from the transaction count of the mbarrier at `state`. */
static inline void mbarrier_complete(uint64_t *state, uint64_t bytes)
{
	struct mbarrier barrier = mbarrier_unpack(*state);
	barrier.bytes -= (int32_t)bytes;
	mbarrier_settle(&barrier);
	*state = mbarrier_pack(barrier);
}

#endif
