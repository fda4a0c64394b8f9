/* The GPUs that can be emulated. */
#include <string.h>

#include "emulator/runtime/runtime.h"

/* From NVIDIA's CUDA programming guide (compute capabilities) and data sheets;
 * the H200's clock and L2 as measured.
 *
 * Its cluster_groups, too: cudaOccupancyMaxActiveClusters says for clusters of 1 to 16
 * blocks that fill a multiprocessor each 132, 66, 39, 30, 22, 17, 15, 15, 9, and 7 from
 * there on. Clusters do not reach across GPCs, which differ in their multiprocessors, and
 * these groups are the only ones that give all 16 numbers. What the small ones are NVIDIA
 * does not say; together they make one more GPC of 16. Another H200 may have other ones. */
static const struct gpu gpus[] = {
	{
		.id = "h200",
		.name = "NVIDIA H200 (emulated)",
		.major = 9,
		.minor = 0,
		.multiprocessors = 132,
		.cluster_groups = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2},
		.clock_khz = 1980000,
		.memory_clock_khz = 3201000,
		.bus_bits = 6144,
		.memory_bytes = (size_t)141 * 1000 * 1000 * 1000,
		.l2_bytes = 60 * MIB,
		.l2_persisting_bytes = 37 * MIB + 512 * KIB,
		.shared_per_multiprocessor = 228 * KIB,
		.shared_per_block_optin = 227 * KIB,
		.shared_reserved = KIB,
		.threads_per_multiprocessor = 2048,
		.blocks_per_multiprocessor = 32,
	},
	{
		.id = "a100",
		.name = "NVIDIA A100 (emulated)",
		.major = 8,
		.minor = 0,
		.multiprocessors = 108,
		.clock_khz = 1410000,
		.memory_clock_khz = 1512000,
		.bus_bits = 5120,
		.memory_bytes = (size_t)80 * 1000 * 1000 * 1000,
		.l2_bytes = 40 * MIB,
		.l2_persisting_bytes = 30 * MIB,
		.shared_per_multiprocessor = 164 * KIB,
		.shared_per_block_optin = 163 * KIB,
		.shared_reserved = KIB,
		.threads_per_multiprocessor = 2048,
		.blocks_per_multiprocessor = 32,
	},
	{
		.id = "t4",
		.name = "NVIDIA T4 (emulated)",
		.major = 7,
		.minor = 5,
		.multiprocessors = 40,
		.clock_khz = 1590000,
		.memory_clock_khz = 5001000,
		.bus_bits = 256,
		.memory_bytes = (size_t)15 * 1000 * 1000 * 1000,
		.l2_bytes = 4 * MIB,
		.l2_persisting_bytes = 0,
		.shared_per_multiprocessor = 64 * KIB,
		.shared_per_block_optin = 64 * KIB,
		.shared_reserved = 0, /* compute capability 8.0 is the first to take some */
		.threads_per_multiprocessor = 1024,
		.blocks_per_multiprocessor = 16,
	},
};

const struct gpu *gpu_find(const char *id)
{
	for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
		if (strcmp(gpus[i].id, id) == 0)
			return &gpus[i];
	return NULL;
}
