#include "twin.h"

static const int tried[][6] = {{12, 13, 14, 5, 5, 5}, {8, 9, 10, 1, 3, 2}, {6, 5, 20, 2, 5, 4}};
static void choose(inputs &p, const int *sizes)
{
	p.input_depth = sizes[0];
	p.input_rows = sizes[1];
	p.input_cols = sizes[2];
	p.kernel_depth = sizes[3];
	p.kernel_rows = sizes[4];
	p.kernel_cols = sizes[5];
}

static float windowed(const inputs &p, const int *at, bool exchanged)
{
	float sum = 0;
	for (int d = 0; d < p.kernel_depth; d++)
		for (int r = 0; r < p.kernel_rows; r++)
			for (int c = 0; c < p.kernel_cols; c++) {
				int z = at[0] + d, y = at[1] + r, x = at[2] + c;
				int of_kernel = exchanged ? (d * p.kernel_cols + c) * p.kernel_rows + r
										  : (d * p.kernel_rows + r) * p.kernel_cols + c;
				sum = fmaf(p.input.data[(z * p.input_rows + y) * p.input_cols + x],
						   p.kernel.data[of_kernel], sum);
			}
	return sum;
}

/* With the kernel's rows and columns as they are, or exchanged. */
template <bool EXCHANGED> static void solve(const inputs &p, float *out)
{
	for (int z = 0; z <= p.input_depth - p.kernel_depth; z++)
		for (int y = 0; y <= p.input_rows - p.kernel_rows; y++)
			for (int x = 0; x <= p.input_cols - p.kernel_cols; x++) {
				const int at[] = {z, y, x};
				*out++ = windowed(p, at, EXCHANGED);
			}
}

static const struct twin twins[] = {{"by its formula", true, solve<false>},
									{"rows and columns exchanged", false, solve<true>}};
