#include "schedules/occupancy.h"

#define WARP 32
#define SCHEDULERS 4
#define REGISTERS_AT_ONCE 256 /* of a warp */

const char *occupancy_limit_name(enum occupancy_limit limit)
{
	static const char *const names[OCCUPANCY_LIMITS] = {
		[OCCUPANCY_THREADS] = "threads",
		[OCCUPANCY_BLOCKS] = "the number of blocks",
		[OCCUPANCY_REGISTERS] = "registers",
		[OCCUPANCY_SHARED] = "shared memory",
	};
	return names[limit];
}

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Blocks that fit by each limit alone. */
static int64_t by_registers(const struct tune_gpu *gpu, int64_t warps, int registers)
{
	const int64_t of_warp = round_up((int64_t)registers * WARP, REGISTERS_AT_ONCE);
	if (registers > gpu->registers_per_thread)
		return 0;
	if (of_warp == 0)
		return INT32_MAX;
	/* a warp's registers all lie at its scheduler */
	const int64_t held = gpu->registers_per_multiprocessor / SCHEDULERS / of_warp * SCHEDULERS;
	return held / warps;
}

static int64_t by_shared(const struct tune_gpu *gpu, int64_t bytes)
{
	const int64_t unit = gpu->compute >= 80 ? 128 : 256;
	if (bytes > gpu->shared_per_block)
		return 0;
	bytes = round_up(bytes + gpu->shared_reserved, unit);
	return bytes > 0 ? gpu->shared_per_multiprocessor / bytes : INT32_MAX;
}

struct occupancy occupancy_of(const struct tune_gpu *gpu, int threads, int registers,
							  int64_t shared_bytes)
{
	const int64_t warps = (threads + WARP - 1) / WARP;
	int64_t blocks[OCCUPANCY_LIMITS] = {0};
	struct occupancy out = {0};
	if (threads <= 0 || threads > gpu->threads_per_block)
		return out;
	blocks[OCCUPANCY_THREADS] = gpu->threads_per_multiprocessor / (warps * WARP);
	blocks[OCCUPANCY_BLOCKS] = gpu->blocks_per_multiprocessor;
	blocks[OCCUPANCY_REGISTERS] = by_registers(gpu, warps, registers);
	blocks[OCCUPANCY_SHARED] = by_shared(gpu, shared_bytes);
	for (int i = 0; i < OCCUPANCY_LIMITS; i++)
		if (blocks[i] < blocks[out.limit])
			out.limit = (enum occupancy_limit)i;
	out.blocks = (int)blocks[out.limit];
	out.warps = (int)(out.blocks * warps);
	out.share = (double)out.warps * WARP / gpu->threads_per_multiprocessor;
	return out;
}
