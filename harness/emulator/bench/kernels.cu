// Kernels that harness/emulator/bench.c measures the emulated GPU with, as PTX.
// All compute C = A B for row-major f16 A (M x K), B (K x N), f32 accumulation;
// M, N, K multiples of 64.
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

// One thread an element.
extern "C" __global__ void naive(const half *A, const half *B, half *C, int M, int N, int K)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= M || column >= N)
		return;
	float sum = 0;
	for (int k = 0; k < K; k++)
		sum += __half2float(A[row * K + k]) * __half2float(B[k * N + column]);
	C[row * N + column] = __float2half(sum);
}

// 16 x 16 tiles through shared memory.
extern "C" __global__ void tiled(const half *A, const half *B, half *C, int M, int N, int K)
{
	__shared__ float a[16][16], b[16][17];
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;
	for (int k0 = 0; k0 < K; k0 += 16) {
		a[threadIdx.y][threadIdx.x] = row < M ? __half2float(A[row * K + k0 + threadIdx.x]) : 0.0f;
		b[threadIdx.y][threadIdx.x] =
			column < N ? __half2float(B[(k0 + threadIdx.y) * N + column]) : 0.0f;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < 16; k++)
			sum += a[threadIdx.y][k] * b[k][threadIdx.x];
		__syncthreads();
	}
	if (row < M && column < N)
		C[row * N + column] = __float2half(sum);
}

// Four warps, each 16 x 32 of a 32 x 64 tile of C, operands through shared memory.
extern "C" __global__ void wmma_tiles(const half *A, const half *B, half *C, int M, int N, int K)
{
	using namespace nvcuda::wmma;
	__shared__ __align__(32) half a[32][32 + 8], b[32][64 + 8];
	__shared__ __align__(32) float c[32][64];
	int warp = threadIdx.x / 32, row0 = blockIdx.y * 32, column0 = blockIdx.x * 64;
	int warp_row = warp / 2 * 16, warp_column = warp % 2 * 32;
	fragment<accumulator, 16, 16, 16, float> sum[2];
	fill_fragment(sum[0], 0.0f);
	fill_fragment(sum[1], 0.0f);
	for (int k0 = 0; k0 < K; k0 += 32) {
		for (int i = threadIdx.x; i < 32 * 32; i += 128)
			a[i / 32][i % 32] = A[(row0 + i / 32) * K + k0 + i % 32];
		for (int i = threadIdx.x; i < 32 * 64; i += 128)
			b[i / 64][i % 64] = B[(k0 + i / 64) * N + column0 + i % 64];
		__syncthreads();
		for (int k = 0; k < 32; k += 16) {
			fragment<matrix_a, 16, 16, 16, half, row_major> left;
			load_matrix_sync(left, &a[warp_row][k], 32 + 8);
			for (int j = 0; j < 2; j++) {
				fragment<matrix_b, 16, 16, 16, half, row_major> right;
				load_matrix_sync(right, &b[k][warp_column + 16 * j], 64 + 8);
				mma_sync(sum[j], left, right, sum[j]);
			}
		}
		__syncthreads();
	}
	for (int j = 0; j < 2; j++)
		store_matrix_sync(&c[warp_row][warp_column + 16 * j], sum[j], 64, mem_row_major);
	__syncthreads();
	for (int i = threadIdx.x; i < 32 * 64; i += 128)
		C[(row0 + i / 64) * N + column0 + i % 64] = __float2half(c[i / 64][i % 64]);
}

// A warp, a 16 x 64 strip of C: mma.sync with operands straight from memory.
extern "C" __global__ void mma_strips(const half *A, const half *B, half *C, int M, int N, int K)
{
	int lane = threadIdx.x, group = lane / 4, thread = lane % 4;
	int row0 = blockIdx.y * 16, column0 = blockIdx.x * 64;
	float sum[8][4] = {};
	for (int k0 = 0; k0 < K; k0 += 16) {
		uint32_t a[4];
		for (int i = 0; i < 4; i++)
			a[i] =
				*(const uint32_t *)&A[(row0 + group + i % 2 * 8) * K + k0 + thread * 2 + i / 2 * 8];
		for (int j = 0; j < 8; j++) {
			uint32_t b[2];
			for (int i = 0; i < 2; i++) {
				const half *at = &B[(k0 + thread * 2 + i * 8) * N + column0 + j * 8 + group];
				half2 pair = __halves2half2(at[0], at[N]);
				b[i] = *(uint32_t *)&pair;
			}
			asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
						 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
						 : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
						 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
		}
	}
	for (int j = 0; j < 8; j++)
		for (int i = 0; i < 4; i++)
			C[(row0 + group + i / 2 * 8) * N + column0 + j * 8 + thread * 2 + i % 2] =
				__float2half(sum[j][i]);
}

// One warpgroup, a 64 x 64 tile of C; A k-major and B n-major, both in 128-byte
// swizzled rows of 64 elements.
static __device__ uint64_t describe(const void *pointer, uint32_t leading, uint32_t stride)
{
	uint64_t address = (uint64_t)__cvta_generic_to_shared(pointer);
	return (address & 0x3FFFF) >> 4 | (uint64_t)(leading >> 4) << 16 |
		   (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

static __device__ int swizzled(int row, int column)
{
	return row * 64 + ((column / 8) ^ (row % 8)) * 8 + column % 8;
}

extern "C" __global__ void wgmma_tiles(const half *A, const half *B, half *C, int M, int N, int K)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
	__shared__ __align__(1024) half a[64 * 64], b[64 * 64];
	int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
	float d[32] = {};
	for (int k0 = 0; k0 < K; k0 += 64) {
		for (int i = threadIdx.x; i < 64 * 8; i += 128) {
			int row = i / 8, column = i % 8 * 8;
			*(int4 *)&a[swizzled(row, column)] = *(const int4 *)&A[(row0 + row) * K + k0 + column];
			*(int4 *)&b[swizzled(row, column)] =
				*(const int4 *)&B[(k0 + row) * N + column0 + column];
		}
		asm volatile("fence.proxy.async;" ::: "memory");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int k = 0; k < 64; k += 16) {
			uint64_t left = describe(a + k, 16, 1024), right = describe(b + k * 64, 1024, 1024);
			asm volatile(
				"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
				"{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,"
				"%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 1;"
				: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
				  "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
				  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
				  "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
				  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
				  "+f"(d[30]), "+f"(d[31])
				: "l"(left), "l"(right));
		}
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		__syncthreads();
	}
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	for (int i = 0; i < 32; i++) {
		int row = row0 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
		int column = column0 + i / 4 * 8 + lane % 4 * 2 + i % 2;
		C[row * N + column] = __float2half(d[i]);
	}
#endif
}
