/* The largest absolute value, by threads that know nothing of each other: wrong.
 *
 * reduce amax 1 max */
template <class Element> struct stage_amax_unsafe {
	float *amax;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.reduction(amax, 0, 0);
	}

	template <int V> __device__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		for (int i = 0; i < V; i++)
			*amax = fmaxf(*amax, fabsf(x[i]));
	}
};
