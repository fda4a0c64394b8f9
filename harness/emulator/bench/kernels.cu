// Kernels that bench.c measures the emulated GPU with, as PTX. The first five load as
// beginners do. Those called *_wide measure tensor instructions and what brings their operands
// from shared memory: they have the warp tiles of published kernels, and multiply each k-block
// REPEATS times, so that copies to shared memory do not count.
// All compute C = A B for row-major f16 A (M x K), B (K x N), f32 accumulation;
// M, N, K multiples of 256.
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

// Copies `rows` rows of `chunks` times 8 halves to `to`, where chunk c of row r lies at
// place(r, c), by 128 threads.
template <int rows, int chunks, typename Place>
static __device__ void copy_tile(half *to, const half *from, int stride, Place place)
{
	for (int i = threadIdx.x; i < rows * chunks; i += 128) {
		int row = i / chunks, chunk = i % chunks;
		uint32_t address = (uint32_t)__cvta_generic_to_shared(to + place(row, chunk));
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
					 "l"(from + (size_t)row * stride + chunk * 8)
					 : "memory");
	}
}

static __device__ void copies_wait()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
	asm volatile("cp.async.wait_group 0;" ::: "memory");
}

#define REPEATS 16 // a power of two: sums are divided by it exactly
#define MEMORY_MAY_CHANGE() asm volatile("" ::: "memory") // loads stay in their loop

#define WIDE_PAD 8 // halves behind each row, against bank conflicts

// Four warps, each 64 x 64 of a 128 x 128 tile of C, 16 x 16 x 16 a product.
extern "C" __global__ void wmma_wide(const half *A, const half *B, half *C, int M, int N, int K)
{
	using namespace nvcuda::wmma;
	__shared__ __align__(32) half a[128][32 + WIDE_PAD], b[32][128 + WIDE_PAD];
	int warp = threadIdx.x / 32, row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
	int warp_row = warp / 2 * 64, warp_column = warp % 2 * 64;
	fragment<accumulator, 16, 16, 16, float> sum[4][4];
	for (int i = 0; i < 16; i++)
		fill_fragment(sum[i / 4][i % 4], 0.0f);
	for (int k0 = 0; k0 < K; k0 += 32) {
		copy_tile<128, 4>(&a[0][0], A + (size_t)row0 * K + k0, K,
						  [](int row, int chunk) { return row * (32 + WIDE_PAD) + chunk * 8; });
		copy_tile<32, 16>(&b[0][0], B + (size_t)k0 * N + column0, N,
						  [](int row, int chunk) { return row * (128 + WIDE_PAD) + chunk * 8; });
		copies_wait();
		__syncthreads();
		for (int step = 0; step < 2 * REPEATS; step++) {
			int k = step % 2 * 16;
			MEMORY_MAY_CHANGE();
			fragment<matrix_a, 16, 16, 16, half, row_major> left[4];
			for (int i = 0; i < 4; i++)
				load_matrix_sync(left[i], &a[warp_row + 16 * i][k], 32 + WIDE_PAD);
			for (int j = 0; j < 4; j++) {
				fragment<matrix_b, 16, 16, 16, half, row_major> right;
				load_matrix_sync(right, &b[k][warp_column + 16 * j], 128 + WIDE_PAD);
				for (int i = 0; i < 4; i++)
					mma_sync(sum[i][j], left[i], right, sum[i][j]);
			}
		}
		__syncthreads();
	}
	for (int i = 0; i < 16; i++) {
		fragment<accumulator, 16, 16, 16, half> result;
		for (int e = 0; e < result.num_elements; e++)
			result.x[e] = __float2half(sum[i / 4][i % 4].x[e] / REPEATS);
		half *to = C + (size_t)(row0 + warp_row + i / 4 * 16) * N + column0 + warp_column;
		store_matrix_sync(to + i % 4 * 16, result, N, mem_row_major);
	}
}

// The tiles of wmma_wide, with ldmatrix and mma.sync.m16n8k16.
extern "C" __global__ void mma_wide(const half *A, const half *B, half *C, int M, int N, int K)
{
	__shared__ __align__(16) half a[128][32 + WIDE_PAD], b[32][128 + WIDE_PAD];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
	int warp_row = warp / 2 * 64, warp_column = warp % 2 * 64;
	float sum[4][8][4] = {};
	for (int k0 = 0; k0 < K; k0 += 32) {
		copy_tile<128, 4>(&a[0][0], A + (size_t)row0 * K + k0, K,
						  [](int row, int chunk) { return row * (32 + WIDE_PAD) + chunk * 8; });
		copy_tile<32, 16>(&b[0][0], B + (size_t)k0 * N + column0, N,
						  [](int row, int chunk) { return row * (128 + WIDE_PAD) + chunk * 8; });
		copies_wait();
		__syncthreads();
		for (int step = 0; step < 2 * REPEATS; step++) {
			int k = step % 2 * 16;
			MEMORY_MAY_CHANGE();
			uint32_t left[4][4], right[4][4];
			for (int i = 0; i < 4; i++) {
				uint32_t at = (uint32_t)__cvta_generic_to_shared(
					&a[warp_row + 16 * i + lane % 16][k + lane / 16 * 8]);
				asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
							 : "=r"(left[i][0]), "=r"(left[i][1]), "=r"(left[i][2]),
							   "=r"(left[i][3])
							 : "r"(at));
				at = (uint32_t)__cvta_generic_to_shared(
					&b[k + lane % 16][warp_column + 16 * i + lane / 16 * 8]);
				asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
							 : "=r"(right[i][0]), "=r"(right[i][1]), "=r"(right[i][2]),
							   "=r"(right[i][3])
							 : "r"(at));
			}
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 8; j++)
					asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
								 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
								 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]),
								   "+f"(sum[i][j][3])
								 : "r"(left[i][0]), "r"(left[i][1]), "r"(left[i][2]),
								   "r"(left[i][3]), "r"(right[j / 2][j % 2 * 2]),
								   "r"(right[j / 2][j % 2 * 2 + 1]));
		}
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 8; j++)
			for (int e = 0; e < 4; e += 2) {
				int row = row0 + warp_row + 16 * i + lane / 4 + e / 2 * 8;
				int column = column0 + warp_column + 8 * j + lane % 4 * 2;
				*(half2 *)&C[(size_t)row * N + column] =
					__floats2half2_rn(sum[i][j][e] / REPEATS, sum[i][j][e + 1] / REPEATS);
			}
}

#define WIDE_NAMES                                                                                 \
	"%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                       \
	"%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"                             \
	"%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"                             \
	"%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"                             \
	"%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"                             \
	"%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"                             \
	"%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"                 \
	"%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define WIDE_4(i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define WIDE_16(i) WIDE_4(i), WIDE_4((i) + 4), WIDE_4((i) + 8), WIDE_4((i) + 12)

// One warpgroup, a 64 x 256 tile of C, K-blocks of 64; B n-major in four swizzled parts of
// 64 columns.
extern "C" __global__ void wgmma_wide(const half *A, const half *B, half *C, int M, int N, int K)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
	__shared__ __align__(1024) half a[64 * 64], b[4 * 64 * 64];
	int row0 = blockIdx.y * 64, column0 = blockIdx.x * 256;
	float d[128] = {};
	for (int k0 = 0; k0 < K; k0 += 64) {
		copy_tile<64, 8>(a, A + (size_t)row0 * K + k0, K,
						 [](int row, int chunk) { return swizzled(row, chunk * 8); });
		copy_tile<64, 32>(b, B + (size_t)k0 * N + column0, N, [](int row, int chunk) {
			return chunk / 8 * 64 * 64 + swizzled(row, chunk % 8 * 8);
		});
		copies_wait();
		asm volatile("fence.proxy.async;" ::: "memory");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int step = 0; step < 4 * REPEATS; step++) {
			int k = step % 4 * 16;
			uint64_t left = describe(a + k, 16, 1024), right = describe(b + k * 64, 8192, 1024);
			asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" WIDE_NAMES
						 "}, %128, %129, "
						 "1, 1, 1, 0, 1;"
						 : WIDE_16(0), WIDE_16(16), WIDE_16(32), WIDE_16(48), WIDE_16(64),
						   WIDE_16(80), WIDE_16(96), WIDE_16(112)
						 : "l"(left), "l"(right));
		}
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		__syncthreads();
	}
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	for (int i = 0; i < 128; i += 2) {
		int row = row0 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
		int column = column0 + i / 4 * 8 + lane % 4 * 2;
		*(half2 *)&C[(size_t)row * N + column] =
			__floats2half2_rn(d[i] / REPEATS, d[i + 1] / REPEATS);
	}
#endif
}
