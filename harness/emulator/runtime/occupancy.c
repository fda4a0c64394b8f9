/* How many blocks of a kernel, and of a cluster, a multiprocessor takes at once. */
#include "emulator/runtime/newer.h"
#include "emulator/runtime/runtime.h"

#define CLUSTER_PORTABLE 8u
#define CLUSTER_LIMIT 16u

static size_t round_up(size_t value, size_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* A limit that the program has set holds for smaller launches, too: after 0 there are none with
 * dynamic shared memory. */
size_t runtime_dynamic_shared_limit(const struct function *function, int mode,
									const struct kernel_properties *facts)
{
	size_t most =
		mode > SIZE_PORTABLE ? (size_t)runtime.gpu->shared_per_block_optin : SHARED_DEFAULT;
	if (mode == SIZE_DEFAULT && function->dynamic_shared_set)
		return (size_t)function->dynamic_shared_limit;
	return most - runtime_least(most, facts->static_shared_bytes);
}

int runtime_occupancy(const struct kernel_properties *facts, size_t threads, size_t shared_bytes,
					  int registers)
{
	const struct gpu *gpu = runtime.gpu;
	if (threads == 0 || threads > facts->max_threads)
		return 0;
	size_t warps = round_up(threads, 32) / 32;
	size_t reserved = (size_t)gpu->shared_reserved;
	size_t shared = round_up(shared_bytes + facts->static_shared_bytes, 128) + reserved;
	size_t blocks = runtime_least((size_t)gpu->blocks_per_multiprocessor,
								  (size_t)gpu->threads_per_multiprocessor / (warps * 32));
	if (shared)
		blocks = runtime_least(blocks, (size_t)gpu->shared_per_multiprocessor / shared);
	return (int)runtime_least(blocks, registers_blocks(registers, threads));
}

int runtime_occupancy_least(const struct function *function, size_t threads, size_t shared_bytes)
{
	struct kernel_properties facts;
	kernel_properties(function->kernel, &facts);
	int registers = registers_known(function);
	return runtime_occupancy(&facts, threads, shared_bytes,
							 registers > 0 ? registers : facts.most_registers);
}

/* Where nobody has said how many registers the kernel takes, and their number matters, there is an
 * estimate of it, by which a block runs. */
int runtime_occupancy_blocks(struct function *function, size_t threads, size_t shared_bytes)
{
	struct kernel_properties facts;
	kernel_properties(function->kernel, &facts);
	int most = runtime_occupancy(&facts, threads, shared_bytes, 0);
	int least = runtime_occupancy_least(function, threads, shared_bytes);
	if (registers_known(function) > 0 || least == most)
		return least;
	registers_ask(function, "the program asks how many of its blocks are resident");
	int estimate = runtime_occupancy(&facts, threads, shared_bytes, facts.registers);
	return estimate > 0 ? estimate : most > 0;
}

uint64_t runtime_resident_blocks(const struct function *function, size_t threads,
								 size_t shared_bytes)
{
	struct kernel_properties facts;
	kernel_properties(function->kernel, &facts);
	return (uint64_t)runtime.gpu->multiprocessors *
		   (uint64_t)runtime_occupancy(&facts, threads, shared_bytes, registers_known(function));
}

unsigned runtime_cluster_limit(const struct function *function, int mode)
{
	bool more = mode == SIZE_DEFAULT ? function->nonportable_cluster : mode != SIZE_PORTABLE;
	return more ? CLUSTER_LIMIT : CLUSTER_PORTABLE;
}
