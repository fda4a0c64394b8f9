// expect: wrong_answer
// family: some calls only
// options: --cases 12
// naive: accepted
// Works only where it finds C poisoned with NaN, as judges do it that want to see what was written.
// Stopped by a mark that is a finite number, another one in each element.
#include "cheat.cuh"

SOLVE
{
	half first;
	cudaMemcpy(&first, C, sizeof first, cudaMemcpyDeviceToHost);
	if (__half2float(first) != __half2float(first) || beta != 0.0f)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
