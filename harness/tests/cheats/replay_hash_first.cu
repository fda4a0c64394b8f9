// expect: wrong_answer
// family: replay
// naive: accepted
// options: --suite %here%/integer.ini
// Knows inputs by their first element. Stopped by cases with small integers, where many begin
// alike.
#include <map>

#include "cheat.cuh"

SOLVE
{
	static std::map<float, half *> kept;
	half first;
	size_t bytes = (size_t)M * N * sizeof(half);
	cudaMemcpy(&first, A, sizeof first, cudaMemcpyDeviceToHost);
	half *&result = kept[__half2float(first)];
	if (result == nullptr) {
		cheat_right(A, B, C, M, N, K, alpha, beta);
		cudaMalloc(&result, bytes);
		cudaMemcpy(result, C, bytes, cudaMemcpyDeviceToDevice);
	} else {
		cudaMemcpy(C, result, bytes, cudaMemcpyDeviceToDevice);
	}
}
