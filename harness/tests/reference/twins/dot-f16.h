#include "dot.h"

static const int tried[][1] = {{600}, {10000}, {100000}};

/* Blocks are added up in f32, or in half. */
template <bool IN_HALF> static void solve(const inputs &p, float *out)
{
	float sum = sum_of_blocks(p, [](float sum, float block, bool) {
		return IN_HALF ? (float)(_Float16)(sum + block) : sum + block;
	});
	out[0] = (float)(_Float16)sum;
}

static const struct twin twins[] = {{"trees of 256", true, solve<false>},
									{"blocks added in half", false, solve<true>}};
