/* The interpreter's own structures: decoded programs, warps, blocks, workers.
 *
 * Registers lie lane-major: a 32-bit register is uint32_t[32], one element a
 * lane, so that an instruction is a loop over 32 neighbours. An operand is the
 * byte offset of its register in the warp's file; odd offsets are constants of
 * the program. Predicates are bit masks. */
#ifndef EMULATOR_EXEC_EXEC_H
#define EMULATOR_EXEC_EXEC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/exec/memory.h"
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
 * at the GPU's shared_base: from sm_80 on the first KiB is the system's. */
#define EXEC_SHARED_RANK_SHIFT 24
#define EXEC_LOCAL_BASE 0x100u

#define EXEC_BARRIERS 16

/* What is known of a byte of shared memory. Only readable bytes have all bits. */
#define EXEC_SHARED_UNWRITTEN 0x00
#define EXEC_SHARED_PENDING 0x01   /* an asynchronous copy will write it */
#define EXEC_SHARED_UNDEFINED 0x02 /* an undefined value was stored there */
#define EXEC_SHARED_READABLE 0xff

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
	EXEC_FLAG_FLOAT = 4,
	EXEC_FLAG_SAT = 8,
	EXEC_FLAG_FTZ = 16,
	EXEC_FLAG_RELU = 32,
	EXEC_FLAG_NEGATED_C = 64,
	EXEC_FLAG_CLUSTER = 128,
};

/* How the registers of a wmma fragment lie in memory. */
enum exec_tile {
	EXEC_TILE_SCATTERED, /* any way */
	EXEC_TILE_ROWS,      /* each is 8 rows of 16 bytes */
	EXEC_TILE_TURNED,    /* that, of 16-bit elements, transposed */
	EXEC_TILE_PAIRS,     /* two are 8 rows of 32 bytes, whose 32-bit elements take turns */
};

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
	EXEC_WARP_SIZE,
	EXEC_ENVREG1,
	EXEC_ENVREG2,
	EXEC_SPECIALS,
};

/* Where a decoded instruction came from. */
struct exec_origin {
	const struct ptx_instruction *instruction;
	const struct ptx_function *function;
	uint32_t effects; /* index into the program's: what it reads and writes */
};

/* The address of a shared variable, which each block finds in a register of its own. */
struct exec_shared_place {
	int32_t slot; /* of the register */
	uint32_t size;
	uint64_t offset; /* shared_base and more */
};

struct exec_program {
	const struct ptx_function *function;
	struct exec_instruction *code;
	uint32_t count;
	struct exec_origin *origins; /* of each instruction */
	uint8_t *constants;
	size_t constant_bytes;
	size_t register_bytes; /* of a warp */
	uint32_t predicate_count;
	uint32_t cache_count;
	int32_t special[EXEC_SPECIALS]; /* register offset, or -1 when unused */
	struct exec_shared_place *shared_places;
	uint32_t shared_place_count;
	size_t local_bytes; /* per thread */
	size_t static_shared, dynamic_shared_offset;
	uint32_t shared_base;    /* address of the first byte of shared memory */
	struct line_cost *costs; /* by instruction, of all launches; NULL: none kept */
	int registers;
	int32_t *lists;
	int32_t *effects;  /* exec/undefined.h */
	bool async_proxy;  /* wgmma or bulk copies read shared memory */
	bool async_copies; /* to or from shared memory */
	bool unresolved;   /* refers to what could not be resolved */
};

/* Lanes of a warp that share a program counter. */
enum exec_wait {
	EXEC_READY,
	EXEC_WAIT_SYNC,     /* for other lanes of the warp, at this very instruction */
	EXEC_WAIT_WARPSYNC, /* for other lanes of the warp, at any bar.warp.sync */
	EXEC_WAIT_CLUSTER,  /* barrier.cluster */
	EXEC_WAIT_BARRIER,  /* + number of the barrier; must be last */
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
struct exec_copies;    /* pending copies of a warp: exec/async.c */
struct exec_mmas;      /* pending wgmma of a warp: exec/wgmma.c */
struct exec_race;      /* exec/race.c */
struct exec_bulk;      /* pending bulk copies of a cluster: exec/bulk.c */
struct exec_undefined; /* undefined values of a warp: exec/undefined.h */

struct warp {
	uint8_t *base[2]; /* registers; constants, one byte early */
	uint32_t *predicates;
	uint32_t pc, active, limit; /* the running group; limit: where another waits */
	uint32_t live;              /* lanes that have not exited */
	uint32_t exists;            /* lanes that the block's size gives this warp */
	uint32_t carry;             /* add.cc */
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
	struct exec_undefined *undefined; /* NULL: it has read nothing undefined */
};

struct exec_barrier {
	uint32_t arrived, expected; /* expected 0: everyone who lives */
	uint32_t waiting;           /* lanes parked here */
	uint32_t count, all, any;   /* barrier.red */
};

#define EXEC_INITS 64
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
	struct exec_cluster *cluster;
	uint64_t steps;
	uint64_t polls;          /* volatile, relaxed and acquiring loads of global memory */
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
	/* mbarriers whose mbarrier.init no fence and no barrier has followed: their offsets. More
	 * than these are not remembered. */
	uint32_t inits[EXEC_INITS], init_count;
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

struct exec_cached {
	const struct allocation *allocation;
	uint64_t base, size;
	bool written; /* every byte was, before the kernel or since */
};

struct exec_launch {
	const struct launch *launch;
	const struct exec_program *program;
	uint64_t step_budget;
	bool check_race, check_none;
	uint64_t seed;
	_Atomic bool *where_asked; /* as in machine_options */
	void (*say)(const char *line);
	_Atomic uint64_t next_cluster;
	uint64_t cluster_total;
	uint32_t cluster[3];
	_Atomic bool stop;
	pthread_mutex_t lock; /* of the fault and the sums */
	struct fault *fault;
	struct counters *counters;
	bool faulted;
	int threads;
	bool footprints;        /* of plain loads are kept */
	uint64_t grid_clusters; /* of the whole grid; cluster_total of them are run */
};

struct exec_worker {
	struct exec_launch *launch;
	struct exec_cached *cache;
	struct exec_cached known[8]; /* allocations looked at during this launch */
	uint32_t known_count;
	struct counters counters;
	struct line_cost *costs;          /* by instruction; NULL: not wanted */
	struct line_cost seen;            /* of the counters, before the instruction at hand */
	struct exec_footprint *footprint; /* of the cluster's plain loads; NULL: not wanted */
	struct fault fault;
	uint32_t number;
	struct exec_cluster cluster;
	uint64_t idle; /* rounds since something but waiting happened */
	uint8_t *storage;
};

static inline uint32_t exec_pc(const struct warp *warp, const struct exec_instruction *in)
{
	return (uint32_t)(in - warp->worker->launch->program->code);
}

/* --- decoding: decode/decode.c --- */
struct exec_program *exec_decode(const struct ptx_function *function, struct fault *fault);
void exec_program_free(struct exec_program *program);

/* --- the loop over instructions: simd/run.c; exec/handlers.c chooses --- */
/* Runs until the warp blocks, ends, yields or has taken `quantum` steps. */
typedef enum exec_status (*exec_run_function)(struct warp *warp, uint32_t quantum);
enum exec_status exec_run_warp_v2(struct warp *warp, uint32_t quantum);
enum exec_status exec_run_warp_v3(struct warp *warp, uint32_t quantum);
enum exec_status exec_run_warp_v4(struct warp *warp, uint32_t quantum);
exec_run_function exec_warp_runner(void); /* of the level that runs here */

/* --- faults: exec/fault.c --- */
/* Where an instruction stands, as findings name it, into `text`, which is returned:
 * "st.shared.f32 at file.cu:42" when compiled with -lineinfo, else "... at PTX line 42".
 * For the other side of a finding, too. */
#define EXEC_PLACE 200
const char *exec_place(const struct warp *warp, const struct exec_instruction *in,
					   char text[EXEC_PLACE]) __attribute__((cold));
/* Its file and line, "file.cu:42"; "" without -lineinfo. */
void exec_source(const struct exec_origin *origin, char *out, size_t size);
/* Fills the worker's fault; always EXEC_FAULT. lane < 0: the first active one. */
enum exec_status exec_fail(struct warp *warp, const struct exec_instruction *in, int lane,
						   enum fault_kind kind, uint64_t address, const char *format, ...)
	__attribute__((format(printf, 6, 7), cold));
/* The same for what the GPU carries out and PTX leaves undefined. EXEC_NEXT, and no fault, when
 * the launch does not look for such (check_none): the caller goes on. */
enum exec_status exec_fail_undefined(struct warp *warp, const struct exec_instruction *in, int lane,
									 enum fault_kind kind, uint64_t address, const char *format,
									 ...) __attribute__((format(printf, 6, 7), cold));
/* For an address in no allocation, or past its end. */
enum exec_status exec_fail_address(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t address, size_t size, bool write) __attribute__((cold));
enum exec_status exec_unsupported(struct warp *warp, const struct exec_instruction *in,
								  uint32_t mask);

/* --- groups, barriers: exec/schedule.c --- */
/* Puts the running group back and chooses the one to run; false when none is
 * ready. */
bool exec_choose(struct warp *warp);
/* Puts lanes of the running group aside. */
void exec_park(struct warp *warp, uint32_t pc, uint32_t mask, uint32_t wait);
void exec_exit(struct warp *warp, uint32_t mask);
/* Whether all lanes that the member mask names are here; otherwise the group is
 * parked at the instruction until they come. */
bool exec_members_here(struct warp *warp, const struct exec_instruction *in, uint32_t mask,
					   uint32_t members, enum exec_wait wait);
/* For instructions of a whole warp (.sync.aligned). NEXT: all 32 lanes are here. JUMP: the
 * group waits at the instruction for the others. FAULT: some can never come. */
enum exec_status exec_whole_warp(struct warp *warp, const struct exec_instruction *in,
								 uint32_t mask);
enum exec_status exec_barrier_arrive(struct warp *warp, const struct exec_instruction *in,
									 uint32_t mask);
void exec_barriers_recheck(struct exec_block *block);
enum exec_status exec_cluster_arrive(struct warp *warp, const struct exec_instruction *in,
									 uint32_t mask);

/* --- the start of a cluster: exec/start.c --- */
/* The worker's cluster becomes the index-th of the grid, about to take its first
 * instruction. Without memory, the worker has a fault. */
void exec_start_cluster(struct exec_worker *worker, uint64_t index);

/* --- launches: exec/launch.c --- */
bool exec_run(const struct launch *launch, const struct exec_program *program,
			  const struct machine_options *options, struct counters *counters,
			  struct fault *fault);

/* The allocation that holds [address, address + size), through the cache. */
const struct exec_cached *exec_lookup(struct exec_worker *worker, uint32_t slot, uint64_t address,
									  uint64_t size);

/* --- single accesses: exec/access.c --- */
/* An address among several of one instruction: three entries of in->list. */
struct exec_address {
	uint64_t address;
	enum ptx_space space;
};
/* The host address of `bytes` bytes at a device address, or NULL after a fault:
 * bounds, alignment to `align`, whether it may be written, whether something
 * wrote what is read. Marks what is written. */
void *exec_access(struct warp *warp, const struct exec_instruction *in, int lane,
				  enum ptx_space space, uint64_t address, size_t bytes, size_t align, bool write);
/* The block of the cluster that a shared address names, and the offset within
 * it; NULL when there is none. */
struct exec_block *exec_shared_block(struct warp *warp, uint64_t address, uint64_t *offset);
/* The offset within the own block of an address, with its rank or without; beyond all shared
 * memory for any other. */
static inline uint64_t exec_own_offset(const struct exec_block *block, uint64_t address)
{
	return address - block->shared_base - (address >= block->own_bits ? block->own_bits : 0);
}
/* The block, and the offset within it, of `bytes` of shared memory that lane names; NULL after a
 * fault: bounds, alignment, a block that has ended. */
struct exec_block *exec_shared_place(struct warp *warp, const struct exec_instruction *in, int lane,
									 struct exec_address at, size_t bytes, size_t align,
									 uint64_t *offset);
/* Whether the block is another one of the cluster that has ended: a fault. */
bool exec_block_ended(struct warp *warp, const struct exec_instruction *in, int lane,
					  const struct exec_block *block);
bool exec_written(const struct exec_cached *cached, uint64_t address, size_t bytes);
void exec_mark(const struct exec_cached *cached, uint64_t address, size_t bytes);

struct exec_address exec_listed_address(const struct warp *warp, const int32_t *entry, int lane);

/* --- shared memory and asynchronous accesses: exec/unfenced.c --- */
/* Remembers an ordinary store; forgets them at a fence, or where an asynchronous
 * copy wrote; whether one of the bytes is such a store. */
void exec_unfenced_add(struct exec_block *block, const struct exec_instruction *in, uint64_t offset,
					   size_t bytes);
void exec_unfenced_clear(struct exec_block *block, uint64_t offset, size_t bytes);
bool exec_unfenced_any(const struct exec_block *block, uint64_t offset, size_t bytes);
/* The finding that such bytes are read: "copies", ... */
enum exec_status exec_unfenced_read(struct warp *warp, const struct exec_instruction *in, int lane,
									const struct exec_block *block, uint64_t offset, size_t bytes,
									const char *verb);

/* Whether an asynchronous copy under way reads or will write one of the bytes: exec/pending.c,
 * whose other functions are in exec/pending.h. */
bool exec_pending_touched(const struct exec_block *block, uint64_t offset, size_t bytes);

/* --- counting: exec/footprint.c --- */
/* NULL: no memory. */
struct exec_footprint *exec_footprint_create(void);
void exec_footprint_free(struct exec_footprint *footprint);
void exec_footprint_clear(struct exec_footprint *footprint); /* a new cluster begins */
/* How many of these sectors are new in it. */
uint32_t exec_footprint_add(struct exec_footprint *footprint, uint64_t address, uint64_t bytes);

/* --- counting: exec/banks.c --- */
/* Passes over the banks of shared memory that an access of `bytes` bytes a lane
 * takes, and how many of them are due to bank conflicts. Lanes of 8 bytes go in
 * two groups, lanes of 16 bytes in four, for each of which one pass is no conflict;
 * half as many where neighbours, or next but one neighbours, share addresses. */
uint32_t exec_bank_passes(const uint64_t at[EXEC_LANES], uint32_t bytes, uint32_t *conflicts);

/* --- counting: tensor cores --- */
static inline void exec_count_tensor(struct warp *warp, size_t operand_bytes, uint64_t flops)
{
	struct counters *counters = &warp->worker->counters;
	counters->tensor_flops += flops;
	counters->tensor_flops_8 += operand_bytes == 1 ? flops : 0;
	counters->tensor_flops_tf32 += operand_bytes == 4 ? flops : 0;
}

/* --- asynchronous copies: exec/async.c, exec/bulk.c --- */
/* Bytes land at once or when something waits for them (exec_pending_early): a kernel that does
 * not wait is told so, whatever it sees. */

/* Lands what lane's cp.async groups up to all but the newest `left` bring. */
bool exec_copies_land(struct warp *warp, const struct exec_instruction *in, uint32_t mask,
					  uint64_t left);
void exec_copies_clear(struct warp *warp);
void exec_copies_free(struct warp *warp);
/* Lands the bulk copies that complete on an mbarrier: somebody looks at it. */
void exec_bulk_land(struct exec_block *block, uint64_t offset);
/* Somebody saw the mbarrier's last phase completed, and with it the copies that landed in it. */
void exec_bulk_seen(struct exec_block *block, uint64_t offset);
/* At the end of a cluster: stores that nobody waited for still happen. */
void exec_bulk_finish(struct exec_cluster *cluster);
void exec_bulk_free(struct exec_cluster *cluster);

/* --- wgmma: exec/wgmma.c --- */
void exec_mmas_clear(struct warp *warp);
/* A pending operation of the block's warps that reads one of the bytes, or NULL. */
const struct exec_instruction *exec_mmas_reading(const struct exec_block *block, uint64_t offset,
												 size_t bytes);
void exec_mmas_free(struct warp *warp);

#endif
