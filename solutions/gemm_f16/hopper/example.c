/* C = A * B with hopper_gemm_f16() from C: sizes that TMA cannot address, leading dimensions, a
 * workspace, and its result checked. README.md has the lines that build it. */
#include <stdio.h>
#include <stdlib.h>

#include "hopper_gemm.h"

enum { M = 1023, N = 1021, K = 1019 };

static void need(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "example: %s\n", what);
		exit(1);
	}
}

/* Rows of ones and zeros in f16: 1 where row + column is a multiple of `step`. */
static unsigned short *matrix_make(int rows, int columns, int step)
{
	size_t bytes = sizeof(unsigned short) * (size_t)rows * (size_t)columns;
	unsigned short *host = malloc(bytes), *device = NULL;
	need(host != NULL, "no memory");
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			host[(size_t)i * (size_t)columns + (size_t)j] = (i + j) % step == 0 ? 0x3C00 : 0;
	need(cudaMalloc((void **)&device, bytes) == cudaSuccess, "no device memory");
	need(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "no copy");
	free(host);
	return device;
}

int main(void)
{
	struct hopper_gemm product = {
		.m = M, .n = N, .k = K, .lda = K, .ldb = N, .ldc = N, .alpha = 1.0f, .beta = 0.0f};
	product.a = matrix_make(M, K, 2);
	product.b = matrix_make(K, N, 3);
	product.c = matrix_make(M, N, 1);

	size_t bytes = 0;
	void *workspace = NULL;
	enum hopper_status status = hopper_gemm_workspace(&product, &bytes);
	need(cudaMalloc(&workspace, bytes) == cudaSuccess, "no device memory");
	if (status == HOPPER_OK)
		status = hopper_gemm_workspace_init(workspace, bytes, NULL);
	if (status == HOPPER_OK)
		status = hopper_gemm_f16(&product, workspace, bytes, NULL);
	need(status == HOPPER_OK, hopper_status_text(status));

	unsigned short first = 0; /* C[0][0]: k with k % 2 == 0 and k % 3 == 0 */
	need(cudaMemcpy(&first, product.c, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess,
		 "the product failed");
	need(first == 0x5950, "C[0][0] should be 170"); /* 170 in f16 */
	printf("right: C[0][0] is 170\n");
	return 0;
}
