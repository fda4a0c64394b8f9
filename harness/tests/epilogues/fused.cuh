/* A plain product that hands its epilogue whole vectors of 16 bytes, as the fast
 * kernels do, whatever the shape: for testing stages, and quick to compile. */
#include "epilogue.cuh"

template <class Element>
static __global__ void multiply(const Element *A, const Element *B, int M, int N, int K,
								epilogue<Element> out)
{
	constexpr int V = 16 / sizeof(Element);
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int column = (blockIdx.x * blockDim.x + threadIdx.x) * V;
	if (row >= M || column >= N)
		return;
	float sum[V] = {};
	for (int k = 0; k < K; k++) {
		float a = epilogue_to_float(A[(size_t)row * K + k]);
		for (int i = 0; i < V && column + i < N; i++)
			sum[i] += a * epilogue_to_float(B[(size_t)k * N + column + i]);
	}
	out.store(row, column, sum);
}

template <class Element>
static void multiply_all(const Element *A, const Element *B, Element *C, int M, int N, int K,
						 float alpha, float beta)
{
	constexpr int COLUMNS = 16 * (16 / sizeof(Element)); // that a block computes
	dim3 block(16, 8), grid((N + COLUMNS - 1) / COLUMNS, (M + 7) / 8);
	multiply<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
