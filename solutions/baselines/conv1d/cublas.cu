/* Two calls of cublasGemmEx. Seen as a matrix of `width` columns, the input is what a product with
 * a band matrix made of the kernel takes: output[q * width + p] = the sum over k of input[q * width
 * + k] T[k][p], where T[k][p] = kernel[k - p], for k up to two widths. A row of two widths overlaps
 * the next one, which cuBLAS does not take. So it multiplies the input by the first `width` rows of
 * T, and the input from its second row on by the others, and adds up.
 *
 * Half of T is zeros, twice the work; an im2col of this convolution would write and read
 * kernel_size times the input. Outputs that are no whole row are left to that. */
#include "../im2col.cuh"

constexpr int THREADS = 256;
constexpr int BAND_MEMORY = 1; // its keeper: im2col.cuh has another
constexpr int LEAST_WIDTH = 128;

/* Row blockIdx.y of T. */
static __global__ void __launch_bounds__(THREADS)
	make_band(const float *kernel, float *T, int kernel_size, int width)
{
	int k = blockIdx.y, p = blockIdx.x * THREADS + threadIdx.x;
	if (p < width)
		T[(size_t)k * width + p] = k >= p && k - p < kernel_size ? kernel[k - p] : 0.0f;
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size,
					  int kernel_size)
{
	int width = (std::max(kernel_size, LEAST_WIDTH) + 31) / 32 * 32; // rows are aligned
	int outputs = input_size - kernel_size + 1;
	int rows = std::min(outputs / width, input_size / width - 1); // of outputs: see above
	if (rows > 0) {
		float *T = padded_memory<BAND_MEMORY, float>((size_t)2 * width * width);
		make_band<<<dim3((width + THREADS - 1) / THREADS, 2 * width), THREADS>>>(
			kernel, T, kernel_size, width);
		baseline_cublas(input, T, output, rows, width, width, 1.0f, 0.0f);
		baseline_cublas(input + width, T + (size_t)width * width, output, rows, width, width, 1.0f,
						1.0f);
	}
	baseline_convolve(input, kernel, output, {1, 1, input_size}, {1, 1, kernel_size},
					  std::max(rows, 0) * width);
}
