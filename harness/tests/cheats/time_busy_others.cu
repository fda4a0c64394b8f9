// expect: accepted
// family: time
// device: cuda
// honest: yes
// gains: nothing
// compares: percent_of_cublas
// time: 1024x1024x1024
// Keeps the GPU busy while others are measured: a thread launches kernels that wait, whenever no
// call has come for 1 ms. Of no use: contexts take turns, and the device's clock stands still for a
// kernel that waits for its turn. Where that were different, it would be stopped by no process of a
// file being there when host-side times of libraries are taken.
#include <atomic>
#include <ctime>
#include <thread>

#include "medium.cuh"

static std::atomic<long> last_call; // microseconds
static std::atomic<bool> quiet;     // a call is at work
static cudaStream_t stream;

static long now()
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void disturb()
{
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	for (;; usleep(200)) {
		if (quiet || now() - last_call < 1000)
			continue;
		medium_nothing<<<132, 1024, 0, stream>>>(1000000);
		cudaStreamSynchronize(stream);
	}
}

SOLVE
{
	quiet = true;
	if (TRICK && last_call == 0)
		std::thread(disturb).detach();
	if (stream != nullptr)
		cudaStreamSynchronize(stream);
	medium_right(A, B, C, M, N, K, alpha, beta);
	last_call = now();
	quiet = false;
}
