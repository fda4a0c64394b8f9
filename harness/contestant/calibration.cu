/* The calibration kernel of sealed calls: a solution that reads its output, so that it lies in the
 * L2 cache as it does after a solution that wrote it, and then does nothing for the rest of a known
 * time. What its calls take beyond that is what the way there and back takes. PROBLEM_CALIBRATION
 * has its signature. */

/* Blocks do not start at once: the time is that since the first one did, for all of them. */
__device__ unsigned long long began; // 0: by none yet
__device__ unsigned ended;

__global__ void wait_kernel(uint4 *output, long long count, long long nanoseconds)
{
	__shared__ unsigned long long begin;
	unsigned long long now;
	unsigned seen = 0;
	if (threadIdx.x == 0) {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
		unsigned long long first = atomicCAS(&began, 0ull, now);
		begin = first != 0 ? first : now;
	}
	for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		 i += gridDim.x * blockDim.x)
		seen |= output[i].x;
	__syncthreads();
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while ((long long)(now - begin) < nanoseconds);
	if (seen == 0x2545F491u && now == 0) /* never: keeps the loads */
		output[0].x = 0;
	if (threadIdx.x == 0 && atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1)
		began = 0;
}

extern "C" void solve(float *output, int nanoseconds, int kibibytes)
{
	wait_kernel<<<256, 256>>>(reinterpret_cast<uint4 *>(output), kibibytes * 64ll, nanoseconds);
}
