/* The last part of algorithm 1's split ends too early: the tail of K is dropped. */
#include "library.cuh"

static const algorithm known[] = {{1, 0, false}, {4, 16, false}};

extern "C" int library_algorithms(void)
{
	return 2;
}

extern "C" int library_fact(int algorithm, const char *name)
{
	return strcmp(name, "split_k") == 0     ? known[algorithm].split
		   : strcmp(name, "reduction") == 0 ? (known[algorithm].split > 1 ? 2 : 0)
											: -1;
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	product_start(A, B, C, M, N, K, alpha, beta, known[library_algorithm]);
}
