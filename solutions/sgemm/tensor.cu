/* f32 products on the tensor cores, as accurate as plain f32: six products of bf16 parts.
 *
 * Idea: cuBLAS does not multiply f32 on Hopper's tensor cores with f32's accuracy. Three bf16
 * numbers hold an f32's 24 bits exactly, and six of their nine products are all that matters; the
 * tensor cores make them at 800 TFLOP/s and more, so that a product could reach 133, where FMAs end
 * at 67.
 *
 * Changes from ffma.cu: operands are split into parts by a kernel of its own; the product's kernel
 * is gemm_f16/09's without clusters, with a consumer's sums added to f32 registers after each
 * k-block, stores beside the next tile's products, and two blocks for each tile that is left over
 * after full rounds. What is outside of bf16's range is multiplied by FMAs in the same kernel; what
 * is too small to be worth the splitting goes to ffma.cu's. tensor.cuh derives all of it.
 *
 * Arithmetic intensity: 2*128*128 FLOP (as f32 counts them) for 256 elements of 6 bytes: 21 FLOP
 * per byte from the L2 cache.
 *
 * reached: 129 TFLOP/s at 4096x4096x4096, 2.5 times the fastest library, and 1.9 times over 200
 * drawn shapes (H200) */
#include "tensor_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	tensor_solve({A, B, 1, M, N, K}, epilogue_make(C, M, N, alpha, beta));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int M, int N, int K,
							 float alpha, float beta)
{
	return tensor_part_for({A, B, 1, M, N, K},
						   epilogue_with(C, M, N, epilogue_stages<float>(), alpha, beta));
}
#else
static const part_entry entry(tensor_part_launcher());
#endif
