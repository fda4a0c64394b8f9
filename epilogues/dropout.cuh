/* x / (1 - rate), or 0 with the probability `rate`. Which values are dropped is a function
 * of seed, row and column alone, so that a backward pass finds it again.
 *
 * argument rate = 0.1
 * argument seed = 1 */
#ifndef GEMMJUDGE_STAGE_DROPOUT_CUH
#define GEMMJUDGE_STAGE_DROPOUT_CUH

template <class Element> struct stage_dropout {
	float rate, seed;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		(void)visit; // nothing: but the stage has to know rows and columns
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float kept = 1.0f / (1.0f - rate);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] = drops(at.row, at.column + i) ? 0.0f : x[i] * kept;
	}

  private:
	/* Three rounds of multiplying and of folding the high bits into the low ones. */
	__device__ __forceinline__ bool drops(int row, int column) const
	{
		uint32_t bits = __float_as_uint(seed) * 0x9E3779B9u ^ (uint32_t)row;
		bits = (bits ^ bits >> 16) * 0x7FEB352Du ^ (uint32_t)column;
		bits = (bits ^ bits >> 15) * 0x846CA68Bu;
		bits = (bits ^ bits >> 16) * 0x9E3779B9u;
		return (float)(bits >> 8) * 0x1p-24f < rate;
	}
};

#endif
