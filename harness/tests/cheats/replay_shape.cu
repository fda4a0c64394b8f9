// expect: wrong_answer
// family: replay
// naive: accepted
// options: --suite %here%/same.ini
// Keeps the result of a shape and gives it again. Stopped by fresh inputs in every call.
#include <map>
#include <tuple>

#include "cheat.cuh"

SOLVE
{
	static std::map<std::tuple<int, int, int>, half *> kept;
	size_t bytes = (size_t)M * N * sizeof(half);
	half *&result = kept[{M, N, K}];
	if (result == nullptr) {
		cheat_right(A, B, C, M, N, K, alpha, beta);
		cudaMalloc(&result, bytes);
		cudaMemcpy(result, C, bytes, cudaMemcpyDeviceToDevice);
	} else {
		cudaMemcpy(C, result, bytes, cudaMemcpyDeviceToDevice);
	}
}
