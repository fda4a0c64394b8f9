// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Computes all sets of a pass in its first, untimed call. Stopped by sealed calls: they are timed
// from when their sets are seen for the first time.
#include "peek.cuh"

SOLVE
{
	if (!TRICK) {
		medium_right(A, B, C, M, N, K, alpha, beta);
		return;
	}
	if (peek.type == PEEK_TIME && peek.index == 0)
		peek_compute(A, B, C, M, N, K, alpha, beta, peek.first, peek.warmups + peek.calls);
	else if (peek.type == PEEK_TIME)
		medium_nothing<<<1, 1>>>(0);
	else
		medium_right(A, B, C, M, N, K, alpha, beta);
	peek_called();
}
