/* The sum of each row, the same at each call; the chain goes on with x.
 *
 * reduce sums M sum deterministic */
#ifndef GEMMJUDGE_STAGE_ROW_SUMS_DETERMINISTIC_CUH
#define GEMMJUDGE_STAGE_ROW_SUMS_DETERMINISTIC_CUH

template <class Element> struct stage_row_sums_deterministic {
	float *sums;
	static constexpr bool deterministic = true;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.reduction(sums, 1, 0);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		epilogue_reduce_sum_deterministic<1, 0>(sums, at, x);
	}
};

#endif
