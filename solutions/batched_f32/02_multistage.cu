/* The pipelined tiles of a single product, as many at once as the whole batch has.
 *
 * Idea: one product of 256x256 has four tiles of 128x128, and a GPU of 132 SMs
 * would be idle but for four; a batch of 32 has 128, one for nearly every SM. So
 * the choice of a tile looks at the tiles of all products together. Inside of a
 * tile nothing is new: it is that of ../sgemm/12_multistage.
 *
 * Changes from 01_naive: copies into shared memory that run ahead by several
 * stages, an 8x8 piece of C in the registers of a thread, fragments read ahead
 * (../sgemm/multiply.cuh). Five stages in place of three: when every SM has one
 * tile only, all of them begin with the same wait for memory, and none has
 * another tile to work on meanwhile.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 floats, 32 FLOP per byte of global
 * memory. For each k a thread issues 64 FMAs and 4 reads of shared memory.
 *
 * Bound by issue slots, says `explain` (H200, 32x256x256x256): 21 us, 80% of them
 * FMAs, of 26 in all.
 *
 * reached: 38.8 TFLOP/s, 103% of cuBLASLt (NVIDIA H100 80GB HBM3, 32x256x256x256) */
#include "../sgemm/load.cuh"
#include "../sgemm/multiply.cuh"
#include "limits.h"

constexpr int SMS = 132; // of an H200; elsewhere only the choice of tiles suffers

typedef multiply_shape<128, 128, 64, 32, 5> tile_large;
typedef multiply_shape<64, 64, 32, 32, 5> tile_small;

/* The epilogue sees all of C as one matrix of BATCH * M rows; a tile must not store
 * beyond its own M. */
template <class Tile, int VECTOR_B>
static __global__ void __launch_bounds__(Tile::THREADS, 512 / Tile::THREADS)
	batched_multistage(const float *A, const float *B, int first, int M, int N, int K,
					   epilogue<float> out)
{
	__shared__ typename Tile::tiles tiles;
	typename Tile::sums sum = {};
	int batch = first + blockIdx.z;
	int row0 = blockIdx.y * Tile::BLOCK_M;
	int column0 = blockIdx.x * Tile::BLOCK_N;

	Tile::template run<VECTOR_B>(tiles, sum, A + (size_t)batch * M * K, K,
								 B + (size_t)batch * K * N, N, M, N, K, row0, column0);
	Tile::each(sum, row0, column0, [&](int row, int column, const float(&x)[Tile::V]) {
		if (row < M)
			out.store(batch * M + row, column, x);
	});
}

static int tiles_along(int size, int tile)
{
	return (size + tile - 1) / tile;
}

template <class Tile>
static void launch(const float *A, const float *B, int batch, int M, int N, int K,
				   epilogue<float> out)
{
	batched_check(batched_too_large(batch, M, N, K, Tile::BLOCK_M));
	batched_check(batched_too_far(M, N, K, Tile::BLOCK_M, Tile::BLOCK_K));
	auto kernel = load_vector(B, N) ? batched_multistage<Tile, 4> : batched_multistage<Tile, 1>;
	for (int first = 0; first < batch; first += 65535) { // the most along a grid's z
		dim3 grid(tiles_along(N, Tile::BLOCK_N), tiles_along(M, Tile::BLOCK_M),
				  min(batch - first, 65535));
		kernel<<<grid, Tile::THREADS>>>(A, B, first, M, N, K, out);
	}
}

/* Time of the busiest SM in arbitrary units, when an SM needs 1 / `speed` for an
 * output of this tile. */
template <class Tile> static double cost(int batch, int M, int N, double speed)
{
	long tiles = (long)batch * tiles_along(M, Tile::BLOCK_M) * tiles_along(N, Tile::BLOCK_N);
	return (double)((tiles + SMS - 1) / SMS) * Tile::BLOCK_M * Tile::BLOCK_N / speed;
}

extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
	epilogue<float> out = epilogue_make(C, BATCH * M, N);
	double large = cost<tile_large>(BATCH, M, N, 1.0);
	double small = cost<tile_small>(BATCH, M, N, 0.75);
	if (large <= small)
		launch<tile_large>(A, B, BATCH, M, N, K, out);
	else
		launch<tile_small>(A, B, BATCH, M, N, K, out);
}
