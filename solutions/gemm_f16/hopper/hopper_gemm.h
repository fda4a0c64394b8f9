/* Matrix products C = alpha * A * B + beta * C of 16-bit floats on Hopper GPUs (sm_90a), for any
 * sizes, leading dimensions and alignments. Plain C; gemm.cuh has the same with fused epilogues.
 *
 * A is m x k, B k x n, C m x n, all row-major, and in device memory. B may also lie there as n x k,
 * as the weights of a linear layer do (`b_is_k_major`). Element (i, j) of a matrix is number
 * i * ld + j; ld counts elements and is at least the number of columns. A product of column-major
 * matrices is the same call with A and B, and m and n, exchanged. Sums are f32, each
 * result is rounded once. beta = 0 does not read C; alpha = 0 reads neither A nor B.
 *
 * The order of a sum is chosen by all of the sizes, unless the product is batch-invariant: then by
 * n, k, B's layout and which matrices are misaligned (their base or pitch is no multiple of 16
 * bytes), and not by m, the place of a row, alpha, beta, the workspace or the GPU. So a row has the
 * same bits in each batch that is as aligned. Tiles are chosen by m all the same, from those that
 * add up in the same order: see heuristic.cuh, "batch-invariant products".
 *
 * Calls are asynchronous in `stream`, allocate nothing, and have no state but a table of each
 * device's properties. Several threads and streams may call at once, each with a workspace of its
 * own. A call can be captured into a CUDA graph, which may be replayed any number of times, and
 * with other values in the matrices; no other work may use the workspace meanwhile. */
#ifndef HOPPER_GEMM_H
#define HOPPER_GEMM_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest m, n and k. */
#define HOPPER_MAX_SIZE (0x7FFFFFFF - 0x1FFFF)

enum hopper_status {
	HOPPER_OK = 0,
	HOPPER_INVALID_ARGUMENT,    /* a size below 0 or above HOPPER_MAX_SIZE; a leading dimension that
								 * is too small; NULL; batch-invariant, n or k below 16, A misaligned
								 * and lda above 2^25 or B of more than 2^30 elements; a configuration
								 * that does not fit; hopper_gemm_tune_*() in a stream that captures */
	HOPPER_UNSUPPORTED_DEVICE,  /* the current device is no Hopper GPU, or the driver lacks TMA */
	HOPPER_WORKSPACE_TOO_SMALL, /* not 0, and less than hopper_gemm_workspace() says; or 0 where a
								 * batch-invariant product needs it, as A is misaligned */
	HOPPER_CUDA_ERROR,          /* a call of CUDA failed: cudaGetLastError() has the reason */
};

struct hopper_gemm {
	int m, n, k;
	const void *a, *b;
	void *c;
	int lda, ldb, ldc;
	float alpha, beta;
	int b_is_k_major;    /* 0: B is k x n; 1: n x k, so that its rows are along k, as those of A */
	int batch_invariant; /* 1: a row of C has the same bits whatever m is, and wherever it stands */
	int configuration; /* 0: the heuristic chooses; else what hopper_gemm_tune_*() stored. One that
						* does not fit the product, its workspace, or its sum order where it is
						* batch-invariant, gives HOPPER_INVALID_ARGUMENT */
};

/* One line on what a status means; never NULL. */
const char *hopper_status_text(enum hopper_status status);

/* Sets *bytes to the workspace that the product's fastest configuration needs: 0 for most aligned
 * products. */
enum hopper_status hopper_gemm_workspace(const struct hopper_gemm *product, size_t *bytes);

/* To be called once for each new workspace, in the stream that uses it first. */
enum hopper_status hopper_gemm_workspace_init(void *workspace, size_t bytes, cudaStream_t stream);

/* `workspace`: device memory, aligned to 256 bytes. With NULL and 0 the product is computed by a
 * configuration that needs none, which is slower where an operand is misaligned, and where k is
 * long beside a small C. Nothing is launched unless HOPPER_OK or HOPPER_CUDA_ERROR is returned. */
enum hopper_status hopper_gemm_f16(const struct hopper_gemm *product, void *workspace, size_t bytes,
								   cudaStream_t stream);
enum hopper_status hopper_gemm_bf16(const struct hopper_gemm *product, void *workspace,
									size_t bytes, cudaStream_t stream);

/* Times the tile configurations that fit the product and may be its fastest on the current device,
 * and stores the fastest one's number in product->configuration, which is not read; 0 where the
 * product needs none.
 *
 * Each is called some times or some hundred times with these arguments, so C is overwritten; with
 * beta other than 0 C is accumulated into, again and again: give it a scratch C, with the product's
 * ldc and alignment. Operands are as warm in the L2 cache as repeated calls find them, and what
 * else runs on the device disturbs it. It waits for the stream, so it cannot be captured, and
 * allocates nothing but two events. Statuses are those of hopper_gemm_f16(); unless it is
 * HOPPER_OK, product->configuration stays as it was.
 *
 * The number holds for this GPU, element type, B's layout, sizes, leading dimensions and
 * alignments, with a workspace or without as here, where alpha and beta are 0 as here or are not,
 * and for this version of the library. A program keeps it where it likes, it is an int: no file is
 * written. */
enum hopper_status hopper_gemm_tune_f16(struct hopper_gemm *product, void *workspace, size_t bytes,
										cudaStream_t stream);
enum hopper_status hopper_gemm_tune_bf16(struct hopper_gemm *product, void *workspace, size_t bytes,
										 cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
