/* alpha * x + beta * C, as BLAS has it: with beta = 0, C is not read, whatever
 * it holds. alpha, beta and C are those that solve() was called with. */
#ifndef GEMMJUDGE_STAGE_ALPHA_BETA_CUH
#define GEMMJUDGE_STAGE_ALPHA_BETA_CUH

template <class Element> struct stage_alpha_beta {
	float alpha, beta;
	const Element *C;
	static constexpr bool only_c = true;

	void take(const Element *c, float a, float b)
	{
		C = c;
		alpha = a;
		beta = b;
	}

	__device__ __forceinline__ void prefetch(const epilogue_place &at) const
	{
		if (beta != 0.0f)
			epilogue_prefetch_matrix(C, at);
	}
	__device__ __forceinline__ bool prefetches_rows(void) const
	{
		return beta != 0.0f;
	}

	/* No branch around the arithmetic: a kernel that finishes several vectors in a
	 * row then has all of their loads under way at once. */
	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_place &at) const
	{
		if (at.beta_is_0) {
#pragma unroll
			for (int i = 0; i < V; i++)
				x[i] *= alpha;
			return;
		}
		float c[V] = {};
		if (at.c != nullptr) {
#pragma unroll
			for (int i = 0; i < V; i++)
				c[i] = at.c[i];
		} else if (beta != 0.0f) {
			epilogue_load_matrix(C, at, c);
		}
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] = alpha * x[i] + beta * c[i];
	}
};

#endif
