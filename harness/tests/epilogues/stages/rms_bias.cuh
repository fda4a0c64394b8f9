/* x + bias[column] with an f32 bias, and 1 / the root of each row's mean square, as RMS norm needs
 * it; the same at each call.
 *
 * argument epsilon = 1e-5
 * input bias N float
 * reduce scale M sum deterministic finish */
template <class Element> struct stage_rms_bias {
	float epsilon;
	const float *bias;
	float *scale;
	static constexpr bool deterministic = true;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.columns(bias);
		visit.reduction(scale, 1, 0);
	}

	template <int V> __device__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float b[V], y[V];
		epilogue_load_columns(bias, at, b);
		for (int i = 0; i < V; i++) {
			x[i] += b[i];
			y[i] = x[i] * x[i];
		}
		epilogue_reduce_sum_deterministic<1, 0>(scale, at, y);
	}

	__device__ float finish(float sum, int, int N) const
	{
		return rsqrtf(sum / N + epsilon);
	}
};
