/* The epilogue contract: what happens to an accumulator on its way into C.
 *
 * A kernel opts in with two lines. solve() makes the epilogue and passes it to
 * the kernel by value; the kernel hands it every finished accumulator once:
 *
 *     kernel<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
 *     ...
 *     out.store(row, column, sum);          // one value
 *     out.store(row, column, sums);         // float sums[V]: V columns from `column` on
 *
 * store() drops what lies outside of C, so that a kernel can hand over a whole
 * tile, and writes V values at once where alignment allows it. A kernel that
 * moves C by other means (shared memory, TMA) calls apply(), which changes
 * values in registers and stores nothing; rows and columns must then lie in C.
 *
 * With no epilogue named the chain is alpha_beta: alpha * x + beta * C. C is
 * not read when beta is 0.
 *
 * Rows and columns are those of the row-major M x N matrix C. */
#ifndef GEMMJUDGE_EPILOGUE_CUH
#define GEMMJUDGE_EPILOGUE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ float epilogue_to_float(half x)
{
	return __half2float(x);
}
__device__ __forceinline__ float epilogue_to_float(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}
__device__ __forceinline__ float epilogue_to_float(float x)
{
	return x;
}

template <class Element> __device__ __forceinline__ Element epilogue_from_float(float x);
template <> __device__ __forceinline__ half epilogue_from_float<half>(float x)
{
	return __float2half_rn(x);
}
template <> __device__ __forceinline__ __nv_bfloat16 epilogue_from_float<__nv_bfloat16>(float x)
{
	return __float2bfloat16_rn(x);
}
template <> __device__ __forceinline__ float epilogue_from_float<float>(float x)
{
	return x;
}

/* V elements that are loaded and stored with one instruction (16 bytes at most). */
template <class Element, int V> struct alignas(sizeof(Element) * V) epilogue_vector {
	Element at[V];
};

template <class Element> struct epilogue {
	Element *C;
	int M, N;
	float alpha, beta;

	/* Whether V elements at this place can be accessed at once. */
	template <int V> __device__ __forceinline__ bool whole(int row, int column) const
	{
		static_assert(sizeof(Element) * V <= 16, "a vector access is at most 16 bytes");
		if (V == 1)
			return true;
		uintptr_t address = (uintptr_t)(C + (size_t)row * N + column);
		return column + V <= N && address % (sizeof(Element) * V) == 0;
	}

	/* x becomes the output values of V columns from `column` on; `vector` says
	 * that whole<V>() holds, otherwise columns outside of C keep their x. */
	template <int V>
	__device__ __forceinline__ void apply(int row, int column, float (&x)[V], bool vector) const
	{
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] *= alpha;
		if (beta == 0.0f)
			return;
		const Element *c = C + (size_t)row * N + column;
		if (vector) {
			epilogue_vector<Element, V> old = *(const epilogue_vector<Element, V> *)c;
#pragma unroll
			for (int i = 0; i < V; i++)
				x[i] += beta * epilogue_to_float(old.at[i]);
			return;
		}
#pragma unroll
		for (int i = 0; i < V; i++)
			if (column + i < N)
				x[i] += beta * epilogue_to_float(c[i]);
	}

	/* One value: the output for C[row][column]. */
	__device__ __forceinline__ float apply(int row, int column, float x) const
	{
		float one[1] = {x};
		apply(row, column, one, true);
		return one[0];
	}

	template <int V>
	__device__ __forceinline__ void store(int row, int column, const float (&x)[V]) const
	{
		if (row >= M || column >= N)
			return;
		float y[V];
#pragma unroll
		for (int i = 0; i < V; i++)
			y[i] = x[i];
		bool vector = whole<V>(row, column);
		apply(row, column, y, vector);

		Element *c = C + (size_t)row * N + column;
		if (vector) {
			epilogue_vector<Element, V> result;
#pragma unroll
			for (int i = 0; i < V; i++)
				result.at[i] = epilogue_from_float<Element>(y[i]);
			*(epilogue_vector<Element, V> *)c = result;
			return;
		}
#pragma unroll
		for (int i = 0; i < V; i++)
			if (column + i < N)
				c[i] = epilogue_from_float<Element>(y[i]);
	}

	__device__ __forceinline__ void store(int row, int column, float x) const
	{
		float one[1] = {x};
		store(row, column, one);
	}
};

/* Host side, in solve(). A problem without alpha and beta leaves them out. */
template <class Element>
static inline epilogue<Element> epilogue_make(Element *C, int M, int N, float alpha = 1.0f,
											  float beta = 0.0f)
{
	return epilogue<Element>{C, M, N, alpha, beta};
}

#endif
