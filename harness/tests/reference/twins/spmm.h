#include "twin.h"

static const int tried[][3] = {{9, 700, 11}, {20, 33, 17}, {5, 128, 40}};
static void choose(inputs &p, const int *sizes)
{
	p.M = sizes[0];
	p.N = sizes[1];
	p.K = sizes[2];
	p.nnz = 0; /* nobody reads it here */
}

/* Only what is not 0 is added, or of each row one such too few. */
template <bool ONE_MISSING> static void solve(const inputs &p, float *out)
{
	for (int i = 0; i < p.M; i++)
		for (int j = 0; j < p.K; j++) {
			float sum = 0, last = 0;
			for (int k = 0; k < p.N; k++)
				if (p.A.data[i * p.N + k] != 0) {
					last = p.A.data[i * p.N + k] * p.B.data[k * p.K + j];
					sum += last;
				}
			out[i * p.K + j] = ONE_MISSING ? sum - last : sum;
		}
}

static const struct twin twins[] = {{"sums of what is not 0", true, solve<false>},
									{"one of a row missing", false, solve<true>}};
