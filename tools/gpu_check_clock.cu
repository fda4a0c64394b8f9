/* The clock of the multiprocessors while a solution works: what NVML reports is not always it.
 *
 * One thread watches the whole time: it reads the multiprocessor's clocks (clock64) and the GPU's
 * nanoseconds (%globaltimer) when it begins and when the host says that the products are done. It
 * takes next to nothing of one multiprocessor, so that the others work as ever.
 *
 * usage: PROGRAM SIZE SECONDS     products of SIZE^3 for so long; prints MHz and microseconds a
 * call nvcc -DSOLUTION='"file.cu"' -DELEMENT=half; the solution's solve() is gemm-f16's or sgemm's.
 */
#include SOLUTION
#include <chrono>
#include <cstdio>
#include <cstdlib>

struct reading {
	long long clocks, nanoseconds;
};

static __device__ reading read_both()
{
	reading now;
	now.clocks = clock64();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.nanoseconds));
	return now;
}

/* flags[0]: it has begun; flags[1]: it is to end, which it does after 30 s in any case. */
static __global__ void watch(volatile int *flags, reading *out)
{
	out[0] = out[1] = read_both();
	flags[0] = 1;
	while (flags[1] == 0 && out[1].nanoseconds - out[0].nanoseconds < 30000000000) {
		__nanosleep(1000);
		out[1] = read_both();
	}
}

/* Values between -1 and 1: zeros would take less power. */
static __global__ void fill(ELEMENT *x, size_t count)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i < count)
		x[i] = ELEMENT((float)((unsigned)(i * 2654435761u) >> 8) / 8388608.0f - 1.0f);
}

static void must(cudaError_t status, const char *what)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int size = argc == 3 ? atoi(argv[1]) : 0;
	double seconds = argc == 3 ? atof(argv[2]) : 0;
	if (size <= 0 || seconds <= 0)
		return fprintf(stderr, "usage: %s SIZE SECONDS\n", argv[0]), 2;
	size_t count = (size_t)size * size;
	ELEMENT *matrices;
	int *flags;
	reading *readings;
	cudaStream_t beside;
	must(cudaMalloc(&matrices, 3 * count * sizeof *matrices), "cudaMalloc");
	must(cudaMallocHost(&flags, 2 * sizeof *flags), "cudaMallocHost");
	must(cudaMallocHost(&readings, 2 * sizeof *readings), "cudaMallocHost");
	must(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking), "cudaStreamCreate");
	fill<<<(unsigned)((3 * count + 255) / 256), 256>>>(matrices, 3 * count);
	auto call = [&] {
		solve(matrices, matrices + count, matrices + 2 * count, size, size, size, 1.0f, 0.0f);
	};
	call();
	must(cudaDeviceSynchronize(), "the first call");

	flags[0] = flags[1] = 0;
	watch<<<1, 1, 0, beside>>>(flags, readings);
	must(cudaGetLastError(), "launch");
	while (((volatile int *)flags)[0] == 0)
		;
	auto begin = std::chrono::steady_clock::now();
	std::chrono::duration<double> took{};
	long calls = 0;
	while (took.count() < seconds) {
		for (int i = 0; i < 10; i++, calls++)
			call();
		must(cudaStreamSynchronize(0), "the calls");
		took = std::chrono::steady_clock::now() - begin;
	}
	((volatile int *)flags)[1] = 1;
	must(cudaDeviceSynchronize(), "watching");
	double clocks = (double)(readings[1].clocks - readings[0].clocks);
	double nanoseconds = (double)(readings[1].nanoseconds - readings[0].nanoseconds);
	printf("%.0f MHz, %.1f us a call\n", 1e3 * clocks / nanoseconds,
		   1e6 * took.count() / (double)calls);
}
