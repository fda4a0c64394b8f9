/* The gradient through a relu: x where the value saved before the relu was
 * positive, 0 elsewhere.
 *
 * input saved M N */
#ifndef GEMMJUDGE_STAGE_RELU_GRAD_CUH
#define GEMMJUDGE_STAGE_RELU_GRAD_CUH

template <class Element> struct stage_relu_grad {
	const Element *saved;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.matrix(saved);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float s[V];
		epilogue_load_matrix(saved, at, s);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] = s[i] > 0.0f ? x[i] : 0.0f;
	}
};

#endif
