// A correct solution that takes its time on the host.
#include <unistd.h>

#include "../fixtures/correct.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	usleep(100000);
	fixture_correct<<<fixture_grid(M, N), fixture_block()>>>(A, B, C, M, N, K, alpha, beta);
}
