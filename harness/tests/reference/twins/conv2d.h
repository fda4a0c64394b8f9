#include "twin.h"

static const int tried[][4] = {{40, 50, 31, 31}, {20, 30, 3, 3}, {33, 33, 5, 8}};
static void choose(inputs &p, const int *sizes)
{
	p.input_rows = sizes[0];
	p.input_cols = sizes[1];
	p.kernel_rows = sizes[2];
	p.kernel_cols = sizes[3];
}

/* Sums of rows first, or the last column of the kernel left out. */
template <int MISSING> static void solve(const inputs &p, float *out)
{
	int width = p.input_cols - p.kernel_cols + 1;
	for (int y = 0; y <= p.input_rows - p.kernel_rows; y++)
		for (int x = 0; x < width; x++) {
			float total = 0;
			for (int r = 0; r < p.kernel_rows; r++) {
				float sum = 0;
				for (int c = 0; c < p.kernel_cols - MISSING; c++)
					sum = fmaf(p.input.data[(y + r) * p.input_cols + x + c],
							   p.kernel.data[r * p.kernel_cols + c], sum);
				total += sum;
			}
			out[y * width + x] = total;
		}
}

static const struct twin twins[] = {{"sums of rows first", true, solve<0>},
									{"last column missing", false, solve<1>}};
