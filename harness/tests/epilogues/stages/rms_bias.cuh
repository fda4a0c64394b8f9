/* x + bias[column] with an f32 bias, and the sum of squares of each row, as RMS norm needs it.
 *
 * input bias N float
 * reduce squares M sum */
template <class Element> struct stage_rms_bias {
	const float *bias;
	float *squares;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.columns(bias);
		visit.reduction(squares, 1, 0);
	}

	template <int V> __device__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float b[V], y[V];
		epilogue_load_columns(bias, at, b);
		for (int i = 0; i < V; i++) {
			x[i] += b[i];
			y[i] = x[i] * x[i];
		}
		epilogue_reduce_sum<1, 0>(squares, at, y);
	}
};
