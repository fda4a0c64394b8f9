/* The kernel that applies an epilogue after a library's product, on shapes whose rows
 * are and are not whole vectors: every element passes the chain once, with its own row
 * and column. Then matrices whose rows lie further apart than N. Small integers, so that
 * results are exact. Then sums that are the same in any order, and pairs that lanes share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "../../../solutions/baselines/epilogue_kernel.cuh"

#include "bias.cuh"
#include "bias_rows.cuh"
#include "relu.cuh"
#include "residual.cuh"
#include "row_sums_deterministic.cuh"
#include "save.cuh"

static int failures;

static void check(cudaError_t status)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
	exit(1);
}

static int value_of(size_t index, int factor)
{
	return (int)(index * factor % 61) - 30;
}

/* `count` integers on the device, others for each factor. */
template <class Element> static Element *filled(size_t count, int factor)
{
	std::vector<Element> values(count);
	Element *memory;
	for (size_t i = 0; i < count; i++)
		values[i] = Element((float)value_of(i, factor));
	check(cudaMalloc(&memory, count * sizeof(Element)));
	check(cudaMemcpy(memory, values.data(), count * sizeof(Element), cudaMemcpyHostToDevice));
	return memory;
}

template <class Element> static std::vector<Element> taken(Element *memory, size_t count)
{
	std::vector<Element> values(count);
	check(cudaMemcpy(values.data(), memory, count * sizeof(Element), cudaMemcpyDeviceToHost));
	check(cudaFree(memory));
	return values;
}

/* max(X + bias + bias_rows + residual, 0), with what precedes the residual saved. */
template <class Element> static void test(const char *type, int M, int N)
{
	size_t count = (size_t)M * N, wrong = 0;
	epilogue_chain<stage_bias<Element>, stage_bias_rows<Element>, stage_save<Element>,
				   stage_residual<Element>, stage_relu<Element>>
		chain = {};
	Element *C = filled<Element>(count, 1), *bias = filled<Element>(N, 3),
			*bias_rows = filled<Element>(M, 5), *saved = filled<Element>(count, 1),
			*residual = filled<Element>(count, 7);
	chain.first.bias = bias;
	chain.rest.first.bias = bias_rows;
	chain.rest.rest.first.saved = saved;
	chain.rest.rest.rest.first.residual = residual;
	kernel_launch(C, C, M, N, chain);
	check(cudaGetLastError());
	std::vector<Element> result = taken(C, count), kept = taken(saved, count);
	for (size_t i = 0; i < count; i++) {
		int sum = value_of(i, 1) + value_of(i % N, 3) + value_of(i / N, 5);
		int want = sum + value_of(i, 7) > 0 ? sum + value_of(i, 7) : 0;
		wrong += (float)kept[i] != (float)sum || (float)result[i] != (float)want;
	}
	check(cudaFree(bias));
	check(cudaFree(bias_rows));
	check(cudaFree(residual));
	failures += wrong > 0;
	printf("%-4s %4d x %4d: %zu wrong%s\n", type, M, N, wrong, wrong > 0 ? "  FAILED" : "");
}

constexpr int WIDTH = 4; // columns of a thread

template <class Element, class Chain>
static __global__ void store_pitched(const float *X, epilogue<Element, Chain> out)
{
	int column = threadIdx.x * WIDTH, row = blockIdx.x;
	float x[WIDTH];
	for (int i = 0; i < WIDTH; i++)
		x[i] = column + i < out.N ? X[row * out.ld + column + i] : 0.0f;
	out.store(row, column, x);
}

/* C = X + residual, and X saved, each with C's pitch; what lies between the rows stays. */
template <class Element> static void test_pitch(const char *type, int M, int N, int ld)
{
	size_t count = (size_t)M * ld, wrong = 0;
	Element *C = filled<Element>(count, 1), *saved = filled<Element>(count, 3),
			*residual = filled<Element>(count, 7);
	float *X = filled<float>(count, 5);
	auto chain = epilogue_chain_of(stage_save<Element>{saved}, stage_residual<Element>{residual});
	store_pitched<<<M, (N + WIDTH - 1) / WIDTH>>>(X, epilogue_with(C, M, N, chain, 1.0f, 0.0f, ld));
	check(cudaGetLastError());
	std::vector<Element> result = taken(C, count), kept = taken(saved, count);
	for (size_t i = 0; i < count; i++) {
		bool inside = i % ld < (size_t)N;
		int want = inside ? value_of(i, 5) + value_of(i, 7) : value_of(i, 1);
		int want_kept = value_of(i, inside ? 5 : 3);
		wrong += (float)kept[i] != (float)want_kept || (float)result[i] != (float)want;
	}
	check(cudaFree(residual));
	check(cudaFree(X));
	failures += wrong > 0;
	printf("%-4s %4d x %4d, pitch %d: %zu wrong%s\n", type, M, N, ld, wrong,
		   wrong > 0 ? "  FAILED" : "");
}

/* Rows of 16 values, whose f32 sum depends on the order, each with the sum that has no error. */
static void test_deterministic(void)
{
	static const struct {
		float values[4], sum; // each is the first of four columns, the others are 0
	} rows[] = {
		{{0x1p100f, 3, -0x1p100f, 0x1p-140f}, 3},
		{{-0x1p127f, -0x1p127f, 0x1p127f, 0x1p127f}, 0},
		{{-1.5f, 0x1p-149f, 1.5f, 0x1p-149f}, 0x1p-148f},
		{{1, -0x1.8p-24f, -0x1p60f, 0x1p60f}, 0x1.fffffcp-1f},
		{{-0x1p31f, -0x1p31f, -1, -1}, -0x1.000002p32f + 0x1.fep8f},
		{{INFINITY, 1, -0x1p127f, -0x1p127f}, INFINITY},
		{{INFINITY, 1, 1, -INFINITY}, NAN},
	};
	constexpr int M = sizeof rows / sizeof *rows, N = 4 * WIDTH, WRITTEN = 3;
	std::vector<float> values(M * N);
	for (int i = 0; i < M * N; i++)
		values[i] = i % WIDTH == 0 ? rows[i / N].values[i % N / WIDTH] : 0.0f;
	float *X = filled<float>(M * N, 1), *C = filled<float>(M * N, 1);
	float *sums = filled<float>(epilogue_deterministic_floats(M) + WRITTEN, 1);
	check(cudaMemcpy(X, values.data(), M * N * sizeof(float), cudaMemcpyHostToDevice));
	auto out = epilogue_with(C, M, N, epilogue_chain_of(stage_row_sums_deterministic<float>{sums}));
	epilogue_begin(out);
	store_pitched<<<M, N / WIDTH>>>(X, out);
	epilogue_end(out);
	check(cudaGetLastError());
	std::vector<float> got = taken(sums, epilogue_deterministic_floats(M) + WRITTEN);
	int wrong = 0;
	for (int i = 0; i < M; i++)
		wrong += rows[i].sum == rows[i].sum ? got[i] != rows[i].sum : got[i] == got[i];
	for (int i = 0; i < WRITTEN; i++) // nothing behind them changes
		wrong += got[got.size() - 1 - i] != (float)value_of(got.size() - 1 - i, 1);
	check(cudaFree(X));
	check(cudaFree(C));
	failures += wrong > 0;
	printf("sums in any order: %d wrong%s\n", wrong, wrong > 0 ? "  FAILED" : "");
}

/* A stage of pairs: each column gets its neighbour's value. */
struct stage_exchange {
	static constexpr int columns = 2;
	__device__ __forceinline__ void operator()(float (&x)[2]) const
	{
		float first = x[0];
		x[0] = x[1];
		x[1] = first;
	}
};

/* A lane has two columns, 32 apart, of which the last lane's second one lies behind the row's end:
 * its first one has a neighbour all the same. */
template <class Chain> static __global__ void store_shared(epilogue<float, Chain> out)
{
	float x[2][1] = {{1.0f + threadIdx.x}, {33.0f + threadIdx.x}};
	out.by_lanes().store_all(out.M, x, [&](int i, int &row, int &column) {
		row = 0;
		column = threadIdx.x + 32 * i;
	});
}

static void test_pairs_of_lanes(void)
{
	constexpr int N = 63;
	float *C = filled<float>(N, 1);
	store_shared<<<1, 32>>>(epilogue_with(C, 1, N, epilogue_chain_of(stage_exchange{})));
	check(cudaGetLastError());
	std::vector<float> got = taken(C, N);
	int wrong = got[N - 1] != 0.0f; // it has no neighbour
	for (int i = 0; i < N - 1; i++)
		wrong += got[i] != 1.0f + (i ^ 1);
	failures += wrong > 0;
	printf("pairs of lanes: %d wrong%s\n", wrong, wrong > 0 ? "  FAILED" : "");
}

template <class Element> static void test_all(const char *type)
{
	test_pitch<Element>(type, 5, 13, 13);
	test_pitch<Element>(type, 5, 13, 16);
	test_pitch<Element>(type, 7, 16, 21);
	static const int shapes[][2] = {{1, 1},    {2, 3},     {5, 8},     {1, 4099},
									{1031, 7}, {128, 128}, {37, 1001}, {41, 2056},
									{7, 6000}, {9, 4096},  {300, 2},   {8192, 1}};
	for (const int *shape : shapes)
		test<Element>(type, shape[0], shape[1]);
}

int main()
{
	test_all<half>("f16");
	test_all<__nv_bfloat16>("bf16");
	test_all<float>("f32");
	test_deterministic();
	test_pairs_of_lanes();
	return failures != 0;
}
