#include "twins/softmax.h"

static const int tried[][4] = {{4, 2, 60, 64}, {6, 3, 33, 8}, {8, 2, 20, 128}};
static void choose(inputs &p, const int *sizes)
{
	p.num_q_heads = sizes[0];
	p.num_kv_heads = sizes[1];
	p.seq_len = sizes[2];
	p.head_dim = sizes[3];
}

template <enum how HOW> static void solve(const inputs &p, float *out)
{
	size_t n = p.seq_len, d = p.head_dim;
	for (size_t h = 0; h < (size_t)p.num_q_heads; h++)
		for (size_t i = 0; i < n; i++) {
			size_t g = HOW == WRONG_HEAD ? h % p.num_kv_heads : h * p.num_kv_heads / p.num_q_heads;
			attend({p.Q.data + (h * n + i) * d, p.K.data + g * n * d, p.V.data + g * n * d, n, d},
				   HOW, out + (h * n + i) * d);
		}
}

static const struct twin twins[] = {HONEST_ATTENTION,
									FAULTY_ATTENTION,
									{"last key missing", false, solve<KEY_MISSING>},
									{"wrong head", false, solve<WRONG_HEAD>}};
