/* alpha * x + beta * C, as BLAS has it: with beta = 0, C is not read, whatever
 * it holds. alpha, beta and C are those that solve() was called with. */
#ifndef GEMMJUDGE_STAGE_ALPHA_BETA_CUH
#define GEMMJUDGE_STAGE_ALPHA_BETA_CUH

template <class Element> struct stage_alpha_beta {
	static constexpr int instructions = 0;
	float alpha, beta;
	const Element *C;

	void take(const Element *c, float a, float b)
	{
		C = c;
		alpha = a;
		beta = b;
	}

	/* Nothing but C. */
	template <class Visit> __host__ __device__ constexpr void memory(Visit &) const
	{
	}

	/* No branch around the arithmetic: a kernel that finishes several vectors in a
	 * row then has all of their loads in flight at once. */
	template <int V, class Coordinate>
	__device__ __forceinline__ void operator()(float (&x)[V], const Coordinate &at) const
	{
		float c[V] = {};
		if constexpr (std::is_same_v<Coordinate, epilogue_coordinate_with_c>) {
#pragma unroll
			for (int i = 0; i < V; i++)
				c[i] = at.c[i];
		} else if constexpr (!std::is_same_v<Coordinate, epilogue_coordinate_beta_0>) {
			if (beta != 0.0f)
				epilogue_load_matrix(C, at, c);
		}
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] = std::is_same_v<Coordinate, epilogue_coordinate_beta_0>
					   ? alpha * x[i]
					   : alpha * x[i] + beta * c[i];
	}
};

#endif
