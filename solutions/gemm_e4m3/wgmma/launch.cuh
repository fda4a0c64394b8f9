/* Products of two matrices of an 8-bit type in which K is contiguous, A (M x K) and B (N x K): what
 * gemm-e4m3 and gemm-s8 have besides gemm_f16/hopper, whose kernel, launch, producer, mainloop and
 * scheduler they use. There an element has 16 bits, which here are two of 8: a matrix of K columns
 * is one of K/2, rounded up, as rows of odd K are padded with zeros.
 *
 * The second consumer begins LAG k-blocks later than the first, so that one multiplies while the
 * other stores. */
#ifndef GEMMJUDGE_WGMMA_LAUNCH_CUH
#define GEMMJUDGE_WGMMA_LAUNCH_CUH

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <iterator>

#include "../../gemm_f16/hopper/launch.cuh"
#include "../../sgemm/workspace.cuh"
#include "instructions.cuh"
#include "out.cuh"

constexpr int ROW_BYTES = 128; // of a k-block

/* solve() cannot return an error. */
[[noreturn]] static inline void wgmma_fail(const char *what, const char *why)
{
	fprintf(stderr, "wgmma: %s: %s\n", what, why);
	abort();
}

static inline void wgmma_check(cudaError_t status, const char *what)
{
	if (status != cudaSuccess)
		wgmma_fail(what, cudaGetErrorString(status));
}

#define WGMMA_CHECK(call) wgmma_check(call, #call)

static inline char *wgmma_workspace(size_t bytes)
{
	void *memory = bytes > 0 ? workspace_get(bytes) : NULL;
	if (bytes > 0 && memory == NULL)
		wgmma_fail("workspace", "not enough memory");
	return (char *)memory;
}

/* ---- operands ------------------------------------------------------------ */

/* A matrix of bytes with K contiguous, as TMA can address it: its address and the bytes from row to
 * row are multiples of 16. */
struct k_major {
	const void *data;
	size_t row_bytes;
};

static inline bool is_addressable(const void *X, int K)
{
	return (uintptr_t)X % 16 == 0 && K % 16 == 0;
}

/* Bytes from row to row in a copy: whole lines of the caches. */
static inline size_t padded_row_bytes(int K)
{
	return ((size_t)K + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

/* Workspace that padded_make() needs. */
static inline size_t padded_bytes(const void *X, int rows, int K)
{
	return is_addressable(X, K) ? 0 : rows * padded_row_bytes(K);
}

/* Rows of K bytes, which begin anywhere, to rows of `units` units of 16 bytes; zeros behind K. A
 * block a row (a grid has 2^31 - 1 blocks along x, and 65535 along y), a thread every blockDim.x-th
 * unit. */
static __global__ void pad_rows(const uint8_t *X, uint4 *to, int K, int units)
{
	int first = blockIdx.y * blockDim.x + threadIdx.x, stride = gridDim.y * blockDim.x;
	const uint8_t *from = X + (size_t)blockIdx.x * K;
	for (int unit = first; unit < units; unit += stride) {
		union {
			uint8_t bytes[16];
			uint4 all;
		} x;
#pragma unroll
		for (int i = 0; i < 16; i++)
			x.bytes[i] = unit * 16 + i < K ? from[unit * 16 + i] : 0;
		to[(size_t)blockIdx.x * units + unit] = x.all;
	}
}

/* X itself, or a copy of it in `room`. */
static inline k_major padded_make(const void *X, int rows, int K, char *room)
{
	if (is_addressable(X, K))
		return {X, (size_t)K};
	constexpr int THREADS = 128;
	size_t row_bytes = padded_row_bytes(K);
	int units = (int)(row_bytes / 16);
	dim3 grid(rows, std::min((units + THREADS - 1) / THREADS, 65535));
	pad_rows<<<grid, THREADS>>>((const uint8_t *)X, (uint4 *)room, K, units);
	WGMMA_CHECK(cudaGetLastError());
	return {room, row_bytes};
}

/* ---- launch -------------------------------------------------------------- */

/* A tile of 64 rows for each consumer. Sums go to C from registers, so that all of shared memory is
 * for stages. */
template <int TILE_N, int CONSUMERS, int CLUSTER>
using byte_tile = hopper::tile_config<hopper::TMA, 64 * CONSUMERS, TILE_N, 64, CONSUMERS, CLUSTER,
									  1, 1, 8, 1, hopper::B_K_MAJOR>;

template <int TILE_N, int CONSUMERS, int CLUSTER>
struct byte_config : byte_tile<TILE_N, CONSUMERS, CLUSTER> {
	using base = byte_tile<TILE_N, CONSUMERS, CLUSTER>;
	using direct = direct_store; // of hopper::consume(), in place of one by TMA
	static constexpr bool TMA_STORE = false;
	static constexpr int FITTING = (hopper::SHARED_BYTES - 2048) / base::STAGE_BYTES;
	static constexpr int STAGES = FITTING < 8 ? FITTING : 8;
	static constexpr int LAG = STAGES / 3; // k-blocks, of the second consumer
	static constexpr int BARRIERS = 2 * STAGES, C_BARRIERS = BARRIERS;
	static constexpr int BARRIER_OFFSET = STAGES * base::STAGE_BYTES;
	static constexpr int BYTES = BARRIER_OFFSET + BARRIERS * 8 + base::ALIGNMENT;
	static_assert(STAGES >= 4, "a load takes as long as two or three k-blocks");
};

/* About how many clocks: a k-block takes as long as shared memory is busy with it, which
 * gives and takes a row of it in a clock. TMA writes tile_m + tile_n rows, and each consumer reads
 * 64 of A and all of B. A consumer alone, which promotes its sums, has nobody who multiplies
 * meanwhile: about a clock a column. What a tile takes besides is about four k-blocks. */
template <class Element, class config>
static long long clocks(const hopper::device_table &device, const hopper::problem &q)
{
	constexpr bool PROMOTED = hopper::wgmma<Element, config::WGMMA_N>::PROMOTED;
	long long tiles = (long long)hopper::parts(q.p.m, config::TILE_M * config::CLUSTER_M) *
					  hopper::parts(q.p.n, config::TILE_N) * config::CLUSTER_M;
	long long waves = (tiles + device.multiprocessors - 1) / device.multiprocessors;
	int k_block = config::TILE_M + config::TILE_N +
				  config::CONSUMERS * (hopper::WGMMA_M + config::TILE_N) +
				  (PROMOTED && config::CONSUMERS == 1 ? config::TILE_N : 0);
	return waves * (q.k_iterations(config::TILE_K, false) + 4) * k_block;
}

template <class... Configs> struct byte_configs {
};

/* Two blocks share B where sums take one set of registers. Promoting takes a second one: then tiles
 * are of 128 columns at most, and neither sharing nor 192 columns gains (an H200, 2026-11-29). */
template <bool PROMOTED>
using byte_choice = std::conditional_t<
	PROMOTED,
	byte_configs<byte_config<128, 3, 1>, byte_config<128, 2, 1>, byte_config<64, 2, 1>,
				 byte_config<128, 1, 1>, byte_config<64, 1, 1>>,
	byte_configs<byte_config<256, 2, 2>, byte_config<128, 2, 1>, byte_config<64, 1, 1>>>;

template <class Element, class Out, class... Configs>
static hopper_status launch_fastest(byte_configs<Configs...>, const hopper::launch_context &context,
									const hopper::problem &q, const Out &out)
{
	const long long of[] = {clocks<Element, Configs>(context.device, q)...};
	int best = (int)(std::min_element(std::begin(of), std::end(of)) - of), number = 0;
	hopper_status status = HOPPER_OK;
	((number++ == best ? void(status = hopper::tma_launch<Element, Configs>(context, q, 1, out))
					   : void()),
	 ...);
	return status;
}

/* C (M x N) = A (M x K) * B^T (B is N x K), handed to `out`. */
template <class Element, class Out>
static void gemm(k_major A, k_major B, int M, int N, int K, const Out &out)
{
	int ordinal;
	const hopper::device_table &device = hopper::device_get(ordinal);
	if (device.status != HOPPER_OK)
		wgmma_fail("device", "no Hopper GPU, or its driver is too old for TMA");
	hopper::launch_context context = {device, ordinal, NULL, 0};
	int lda = (int)(A.row_bytes / 2), ldb = (int)(B.row_bytes / 2);
	hopper::problem q({M, N, (K + 1) / 2, A.data, B.data, NULL, lda, ldb, N, 1.0f, 0.0f, true},
					  false);
	if (launch_fastest<Element>(byte_choice<hopper::wgmma<Element, 128>::PROMOTED>(), context, q,
								out) != HOPPER_OK)
		wgmma_fail("launch", cudaGetErrorString(cudaGetLastError()));
}

/* The product of matrices that begin anywhere and have no padding. */
template <class Element, class Out>
static void gemm_any(const Element *A, const Element *B, int M, int N, int K, const Out &out)
{
	size_t a_bytes = padded_bytes(A, M, K), b_bytes = padded_bytes(B, N, K);
	char *room = wgmma_workspace(a_bytes + b_bytes);
	k_major a = padded_make(A, M, K, room);
	gemm<Element>(a, padded_make(B, N, K, room + a_bytes), M, N, K, out);
}

#endif
