/* A window of the input in registers that slides along the kernel: 48 FMAs for two loads.
 *
 * Idea: a thread has 12 neighbouring outputs. With one element of the kernel they need 12
 * neighbours of the input, with the next one the 12 that begin one further. So the thread
 * keeps 16 of them in registers; four new ones and four elements of the kernel are two loads
 * of 16 bytes from shared memory, and are worth 4 x 12 FMAs. The registers are a ring: which
 * of them is the first moves on by four each time, and after four times it is as it was. As
 * the loop is unrolled by a whole turn, all places in the ring are constants, and nothing is moved.
 *
 * Changes from 01_naive: that window; the input that a block needs, and TAPS elements of the
 * kernel at a time, lie in shared memory. A longer kernel is more rounds of the same sums. Lanes read
 * shared memory 12 floats apart, three times 16 bytes: as that is odd, eight lanes meet all 32
 * banks, and no padding is needed. (Outputs a thread must be 4 times an odd number for it.)
 * Outputs go through shared memory, too, so that lanes store neighbours. Where outputs are few,
 * a thread has four of them and there are three times as many threads.
 *
 * Arithmetic intensity: 768 outputs and 512 elements of the kernel at a time are 2 x 768 x 512
 * FLOP for 4 x (768 + 2 x 512) bytes requested from L2, 110 FLOP per byte. From shared memory
 * 96 FLOP for 32 bytes.
 *
 * Bound by FMAs where the kernel is long: 1.5 x 10^6 outputs with one of 2047 are 6.1 GFLOP, 92 us
 * at 67 TFLOP/s. 48 of 51 instructions or so are FMAs, and the two loads keep shared memory
 * for 5 of 12 clocks. A short kernel is bound by memory: 12 MB, 2.5 us.
 *
 * reached: not measured yet */
#include <cuda_runtime.h>

constexpr int THREADS = 64;       // small blocks: several a multiprocessor load and multiply in turn
constexpr int TAPS = 512;         // elements of the kernel in shared memory
constexpr int MANY = 12, FEW = 4; // outputs a thread
constexpr int ENOUGH = 132 * 4 * THREADS * MANY; // outputs for four blocks of MANY a multiprocessor

/* 48 FMAs at a time, for OUTPUTS = 12. */
template <int OUTPUTS> struct sliding_window {
	static constexpr int RING = OUTPUTS + 4; // floats
	static_assert(OUTPUTS % 8 == 4, "lanes an odd number of float4 apart meet all banks");
	float ring[RING], sum[OUTPUTS];

	/* `from`: the first element of the input for the first output. */
	__device__ __forceinline__ void begin(const float *from)
	{
#pragma unroll
		for (int i = 0; i < OUTPUTS; i += 4)
			put(i, *(const float4 *)&from[i]);
	}
	__device__ __forceinline__ void put(int at, float4 v)
	{
		ring[at % RING] = v.x;
		ring[(at + 1) % RING] = v.y;
		ring[(at + 2) % RING] = v.z;
		ring[(at + 3) % RING] = v.w;
	}
	__device__ __forceinline__ void add(int first, float factor)
	{
#pragma unroll
		for (int o = 0; o < OUTPUTS; o++)
			sum[o] += ring[(first + o) % RING] * factor;
	}
	/* A turn of the ring, or its `count` first elements of the kernel. `from`, `taps`: of the
	 * turn's first. Elements beyond the kernel are not multiplied, not even by 0: an infinity there
	 * is none of the output's. */
	template <bool WHOLE>
	__device__ __forceinline__ void turn(const float *from, const float *taps, int count)
	{
#pragma unroll
		for (int j = 0; j < RING; j += 4) {
			if (!WHOLE && j >= count)
				break;
			put(j + OUTPUTS, *(const float4 *)&from[j + OUTPUTS]);
			float4 factor = *(const float4 *)&taps[j];
			add(j, factor.x);
			if (WHOLE || j + 1 < count)
				add(j + 1, factor.y);
			if (WHOLE || j + 2 < count)
				add(j + 2, factor.z);
			if (WHOLE || j + 3 < count)
				add(j + 3, factor.w);
		}
	}
};

/* `count` elements, and zeros up to `places`. */
static __device__ __forceinline__ void copy(float *to, const float *from, int count, int places)
{
#pragma unroll 4
	for (int i = threadIdx.x; i < places; i += THREADS)
		to[i] = i < count ? from[i] : 0.0f;
}

template <int OUTPUTS>
static __global__ void __launch_bounds__(THREADS)
	conv1d_sliding(const float *input, const float *kernel, float *output, int input_size,
				   int kernel_size)
{
	constexpr int TILE = THREADS * OUTPUTS;
	typedef sliding_window<OUTPUTS> window;
	__shared__ __align__(16) float tile[TILE + TAPS], taps[TAPS];
	int first = blockIdx.x * TILE, mine = threadIdx.x * OUTPUTS;
	window w = {};
	for (int tap = 0; tap < kernel_size; tap += TAPS) {
		int count = min(TAPS, kernel_size - tap), places = (count + 3) / 4 * 4, j = 0;
		__syncthreads(); // the round before has been computed
		copy(taps, kernel + tap, count, places);
		copy(tile, input + first + tap, input_size - first - tap, TILE + places);
		__syncthreads();
		w.begin(&tile[mine]);
		for (; j + window::RING <= count; j += window::RING)
			w.template turn<true>(&tile[mine + j], &taps[j], window::RING);
		w.template turn<false>(&tile[mine + j], &taps[j], count - j);
	}

	__syncthreads();
#pragma unroll
	for (int o = 0; o < OUTPUTS; o += 4)
		*(float4 *)&tile[mine + o] =
			make_float4(w.sum[o], w.sum[o + 1], w.sum[o + 2], w.sum[o + 3]);
	__syncthreads();
	int outputs = input_size - kernel_size + 1;
	for (int i = threadIdx.x; i < TILE && first + i < outputs; i += THREADS)
		output[first + i] = tile[i];
}

template <int OUTPUTS>
static void launch(const float *input, const float *kernel, float *output, int input_size,
				   int kernel_size)
{
	constexpr int TILE = THREADS * OUTPUTS;
	int outputs = input_size - kernel_size + 1;
	conv1d_sliding<OUTPUTS><<<(outputs + TILE - 1) / TILE, THREADS>>>(input, kernel, output,
																	  input_size, kernel_size);
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size,
					  int kernel_size)
{
	if (input_size - kernel_size + 1 >= ENOUGH)
		launch<MANY>(input, kernel, output, input_size, kernel_size);
	else
		launch<FEW>(input, kernel, output, input_size, kernel_size);
}
