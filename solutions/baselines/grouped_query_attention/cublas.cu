/* cuBLAS as it is: two calls of cublasGemmStridedBatchedEx, f32 accumulation, and a kernel between
 * them for the softmax. Heads of Q that share one of K and V lie one behind the other, so they are
 * one matrix of more rows. Scores are in memory, those of some groups at a time where they are very
 * many. */
#include "../attention.cuh"
#include "../cublas_batched.cuh"

extern "C" void solve(const float *Q, const float *K, const float *V, float *output,
					  int num_q_heads, int num_kv_heads, int seq_len, int head_dim)
{
	int rows = num_q_heads / num_kv_heads * seq_len;
	int groups = attention_at_once(num_kv_heads, (size_t)rows * seq_len);
	float *scores = padded_memory<0, float>((size_t)groups * rows * seq_len);
	float scale = (float)(1 / sqrt((double)head_dim));
	for (int first = 0; first < num_kv_heads; first += groups) {
		int count = groups < num_kv_heads - first ? groups : num_kv_heads - first;
		size_t of_q = (size_t)first * rows * head_dim, of_k = (size_t)first * seq_len * head_dim;
		baseline_cublas_batched(Q + of_q, K + of_k, scores, count, rows, seq_len, head_dim, scale,
								0.0f, BASELINE_B_TRANSPOSED);
		attention_softmax<<<count * rows, ATTENTION_THREADS>>>(scores, seq_len, 0, false);
		baseline_cublas_batched(scores, V + of_k, output + of_q, count, rows, head_dim, seq_len,
								1.0f, 0.0f);
	}
}
