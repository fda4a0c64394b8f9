// expect: accepted
// family: work late
// naive: accepted
// Works in a stream of its own that does not wait for the default one. No fault: the judge waits
// for the whole device, and the device span counts all of it. (The emulated GPU runs every stream
// at once; that a judge is fooled which only waits for the default stream, a GPU must show.)
#include "cheat.cuh"

SOLVE
{
	static cudaStream_t stream = nullptr;
	if (stream == nullptr)
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cheat_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(
		A, B, C, M, N, K, alpha, beta, make_int2(0, 0), make_int2(1, 1));
}
