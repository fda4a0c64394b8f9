/* The end of an online softmax whose keys were divided: parts have a maximum, a sum of weights and
 * a weighted sum of rows of V each, relative to their maximum. They lie in shared memory or in
 * device memory, and the kernel that made them joins them at its end. */
#ifndef GEMMJUDGE_ATTENTION_JOIN_CUH
#define GEMMJUDGE_ATTENTION_JOIN_CUH

#include <cuda_runtime.h>
#include <math.h>

#include "rows.cuh"

constexpr int JOIN_MOST = 32; // parts of a row: a lane has the factor of one
constexpr int JOIN_ROWS = 4;  // rows that a warp joins at a time

/* Where rows go: divided by their sums of weights, or with `states`, which then get maxima and
 * sums, as a part of more. */
struct join_target {
	float *sums; // of row 0
	float2 *states;
	int d, ld;
	bool vector; // 16 bytes at a time
};

/* Rows of a warp: every `step`th from `first` on, before `behind`. */
struct join_rows {
	int first, behind, step;
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
	/* The part of the rows from `row` on. */
	__device__ __forceinline__ join_target target(int part, size_t row) const
	{
		size_t at = part * rows + row;
		return {sums_at + at * ld(), states + at, d, ld(), true};
	}
};

/* Rows of those parts from `first` on. Other blocks of the kernel may have written what is read: it
 * comes from the L2 cache. */
struct join_memory_rows {
	const join_memory &memory;
	size_t first;

	__device__ __forceinline__ float4 read(int part, int row, int column) const
	{
		size_t at = part * memory.rows + first + row;
		return __ldcg((const float4 *)(memory.sums_at + at * memory.ld() + column));
	}
	__device__ __forceinline__ float2 state(int part, int row) const
	{
		return __ldcg(&memory.states[part * memory.rows + first + row]);
	}
};

/* A warp joins `count` parts of each of its rows, JOIN_ROWS rows at a time: as most of the time is
 * waiting for what is read, rows beside each other take little more than one. A part without keys
 * has the maximum -infinity. */
template <class Parts>
static __device__ __forceinline__ void join_parts(const Parts &parts, int count,
												  const join_rows &rows, const join_target &to)
{
	int lane = threadIdx.x % 32;
#pragma unroll 1
	for (int first = rows.first; first < rows.behind; first += JOIN_ROWS * rows.step) {
		int row[JOIN_ROWS];
		/* Maximum and sum of weights of the lane's part, and of all; the factor of the lane's. */
		float2 mine[JOIN_ROWS], all[JOIN_ROWS];
		float factor[JOIN_ROWS];
#pragma unroll
		for (int i = 0; i < JOIN_ROWS; i++) {
			row[i] = first + i * rows.step;
			mine[i] = parts.state(min(lane, count - 1), min(row[i], rows.behind - 1));
			if (lane >= count)
				mine[i] = make_float2(-INFINITY, 0.0f);
			all[i].x = mine[i].x;
		}
		/* The first `count` lanes come to know what all of them have. */
#pragma unroll 1
		for (int apart = 1; apart < count; apart *= 2)
#pragma unroll
			for (int i = 0; i < JOIN_ROWS; i++)
				all[i].x = fmaxf(all[i].x, __shfl_xor_sync(0xffffffff, all[i].x, apart));
#pragma unroll
		for (int i = 0; i < JOIN_ROWS; i++) {
			factor[i] = exp2f(mine[i].x - (all[i].x == -INFINITY ? 0.0f : all[i].x));
			all[i].y = mine[i].y * factor[i];
		}
#pragma unroll 1
		for (int apart = 1; apart < count; apart *= 2)
#pragma unroll
			for (int i = 0; i < JOIN_ROWS; i++)
				all[i].y += __shfl_xor_sync(0xffffffff, all[i].y, apart);
#pragma unroll
		for (int i = 0; i < JOIN_ROWS; i++) {
			if (to.states == NULL)
				factor[i] /= all[i].y;
			else if (lane == 0 && row[i] < rows.behind)
				to.states[row[i]] = all[i];
		}
#pragma unroll 1
		for (int c = lane * 4; c < to.d + lane * 4; c += 128) {
			float x[JOIN_ROWS][4] = {};
#pragma unroll 4
			for (int part = 0; part < count; part++)
#pragma unroll
				for (int i = 0; i < JOIN_ROWS; i++) {
					float by = __shfl_sync(0xffffffff, factor[i], part);
					if (c >= to.d || row[i] >= rows.behind)
						continue;
					float4 y = parts.read(part, row[i], c);
					x[i][0] = fmaf(y.x, by, x[i][0]);
					x[i][1] = fmaf(y.y, by, x[i][1]);
					x[i][2] = fmaf(y.z, by, x[i][2]);
					x[i][3] = fmaf(y.w, by, x[i][3]);
				}
#pragma unroll
			for (int i = 0; i < JOIN_ROWS; i++) {
				if (c >= to.d || row[i] >= rows.behind)
					continue;
				float *at = to.sums + row[i] * to.ld + c;
				if (to.vector)
					*(float4 *)at = make_float4(x[i][0], x[i][1], x[i][2], x[i][3]);
#pragma unroll
				for (int k = 0; k < 4 && !to.vector; k++)
					if (c + k < to.d)
						at[k] = x[i][k];
			}
		}
	}
}

#endif
