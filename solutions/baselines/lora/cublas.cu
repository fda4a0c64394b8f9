/* What a program does that calls cuBLAS: the base product, the first product of the low-rank part,
 * and the second one, which cuBLAS scales and adds to the base by its alpha and beta. No kernel of
 * one's own is left. All in f32, without TF32. */
#include "../cublas.cuh"
#include "../padded.cuh"

extern "C" void solve(const float *x, const float *W, const float *A, const float *B, float *output,
					  int batch, int d_in, int d_out, int rank, float lora_scale)
{
	float *hidden = padded_memory<0, float>((size_t)batch * rank);
	baseline_cublas(x, W, output, batch, d_out, d_in, 1.0f, 0.0f, BASELINE_B_TRANSPOSED);
	baseline_cublas(x, A, hidden, batch, rank, d_in, 1.0f, 0.0f, BASELINE_B_TRANSPOSED);
	baseline_cublas(hidden, B, output, batch, d_out, rank, lora_scale, 1.0f, BASELINE_B_TRANSPOSED);
}
