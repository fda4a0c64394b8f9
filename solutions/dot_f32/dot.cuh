/* A dot product of floats or halves in one launch: dot_f32/02_one_pass.cu explains it.
 *
 * Partial sums lie in a variable on the device, so that nothing is allocated. Calls must not
 * overlap: they are in one stream. */
#ifndef GEMMJUDGE_DOT_F32_DOT_CUH
#define GEMMJUDGE_DOT_F32_DOT_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

constexpr int DOT_THREADS = 256;
constexpr int DOT_BLOCKS_A_MULTIPROCESSOR = 4;
constexpr int DOT_MOST_BLOCKS = 4096;
constexpr int DOT_AHEAD = 4; // vectors of either input that a thread has in flight

static __device__ float dot_partial[DOT_MOST_BLOCKS]; // the sum of each block
static __device__ unsigned dot_arrived;               // blocks that have stored theirs

/* V elements side by side: 16 bytes of them, or one. */
template <class Element, int V> struct dot_vector {
	Element at[V];
};

template <class Element, int V>
static __device__ __forceinline__ dot_vector<Element, V> dot_load(const Element *from)
{
	dot_vector<Element, V> v;
	if constexpr (V == 1) {
		v.at[0] = __ldcs(from);
	} else {
		static_assert(sizeof v == sizeof(uint4), "a vector is one load");
		uint4 bits = __ldcs((const uint4 *)from);
		memcpy(&v, &bits, sizeof v);
	}
	return v;
}

template <class Element, int V>
static __device__ __forceinline__ float dot_add(const dot_vector<Element, V> &a,
												const dot_vector<Element, V> &b, float sum)
{
#pragma unroll
	for (int i = 0; i < V; i++)
		sum += (float)a.at[i] * (float)b.at[i];
	return sum;
}

/* The sum over a block, in its first thread. */
static __device__ __forceinline__ float dot_block_sum(float sum)
{
	__shared__ float of_warps[DOT_THREADS / 32];
#pragma unroll
	for (int distance = 16; distance > 0; distance /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, distance);
	__syncthreads(); // nobody reads the sums of the call before any more
	if (threadIdx.x % 32 == 0)
		of_warps[threadIdx.x / 32] = sum;
	__syncthreads();
	sum = 0.0f;
	for (int w = 0; w < DOT_THREADS / 32; w++)
		sum += of_warps[w];
	return sum;
}

/* A thread's share: `head` elements come before the first vector, and fewer than V behind the last;
 * the first block has these too. */
template <int V, class Element>
static __device__ __forceinline__ float dot_share(const Element *A, const Element *B, int head,
												  int N)
{
	int stride = gridDim.x * DOT_THREADS, vectors = (N - head) / V;
	int tail = head + vectors * V + threadIdx.x;
	int i = blockIdx.x * DOT_THREADS + threadIdx.x;
	float sum = 0.0f, sums[DOT_AHEAD] = {};
	if (blockIdx.x == 0 && threadIdx.x < head)
		sum += (float)A[threadIdx.x] * (float)B[threadIdx.x];
	if (blockIdx.x == 0 && tail < N)
		sum += (float)A[tail] * (float)B[tail];

	const Element *a = A + head, *b = B + head;
	for (; (int64_t)i + (DOT_AHEAD - 1) * (int64_t)stride < vectors; i += DOT_AHEAD * stride) {
		dot_vector<Element, V> u[DOT_AHEAD], v[DOT_AHEAD];
#pragma unroll
		for (int n = 0; n < DOT_AHEAD; n++) {
			u[n] = dot_load<Element, V>(a + ((size_t)i + (size_t)n * stride) * V);
			v[n] = dot_load<Element, V>(b + ((size_t)i + (size_t)n * stride) * V);
		}
#pragma unroll
		for (int n = 0; n < DOT_AHEAD; n++)
			sums[n] = dot_add(u[n], v[n], sums[n]);
	}
	for (; i < vectors; i += stride)
		sum = dot_add(dot_load<Element, V>(a + (size_t)i * V),
					  dot_load<Element, V>(b + (size_t)i * V), sum);
#pragma unroll
	for (int n = 0; n < DOT_AHEAD; n++)
		sum += sums[n];
	return sum;
}

template <int V, class Element>
static __global__ void __launch_bounds__(DOT_THREADS)
	dot_one_pass(const Element *A, const Element *B, Element *result, int head, int N)
{
	__shared__ bool is_last;
	float sum = dot_block_sum(dot_share<V>(A, B, head, N));
	if (threadIdx.x == 0) {
		dot_partial[blockIdx.x] = sum;
		__threadfence(); // whoever sees the count sees the sum
		// Behind the last block the count is 0 again, for the next call.
		is_last = atomicInc(&dot_arrived, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!is_last)
		return;

	__threadfence();
	sum = 0.0f;
	for (int block = threadIdx.x; block < gridDim.x; block += DOT_THREADS)
		sum += __ldcg(&dot_partial[block]); // from L2, where other blocks stored it
	sum = dot_block_sum(sum);
	if (threadIdx.x == 0)
		*result = (Element)sum;
}

/* As many blocks as are at work at once, or as have a vector for each thread. */
static inline int dot_blocks(int vectors)
{
	static int most;
	if (most == 0) {
		int device = 0, multiprocessors = 0;
		cudaGetDevice(&device);
		cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
		most = multiprocessors * DOT_BLOCKS_A_MULTIPROCESSOR;
		most = most < 1 ? 1 : most > DOT_MOST_BLOCKS ? DOT_MOST_BLOCKS : most;
	}
	int wanted = (vectors + DOT_THREADS - 1) / DOT_THREADS;
	return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

/* Vectors are read where A and B lie at the same distance from an address that 16 divides. */
template <class Element>
static void dot_solve(const Element *A, const Element *B, Element *result, int N)
{
	constexpr int V = 16 / sizeof(Element);
	int beyond = (int)((uintptr_t)A % 16);
	if ((int)((uintptr_t)B % 16) == beyond) {
		int head = (16 - beyond) % 16 / (int)sizeof(Element);
		head = head < N ? head : N;
		dot_one_pass<V><<<dot_blocks((N - head) / V), DOT_THREADS>>>(A, B, result, head, N);
	} else {
		dot_one_pass<1><<<dot_blocks(N), DOT_THREADS>>>(A, B, result, 0, N);
	}
}

#endif
