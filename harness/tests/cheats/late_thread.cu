// expect: wrong_answer runtime_error
// family: work late
// naive: accepted
// A thread works when the clock has stopped. Stopped by C being taken when solve() has returned and
// the device is idle.
#include <thread>

#include "cheat.cuh"

SOLVE
{
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
	std::thread([=] {
		usleep(100000);
		cheat_right(A, B, C, M, N, K, alpha, beta);
	}).detach();
}
