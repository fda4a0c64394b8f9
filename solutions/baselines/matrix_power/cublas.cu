/* What a program does that calls cuBLAS: repeated squaring from the highest bit of P on, a product
 * for each further bit and one more for each that is set. In f32, without TF32. */
#include "../cublas.cuh"
#include "../padded.cuh"

extern "C" void solve(const float *input, float *output, int N, int P)
{
	size_t elements = (size_t)N * N;
	int bits = 0, products = 0; // of P behind the highest one, and in all
	for (; P >> bits > 1; bits++)
		products += (P >> bits) % 2 + 1;
	if (products == 0) {
		BASELINE_CUDA(
			cudaMemcpyAsync(output, input, elements * sizeof(float), cudaMemcpyDeviceToDevice));
		return;
	}
	/* The powers take turns between the two matrices; the last one comes to lie in the output. */
	float *other = padded_memory<0, float>(elements);
	const float *power = input;
	auto multiply = [&](const float *left, const float *right) {
		float *next = --products % 2 == 0 ? output : other;
		baseline_cublas(left, right, next, N, N, N, 1.0f, 0.0f);
		power = next;
	};
	while (bits-- > 0) {
		multiply(power, power);
		if ((P >> bits) % 2 == 1)
			multiply(power, input);
	}
}
