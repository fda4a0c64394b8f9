/* The kernel that applies an epilogue after a library's product must be as fast as
 * memory allows, or comparisons with it would flatter fused kernels: 85% of a copy
 * of the same bytes. Needs a GPU. */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "../../../solutions/baselines/epilogue_kernel.cuh"

#include "bias.cuh"
#include "gelu.cuh"
#include "relu.cuh"
#include "sigmoid.cuh"
#include "silu.cuh"

constexpr int M = 8192, N = 8192;
constexpr int ROUNDS = 25;
constexpr double SHARE_WANTED = 0.85;

static int failures;

static void check(cudaError_t status)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
	exit(1);
}

/* The median time of a call, in milliseconds. */
template <class Call> static float time_of(Call call)
{
	cudaEvent_t from, to;
	std::vector<float> times;
	check(cudaEventCreate(&from));
	check(cudaEventCreate(&to));
	for (int round = 0; round < ROUNDS; round++) {
		float elapsed;
		check(cudaEventRecord(from));
		call();
		check(cudaEventRecord(to));
		check(cudaEventSynchronize(to));
		check(cudaEventElapsedTime(&elapsed, from, to));
		times.push_back(elapsed);
	}
	check(cudaEventDestroy(from));
	check(cudaEventDestroy(to));
	std::sort(times.begin(), times.end());
	return times[ROUNDS / 2];
}

template <class Element, class Chain>
static void test(const char *name, const char *type, Chain chain, Element *matrix, Element *other)
{
	size_t bytes = (size_t)M * N * sizeof(Element);
	float copy = time_of([&] { cudaMemcpyAsync(other, matrix, bytes, cudaMemcpyDeviceToDevice); });
	float kernel = time_of([&] { kernel_launch(matrix, matrix, M, N, chain); });
	check(cudaGetLastError());
	double share = copy / kernel;
	bool good = share >= SHARE_WANTED;
	failures += !good;
	printf("%-9s %-4s %7.1f GB/s, a copy %7.1f GB/s: %5.1f%%%s\n", name, type,
		   2e-6 * (double)bytes / kernel, 2e-6 * (double)bytes / copy, 100 * share,
		   good ? "" : "  FAILED");
}

template <class Element> static void test_all(const char *type)
{
	Element *matrix, *other, *bias;
	size_t bytes = (size_t)M * N * sizeof(Element);
	check(cudaMalloc(&matrix, bytes));
	check(cudaMalloc(&other, bytes));
	check(cudaMalloc(&bias, N * sizeof(Element)));
	check(cudaMemset(matrix, 0, bytes));
	check(cudaMemset(bias, 0, N * sizeof(Element)));
	test("relu", type, epilogue_chain<stage_relu<Element>>{}, matrix, other);
	test("sigmoid", type, epilogue_chain<stage_sigmoid<Element>>{}, matrix, other);
	test("silu", type, epilogue_chain<stage_silu<Element>>{}, matrix, other);
	epilogue_chain<stage_bias<Element>, stage_gelu<Element>> chain = {};
	chain.first.bias = bias;
	test("bias,gelu", type, chain, matrix, other);
	check(cudaFree(matrix));
	check(cudaFree(other));
	check(cudaFree(bias));
}

int main()
{
	test_all<half>("f16");
	test_all<__nv_bfloat16>("bf16");
	test_all<float>("f32");
	return failures != 0;
}
