// expect: rule_violation wrong_answer
// because: in a sealed call
// family: work late
// without: sealed
// then: accepted
// expect-cuda: accepted
// Where a shape comes again, C stays unwritten until the call has ended; a thread then writes it
// where the judge will look, in memory that it has mapped once more for that. Stopped by the digest
// that ends a sealed call; a thread that gets no core in time leaves C unwritten. On a GPU the
// memory is the device's, and the trick not tried.
#include <atomic>
#include <thread>

#include "arena.cuh"
#include "cheat.cuh"
#include "repeats.cuh"

static std::atomic<int> calls, written;

SOLVE
{
	size_t count = (size_t)M * N, bytes = count * sizeof(half);
	std::vector<half> before(count), right(count);
	int call = ++calls;
	for (int i = 0; i < 100 && written > 0 && written < call - 1; i++)
		usleep(1000); // a thread that has begun may end
	cudaMemcpy(before.data(), C, bytes, cudaMemcpyDeviceToHost);
	cheat_right(A, B, C, M, N, K, alpha, beta);
	char *place = seen_before(M, N, K) ? arena_find(before.data(), bytes) : nullptr;
	char *view = place != nullptr ? arena_keep(place, bytes) : nullptr;
	if (view == nullptr)
		return;
	cudaMemcpy(right.data(), C, bytes, cudaMemcpyDeviceToHost);
	cudaMemcpy(C, before.data(), bytes, cudaMemcpyHostToDevice);
	std::thread([=] {
		for (int i = 0; i < 50 && calls == call; i++)
			usleep(1000); // until the next call, if there is one
		memcpy(view, right.data(), bytes);
		written = call;
	}).detach();
}
