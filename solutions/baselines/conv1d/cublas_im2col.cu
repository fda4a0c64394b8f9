/* im2col and cublasSgemv: see im2col.cuh. */
#include "../im2col.cuh"

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size,
					  int kernel_size)
{
	baseline_convolve(input, kernel, output, {1, 1, input_size}, {1, 1, kernel_size}, 0);
}
