/* Undefined values, followed. A warp that reads memory which nothing wrote gets a pattern of ones,
 * as a GPU gives it whatever was there. That is no error: prefetches, paddings and the ragged ends
 * of tiles do it, and the value is never used. From then on the warp is run by a second loop
 * (exec_follow) that knows for each lane of each 16-bit part of a register, and of each
 * predicate, whether its value is made of such a read. Where one reaches a result of the program
 * (memory that has a name), an address, a barrier, or a branch of which more than values of
 * registers depends, the kernel has an error. A warp that reads nothing undefined pays nothing.
 *
 * What an instruction reads and writes is listed by decode/effects.c. */
#ifndef EMULATOR_EXEC_UNDEFINED_H
#define EMULATOR_EXEC_UNDEFINED_H

#include "emulator/exec/fault.h"
#include "emulator/exec/region.h"
#include "emulator/exec/worker.h"

/* How an instruction's results follow from what it reads. */
enum exec_effect_kind {
	EFFECT_NONE,    /* reads no register, or does nothing with it */
	EFFECT_LANES,   /* lane by lane: undefined when any input is */
	EFFECT_PARTS,   /* the same for each 16 bits of a lane: pairs of halves, logic */
	EFFECT_PAIR,    /* cvt of two floats into a pair: a above, b below */
	EFFECT_CROSS,   /* all lanes, when any input of any lane is undefined */
	EFFECT_MOVE,    /* bits are moved: found by carrying the instruction out on marks */
	EFFECT_COMPARE, /* setp: with a predicate that may decide alone */
	EFFECT_LOGIC,   /* and.pred, or.pred: likewise */
	EFFECT_LOAD,    /* from memory: ld, ldmatrix, wmma.load */
	EFFECT_LOAD_ROWS,
	EFFECT_LOAD_TILE,
	EFFECT_TEXTURE, /* the same: lanes are noted as they read */
	EFFECT_STORE,   /* st, stmatrix, wmma.store */
	EFFECT_STORE_ROWS,
	EFFECT_STORE_TILE,
	EFFECT_MMA,      /* rows of A, columns of B, elements of C */
	EFFECT_OPERANDS, /* must be defined: atomics, barriers, copies, descriptors */
};

/* A register or predicate among an instruction's effects: its slot (a multiple of 64) and how many
 * parts of 16 bits it has, or index << 6 and the flag. */
#define EFFECT_PARTS_MASK 0x1f
#define EFFECT_PREDICATE 0x20
#define EFFECT_CARRY 0x3f /* add.cc */

/* The numbers at program->effects[origin.effects], before the references. */
enum exec_effect_head {
	EFFECT_KIND,
	EFFECT_USES,    /* what it does besides to compute: enum exec_region_use */
	EFFECT_RESULTS, /* how many references are results, */
	EFFECT_DATA,    /* values, */
	EFFECT_CONTROL, /* selectors and predicates, which make the result of their lane undefined, */
	EFFECT_STRICT,  /* and addresses and the like, which must be defined */
	EFFECT_HEAD,
};

/* Where an undefined value was read. */
struct exec_read {
	uint32_t pc;
	bool stored;          /* an undefined value was stored there */
	enum ptx_space space; /* global, shared or local */
	uint64_t offset;      /* in it; an address in global memory */
};

struct exec_lanes {
	uint32_t lanes; /* those whose value is undefined */
	struct exec_read read;
};

/* Lanes that took one side of a branch on an undefined value: at its join, what the region may
 * write becomes undefined. */
#define EXEC_OPEN_REGIONS 16
struct exec_open {
	const struct exec_region *region;
	uint32_t lanes;
	struct exec_read read;
};

struct exec_undefined {
	struct exec_lanes *parts;      /* 64 bytes of the register file each */
	struct exec_lanes *predicates; /* one each */
	struct exec_lanes carry;
	size_t part_count;
	/* EXEC_SHARED_* for each byte of local memory; NULL: all defined, or there is none */
	uint8_t *local;
	struct exec_open open[EXEC_OPEN_REGIONS];
	uint32_t open_count;
	uint32_t count;       /* of parts and predicates with undefined lanes */
	bool following;       /* the loop that runs the warp */
	bool again;           /* the instruction at pc is taken again, by the other loop */
	bool noted;           /* the instruction read undefined memory: `read` */
	uint32_t noted_lanes; /* those that did, of a texture */
	struct exec_read read;
};

/* A byte of shared memory that is not defined is read. True: the reader may have it. False: the
 * instruction failed, or exec_undefined_again() is true. */
bool exec_undefined_read(struct warp *warp, const struct exec_instruction *in, int lane,
						 const struct exec_block *block, uint64_t offset);
/* As exec_undefined_read() for a byte of global memory. */
bool exec_undefined_read_global(struct warp *warp, const struct exec_instruction *in, int lane,
								const struct allocation *allocation, uint64_t address);
/* After a handler failed: whether it only needs the other loop, and is to be taken again. */
bool exec_undefined_again(const struct warp *warp);
/* Whether there is anything to follow; asked where a turn of the warp begins. */
bool exec_undefined_begin(struct warp *warp);
/* For a warp whose registers become undefined by another instruction than a load. */
struct exec_undefined *exec_undefined_open(struct warp *warp);
void exec_undefined_clear(struct warp *warp);
/* The warp begins, and has written nothing to its local memory: so that a warp that has any is run
 * by that loop from the start. False without host memory. */
bool exec_undefined_begin_local(struct warp *warp);
void exec_undefined_free(struct warp *warp);

/* Sets the lanes of `mask`; `read` counts where there are any. */
void exec_lanes_set(struct exec_undefined *undefined, struct exec_lanes *part, uint32_t mask,
					uint32_t lanes, const struct exec_read *read);
/* As exec_lanes_set() for all parts of some references. */
void exec_lanes_set_all(struct exec_undefined *undefined, const int32_t *references, int32_t count,
						uint32_t mask, uint32_t lanes, const struct exec_read *read);
/* "shared memory that nothing wrote, read by ld.shared.f32 at gemm.cu:12, offset 4" */
#define EXEC_READ_TEXT (EXEC_PLACE + MEMORY_TEXT + 100)
const char *exec_undefined_describe(const struct warp *warp, const struct exec_read *read,
									char text[EXEC_READ_TEXT]);
/* What an instruction does with a value "made of" such. */
enum exec_status exec_undefined_fail(struct warp *warp, const struct exec_instruction *in,
									 uint32_t lanes, const char *what, const struct exec_read *read)
	__attribute__((cold));

static inline struct exec_lanes *exec_lanes_of(struct exec_undefined *undefined, int32_t reference)
{
	if (reference == EFFECT_CARRY)
		return &undefined->carry;
	return reference & EFFECT_PREDICATE ? &undefined->predicates[reference >> 6]
										: &undefined->parts[reference >> 6];
}

static inline uint32_t exec_lanes_parts(int32_t reference)
{
	return reference & EFFECT_PREDICATE ? 1 : (uint32_t)reference & EFFECT_PARTS_MASK;
}

static inline const int32_t *exec_effects(const struct warp *warp,
										  const struct exec_instruction *in)
{
	const struct exec_program *program = warp->worker->launch->program;
	return program->effects + program->origins[in - program->code].effects;
}

#endif
