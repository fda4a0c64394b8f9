/* Warps: their registers, and the groups of lanes that share a program counter.
 *
 * Registers lie lane-major: a 32-bit register is uint32_t[32], one element a
 * lane, so that an instruction is a loop over 32 neighbours. */
#ifndef EMULATOR_EXEC_WARP_H
#define EMULATOR_EXEC_WARP_H

#include "emulator/exec/program.h"

/* Lanes of a warp that share a program counter. */
enum exec_wait {
	EXEC_READY,
	EXEC_HELD,           /* could run, and somebody looks at the others: launch/spin.c */
	EXEC_WAIT_SYNC,      /* for other lanes of the warp, at this very instruction */
	EXEC_WAIT_WARPSYNC,  /* for other lanes of the warp, at any bar.warp.sync */
	EXEC_WAIT_CLUSTER,   /* barrier.cluster */
	EXEC_WAIT_REGISTERS, /* setmaxnreg.inc */
	EXEC_WAIT_BARRIER,   /* + number of the barrier; must be last */
};

static inline bool exec_waits_for_lanes(uint32_t wait)
{
	return wait == EXEC_WAIT_SYNC || wait == EXEC_WAIT_WARPSYNC;
}

struct exec_group {
	uint32_t pc, mask;
	uint32_t wait;
};

struct exec_block;
struct exec_worker;
struct exec_copies;     /* pending copies of a warp: exec/copies.h */
struct exec_mmas;       /* pending wgmma of a warp: ops/wgmma.c */
struct exec_recursions; /* calls of functions under way: ops/recursion.c */
struct exec_undefined;  /* undefined values of a warp: exec/undefined.h */

struct warp {
	uint8_t *base[2]; /* registers; constants, one byte early */
	uint32_t *predicates;
	uint32_t pc, active, limit; /* the running group; limit: where another waits */
	uint32_t live;              /* lanes that have not exited */
	uint32_t exists;            /* lanes that the block's size gives this warp */
	uint32_t carry;             /* add.cc */
	uint32_t registers;         /* of a lane: setmaxnreg changes them */
	uint32_t cluster_arrived;   /* lanes between arrive and wait of barrier.cluster */
	struct exec_block *block;
	struct exec_worker *worker;
	uint32_t index;
	uint32_t group_count;
	struct exec_group groups[EXEC_LANES]; /* all but the running one */
	uint8_t *local;
	uint64_t steps;
	bool turn; /* take another group next, for fairness */
	uint32_t turns;
	struct exec_copies *copies;
	struct exec_mmas *mmas;
	struct exec_recursions *recursions; /* NULL: it never had any */
	uint64_t mbarrier_found;            /* what a wait that failed found last; 0: none did */
	uint32_t divided; /* the last division of integers by 0, its place plus 1; 0: there was none */
	struct exec_undefined *undefined; /* NULL: it has read nothing undefined */
};

#endif
