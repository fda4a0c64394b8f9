/* Repeated squaring, by the house's f32 product.
 *
 * Idea: the power of the leading bits of P is known; to take one bit more is to square it, and to
 * multiply by the input where that bit is set. So input^20 takes 5 products and not 19, and every
 * one of them is a square or a product with the input. A product is sgemm/tensor.cuh's: of bf16
 * parts on the tensor cores where N is large enough for that, else FMAs in tiles that fit N.
 *
 * Changes from 01_naive: products with tiles in shared memory and registers, up to 20 / 5 = 4 times
 * fewer of them. They still take turns between the output and one matrix in the workspace.
 *
 * Arithmetic intensity: that of a product: 21 FLOP per byte from the L2 cache by the tensor cores,
 * or 16 to 42.7 of global memory for ffma.cuh's tiles.
 *
 * Bound by the products' own latency where N is small: at N = 512 there are 16 tiles of 128x128 for
 * 132 multiprocessors, so tiles are small or split along K, and each product waits for the one
 * before it. The prediction was 25 us at P = 3; cuBLAS took 30.62 (30.30 to 30.98).
 *
 * reached: 25.60 us, 120% of cuBLAS (NVIDIA H200, 2026-11-29, N 512, P 3) */
#include "../sgemm/tensor_solve.cuh"

#if SOLUTION_SOLVES
/* Products in all: one for each bit of P behind the highest, one more for each that is set. */
static int power_products(int P)
{
	int products = 0;
	for (; P > 1; P /= 2)
		products += P % 2 + 1;
	return products;
}

static int power_bits_behind_the_highest(int P)
{
	int bits = 0;
	while (P >> bits > 1)
		bits++;
	return bits;
}

extern "C" void solve(const float *input, float *output, int N, int P)
{
	size_t bytes = (size_t)N * N * sizeof(float);
	int products = power_products(P);
	if (products == 0) {
		ffma_solve_check(cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice));
		return;
	}
	/* The choice depends on the sizes and the alignment of the input, and is made once: all
	 * products have the same parts in the workspace, in front of the other matrix. */
	const ffma_device &device = ffma_device_get();
	ffma_solve_check(device.status);
	tensor_choice choice = tensor_choose(device, {input, input, 1, N, N, N});
	size_t parts = choice.by_fmas ? WORKSPACE_HEAD : (choice.bytes() + 255) / 256 * 256;
	char *workspace = (char *)workspace_get(parts + bytes);
	if (workspace == NULL)
		ffma_solve_check(cudaErrorMemoryAllocation);
	float *other = (float *)(workspace + parts);

	const float *power = input;
	auto multiply = [&](const float *left, const float *right) {
		float *next = --products % 2 == 0 ? output : other;
		const ffma_product p = {left, right, 1, N, N, N};
		choice.a.data = left;
		choice.b.data = right;
		ffma_solve_check(tensor_by(choice, {device, 0}, p, epilogue_make(next, N, N), workspace));
		power = next;
	};
	for (int bit = power_bits_behind_the_highest(P) - 1; bit >= 0; bit--) {
		multiply(power, power);
		if ((P >> bit) % 2 == 1)
			multiply(power, input);
	}
}

extern "C" int solution_part(const float *input, float *output, int N, int P)
{
	return power_products(P) == 0
			   ? -1
			   : tensor_part_for({input, input, 1, N, N, N},
								 epilogue_with(output, N, N, epilogue_stages<float>()));
}
#else
static const part_entry entry(tensor_part_launcher());
#endif
