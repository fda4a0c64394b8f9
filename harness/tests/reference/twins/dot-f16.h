#include <vector>

#include "twin.h"

static const int tried[][1] = {{600}, {10000}, {100000}};
static void choose(inputs &p, const int *sizes)
{
	p.N = sizes[0];
}

/* Blocks of 256 are summed as trees, and added up in f32, or in half. */
template <bool IN_HALF> static void solve(const inputs &p, float *out)
{
	float sum = 0;
	for (int begin = 0; begin < p.N; begin += 256) {
		std::vector<float> tree(256);
		for (int k = begin; k < p.N && k < begin + 256; k++)
			tree[k - begin] = (float)p.A.data[k] * (float)p.B.data[k];
		for (int half = 128; half > 0; half /= 2)
			for (int k = 0; k < half; k++)
				tree[k] += tree[k + half];
		sum += tree[0];
		sum = IN_HALF ? (float)(_Float16)sum : sum;
	}
	out[0] = (float)(_Float16)sum;
}

static const struct twin twins[] = {{"trees of 256", true, solve<false>},
									{"blocks added in half", false, solve<true>}};
