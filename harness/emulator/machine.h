/* The machine: runs kernels of a parsed PTX module over memory (memory.h).
 * This is the whole interface between the ABI side (runtime/, driver/: NVIDIA's
 * symbols, handles, streams) and the execution side (launch/machine.c).
 *
 * Addresses: a device address in the global space is the host address of the
 * byte (memory.h hands them out). The shared, local and param spaces, and the
 * constant bank, have windows of their own that no host allocation can
 * overlap, so that generic addressing and cvta can tell the spaces apart. */
#ifndef EMULATOR_MACHINE_H
#define EMULATOR_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module; /* a parsed PTX module; its .global and .const variables live in memory */
struct kernel; /* an .entry of a module; lives as long as the module */

enum fault_kind {
	FAULT_NONE,
	FAULT_SYNTAX,      /* the PTX does not parse */
	FAULT_UNSUPPORTED, /* an instruction or form that is not implemented */
	FAULT_ADDRESS,     /* an access outside every allocation, or past its end */
	FAULT_ALIGNMENT,
	FAULT_INSTRUCTION, /* operands that make the GPU call the instruction illegal */
	FAULT_UNINITIALISED,
	FAULT_BARRIER, /* a barrier reached by part of a block, or a deadlock */
	FAULT_RACE,
	FAULT_ASYNC,  /* an asynchronous operand touched before its fence or wait */
	FAULT_BUDGET, /* the step budget ran out: a spin that nothing ends */
	FAULT_TRAP,   /* trap, brkpt */
	FAULT_ASSERT, /* a failed assert */
	FAULT_PC,     /* a call of what is no function */
	FAULT_LAUNCH, /* grid, block, shared memory or parameters out of range */
	FAULT_MEMORY, /* the host has no memory left */
};

/* What went wrong, where. `text` is one line and already names everything. */
struct fault {
	enum fault_kind kind;
	char kernel[256]; /* its symbol; `text` has the name to show */
	uint32_t block[3], thread[3];
	char instruction[128]; /* as in the PTX: "ld.global.f32" */
	int ptx_line;          /* 1-based line of the module's PTX text; 0 unknown */
	char source[256];      /* "file.cu:42" when compiled with -lineinfo, else "" */
	uint64_t address;
	const char *advice; /* what to do; NULL: nothing comes to mind */
	char text[1024];
};

/* Parses PTX text (length bytes, not necessarily NUL-terminated), of any architecture.
 * NULL and *fault on failure. An instruction that is not implemented is no failure
 * here: it stops the kernel that reaches it. */
struct module *module_parse(const char *ptx, size_t length, struct fault *fault);
void module_free(struct module *module);
/* The address at which shared memory begins on the GPU, 1 KiB unless this says so: before anything
 * else is asked of the module's kernels. */
void module_set_shared_base(struct module *module, uint32_t base);

/* By mangled name; NULL when absent. */
const struct kernel *module_kernel(const struct module *module, const char *name);
/* The index-th of all; NULL behind the last. */
const struct kernel *module_kernel_at(const struct module *module, size_t index);
/* Variables: device address and size; false when absent. */
bool module_variable(const struct module *module, const char *name, uint64_t *address,
					 size_t *size);

struct kernel_properties {
	const char *name;
	size_t parameter_count;
	size_t parameter_bytes; /* of the whole block */
	size_t static_shared_bytes;
	size_t local_bytes;         /* per thread */
	int registers;              /* an estimate of what ptxas makes of it */
	int most_registers;         /* it makes no more: .maxnreg, .maxntid, else 255 */
	int slots;                  /* of 32 bits, that its PTX takes here: no less than that, mostly */
	uint32_t max_threads;       /* from .maxntid or .reqntid, else 1024 */
	uint32_t required_block[3]; /* from .reqntid, else 0 */
	uint32_t required_cluster[3]; /* from .reqnctapercluster, else 0 */
	uint32_t max_cluster;         /* blocks, from .maxclusterrank, else 0 */
	bool explicit_cluster;        /* a launch has to have clusters */
	bool blocks_are_clusters;     /* the grid of a launch counts clusters of required blocks */
	/* griddepcontrol: lets dependent kernels begin, waits for the one that it depends on */
	bool launches_dependents, waits_for_grid;
};
void kernel_properties(const struct kernel *kernel, struct kernel_properties *out);
/* Offset and size of parameter `index` within the block. */
void kernel_parameter(const struct kernel *kernel, size_t index, size_t *offset, size_t *size);

/* The cost of the index-th instruction of a kernel since it was decoded, and its place,
 * "file.cu:42" or "" where the PTX does not say; false behind the last, or where nothing was kept.
 */
struct line_cost;
bool kernel_cost(const struct kernel *kernel, size_t index, struct line_cost *out, char *source,
				 size_t size);

/* Where an operation (a launch, a copy) stands among others. Each has a number, from 1 on, of its
 * timeline, which is a stream's: in one, lower numbers come first. */
#define MACHINE_TIMELINES 64
struct machine_clock {
	uint32_t seen[MACHINE_TIMELINES]; /* up to these numbers all comes before */
};
struct machine_order {
	uint32_t timeline, number;
	struct machine_clock before;
	/* A programmatic dependent launch: the number of the kernel in its timeline that comes before
	 * it only once it has waited (griddepcontrol.wait); 0: none. */
	uint32_t early;
};

struct launch {
	const struct kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* 0,0,0: neither the launch nor the kernel says that it has clusters */
	size_t dynamic_shared_bytes;
	const void *parameters; /* parameter_bytes, packed as the PTX declares */
	uint64_t id;            /* %gridid */
	/* Cooperative: all blocks run at the same time, by turns, and %envreg1 and 2
	 * hold this address, where they meet. 0: not cooperative. */
	uint64_t grid_workspace;
	uint64_t resident_blocks;          /* that the GPU runs at the same time; 0: any number */
	const struct machine_order *order; /* NULL: behind all that was before */
};

enum instruction_class {
	CLASS_FP32,
	CLASS_FP16, /* also bf16, also packed in pairs */
	CLASS_FP64,
	CLASS_INTEGER,
	CLASS_CONVERSION,
	CLASS_CONTROL,
	CLASS_MEMORY,
	CLASS_TENSOR,
	CLASS_BARRIER, /* barriers, fences, waits */
	CLASS_COMMUNICATION,
	CLASS_OTHER,
	CLASS_COUNT,
};

/* What kernels did, summed over launches; all members are uint64_t.
 * runtime/counters.c has Nsight Compute's names for them. */
struct counters {
	uint64_t warp_instructions;
	uint64_t lane_instructions; /* per active lane */
	struct class_counter {
		uint64_t instructions; /* of warps */
		uint64_t lanes;        /* per lane whose predicate holds */
	} classes[CLASS_COUNT];
	uint64_t global_load_requests, global_load_sectors;
	uint64_t global_store_requests, global_store_sectors;
	uint64_t global_atomic_requests, global_atomic_sectors;
	uint64_t async_load_requests, async_load_sectors; /* cp.async */
	uint64_t bulk_load_requests, bulk_load_bytes;     /* cp.async.bulk */
	uint64_t bulk_store_requests, bulk_store_bytes;
	uint64_t shared_load_requests, shared_load_wavefronts, shared_load_conflicts;
	uint64_t shared_store_requests, shared_store_wavefronts, shared_store_conflicts;
	uint64_t tensor_flops, flops;
	uint64_t tensor_flops_8, tensor_flops_tf32; /* of tensor_flops, by the operands */
	/* 128-byte lines that global accesses touch, one a lookup in L1 */
	uint64_t global_lines;
	/* sectors that a cluster's plain loads touch, each counted once: where a sample is run, or
	 * costs are kept by line */
	uint64_t global_footprint;
	uint64_t wgmma_shared_bytes; /* operands that wgmma reads from shared memory */
	/* of launches: blocks, their threads, and the shared memory that the launch asked for */
	uint64_t blocks, block_threads, block_shared_bytes;
};

/* What one line of the source cost, where machine_options.by_line is set. */
struct line_cost {
	uint64_t instructions; /* of warps */
	uint64_t shared_wavefronts, shared_conflicts;
	uint64_t global_sectors, global_lines;
};

/* How wgmma reads operands in shared memory: as their descriptors say; as if all of them named this
 * swizzle; or at the places of the rows that they say, without one. To find out what is there. */
enum machine_swizzle {
	MACHINE_SWIZZLE_SAID,
	MACHINE_SWIZZLE_NONE,
	MACHINE_SWIZZLE_128,
	MACHINE_SWIZZLE_64,
	MACHINE_SWIZZLE_32,
	MACHINE_SWIZZLE_FLAT,
	MACHINE_SWIZZLES,
};
/* By these names; NULL: as descriptors say. */
#define MACHINE_SWIZZLE_NAMES                                                                      \
	{                                                                                              \
		NULL, "none", "128", "64", "32", "flat"                                                    \
	}

struct machine_options {
	int threads;          /* host threads; 0: one a core */
	uint64_t step_budget; /* warp instructions that a launch may take, all its blocks together; 0:
							 4e9 for each block */
	bool check_race;      /* races in shared and global memory, too */
	bool check_none;      /* only what a GPU itself refuses: nothing that PTX leaves undefined */
	/* Kernels whose wgmma ptxas serialises: each is carried out before its warps go on. Names with
	 * commas between; NULL: none. */
	const char *serialised;
	enum machine_swizzle swizzle;
	size_t
		stack_bytes; /* that alloca, or recursion, may take of a thread; 0: 1024, CUDA's default */
	uint32_t multiprocessors, multiprocessor_warps; /* of the GPU; 0: an H200's */
	uint64_t seed;   /* which asynchronous copies land early, which late */
	uint64_t order;  /* of what CUDA leaves unordered: launch/order.h */
	uint32_t sample; /* > 0: run no more clusters of a launch, spread over the grid; counters
						are those of all, estimated. Not of a cooperative launch. */
	bool by_line;    /* keep costs for kernel_cost() */
	/* Set by whoever wants to know where the kernel is that runs; cleared when it is said, by a
	 * line that is given to `say`. NULL: not wanted. */
	_Atomic bool *where_asked;
	void (*say)(const char *line);
};

/* Runs the launch to its end (blocks spread over host threads). False and
 * *fault at the first fault; memory is then as the faulting kernel left it. True: fault->text is
 * what may be wrong with its barriers if a result is, and what to do; "" mostly. */
bool machine_launch(const struct launch *launch, const struct machine_options *options,
					struct counters *counters, struct fault *fault);

/* One side of a copy, or a fill. */
struct machine_copy {
	const char *call; /* its name */
	uint64_t address;
	size_t bytes;
	bool write; /* to there */
	bool keep;  /* what is issued later may be unordered with it */
};
/* For the race check: a copy or fill reads or writes device memory. False and *fault when it races
 * with a launch or another one. */
bool machine_copied(const struct machine_order *order, const struct machine_copy *copy,
					struct fault *fault);
/* The host has waited for all of this: it comes before what is issued from now on. */
void machine_waited(const struct machine_clock *host);

#endif
