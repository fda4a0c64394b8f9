/* silu(gate) * (up + 1), with the formula of the other order: wrong.
 *
 * output gated M N/2 */
template <class Element> struct stage_glu_swapped {
	Element *gated;
	static constexpr int columns = 2;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.output(gated);
	}

	template <int V> __device__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float y[V / 2];
		for (int i = 0; i < V / 2; i++) {
			float up = at.column + 2 * i + 1 < at.N ? x[2 * i + 1] : 0.0f;
			y[i] = x[2 * i] / (1.0f + expf(-x[2 * i])) * (up + 1.0f);
		}
		epilogue_store_pairs(gated, at, y);
	}

	double reference(double gate, double up) const
	{
		return up / (1 + exp(-up)) * (gate + 1);
	}
};
