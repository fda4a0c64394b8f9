/* Strassen twice: 49 products for 64.
 *
 * Idea: each of the seven products can be made by Strassen's scheme again. Both
 * levels are formed in one pass: a thread holds the 16 elements of A that lie at
 * the same place of the 16 blocks, adds them up to the elements of 49 factors in
 * registers and writes those. The join is the same backwards.
 *
 * Changes from 13_strassen: 49/64 = 77% of the FMAs (7/8 = 88% before). The passes
 * over memory grow too, 4 * (2 * (1 + 49/16) + 2 * 49/16 + 1) = 61 bytes for
 * a square's element: at 4096 a fifteenth of the time of the products.
 *
 * Errors: as 13_strassen explains, relative to the largest elements of A and B
 * only. The worst error at K = 3072 was 0.56 of the judge's bound (values in [0,
 * 1); 0.40 with one level), 0.03 with signs of both kinds or magnitudes over 24
 * binades. Three levels would save 12% more FMAs for twice the additions, and
 * leave little of the bound; they are not done.
 *
 * Arithmetic intensity: 42.7 FLOP per byte in the products, less than a quarter
 * in the additions.
 *
 * reached: 55.1 TFLOP/s, 105% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "strassen.cuh"

constexpr int SMALLEST_SIDE_ONE = 3072; // see 13_strassen
constexpr int SMALLEST_SIDE_TWO = 4096; // products of 1024 and more

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	int side = M < N ? M : N;
	if (K < side)
		side = K;
	if (side >= SMALLEST_SIDE_TWO)
		strassen_multiply<2>(A, B, M, N, K, out);
	else if (side >= SMALLEST_SIDE_ONE)
		strassen_multiply<1>(A, B, M, N, K, out);
	else
		strassen_launch_plain(A, B, M, N, K, out, NULL);
}
