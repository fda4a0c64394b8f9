/* What blocks need that share a tile of C along K. tile_sizes and cosma share it. */
#ifndef GEMMJUDGE_SGEMM_SPLIT_CUH
#define GEMMJUDGE_SGEMM_SPLIT_CUH

#include "epilogue.cuh"

/* Partial sums of a split product: SPLIT_K planes like C for the reduction
 * kernel; for atomics one such plane, and for each tile of C how many blocks are
 * done with it, both 0 at the start. */
struct split_sums {
	float *sums;
	int *done;
};

/* Whether this block is the last of those that share its tile of C: it sees all their sums then. */
static __device__ bool is_last(int *done, int blocks)
{
	__shared__ bool last;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(done, 1) == blocks - 1;
	__syncthreads();
	__threadfence();
	return last;
}

/* V neighbours, aligned to as many, as other blocks have left them in L2. */
static __device__ __forceinline__ void load_behind_l1(const float *from, float (&x)[4])
{
	float4 all = __ldcg((const float4 *)from);
	x[0] = all.x;
	x[1] = all.y;
	x[2] = all.z;
	x[3] = all.w;
}
static __device__ __forceinline__ void load_behind_l1(const float *from, float (&x)[1])
{
	x[0] = __ldcg(from);
}

/* Adds V neighbouring values, aligned to as many, to what is in memory. By red, which brings
 * nothing back (PTX ISA, "red"; the compiler makes atom of an atomicAdd() in a large kernel, though
 * nobody reads its result). Hopper takes four values at once. */
#if __CUDA_ARCH__ >= 900
constexpr bool ADDS_FOUR = true;
#else
constexpr bool ADDS_FOUR = false;
#endif
template <int V>
static __device__ __forceinline__ void add_to_memory(float *to, const float (&x)[V])
{
	if constexpr (V == 4 && ADDS_FOUR) {
		asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(x[0]),
					 "f"(x[1]), "f"(x[2]), "f"(x[3])
					 : "memory");
	} else {
#pragma unroll
		for (int i = 0; i < V; i++)
			asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to + i), "f"(x[i]) : "memory");
	}
}

static __device__ __forceinline__ void add_to_memory(float *to, float x)
{
	const float one[1] = {x};
	add_to_memory(to, one);
}

/* A block hands the sums of its tile to the epilogue, V neighbours at a time (1, or what divides a
 * row of C), and leaves zeros if LEAVES_ZEROS. Many are read before anything is stored: no load
 * passes a store to what may be the same place, and one after the other each would wait for memory
 * (64 a thread took 22 us on an H200). */
template <int TILE_M, int TILE_N, int THREADS, bool LEAVES_ZEROS, int V = 1>
static __device__ __forceinline__ void hand_over_sums(float *sums, int row0, int column0,
													  const epilogue<float> &out)
{
	constexpr int COUNT = TILE_M * TILE_N / V, EACH = (COUNT + THREADS - 1) / THREADS,
				  MOST = V == 1 ? 16 : 32 / V, TOGETHER = EACH < MOST ? EACH : MOST;
#pragma unroll 1
	for (int first = threadIdx.x; first < COUNT; first += TOGETHER * THREADS) {
		auto place = [&](int i, int &row, int &column) {
			int e = first + i * THREADS;
			row = e < COUNT ? row0 + e / (TILE_N / V) : out.M;
			column = column0 + e % (TILE_N / V) * V;
		};
		float held[TOGETHER][V] = {};
		int row, column;
#pragma unroll
		for (int i = 0; i < TOGETHER; i++) {
			place(i, row, column);
			if (row < out.M && column < out.N)
				load_behind_l1(&sums[(size_t)row * out.N + column], held[i]);
		}
#pragma unroll
		for (int i = 0; i < TOGETHER && LEAVES_ZEROS; i++) {
			place(i, row, column);
			if (row < out.M && column < out.N)
				*(epilogue_vector<float, V> *)&sums[(size_t)row * out.N + column] = {};
		}
		out.by_lanes().store_all(out.M, held, place);
	}
}

/* A thread an element: adds up the planes. Rows are along the grid's x, as y ends at 65535. */
static __global__ void reduce(const float *sums, int planes, epilogue<float> out)
{
	int row = blockIdx.x;
	int column = blockIdx.y * blockDim.x + threadIdx.x;
	if (column >= out.N)
		return;
	float sum = 0.0f;
#pragma unroll 16 // so many loads are in flight
	for (int i = 0; i < planes; i++)
		sum += sums[((size_t)i * out.M + row) * out.N + column];
	out.by_lanes().store(row, column, sum);
}

#endif
