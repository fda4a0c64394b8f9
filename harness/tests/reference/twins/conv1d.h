#include "twin.h"

static const int tried[][2] = {{1500, 700}, {200, 33}, {100, 3}};
static void choose(inputs &p, const int *sizes)
{
	p.input_size = sizes[0];
	p.kernel_size = sizes[1];
}

/* The kernel as it is, or turned round. */
template <bool TURNED> static void solve(const inputs &p, float *out)
{
	for (int i = 0; i <= p.input_size - p.kernel_size; i++) {
		float sum = 0;
		for (int j = 0; j < p.kernel_size; j++)
			sum += p.input.data[i + j] * p.kernel.data[TURNED ? p.kernel_size - 1 - j : j];
		out[i] = sum;
	}
}

static const struct twin twins[] = {{"by its formula", true, solve<false>},
									{"kernel turned round", false, solve<true>}};
