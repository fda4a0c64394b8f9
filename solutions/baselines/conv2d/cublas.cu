/* im2col and cublasSgemv: see im2col.cuh. */
#include "../im2col.cuh"

extern "C" void solve(const float *input, const float *kernel, float *output, int input_rows,
					  int input_cols, int kernel_rows, int kernel_cols)
{
	baseline_convolve(input, kernel, output, {1, input_rows, input_cols},
					  {1, kernel_rows, kernel_cols}, 0);
}
