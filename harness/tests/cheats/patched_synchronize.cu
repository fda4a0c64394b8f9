// expect: wrong_answer runtime_error
// family: functions patched
// naive: accepted
// Its own cudaDeviceSynchronize does not wait, and a thread works later. Stopped by calls that go
// by pointers which were taken before it was loaded, and by C being taken right after them.
#include <thread>

#include "cheat.cuh"
#include "got.cuh"

static cudaError_t no_wait()
{
	return cudaSuccess;
}

SOLVE
{
	got_patch("cudaDeviceSynchronize", (void *)no_wait);
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
	std::thread([=] {
		usleep(100000);
		cheat_right(A, B, C, M, N, K, alpha, beta);
	}).detach();
}
