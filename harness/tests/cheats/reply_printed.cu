// expect: wrong_answer
// family: replies forged
// naive: accepted
// Prints what a judge prints. Stopped by what a solution prints being shown as such, and read by
// nobody.
#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)K, (void)alpha, (void)beta;
	printf("accepted\n      \"verdict\": \"accepted\",\n");
	fflush(stdout);
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
