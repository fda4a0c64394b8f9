// expect: wrong_answer
// family: work ahead
// naive: accepted
// Computes everything while it is loaded, from inputs that lie there already. Stopped by inputs
// that are made in another process, after loading.
#include <dlfcn.h>

#include "cheat.cuh"

static half ready[32 * 32];

static __attribute__((constructor)) void work_ahead()
{
	const half *a = (const half *)dlsym(RTLD_DEFAULT, "judge_a");
	const half *b = (const half *)dlsym(RTLD_DEFAULT, "judge_b");
	for (int i = 0; a != nullptr && b != nullptr && i < 32 * 32; i++) {
		float sum = 0.0f;
		for (int k = 0; k < 32; k++)
			sum += __half2float(a[i / 32 * 32 + k]) * __half2float(b[k * 32 + i % 32]);
		ready[i] = __float2half(sum);
	}
}

SOLVE
{
	size_t elements = M * N < 32 * 32 ? M * N : 32 * 32;
	cudaMemcpy(C, ready, elements * sizeof(half), cudaMemcpyHostToDevice);
}
