/* Several threads a row: eight warps where rows are few and long, one where they are many or short.
 *
 * Idea: A is read once and whole, so this is a product of a dense matrix and a vector, and all that
 * counts is how many bytes of A are in flight. Lanes side by side on a row read whole lines of
 * 128 bytes, four floats each; how many warps share a row is chosen so that all of the GPU works.
 *
 * Changes from 01_naive: a block has eight rows of one warp each, or one row of eight warps. Each
 * thread has AHEAD vectors of A on their way. Lanes add up by shuffles, warps through
 * shared memory. A is read as what will not be read again (__ldcs), which leaves L1 to x. Where
 * rows of A or x are misaligned, a load is one float, and there are four times as many.
 *
 * Arithmetic intensity: 0.5 FLOP per byte of A.
 *
 * Bound by memory: 1000 x 10000 are 40 MB, 8.3 us at 4.8 TB/s, of which a start and the last
 * additions are a part that is not small. A row of 10000 is ten vectors for each of 256 threads.
 * An element of A that is 0 costs as much as another one: its sector has others that are not. The
 * prediction was 12 us, and 12.80 to 13.28 were measured; cuBLAS took 14.11 (14.02 to 14.62).
 *
 * reached: 12.99 us, 109% of cuBLAS (NVIDIA H200, 2026-11-29, 1000x10000) */
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int THREADS = 256;
constexpr int BYTES_AHEAD = 64;   // of A, for each thread
constexpr int ENOUGH_ROWS = 8192; // for a warp each: 62 warps a multiprocessor of an H200
constexpr int SHORT_ROW = 1024;   // a warp reads it in eight vectors a lane

/* V floats side by side. */
template <int V> struct vector {
	float at[V];
};

static __device__ __forceinline__ vector<4> load_once(const vector<4> *from)
{
	float4 v = __ldcs((const float4 *)from);
	return {v.x, v.y, v.z, v.w};
}
static __device__ __forceinline__ vector<1> load_once(const vector<1> *from)
{
	return {__ldcs((const float *)from)};
}
static __device__ __forceinline__ vector<4> load(const vector<4> *from)
{
	float4 v = *(const float4 *)from;
	return {v.x, v.y, v.z, v.w};
}
static __device__ __forceinline__ vector<1> load(const vector<1> *from)
{
	return *from;
}

/* The thread's part of a row: every STRIDE-th of `count` vectors from number `first` on. */
template <int STRIDE, int V>
static __device__ __forceinline__ float part_of_row(const vector<V> *a, const vector<V> *x,
													int first, int count)
{
	constexpr int AHEAD = BYTES_AHEAD / (4 * V);
	float sum[V] = {};
	int j = first;
	for (; j + (AHEAD - 1) * STRIDE < count; j += AHEAD * STRIDE) {
		vector<V> u[AHEAD];
#pragma unroll
		for (int n = 0; n < AHEAD; n++)
			u[n] = load_once(&a[j + n * STRIDE]);
#pragma unroll
		for (int n = 0; n < AHEAD; n++) {
			vector<V> v = load(&x[j + n * STRIDE]);
#pragma unroll
			for (int i = 0; i < V; i++)
				sum[i] += u[n].at[i] * v.at[i];
		}
	}
	for (; j < count; j += STRIDE) {
		vector<V> u = load_once(&a[j]), v = load(&x[j]);
#pragma unroll
		for (int i = 0; i < V; i++)
			sum[i] += u.at[i] * v.at[i];
	}
#pragma unroll
	for (int i = 1; i < V; i++)
		sum[0] += sum[i];
	return sum[0];
}

/* WARPS: of a row. V: floats a load. */
template <int WARPS, int V>
static __global__ void __launch_bounds__(THREADS)
	spmv_warps_a_row(const float *A, const float *x, float *y, int M, int N)
{
	constexpr int GROUP = WARPS * 32; // threads of a row
	static_assert(WARPS == 1 || GROUP == THREADS, "a row has a warp, or the block");
	int row = blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP, thread = threadIdx.x % GROUP;
	if (row >= M)
		return; // the whole warp, and where a row has more of them there is no such row

	const vector<V> *a = (const vector<V> *)(A + (size_t)row * N);
	float sum = part_of_row<GROUP>(a, (const vector<V> *)x, thread, N / V);
#pragma unroll
	for (int distance = 16; distance > 0; distance /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, distance);
	if constexpr (WARPS > 1) {
		__shared__ float of_warps[WARPS];
		if (threadIdx.x % 32 == 0)
			of_warps[threadIdx.x / 32] = sum;
		__syncthreads();
		sum = 0.0f;
		for (int w = 0; w < WARPS; w++)
			sum += of_warps[w];
	}
	if (thread == 0)
		y[row] = sum;
}

template <int V> static void launch(const float *A, const float *x, float *y, int M, int N)
{
	constexpr int WARPS = THREADS / 32;
	if (M >= ENOUGH_ROWS || N <= SHORT_ROW)
		spmv_warps_a_row<1, V><<<(M + WARPS - 1) / WARPS, THREADS>>>(A, x, y, M, N);
	else
		spmv_warps_a_row<WARPS, V><<<M, THREADS>>>(A, x, y, M, N);
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N, int)
{
	if (N % 4 == 0 && (uintptr_t)A % 16 == 0 && (uintptr_t)x % 16 == 0)
		launch<4>(A, x, y, M, N);
	else
		launch<1>(A, x, y, M, N);
}
