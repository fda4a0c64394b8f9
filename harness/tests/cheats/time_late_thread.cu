// expect: wrong_answer rule_violation runtime_error
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// A thread works in a stream of its own, when CUPTI has stopped to record; the calls themselves
// launch an empty kernel. In sealed calls the thread is left to work when solve() has returned.
// Stopped by the digest, which is taken when solve() has returned.
#include <atomic>
#include <thread>
#include <vector>

#include "peek.cuh"
#include "tables.cuh"

struct work {
	const half *A, *B;
	half *C;
	int M, N, K;
	float alpha, beta;
};

static std::vector<struct work> pending;

static void compute(std::vector<struct work> all, unsigned microseconds)
{
	cudaStream_t stream;
	peek_wait(microseconds);
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	for (const struct work &one : all)
		medium_right(one.A, one.B, one.C, one.M, one.N, one.K, one.alpha, one.beta, stream);
	cudaStreamSynchronize(stream);
	cudaStreamDestroy(stream);
}

static int (*real_disable)(uint32_t);

static int disable(uint32_t kind)
{
	int result = real_disable(kind);
	if (kind == RECORDS_KERNEL) {
		std::thread(compute, pending, 0).join();
		pending.clear();
	}
	return result;
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	*(void **)&real_disable = tables_cupti("cuptiActivityDisable");
	tables_replace((void *)real_disable, (void *)disable);
}

SOLVE
{
	struct work one = {A, B, C, M, N, K, alpha, beta};
	if (TRICK && peek.type == PEEK_TIME && peek.spans && real_disable != nullptr) {
		pending.push_back(one);
		medium_nothing<<<1, 1>>>(0);
		return;
	}
	if (TRICK && peek.type == PEEK_CALL) {
		std::thread(compute, std::vector<struct work>{one}, 100).detach();
		return;
	}
	medium_right(A, B, C, M, N, K, alpha, beta);
}
