// expect: accepted
// family: inputs changed
// naive: accepted
// Changes an element of A and puts it back before it returns. Allowed: nobody else looks at the
// inputs of a call while it runs, and afterwards they are what they were.
#include "cheat.cuh"

SOLVE
{
	half first, other = __float2half(7.0f);
	cheat_right(A, B, C, M, N, K, alpha, beta);
	cudaMemcpy(&first, A, sizeof first, cudaMemcpyDeviceToHost);
	cudaMemcpy((half *)A, &other, sizeof other, cudaMemcpyHostToDevice);
	cudaMemcpy((half *)A, &first, sizeof first, cudaMemcpyHostToDevice);
}
