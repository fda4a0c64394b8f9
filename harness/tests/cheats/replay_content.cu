// expect: accepted
// family: replay
// then: says replayed
// naive: accepted
// naive-says: replayed
// options: --suite %here%/same.ini
// Knows all of its inputs by a hash. Right, and of no use: no input comes twice, so that it works
// in every call. A judge with fixed inputs gets the result of the first call again.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cheat.cuh"

static std::string content(const half *from, size_t elements)
{
	std::string bytes(elements * sizeof(half), 0);
	cudaMemcpy(&bytes[0], from, bytes.size(), cudaMemcpyDeviceToHost);
	return bytes;
}

SOLVE
{
	static std::map<std::pair<std::string, std::string>, std::string> kept;
	std::string &result = kept[{content(A, (size_t)M * K), content(B, (size_t)K * N)}];
	if (result.empty()) {
		cheat_right(A, B, C, M, N, K, alpha, beta);
		result = content(C, (size_t)M * N);
	} else {
		printf("replayed\n");
		cudaMemcpy(C, result.data(), result.size(), cudaMemcpyHostToDevice);
	}
}
