/* Decoded programs.
 *
 * An operand is the byte offset of its register in the warp's file (warp.h); odd offsets are
 * constants of the program. Predicates are bit masks. */
#ifndef EMULATOR_EXEC_PROGRAM_H
#define EMULATOR_EXEC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/machine.h"
#include "emulator/ptx/ir.h"

#define EXEC_LANES 32
#define EXEC_FULL 0xffffffffu

/* Windows of the generic address space. Bits 56 and up of a host address are
 * zero, so that none of these can be one. */
#define EXEC_WINDOW_SHIFT 56
#define EXEC_WINDOW_SHARED ((uint64_t)1 << EXEC_WINDOW_SHIFT)
#define EXEC_WINDOW_LOCAL ((uint64_t)2 << EXEC_WINDOW_SHIFT)
#define EXEC_WINDOW_PARAM ((uint64_t)3 << EXEC_WINDOW_SHIFT)
#define EXEC_WINDOW_CODE ((uint64_t)4 << EXEC_WINDOW_SHIFT) /* addresses of functions */
/* A shared address: (rank in the cluster + 1) << 24 | offset, or the bare offset
 * for the own block. In a cluster of several blocks a kernel gets the former for its own
 * variables too, as on an H200, where mapa to the own rank changes nothing. Offsets start
 * at the GPU's shared_base: from sm_90 on the first KiB is the system's. */
#define EXEC_SHARED_RANK_SHIFT 24
#define EXEC_LOCAL_BASE 0x100u
#define EXEC_SLOT_ALIGN 64      /* of a register in the warp's file */
#define EXEC_STACK_BYTES 16384u /* the most of a thread, where a kernel has alloca */

struct warp;
struct exec_instruction;

enum exec_status {
	EXEC_NEXT,
	EXEC_BRANCH, /* the whole group goes on at warp->pc */
	EXEC_JUMP,   /* a group was split, parked or left: choose again; warp->pc is set */
	EXEC_YIELD,  /* nothing to gain from going on now: another warp's turn */
	EXEC_FAULT,
};

typedef enum exec_status (*exec_handler)(struct warp *warp, const struct exec_instruction *in,
										 uint32_t mask);

struct exec_instruction {
	exec_handler handler;
	uint32_t guard;     /* predicate index */
	uint32_t guard_xor; /* all ones: negated */
	int32_t d, a, b, c; /* operands: register offsets, predicate indices */
	int32_t e;          /* a further operand */
	union {
		uint32_t target; /* branches */
		uint32_t cache;  /* memory: slot of the worker's allocation cache */
	};
	int64_t imm;
	const int32_t *list; /* elements of vectors */
	uint8_t size;        /* bytes of one element in memory */
	uint8_t count;       /* elements of a vector access */
	uint8_t sub;         /* which of its forms: exec/sub.h */
	uint8_t flags;       /* EXEC_FLAG_* */
	uint8_t space : 4;   /* enum ptx_space */
	uint8_t width : 4;   /* bytes of the address register */
	uint8_t reg_size;    /* bytes of a data register */
	uint8_t flops;
	uint8_t class; /* enum instruction_class */
};
_Static_assert(sizeof(struct exec_instruction) == 64, "one line of the host's cache");

enum exec_flags {
	EXEC_FLAG_SIGNED = 1,
	EXEC_FLAG_VOLATILE = 2,
	EXEC_FLAG_FINITE = 4, /* .satfinite */
	EXEC_FLAG_SAT = 8,
	EXEC_FLAG_FTZ = 16,
	EXEC_FLAG_RELU = 32,
	EXEC_FLAG_NEGATED_C = 64,
	EXEC_FLAG_CLUSTER = 128,
	/* of accesses to memory: */
	EXEC_FLAG_NEGATED_A = EXEC_FLAG_SIGNED,  /* fma of floats: -a, as NEGATED_C is -c */
	EXEC_FLAG_SUBNORMALS = EXEC_FLAG_FINITE, /* .noftz: additions of f32 keep them */
	EXEC_FLAG_REDUCES = EXEC_FLAG_SAT,       /* a bulk reduction */
	EXEC_FLAG_WEAK = EXEC_FLAG_SAT,          /* ld, st: volatile, and not ordered */
	EXEC_FLAG_BLOCK = EXEC_FLAG_FTZ, /* of scope .cta: atomic, or ordered, in its block alone */
	EXEC_FLAG_ACQUIRE = EXEC_FLAG_RELU,
	EXEC_FLAG_RELEASE = EXEC_FLAG_NEGATED_C,
};

/* How the registers of a wmma fragment lie in memory. */
enum exec_tile {
	EXEC_TILE_SCATTERED, /* any way */
	EXEC_TILE_ROWS,      /* each is 8 rows of 16 bytes */
	EXEC_TILE_TURNED,    /* that, of 16-bit elements, transposed */
	EXEC_TILE_PAIRS,     /* two are 8 rows of 32 bytes, whose 32-bit elements take turns */
	EXEC_TILE_FOUR_BITS, /* rows, and the stride counts elements of so many bits */
	EXEC_TILE_ONE_BIT,
};

/* From elements of the stride to words that are loaded, as powers of 2. */
static inline unsigned exec_tile_shift(int32_t tile)
{
	return tile == EXEC_TILE_FOUR_BITS ? 3 : tile == EXEC_TILE_ONE_BIT ? 5 : 0;
}

enum exec_special {
	EXEC_TID_X,
	EXEC_TID_Y,
	EXEC_TID_Z,
	EXEC_NTID_X,
	EXEC_NTID_Y,
	EXEC_NTID_Z,
	EXEC_CTAID_X,
	EXEC_CTAID_Y,
	EXEC_CTAID_Z,
	EXEC_NCTAID_X,
	EXEC_NCTAID_Y,
	EXEC_NCTAID_Z,
	EXEC_CLUSTERID_X,
	EXEC_CLUSTERID_Y,
	EXEC_CLUSTERID_Z,
	EXEC_NCLUSTERID_X,
	EXEC_NCLUSTERID_Y,
	EXEC_NCLUSTERID_Z,
	EXEC_CLUSTER_CTAID_X,
	EXEC_CLUSTER_CTAID_Y,
	EXEC_CLUSTER_CTAID_Z,
	EXEC_CLUSTER_NCTAID_X,
	EXEC_CLUSTER_NCTAID_Y,
	EXEC_CLUSTER_NCTAID_Z,
	EXEC_CLUSTER_CTARANK,
	EXEC_CLUSTER_NCTARANK,
	EXEC_LANEID,
	EXEC_WARPID,
	EXEC_NWARPID,
	EXEC_SMID,
	EXEC_NSMID,
	EXEC_GRIDID,
	EXEC_LANEMASK_EQ,
	EXEC_LANEMASK_LE,
	EXEC_LANEMASK_LT,
	EXEC_LANEMASK_GE,
	EXEC_LANEMASK_GT,
	EXEC_DYNAMIC_SMEM,
	EXEC_TOTAL_SMEM,
	EXEC_AGGR_SMEM,
	EXEC_RESERVED_SMEM,
	EXEC_ENVREG1,
	EXEC_ENVREG2,
	EXEC_ZERO,
	EXEC_WIDE, /* those of 64 bits */
	EXEC_GRIDID_WIDE = EXEC_WIDE,
	EXEC_ZERO_WIDE,
	EXEC_STACK, /* bytes of the thread's stack in use: alloca */
	EXEC_SPECIALS,
};

/* Predicates that every program has, which nothing writes. */
enum exec_predicate {
	EXEC_ALWAYS,
	EXEC_NEVER,
	EXEC_IS_CLUSTER, /* %is_explicit_cluster */
	EXEC_PREDICATES_GIVEN,
};

/* Where a decoded instruction came from. */
struct exec_origin {
	const struct ptx_instruction *instruction;
	const struct ptx_function *function;
	uint32_t effects; /* index into the program's: what it reads and writes */
};

struct exec_region;

/* The address of a shared variable, which each block finds in a register of its own. */
struct exec_shared_place {
	int32_t slot; /* of the register */
	uint32_t size;
	uint64_t offset; /* shared_base and more */
};

/* The address of a function: its own in the module, and no address of data. */
static inline uint64_t exec_function_address(const struct ptx_function *function)
{
	return EXEC_WINDOW_CODE + (uint64_t)function->line;
}

#define EXEC_RESULT_BYTES 256 /* the most that a recursive call gives back */
/* The body of a function that is called while it is under way. */
struct exec_recursion {
	size_t local, local_end; /* its part of local memory, but for its parameters and results */
};

struct exec_program {
	const struct ptx_function *function;
	struct exec_instruction *code;
	uint32_t count;
	struct exec_origin *origins; /* of each instruction */
	uint8_t *constants;
	size_t constant_bytes;
	size_t register_bytes; /* of a warp */
	uint8_t *slot_bytes; /* of a lane's element, where a slot begins, for each EXEC_SLOT_ALIGN; 0 */
	struct exec_recursion *recursions;
	uint32_t recursion_count;
	uint32_t predicate_count;
	uint32_t cache_count;
	int32_t special[EXEC_SPECIALS]; /* register offset, or -1 when unused */
	struct exec_shared_place *shared_places;
	uint32_t shared_place_count;
	size_t local_bytes; /* per thread */
	size_t stack;       /* where in them the thread's stack begins: the last EXEC_STACK_BYTES */
	size_t static_shared, dynamic_shared_offset;
	uint32_t shared_align;   /* the largest that a shared variable asks for */
	bool dynamic_shared;     /* it has an array whose size the launch gives */
	uint32_t shared_base;    /* address of the first byte of shared memory */
	struct line_cost *costs; /* by instruction, of all launches; NULL: none kept */
	int registers;
	int32_t *lists;
	int32_t *effects;            /* exec/undefined.h */
	bool doubles_told;           /* two warps that stored the same: exec/race.c */
	struct exec_region *regions; /* of branches on undefined values: exec/region.h */
	bool async_proxy;            /* wgmma or bulk copies read shared memory */
	bool async_copies;           /* to or from shared memory */
	bool unresolved;             /* refers to what could not be resolved */
};

#endif
