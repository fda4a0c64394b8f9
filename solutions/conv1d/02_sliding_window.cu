/* A window of the input in registers that slides along the kernel: 80 FMAs for a load.
 *
 * Idea: a thread has 20 neighbouring outputs and keeps 24 neighbours of the input
 * (sliding_window.cuh); four elements of the kernel cost it one load from shared memory. The
 * kernel lies in constant memory. All threads want the same element of it, which comes into
 * a uniform register; an FMA then reads two registers of its thread and not three. On Hopper
 * three take two issue slots, unless one is in the reuse cache (sgemm/NOTES.md, "Register ports").
 *
 * Changes from 01_naive: the window; the input that a block needs for TAPS elements of the
 * kernel at a time lies in shared memory, and a longer kernel is more rounds of the same sums.
 * Lanes read shared memory 20 floats apart, five times 16 bytes: as that is odd, eight lanes
 * meet all 32 banks, and no padding is needed. Outputs go through shared memory, too, so
 * that lanes store neighbours. Where outputs are few, a thread has four of them.
 *
 * Arithmetic intensity: 1280 outputs and 504 elements of the kernel at a time are 2 x 1280 x
 * 504 FLOP for 4 x (1280 + 504) bytes of the input, 181 FLOP per byte requested from L2. From
 * shared memory 160 FLOP for 16 bytes.
 *
 * Bound by issue slots where the kernel is long: 1.5 x 10^6 outputs with one of 2047 are 6.1 GFLOP,
 * 92 us at 67 TFLOP/s. Counted in SASS (tools/sass-slots, nvcc 13.0) the loop has 1.11 slots an
 * FMA; with the kernel in shared memory it had 1.48, as 182 of 480 FMAs read three registers.
 * A short kernel is bound by memory: 12 MB, 2.5 us. The prediction was 108 us, and 137.76 to 139.01
 * were measured; cuBLAS's products with a band matrix took 357.95 (357.50 to 359.20).
 *
 * reached: 138.29 us, 259% of cuBLAS (NVIDIA H200, 2026-11-29, 1500000 with 2047) */
#include "sliding_window.cuh"

constexpr int THREADS = 64;     // small blocks: several a multiprocessor load and multiply in turn
constexpr int TAPS = 504;       // elements of the kernel a round
constexpr int MOST_TAPS = 2048; // of the problem, and one
constexpr int MANY = 20, FEW = 4;                // outputs a thread
constexpr int ENOUGH = 132 * 4 * THREADS * MANY; // outputs for four blocks of MANY a multiprocessor

/* Of the call that is at work: calls are in one stream. */
static __constant__ float4 taps[MOST_TAPS / 4];

/* A turn of the window from taps[first] on: all of it, or `count` elements of the kernel. */
template <bool ALL, int OUTPUTS>
static __device__ __forceinline__ void turn(sliding_window<OUTPUTS> &window, const float *from,
											int first, int count, float (&sum)[OUTPUTS])
{
#pragma unroll
	for (int j = 0; j < window.RING; j += 4) {
		if (!ALL && j >= count)
			break;
		window.put(j + OUTPUTS, &from[j + OUTPUTS]);
		float4 factor = taps[first + j / 4];
		if (ALL || count >= j + 4)
			window.add_first(4, j, factor, sum);
		else if (count == j + 3)
			window.add_first(3, j, factor, sum);
		else if (count == j + 2)
			window.add_first(2, j, factor, sum);
		else
			window.add_first(1, j, factor, sum);
	}
}

template <int OUTPUTS>
static __global__ void __launch_bounds__(THREADS)
	conv1d_sliding(const float *input, float *output, int input_size, int kernel_size)
{
	constexpr int TILE = THREADS * OUTPUTS;
	typedef sliding_window<OUTPUTS> window;
	static_assert(TAPS % sliding_window<OUTPUTS>::RING == 0, "a round is whole turns");
	static_assert(TAPS % 4 == 0 && MOST_TAPS % 4 == 0, "the kernel is read as float4");
	__shared__ __align__(16) float tile[TILE + TAPS];
	int first = blockIdx.x * TILE, mine = threadIdx.x * OUTPUTS;
	window w;
	float sum[OUTPUTS] = {};
	for (int tap = 0; tap < kernel_size; tap += TAPS) {
		int count = min(TAPS, kernel_size - tap), places = TILE + (count + 3) / 4 * 4, j = 0;
		__syncthreads(); // the round before has been computed
#pragma unroll 4
		for (int i = threadIdx.x; i < places; i += THREADS)
			tile[i] = first + tap + i < input_size ? input[first + tap + i] : 0.0f;
		__syncthreads();
		w.begin(&tile[mine]);
		for (; j + window::RING <= count; j += window::RING)
			turn<true>(w, &tile[mine + j], (tap + j) / 4, window::RING, sum);
		turn<false>(w, &tile[mine + j], (tap + j) / 4, count - j, sum);
	}

	__syncthreads();
#pragma unroll
	for (int o = 0; o < OUTPUTS; o += 4)
		*(float4 *)&tile[mine + o] = make_float4(sum[o], sum[o + 1], sum[o + 2], sum[o + 3]);
	__syncthreads();
	int outputs = input_size - kernel_size + 1;
	for (int i = threadIdx.x; i < TILE && first + i < outputs; i += THREADS)
		output[first + i] = tile[i];
}

template <int OUTPUTS>
static void launch(const float *input, float *output, int input_size, int kernel_size)
{
	constexpr int TILE = THREADS * OUTPUTS;
	int outputs = input_size - kernel_size + 1;
	conv1d_sliding<OUTPUTS>
		<<<(outputs + TILE - 1) / TILE, THREADS>>>(input, output, input_size, kernel_size);
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size,
					  int kernel_size)
{
	cudaMemcpyToSymbolAsync(taps, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);
	if (input_size - kernel_size + 1 >= ENOUGH)
		launch<MANY>(input, output, input_size, kernel_size);
	else
		launch<FEW>(input, output, input_size, kernel_size);
}
