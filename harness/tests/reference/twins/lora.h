#include <vector>

#include "twin.h"

enum how { APART, MERGED, NO_SCALE, WITHOUT_BASE, HIDDEN_F16 };

static const int tried[][4] = {{9, 700, 40, 16}, {20, 33, 17, 3}, {5, 128, 128, 64}};
static void choose(inputs &p, const int *sizes)
{
	p.batch = sizes[0];
	p.d_in = sizes[1];
	p.d_out = sizes[2];
	p.rank = sizes[3];
	p.lora_scale = 0.5f;
}

static float chain(const float *a, const float *b, size_t n)
{
	float sum = 0;
	for (size_t k = 0; k < n; k++)
		sum = fmaf(a[k], b[k], sum);
	return sum;
}

template <enum how HOW> static void solve(const inputs &p, float *out)
{
	size_t n = p.d_in, rank = p.rank;
	for (size_t i = 0; i < (size_t)p.batch; i++) {
		const float *x = p.x.data + i * n;
		std::vector<float> hidden(rank);
		for (size_t r = 0; r < rank; r++) {
			hidden[r] = chain(x, p.A.data + r * n, n);
			if (HOW == HIDDEN_F16)
				hidden[r] = (float)(_Float16)hidden[r];
		}
		for (size_t j = 0; j < (size_t)p.d_out; j++) {
			float base = HOW == WITHOUT_BASE ? 0 : chain(x, p.W.data + j * n, n);
			float added = chain(hidden.data(), p.B.data + j * rank, rank);
			out[i * p.d_out + j] = base + (HOW == NO_SCALE ? 1 : p.lora_scale) * added;
		}
	}
}

/* x (W + lora_scale B A)^T: the weights are merged first. */
static void solve_merged(const inputs &p, float *out)
{
	size_t n = p.d_in, rank = p.rank;
	for (size_t j = 0; j < (size_t)p.d_out; j++) {
		std::vector<float> merged(n);
		for (size_t k = 0; k < n; k++) {
			float sum = 0;
			for (size_t r = 0; r < rank; r++)
				sum = fmaf(p.B.data[j * rank + r], p.A.data[r * n + k], sum);
			merged[k] = p.W.data[j * n + k] + p.lora_scale * sum;
		}
		for (size_t i = 0; i < (size_t)p.batch; i++)
			out[i * p.d_out + j] = chain(p.x.data + i * n, merged.data(), n);
	}
}

static const struct twin twins[] = {
	{"two products", true, solve<APART>},
	{"weights merged first", true, solve_merged},
	{"scale missing", false, solve<NO_SCALE>},
	{"base missing", false, solve<WITHOUT_BASE>},
	{"hidden layer in f16", false, solve<HIDDEN_F16>},
};
