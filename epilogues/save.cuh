/* Stores x as it is at this place of the chain, rounded to the output type, as
 * training needs the value before an activation; the chain goes on with x.
 *
 * output saved M N */
#ifndef GEMMJUDGE_STAGE_SAVE_CUH
#define GEMMJUDGE_STAGE_SAVE_CUH

template <class Element> struct stage_save {
	static constexpr int instructions = 1;
	Element *saved;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.output(saved);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		epilogue_store_matrix(saved, at, x);
	}
};

#endif
