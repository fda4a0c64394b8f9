/* The sum of each row, as softmax and layer norm need it; the chain goes on with x.
 *
 * reduce sums M sum */
#ifndef GEMMJUDGE_STAGE_ROW_SUMS_CUH
#define GEMMJUDGE_STAGE_ROW_SUMS_CUH

template <class Element> struct stage_row_sums {
	float *sums;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.reduction(sums, 1, 0);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		epilogue_reduce_sum<1, 0>(sums, at, x);
	}
};

#endif
