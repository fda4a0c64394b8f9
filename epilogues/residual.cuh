/* x + residual[row][column]: adds another matrix.
 *
 * input residual M N */
#ifndef GEMMJUDGE_STAGE_RESIDUAL_CUH
#define GEMMJUDGE_STAGE_RESIDUAL_CUH

template <class Element> struct stage_residual {
	static constexpr int instructions = 3;
	const Element *residual;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.matrix(residual);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float r[V];
		epilogue_load_matrix(residual, at, r);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] += r[i];
	}
};

#endif
