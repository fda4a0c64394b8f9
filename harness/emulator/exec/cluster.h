/* Blocks, their shared memory and what is known of its bytes, and clusters of blocks. */
#ifndef EMULATOR_EXEC_CLUSTER_H
#define EMULATOR_EXEC_CLUSTER_H

#include "emulator/exec/warp.h"

#define EXEC_BARRIERS 16

/* What is known of a byte of shared memory. Only readable bytes have all bits. */
#define EXEC_SHARED_UNWRITTEN 0x00
#define EXEC_SHARED_PENDING 0x01   /* an asynchronous copy will write it */
#define EXEC_SHARED_UNDEFINED 0x02 /* an undefined value was stored there */
#define EXEC_SHARED_READABLE 0xff

struct exec_cluster;
struct exec_bulk; /* pending bulk copies of a cluster: exec/copies.h */
struct exec_race; /* exec/race.c */

struct exec_barrier {
	uint32_t arrived, expected; /* expected 0: everyone who lives */
	uint32_t count, all, any;   /* barrier.red */
};

/* The first barrier of a block that its threads did not take as one: exec/uneven.h. */
struct exec_uneven {
	uint32_t behind, other; /* places behind barriers; 0: all took each as one */
	uint32_t exited;        /* threads that had by then */
};

/* What a tensor load brought, and how it laid it out: enum tensor_swizzle. */
#define EXEC_LAYOUTS 16
struct exec_layout {
	uint32_t offset, bytes, swizzle, pc;
};

#define EXEC_INITS 64
struct exec_init {
	uint32_t offset, expected, pc; /* of its mbarrier.init */
};

#define EXEC_UNFENCED_UNIT 16 /* bytes */

/* What an asynchronous copy under way does with bytes of shared memory. */
enum exec_pending { EXEC_PENDING_WRITE, EXEC_PENDING_READ, EXEC_PENDING_KINDS };

struct exec_block {
	uint32_t id[3];
	uint32_t rank;     /* in its cluster */
	uint64_t own_bits; /* of addresses of its shared variables, beyond their offset */
	uint8_t *shared;
	size_t shared_bytes;
	uint64_t shared_base; /* the program's */
	struct warp *warps;
	uint32_t warp_count, threads, live;
	struct exec_barrier barriers[EXEC_BARRIERS];
	struct exec_uneven uneven;
	struct exec_layout layouts[EXEC_LAYOUTS]; /* of the last ones, by layout_count */
	uint32_t layout_count;
	struct exec_cluster *cluster;
	uint32_t registers_free; /* of each lane of a warp: setmaxnreg.dec gave them back */
	uint64_t steps;
	/* volatile, relaxed and acquiring loads, and atomics that left memory as it was */
	uint64_t polls;
	uint8_t *shared_written; /* one EXEC_SHARED_* a byte */
	/* Asynchronous copies under way: how many, and by the byte. NULL: the kernel has none, or
	 * nobody looks for them. */
	uint32_t pending_count;
	uint8_t *pending[EXEC_PENDING_KINDS];
	/* Ordinary stores that no fence.proxy.async has followed: one byte a byte, not 0,
	 * between two offsets. NULL: nothing in the kernel would read them past the fence. */
	uint8_t *unfenced;
	uint64_t unfenced_low, unfenced_high;
	uint32_t *unfenced_by; /* the pc of the last such store, by 16 bytes */
	/* mbarriers that mbarrier.init has made, in its order; more than these are not remembered.
	 * A fence or a barrier has followed the first ones. */
	struct exec_init inits[EXEC_INITS];
	uint32_t init_count, inits_fenced;
	bool maps_acquired;     /* fence.proxy.tensormap: tensor maps in global memory may be used */
	struct exec_race *race; /* NULL: races are not looked for */
};

#define EXEC_CLUSTER_BLOCKS 16

struct exec_cluster {
	struct exec_block *blocks;
	uint32_t count;
	uint32_t arrived, live; /* barrier.cluster, in lanes */
	uint64_t generation;
	struct exec_bulk *bulk;
	uint64_t draws; /* of what lands early: exec/pending.c */
};

/* The offset within the own block of an address, with its rank or without; beyond all shared
 * memory for any other. */
static inline uint64_t exec_own_offset(const struct exec_block *block, uint64_t address)
{
	return address - block->shared_base - (address >= block->own_bits ? block->own_bits : 0);
}

#endif
