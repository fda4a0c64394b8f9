/* Prints, as JSON, what tools/pictures draws: where the code puts things. Every map is asked of the
 * function that the kernels, or the emulated GPU, use. "cuts.h" holds their definitions, which
 * tools/pictures cuts out of files that only nvcc can compile; this file is compiled for the host.
 */
#include <algorithm>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_stand_in.h" // __device__ and the like, threadIdx
#include "gemm_bf16/mma.cuh"
#include "sgemm/lanes.cuh"
extern "C" {
#include "emulator/tensor/layout.h"
#include "gpu/models.h"
uint32_t exec_bank_passes(const uint64_t at[32], uint32_t bytes, uint32_t *conflicts);
}
#include "cuts.h"

static void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "pictures_maps: %s\n", what);
	exit(1);
}

/* ---- fragments ---- */

/* [lane, register, item, row, column] of each element of an operand. */
static void print_fragment(const char *name, const tensor_shape &shape, tensor_operand operand,
						   unsigned items, unsigned row0 = 0)
{
	const char *comma = "";
	printf("\"%s\": [", name);
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned reg = 0; reg < tensor_registers(&shape, operand); reg++)
			for (unsigned item = 0; item < items; item++, comma = ", ") {
				unsigned row, column;
				tensor_position(&shape, operand, lane, reg, item, &row, &column);
				printf("%s[%u, %u, %u, %u, %u]", comma, lane, reg, item, row0 + row, column);
			}
	printf("],\n");
}

static void print_fragments(void)
{
	tensor_shape mma = {};
	mma.m = 16, mma.n = 8, mma.k = 16;
	mma.a = mma.b = TENSOR_BF16, mma.c = mma.d = TENSOR_F32;
	print_fragment("mma_a", mma, TENSOR_A, 2);
	print_fragment("mma_b", mma, TENSOR_B, 2);
	print_fragment("mma_d", mma, TENSOR_D, 1);

	/* A warp of a warpgroup has 16 of wgmma's 64 rows, which lie as mma's with N columns. */
	tensor_shape wgmma = mma;
	wgmma.n = 24;
	print_fragment("wgmma_d", wgmma, TENSOR_D, 1);

	printf("\"ldmatrix\": [");
	for (int lane = 0; lane < 32; lane++)
		printf("%s[%d, %d]", lane ? ", " : "", mma_lane_row(lane), mma_lane_column(lane));
	printf("],\n");
}

/* ---- banks ---- */

/* Passes over the banks of an ldmatrix.x4 of a 16x16 tile whose element (row, column) lies at
 * element AT(row, column). */
template <class At> static uint32_t ldmatrix_passes(At at, uint32_t *conflicts)
{
	uint64_t addresses[32];
	for (int lane = 0; lane < 32; lane++)
		addresses[lane] = 2 * (uint64_t)at(mma_lane_row(lane), mma_lane_column(lane));
	return exec_bank_passes(addresses, 16, conflicts);
}

/* These, and where the 16 bytes of each row and column of eight begin. */
template <class At> static void print_ldmatrix(const char *name, int columns, int stride, At at)
{
	uint32_t conflicts, passes = ldmatrix_passes(at, &conflicts);
	printf(
		"\"%s\": {\"columns\": %d, \"stride\": %d, \"passes\": %u, \"conflicts\": %u, \"bytes\": [",
		name, columns, stride, passes, conflicts);
	for (int row = 0; row < 8; row++)
		for (int chunk = 0; chunk < columns / 8; chunk++)
			printf("%s%d", row + chunk ? ", " : "", 2 * at(row, chunk * 8));
	printf("]},\n");
}

/* CUTLASS's Swizzle<B, M, S>. */
static int swizzle(int b, int m, int s, int offset)
{
	return offset ^ (offset >> s & ((1 << b) - 1) << m);
}

/* Whether a layout of rows of COLUMNS elements is such a swizzle of their plain order. */
template <int COLUMNS, class At> static bool is_swizzle(int b, int m, int s, At at)
{
	for (int row = 0; row < 64; row++)
		for (int column = 0; column < COLUMNS; column++)
			if (at(row, column) != swizzle(b, m, s, row * COLUMNS + column))
				return false;
	return true;
}

template <int COLUMNS> static int plain(int row, int column)
{
	return row * COLUMNS + column;
}

static void print_banks(void)
{
	print_ldmatrix("f16_07_a", step07::BLOCK_K, step07::BLOCK_K, tile_rows<step07::BLOCK_K>::at);
	print_ldmatrix("f16_07_b", step07::BLOCK_N, step07::BLOCK_N, tile_rows<step07::BLOCK_N>::at);
	print_ldmatrix("f16_10_a", step10::BLOCK_K, step10::STRIDE_A, tile_rows<step10::STRIDE_A>::at);
	print_ldmatrix("f16_10_b", step10::BLOCK_N, step10::STRIDE_B, tile_rows<step10::STRIDE_B>::at);

	constexpr int K = swizzled08::BLOCK_K, N = swizzled08::BLOCK_N;
	auto a08 = swizzled08::swizzled_rows<K>::at, b08 = swizzled08::swizzled_rows<N>::at;
	print_ldmatrix("bf16_07_a", K, K, plain<K>);
	print_ldmatrix("bf16_07_b", N, N, plain<N>);
	print_ldmatrix("bf16_08_a", K, K, a08);
	print_ldmatrix("bf16_08_b", N, N, b08);
	print_ldmatrix("source_a", 16, 16, plain<16>);
	print_ldmatrix("b_333", N, N,
				   [](int row, int column) { return swizzle(3, 3, 3, row * N + column); });

	demand(is_swizzle<K>(2, 3, 3, a08), "08_swizzled's A is no Swizzle<2, 3, 3>");
	demand(is_swizzle<N>(3, 3, 4, b08), "08_swizzled's B is no Swizzle<3, 3, 4>");
	auto a09 = swizzled09::swizzled_rows<64>::at, b09 = swizzled09::swizzled_rows<256>::at;
	demand(is_swizzle<64>(3, 3, 3, a09) && is_swizzle<256>(3, 3, 5, b09),
		   "09's rows of 64 and 256 are no Swizzle<3, 3, 3> and <3, 3, 5>");
	uint32_t conflicts;
	demand(ldmatrix_passes(a09, &conflicts) == 4 && ldmatrix_passes(b09, &conflicts) == 4 &&
			   ldmatrix_passes(plain<64>, &conflicts) == 32 &&
			   ldmatrix_passes(plain<256>, &conflicts) == 32,
		   "09's passes are not 4 with and 32 without its swizzle, as gemm_bf16/NOTES.md says");
	for (uint32_t byte = 0; byte < 4096; byte++)
		demand(tensor_swizzle(TENSOR_SWIZZLE_128, byte, 0) == (uint32_t)swizzle(3, 4, 3, byte),
			   "TMA's 128-byte swizzle is no Swizzle<3, 4, 3> of bytes");
}

/* A 32x32 tile of floats of which a warp reads a column: in plain order, with rows of 33, swizzled
 * by <5, 0, 5>. The picture shows the same for 8 banks. */
static void print_toy(void)
{
	uint64_t at[3][32];
	uint32_t conflicts;
	for (int row = 0; row < 32; row++) {
		at[0][row] = 4 * (row * 32);
		at[1][row] = 4 * (row * 33);
		at[2][row] = 4 * swizzle(5, 0, 5, row * 32);
	}
	printf("\"toy_passes\": [%u, ", exec_bank_passes(at[0], 4, &conflicts));
	printf("%u, ", exec_bank_passes(at[1], 4, &conflicts));
	printf("%u],\n\"toy\": [", exec_bank_passes(at[2], 4, &conflicts));
	for (int i = 0; i < 64; i++)
		printf("%s%d", i ? ", " : "", swizzle(3, 0, 3, i));
	printf("],\n");
}

/* What TMA writes and wgmma reads: the chunk (16 bytes) of row and column, and of each k-step of 16
 * the chunks that the tensor cores fetch for 8 rows. */
static void print_wgmma_operand(void)
{
	printf("\"tma_chunks\": [");
	for (uint32_t i = 0; i < 64; i++)
		printf("%s%u", i ? ", " : "", tensor_swizzle(TENSOR_SWIZZLE_128, i * 16, 0) / 16);
	printf("],\n\"wgmma_chunks\": [");
	uint32_t operand = operands::wgmma_operand(0, 16);
	for (uint32_t step = 0; step < 4; step++) {
		static uint32_t chunks[TENSOR_CHUNKS];
		tensor_descriptor at =
			tensor_descriptor_decode(operands::wgmma_descriptor(operand, step * 32));
		tensor_chunks(&at, 64, 2, false, chunks);
		for (uint32_t i = 0; i < 16; i++) {
			printf("%s%u", step + i ? ", " : "", chunks[i] / 16);
			demand(chunks[i] ==
					   tensor_swizzle(TENSOR_SWIZZLE_128, i / 2 * 128 + step * 32 + i % 2 * 16, 0),
				   "wgmma reads a chunk where TMA has not put it");
		}
	}
	printf("],\n");
}

/* ---- tiles and lanes ---- */

struct plain_lanes { // row by row
	static int row(int lane)
	{
		return lane / 4;
	}
	static int column(int lane)
	{
		return lane % 4;
	}
};

static void print_lanes(const char *name, int (*row)(int), int (*column)(int))
{
	uint64_t a[32], b[32];
	uint32_t conflicts, taken = 0;
	printf("\"%s\": {\"at\": [", name);
	for (int lane = 0; lane < 32; lane++) {
		taken |= 1u << (row(lane) * 4 + column(lane)) % 32;
		printf("%s[%d, %d]", lane ? ", " : "", row(lane), column(lane));
		a[lane] = 16 * (uint64_t)row(lane);
		b[lane] = 16 * (uint64_t)column(lane);
	}
	demand(taken == UINT32_MAX, "two lanes have the same part of a warp's tile");
	printf("], \"passes_a\": %u, ", exec_bank_passes(a, 16, &conflicts));
	printf("\"passes_b\": %u},\n", exec_bank_passes(b, 16, &conflicts));
}

static void print_tiles(void)
{
	typedef sgemm::multiply_large large;
	print_lanes("lanes", lane_row<large>, lane_column<large>);
	print_lanes("lanes_plain", plain_lanes::row, plain_lanes::column);
	printf("\"tiles\": {\"block\": [%d, %d], \"k\": %d, \"warp\": [%d, %d], \"sub\": [%d, %d], "
		   "\"threads\": %d, \"stages\": %d, \"warps\": [",
		   large::BLOCK_M, large::BLOCK_N, large::BLOCK_K, large::COUNT_M * large::SUB_M,
		   large::COUNT_N * large::SUB_N, large::SUB_M, large::SUB_N, large::THREADS,
		   large::STAGES);
	for (int warp = 0; warp < large::THREADS / 32; warp++) {
		threadIdx.x = warp * 32;
		printf("%s[%d, %d]", warp ? ", " : "", large::row(), large::column());
	}
	printf("]},\n");
	printf("\"thread_tiles\": [[1, 1], [%d, 1], [%d, %d]],\n", sgemm04::THREAD_M, sgemm05::THREAD_M,
		   sgemm05::THREAD_N);
	printf("\"block_tile\": [%d, %d, %d],\n", sgemm05::BLOCK_M, sgemm05::BLOCK_N, sgemm05::BLOCK_K);
	printf("\"snake\": [");
	for (int column = 0; column < 8; column++)
		for (int step = 0; step < 8; step++)
			printf("%s%d", column + step ? ", " : "", evens_first<4>(snake(column, step, 8)));
	printf("],\n");
}

/* ---- the order of blocks ---- */

constexpr int SIDE = 4;   // tiles of C along M and N, and of A and B along K
constexpr int CACHE = 16; // tiles

/* Tiles of A and B that come from device memory while `outputs` tiles of C are made in this order,
 * K from its first tile to its last, through a cache that forgets what was used longest ago. */
static int loads(const int (*order)[2], int outputs)
{
	int cached[CACHE], held = 0, misses = 0;
	auto use = [&](int tile) {
		int *end = cached + held, *found = std::find(cached, end, tile);
		if (found == end) {
			misses++;
			if (held == CACHE) {
				std::rotate(cached, cached + 1, end);
				end[-1] = tile;
			} else {
				cached[held++] = tile;
			}
			return;
		}
		std::rotate(found, found + 1, end);
	};
	for (int i = 0; i < outputs; i++)
		for (int k = 0; k < SIDE; k++) {
			use(order[i][0] * SIDE + k);
			use(SIDE * SIDE + k * SIDE + order[i][1]);
		}
	return misses;
}

static void print_order(const char *name, const int (*order)[2])
{
	printf("\"%s\": {\"order\": [", name);
	for (int i = 0; i < SIDE * SIDE; i++)
		printf("%s[%d, %d]", i ? ", " : "", order[i][0], order[i][1]);
	printf("], \"first\": %d, \"all\": %d},\n", loads(order, 4), loads(order, SIDE * SIDE));
}

static void print_orders(void)
{
	int rows[SIDE * SIDE][2], panels[SIDE * SIDE][2];
	for (int i = 0; i < SIDE * SIDE; i++) {
		rows[i][0] = i / SIDE, rows[i][1] = i % SIDE;
		panels_of_2::place_in_panels(i, SIDE, SIDE, &panels[i][0], &panels[i][1]);
	}
	print_order("by_rows", rows);
	print_order("by_panels", panels);
}

constexpr int WAVE_SIDE = 8192 / step10::BLOCK_M; // tiles of 8192 x 8192 along M and N
constexpr int WAVE = 132 * 7;                     // blocks at work, 7 a multiprocessor

/* Rows of A's tiles and columns of B's that the first blocks need together. */
static int strips(void (*place)(int, int, int, int *, int *))
{
	bool rows[WAVE_SIDE] = {}, columns[WAVE_SIDE] = {};
	for (int i = 0; i < WAVE; i++) {
		int row, column;
		place(i, WAVE_SIDE, WAVE_SIDE, &row, &column);
		rows[row] = columns[column] = true;
	}
	return (int)(std::count(rows, rows + WAVE_SIDE, true) +
				 std::count(columns, columns + WAVE_SIDE, true));
}

static void print_wave(void)
{
	auto by_rows = [](int number, int, int blocks_n, int *row, int *column) {
		*row = number / blocks_n, *column = number % blocks_n;
	};
	printf("\"wave\": {\"blocks\": %d, \"tiles\": %d, \"rows\": %d, \"4\": %d, \"32\": %d},\n",
		   WAVE, WAVE_SIDE, strips(by_rows), strips(panels_of_4::place_in_panels),
		   strips(panels_of_32::place_in_panels));
}

/* ---- stages, clusters, split-K ---- */

static void print_ring(void)
{
	printf("\"ring\": {\"stages\": %d, \"producer\": [", step21::STAGES);
	step21::ring producer = {0, 1}, consumer = {0, 0}; // as produce() and consume() begin
	for (int i = 0; i < 8; i++, producer.next())
		printf("%s[%d, %u]", i ? ", " : "", producer.stage, producer.phase);
	printf("], \"consumer\": [");
	for (int i = 0; i < 8; i++, consumer.next())
		printf("%s[%d, %u]", i ? ", " : "", consumer.stage, consumer.phase);
	printf("]},\n");
	printf("\"cluster\": {\"tile\": [%d, %d, %d], \"blocks\": %d, \"a\": %d, \"b\": %d, \"at\": [",
		   step21::TILE_M, step21::TILE_N, step21::TILE_K, step21::CLUSTER, step21::A_BYTES,
		   step21::B_BYTES);
	step21::scheduler tiles = {16, 16};
	for (int rank = 0; rank < step21::CLUSTER; rank++) {
		int row, column;
		step21::this_rank = rank;
		tiles.find(0, row, column);
		printf("%s[%d, %d]", rank ? ", " : "", row, column);
	}
	printf("]},\n");
}

static void print_split(void)
{
	split_k::schedule work = {64 / 3, 64 % 3};
	printf("\"split\": [");
	for (int rank = 0; rank < 3; rank++) {
		split_k::this_rank = rank;
		split_k::k_range own = work.own_k();
		printf("%s[%d, %d]", rank ? ", " : "", own.begin, own.end);
	}
	printf("],\n");
}

/* ---- GPUs ---- */

static void print_models(void)
{
	printf("\"gpus\": {");
	for (int i = 0; gpu_ids[i] != NULL; i++) {
		const gpu_model *gpu = gpu_model_find(gpu_ids[i]);
		const gpu_capability *can = gpu_capability_of(gpu->compute);
		demand(can != NULL, "a GPU without capability");
		printf(
			"%s\"%s\": {\"name\": \"%s\", \"compute\": %d, \"multiprocessors\": %d, \"mhz\": %d, "
			"\"f32\": %d, \"f16\": %d, \"dram\": %.0f, \"l2\": %.0f, \"shared\": %d}",
			i ? ",\n" : "", gpu->id, gpu->name, gpu->compute, gpu->multiprocessors, gpu->clock_mhz,
			can->multiply_adds[0], can->multiply_adds[1], gpu->dram, gpu->l2, can->shared_kib);
	}
	printf("}\n");
}

int main(void)
{
	printf("{");
	print_fragments();
	print_banks();
	print_toy();
	print_wgmma_operand();
	print_tiles();
	print_orders();
	print_wave();
	print_ring();
	print_split();
	print_models();
	printf("}\n");
	return 0;
}
