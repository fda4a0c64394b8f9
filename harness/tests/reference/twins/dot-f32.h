#include "dot.h"

static const int tried[][1] = {{33}, {1000}, {100000}};

/* Blocks are added up one after the other, but for the last one. */
template <bool BLOCK_MISSING> static void solve(const inputs &p, float *out)
{
	out[0] = sum_of_blocks(p, [](float sum, float block, bool is_last) {
		return BLOCK_MISSING && is_last ? sum : sum + block;
	});
}

static const struct twin twins[] = {{"trees of 256", true, solve<false>},
									{"last block missing", false, solve<true>}};
