// expect: accepted
// expect-cuda: wrong_answer accepted
// family: replay
// then: says replayed
// then-cuda: accepted
// naive: accepted
// naive-says: replayed
// options: --suite %here%/same.ini
// Takes what it finds at an address that it knows for what it found there before. Stopped by fresh
// inputs at the same addresses; on the emulated GPU no address comes twice, and it has to work.
#include <map>

#include "cheat.cuh"

SOLVE
{
	static std::map<const half *, half *> kept;
	size_t bytes = (size_t)M * N * sizeof(half);
	half *&result = kept[C];
	if (result == nullptr) {
		cheat_right(A, B, C, M, N, K, alpha, beta);
		cudaMallocHost(&result, bytes);
		cudaMemcpy(result, C, bytes, cudaMemcpyDeviceToHost);
	} else {
		printf("replayed\n");
		cudaMemcpy(C, result, bytes, cudaMemcpyHostToDevice);
	}
}
