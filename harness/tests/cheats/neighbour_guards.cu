// expect: rule_violation
// family: the next file disturbed
// device: emu
// options: --without files,calls,namespaces
// batch: this ../fixtures/honest_naive.cu
// then: harmed
// shown: referee_as_new/is_refused_where_the_guards_were_written_to
// Writes into a guard band of the referee's memory until its process ends, when all checks of a
// case are over, too. That referee is not as new to the next file, which gets another one.
#include <atomic>
#include <thread>

#include "arena.cuh"
#include "cheat.cuh"

static std::atomic<char *> band;

SOLVE
{
	const size_t count = (size_t)M * N, bytes = count * sizeof(half);
	std::vector<half> before(count);
	cudaMemcpy(before.data(), C, bytes, cudaMemcpyDeviceToHost);
	cheat_right(A, B, C, M, N, K, alpha, beta);
	char *at = arena_find(before.data(), bytes);
	if (at == nullptr)
		return;
	band = arena_keep(at - 1, 1);
	static std::thread writer([] {
		for (;; usleep(200))
			if (band.load() != nullptr)
				*band.load() = 'x';
	});
	static const bool goes_on = (writer.detach(), true);
	(void)goes_on;
}
