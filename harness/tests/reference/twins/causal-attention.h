#include "twins/softmax.h"

static const int tried[][2] = {{150, 64}, {33, 8}, {40, 128}};
static void choose(inputs &p, const int *sizes)
{
	p.M = sizes[0];
	p.d = sizes[1];
}

template <enum how HOW> static void solve(const inputs &p, float *out)
{
	for (size_t i = 0; i < (size_t)p.M; i++)
		attend({p.Q.data + i * p.d, p.K.data, p.V.data, i + 1, (size_t)p.d}, HOW, out + i * p.d);
}

static const struct twin twins[] = {
	HONEST_ATTENTION, FAULTY_ATTENTION, {"mask off by one", false, solve<MASK_OFF>}};
