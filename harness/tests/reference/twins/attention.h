#include "twins/softmax.h"

static const int tried[][3] = {{9, 300, 64}, {20, 33, 8}, {40, 7, 128}};
static void choose(inputs &p, const int *sizes)
{
	p.M = sizes[0];
	p.N = sizes[1];
	p.d = sizes[2];
}

template <enum how HOW> static void solve(const inputs &p, float *out)
{
	for (size_t i = 0; i < (size_t)p.M; i++)
		attend({p.Q.data + i * p.d, p.K.data, p.V.data, (size_t)p.N, (size_t)p.d}, HOW,
			   out + i * p.d);
}

static const struct twin twins[] = {
	HONEST_ATTENTION, FAULTY_ATTENTION, {"last key missing", false, solve<KEY_MISSING>}};
