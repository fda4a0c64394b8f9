// expect: wrong_answer
// family: replay
// naive: accepted
// options: --suite %here%/integer.ini
// Knows inputs by their first two elements. Stopped by cases with small integers, where many begin
// alike.
#include <map>
#include <utility>

#include "cheat.cuh"

SOLVE
{
	static std::map<std::pair<float, float>, half *> kept;
	half first[2];
	size_t bytes = (size_t)M * N * sizeof(half);
	cudaMemcpy(&first[0], A, sizeof(half), cudaMemcpyDeviceToHost);
	cudaMemcpy(&first[1], B, sizeof(half), cudaMemcpyDeviceToHost);
	half *&result = kept[{__half2float(first[0]), __half2float(first[1])}];
	if (result == nullptr) {
		cheat_right(A, B, C, M, N, K, alpha, beta);
		cudaMalloc(&result, bytes);
		cudaMemcpy(result, C, bytes, cudaMemcpyDeviceToDevice);
	} else {
		cudaMemcpy(C, result, bytes, cudaMemcpyDeviceToDevice);
	}
}
