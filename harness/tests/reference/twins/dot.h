/* What the solutions of both dot products share. */
#include <vector>

#include "twin.h"

static void choose(inputs &p, const int *sizes)
{
	p.N = sizes[0];
}

/* Blocks of 256 are summed as trees; add(sum, block, is_last) adds one up. */
template <class Add> static float sum_of_blocks(const inputs &p, Add add)
{
	float sum = 0;
	for (int begin = 0; begin < p.N; begin += 256) {
		std::vector<float> tree(256);
		for (int k = begin; k < p.N && k < begin + 256; k++)
			tree[k - begin] = (float)p.A.data[k] * (float)p.B.data[k];
		for (int half = 128; half > 0; half /= 2)
			for (int k = 0; k < half; k++)
				tree[k] += tree[k + half];
		sum = add(sum, tree[0], begin + 256 >= p.N);
	}
	return sum;
}
