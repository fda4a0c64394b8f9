/* Counters in the caller's workspace, at which blocks of a launch wait for each other. Each launch
 * that uses a counter adds LAUNCH_STEP to it, whatever its number of arrivals: one of them adds the
 * rest. So nothing has to be reset, and a kernel in a captured graph finds a multiple of
 * LAUNCH_STEP in every replay. The blocks must all be running at once, which a cooperative launch
 * promises. */
#ifndef HOPPER_COUNTERS_CUH
#define HOPPER_COUNTERS_CUH

#include <stdint.h>

namespace hopper
{
constexpr uint32_t LAUNCH_STEP = 65536;

/* What the counter will be when all have arrived. To be read before the caller has. */
__device__ __forceinline__ uint32_t arrivals_target(const uint32_t *counter)
{
	uint32_t now;
	asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
	return now / LAUNCH_STEP * LAUNCH_STEP + LAUNCH_STEP;
}

/* One thread arrives, for those that it has synchronised with: the release covers what a barrier
 * made this thread's past, too. Of `count` arrivals one is the `first`. */
__device__ __forceinline__ void arrive(uint32_t *counter, bool first, int count)
{
	uint32_t share = first ? LAUNCH_STEP - (count - 1) : 1;
	asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(counter), "r"(share) : "memory");
}

/* Waits until the counter has come to `target`. */
__device__ __forceinline__ void arrivals_wait(const uint32_t *counter, uint32_t target)
{
	uint32_t now;
	do
		asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
	while ((int32_t)(now - target) < 0);
}
} // namespace hopper

#endif
