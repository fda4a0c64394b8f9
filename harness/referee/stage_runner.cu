/* One stage of an epilogue, applied by a kernel of its own to given values: the
 * reference for stages that the referee does not know. Compiled with the stage
 * alone as the chain and EPILOGUE_ELEMENT as its element type. Called like a
 * solution: X holds M x N values, Y takes what the stage makes of them, C is the
 * C that the judged call found. What the stage reduces is left apart, a value for each
 * element of C. A stage that names its formula, reference(double), is computed by that, on the
 * host. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <vector>

#define EPILOGUE_APART
#include "epilogue.cuh"

constexpr int THREADS = 256;
constexpr size_t BLOCKS_MAX = 4096;

using runner_epilogue = epilogue<EPILOGUE_ELEMENT>;
using runner_stage = decltype(decltype(runner_epilogue::stages)::first);
constexpr int WIDTH = decltype(runner_epilogue::stages)::columns; // columns that a thread has

/* A stage that sees coordinates is tried on two columns at once, too. What it reduces would count
 * twice. */
constexpr bool TRIED = WIDTH == 1 && !std::is_invocable_v<const runner_stage &, float> &&
					   runner_epilogue::accesses.reductions == 0;

/* How many pairs come out as other values than each column alone. */
static __device__ unsigned mixed;

/* Rounding may differ, and code for two columns be another. */
static __device__ bool is_other(float one, float of_two)
{
	return fabsf(one - of_two) > fmaxf(fabsf(one), fabsf(of_two)) / 16;
}

template <class Epilogue>
static __device__ void try_pair(const Epilogue &stage, int row, int column, const float *x)
{
	float left[1] = {x[0]}, right[1] = {x[1]}, both[2] = {x[0], x[1]};
	stage.apply(row, column, left, false);
	stage.apply(row, column + 1, right, false);
	stage.apply(row, column, both, false);
	if (is_other(left[0], both[0]) || is_other(right[0], both[1]))
		atomicAdd(&mixed, 1);
}

template <class Epilogue>
static __global__ void apply_stage(const float *X, float *Y, int M, int N, Epilogue stage)
{
	size_t step = (size_t)gridDim.x * THREADS, width = (N + WIDTH - 1) / WIDTH, count = M * width;
	for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
		int row = (int)(i / width), column = (int)(i % width) * WIDTH;
		float x[WIDTH];
		for (int j = 0; j < WIDTH; j++)
			x[j] = column + j < N ? X[(size_t)row * N + column + j] : 0.0f;
		stage.apply(row, column, x, WIDTH == 1);
		for (int j = 0; j < WIDTH && column + j < N; j++)
			Y[(size_t)row * N + column + j] = x[j];
		if constexpr (TRIED)
			if (column % 2 == 0 && column + 1 < N)
				try_pair(stage, row, column, X + (size_t)row * N + column);
	}
}

/* Ends the process where the stage mixes columns: run_stage() of the judge knows this end. */
static void refuse_mixing(size_t pairs)
{
	unsigned found = 0;
	const unsigned none = 0;
	cudaMemcpyFromSymbol(&found, mixed, sizeof found);
	cudaMemcpyToSymbol(mixed, &none, sizeof none);
	if (found > pairs / 8)
		abort();
}

/* What finish() makes of each value, in its place: the judge asks again with what the stage reduced
 * as values, and takes this instead of what the stage makes of them. */
template <class Stage>
static __global__ void finish_values(float *X, size_t count, int M, int N, const Stage stage)
{
	size_t step = (size_t)gridDim.x * THREADS;
	for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
		X[i] = stage.finish(X[i], M, N);
}

template <class Stage, class = void> constexpr bool has_reference = false;
template <class Stage>
constexpr bool
	has_reference<Stage, std::void_t<decltype(std::declval<const Stage &>().reference(1.0))>> =
		true;

template <class Stage>
static void apply_reference(const float *X, float *Y, size_t count, const Stage &stage)
{
	static_assert(std::is_invocable_v<const Stage &, float>,
				  "reference(double) is for stages that see each value by itself");
	std::vector<float> values(count);
	cudaMemcpy(values.data(), X, count * sizeof(float), cudaMemcpyDeviceToHost);
	for (float &x : values)
		x = (float)stage.reference((double)x);
	cudaMemcpy(Y, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
}

/* Whether a stage of pairs has a reference: what it writes is reference(gate, up). */
template <class Stage, class = void> constexpr bool has_pair_reference = false;
template <class Stage>
constexpr bool has_pair_reference<
	Stage, std::void_t<decltype(std::declval<const Stage &>().reference(1.0, 1.0))>> = true;

template <class Element> static void put(void *to, size_t i, double y)
{
	if constexpr (std::is_same_v<Element, int8_t>)
		((int8_t *)to)[i] = (int8_t)fmin(fmax(rint(y), -128.0), 127.0);
	else
		((Element *)to)[i] = Element((float)y);
}

/* Finds the one output. */
struct output_of {
	void *to;
	size_t bytes; // of an element
	void (*put)(void *, size_t, double);

	template <class Element> constexpr void output(Element *pointer)
	{
		to = pointer;
		bytes = sizeof(Element);
		put = ::put<Element>;
	}
	constexpr void columns(const void *)
	{
	}
	constexpr void rows(const void *)
	{
	}
	constexpr void matrix(const void *)
	{
	}
	constexpr void other(const void *)
	{
	}
};

template <class Stage>
static void apply_pair_reference(const float *X, int M, int N, const Stage &stage)
{
	static_assert(Stage::columns == 2 && epilogue_accesses_of<Stage>().outputs == 1,
				  "reference(double, double) is for a stage of pairs with one output in memory()");
	size_t width = (size_t)(N + 1) / 2;
	output_of output = {};
	stage.memory(output);
	std::vector<float> values((size_t)M * N);
	std::vector<char> written(M * width * output.bytes);
	cudaMemcpy(values.data(), X, values.size() * sizeof(float), cudaMemcpyDeviceToHost);
	for (size_t i = 0; i < M * width; i++) {
		const float *gate = &values[i / width * N + i % width * 2];
		double up = i % width * 2 + 1 < (size_t)N ? (double)gate[1] : 0.0;
		output.put(written.data(), i, stage.reference((double)*gate, up));
	}
	cudaMemcpy(output.to, written.data(), written.size(), cudaMemcpyHostToDevice);
}

extern "C" void solve(float *X, EPILOGUE_ELEMENT *C, float *Y, int M, int N, float alpha,
					  float beta)
{
	size_t count = (size_t)M * N, blocks = (count + THREADS - 1) / THREADS;
	unsigned grid = (unsigned)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX);
	runner_epilogue out = epilogue_make(C, M, N, alpha, beta);
	if constexpr (has_reference<runner_stage>) {
		apply_reference(X, Y, count, out.stages.first);
	} else {
		apply_stage<<<grid, THREADS>>>(X, Y, M, N, out);
		if (TRIED && N > 1)
			refuse_mixing((size_t)M * (N / 2));
	}
	if constexpr (has_pair_reference<runner_stage>)
		apply_pair_reference(X, M, N, out.stages.first);
	if constexpr (epilogue_finishes<runner_stage>)
		finish_values<<<grid, THREADS>>>(X, count, M, N, out.stages.first);
}
