#include "twin.h"

static const int tried[][3] = {{9, 700, 11}, {20, 33, 17}, {5, 16, 40}};
static void choose(inputs &p, const int *sizes)
{
	p.M = sizes[0];
	p.N = sizes[1];
	p.K = sizes[2];
}

template <int MISSING> static void solve(const inputs &p, float *out)
{
	for (int i = 0; i < p.M; i++)
		for (int j = 0; j < p.K; j++) {
			float sum = 0;
			for (int k = 0; k < p.N - MISSING; k++)
				sum += p.A.data[i * p.N + k] * p.B.data[k * p.K + j];
			out[i * p.K + j] = sum;
		}
}

static const struct twin twins[] = {{"by its formula", true, solve<0>},
									{"last k missing", false, solve<1>}};
