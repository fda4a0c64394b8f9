/* A launch, and the host threads that run its clusters: each has a worker for every one that it
 * has begun. */
#ifndef EMULATOR_EXEC_WORKER_H
#define EMULATOR_EXEC_WORKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "emulator/exec/cluster.h"
#include "emulator/exec/memory.h"
#include "emulator/exec/operation.h"

struct exec_cached {
	const struct allocation *allocation;
	uint64_t base, size;
	bool written; /* every byte was, before the kernel or since */
};

struct exec_launch {
	const struct launch *launch;
	struct exec_program *program;       /* of which only `regions` changes */
	uint64_t block_budget, step_budget; /* warp instructions of a block, of the whole launch */
	_Atomic uint64_t steps;             /* taken so far */
	bool check_race, check_none;
	bool serialised; /* its wgmma are */
	enum machine_swizzle swizzle;
	uint32_t multiprocessors, multiprocessor_warps;
	size_t stack_bytes;        /* that alloca, or recursion, may take of a thread */
	uint64_t seed, order;      /* as in machine_options */
	_Atomic bool *where_asked; /* as in machine_options */
	void (*say)(const char *line);
	_Atomic uint64_t next_cluster;
	uint64_t cluster_total;
	uint32_t cluster[3];
	_Atomic bool stop;
	pthread_mutex_t lock; /* of the fault, the sums and the list of workers */
	struct exec_worker *workers;
	struct fault *fault;
	struct counters *counters;
	bool faulted;
	char suspect[400]; /* under the lock: exec_suspect(); "": nothing */
	int threads;
	bool footprints;                 /* of plain loads are kept */
	uint32_t registers;              /* a thread's at the start; 0: setmaxnreg has no effect */
	struct exec_operation operation; /* where races are looked for */
	uint64_t grid_clusters;          /* of the whole grid; cluster_total of them are run */
	/* Clusters that the GPU holds at once (0: any number), and that have begun and not ended. */
	uint64_t resident;
	_Atomic uint64_t running;
	/* Under the lock, of the host threads: those not at their end, those of them that have
	 * something to do, how often that changed, and who has seen since then that nothing of what
	 * its clusters wait for was written. */
	int unfinished, awake, agreed;
	uint64_t wakes, agreed_at;
};

struct exec_worker {
	struct exec_launch *launch;
	struct exec_worker *next; /* of launch->workers */
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
	uint64_t idle;    /* rounds since something but waiting happened */
	uint64_t counted; /* of its warp instructions, into the launch's steps */
	uint8_t *storage;
};

static inline uint32_t exec_pc(const struct warp *warp, const struct exec_instruction *in)
{
	return (uint32_t)(in - warp->worker->launch->program->code);
}

/* What a tensor-core instruction did, into the counters. */
static inline void exec_count_tensor(struct warp *warp, unsigned operand_bits, uint64_t flops)
{
	struct counters *counters = &warp->worker->counters;
	counters->tensor_flops += flops;
	counters->tensor_flops_8 += operand_bits <= 8 ? flops : 0;
	counters->tensor_flops_tf32 += operand_bits == 32 ? flops : 0;
}

#endif
