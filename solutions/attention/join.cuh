/* The end of an online softmax whose keys were divided: parts have a maximum, a sum of weights and
 * a weighted sum of rows of V each, relative to their maximum. online_kernel.cuh joins parts that
 * lie in shared memory, and the second kernel, which is here, those in device memory. */
#ifndef GEMMJUDGE_ATTENTION_JOIN_CUH
#define GEMMJUDGE_ATTENTION_JOIN_CUH

#include <cuda_runtime.h>
#include <math.h>

#include "follow.cuh"
#include "rows.cuh"

constexpr int JOIN_MOST = 32; // parts of a row: a lane has the factor of one
constexpr int JOIN_WARPS = 4;

/* Where a row goes: divided by its sum of weights, or with `state`, which then gets maximum and
 * sum, as a part of more. */
struct join_target {
	float *sums;
	float2 *state;
	int d;
	bool vector; // 16 bytes at a time
};

/* Parts in device memory: `rows` rows of each, 16 bytes aligned. */
struct join_memory {
	float *sums_at;
	float2 *states;
	size_t rows;
	int d;

	__host__ __device__ int ld() const
	{
		return (d + 3) / 4 * 4;
	}
	/* In floats. */
	__host__ __device__ size_t size(int parts) const
	{
		return (size_t)parts * rows * (ld() + 2);
	}
	__host__ void place(float *memory, int parts)
	{
		sums_at = memory;
		states = (float2 *)(memory + (size_t)parts * rows * ld());
	}
	__device__ __forceinline__ const float *sums(int part, size_t row) const
	{
		return sums_at + (part * rows + row) * ld();
	}
	__device__ __forceinline__ float2 state(int part, size_t row) const
	{
		return states[part * rows + row];
	}
	__device__ __forceinline__ join_target target(int part, size_t row) const
	{
		size_t at = part * rows + row;
		return {sums_at + at * ld(), states + at, d, true};
	}
};

/* A warp joins `count` parts of a row. A part without keys has the maximum -infinity. */
template <class Parts>
static __device__ __forceinline__ void join_parts(const Parts &parts, int count, size_t row,
												  const join_target &to)
{
	int lane = threadIdx.x % 32;
	float2 state = parts.state(min(lane, count - 1), row);
	if (lane >= count)
		state = make_float2(-INFINITY, 0.0f);
	float most = state.x;
#pragma unroll
	for (int i = 16; i > 0; i /= 2)
		most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, i));
	float factor = exp2f(state.x - (most == -INFINITY ? 0.0f : most)), weights = state.y * factor;
#pragma unroll
	for (int i = 16; i > 0; i /= 2)
		weights += __shfl_xor_sync(0xffffffff, weights, i);
	float divisor = to.state == NULL ? weights : 1.0f;
	for (int first = 0; first < to.d; first += 128) {
		int c = first + lane * 4;
		float x[4] = {};
#pragma unroll 4
		for (int part = 0; part < count; part++) {
			float by = __shfl_sync(0xffffffff, factor, part);
			if (c >= to.d)
				continue;
			float4 y = rows_read(parts.sums(part, row) + c);
			x[0] = fmaf(y.x, by, x[0]);
			x[1] = fmaf(y.y, by, x[1]);
			x[2] = fmaf(y.z, by, x[2]);
			x[3] = fmaf(y.w, by, x[3]);
		}
#pragma unroll
		for (int i = 0; i < 4; i++)
			x[i] /= divisor;
		if (to.vector && c < to.d)
			*(float4 *)&to.sums[c] = make_float4(x[0], x[1], x[2], x[3]);
#pragma unroll
		for (int i = 0; i < 4 && !to.vector; i++)
			if (c + i < to.d)
				to.sums[c + i] = x[i];
	}
	if (to.state != NULL && lane == 0)
		*to.state = make_float2(most, weights);
}

/* A warp a row of the output, of `d` columns. */
static __global__ void __launch_bounds__(JOIN_WARPS * 32)
	join_kernel(const join_memory memory, int parts, float *output, bool vector)
{
	follow_wait();
	size_t row = (size_t)blockIdx.x * JOIN_WARPS + threadIdx.x / 32;
	if (row >= memory.rows)
		return;
	join_parts(memory, parts, row, {output + row * memory.d, NULL, memory.d, vector});
}

#endif
