/* The gated units; no stage itself. One column of two: columns 2i and 2i + 1 of C are gate and
 * up of column i. Behind the last column of an odd N, up is 0. */
#ifndef GEMMJUDGE_GATED_H
#define GEMMJUDGE_GATED_H

template <class Element, class Gate> struct gated_stage {
	Element *gated;
	static constexpr int columns = 2;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.output(gated);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float y[V / 2];
#pragma unroll
		for (int i = 0; i < V / 2; i++) {
			float up = at.column + 2 * i + 1 < at.N ? x[2 * i + 1] : 0.0f;
			y[i] = Gate{}(x[2 * i]) * up;
		}
		epilogue_store_pairs(gated, at, y);
	}
};

#endif
