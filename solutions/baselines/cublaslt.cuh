/* The best that cuBLASLt has: on the first sight of a shape, up to 24 of the
 * library's own suggestions are timed, and the fastest is kept for good. */
#ifndef GEMMJUDGE_BASELINE_CUBLASLT_CUH
#define GEMMJUDGE_BASELINE_CUBLASLT_CUH

#include <algorithm>
#include <cublasLt.h>
#include <stdint.h>
#include <vector>

#include "baseline.cuh"

constexpr int LT_CANDIDATES = 24;
constexpr size_t LT_WORKSPACE = (size_t)64 << 20;
constexpr int LT_ROUNDS = 5;
constexpr int LT_BURST_MAX = 16;
constexpr float LT_BURST_MS = 0.2f;
/* Slower than this times the best after one call: not timed again. Generous,
 * as one call's time is mostly launch where the product is small. */
constexpr float LT_HOPELESS = 2.0f;

#define LT_CHECK(call) lt_check(call, #call)

static inline void lt_check(cublasStatus_t status, const char *what)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		baseline_fail(what, cublasLtGetStatusString(status));
}

/* What the library does to a result before it stores it. */
struct lt_epilogue {
	cublasLtEpilogue_t kind;
	const void *bias; /* device memory, or NULL */
};
constexpr lt_epilogue LT_NO_EPILOGUE = {CUBLASLT_EPILOGUE_DEFAULT, NULL};

/* What may change which algorithm is best, or which ones are allowed. */
struct lt_key {
	int m, n, k, batch;
	bool alpha_is_one, beta_is_zero;
	uint32_t align_a, align_b, align_c; /* bytes */
	cublasLtEpilogue_t epilogue;
	baseline_layout layout;

	bool operator==(const lt_key &other) const
	{
		return m == other.m && n == other.n && k == other.k && batch == other.batch &&
			   alpha_is_one == other.alpha_is_one && beta_is_zero == other.beta_is_zero &&
			   align_a == other.align_a && align_b == other.align_b && align_c == other.align_c &&
			   epilogue == other.epilogue && layout == other.layout;
	}
};

struct lt_plan {
	lt_key key;
	bool integers; // the library takes alpha and beta as int32_t
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulAlgo_t algorithm;
};

struct lt_context {
	cublasLtHandle_t handle;
	void *workspace;
	std::vector<lt_plan> plans;
};

static inline lt_context &lt_get(void)
{
	static lt_context context = [] {
		lt_context made = {};
		LT_CHECK(cublasLtCreate(&made.handle));
		BASELINE_CUDA(cudaMalloc(&made.workspace, LT_WORKSPACE));
		return made;
	}();
	return context;
}

/* The largest power of two, 256 at most, that divides the addresses of all matrices of a batch:
 * `stride` bytes lie between them, 0 where there is but one. */
static inline uint32_t lt_alignment(const void *pointer, size_t stride)
{
	uintptr_t address = (uintptr_t)pointer | stride | 256;
	return (uint32_t)(address & -address);
}

/* One call with the given algorithm. Operands stand in the libraries' order:
 * see baseline.cuh. */
static void lt_run(const lt_context &lt, const lt_plan &plan, const cublasLtMatmulAlgo_t &algorithm,
				   const void *A, const void *B, void *C, float alpha, float beta)
{
	int32_t whole_alpha = (int32_t)alpha, whole_beta = (int32_t)beta;
	const void *alpha_at = plan.integers ? (const void *)&whole_alpha : &alpha;
	const void *beta_at = plan.integers ? (const void *)&whole_beta : &beta;
	LT_CHECK(cublasLtMatmul(lt.handle, plan.product, alpha_at, B, plan.b, A, plan.a, beta_at, C,
							plan.c, C, plan.c, &algorithm, lt.workspace, LT_WORKSPACE, 0));
}

/* The bias moves from call to call. */
static void lt_set_bias(const lt_plan &plan, const void *bias)
{
	if (bias != NULL)
		LT_CHECK(cublasLtMatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
												&bias, sizeof(bias)));
}

/* `batch` matrices, one behind the other. */
static cublasLtMatrixLayout_t lt_layout(cudaDataType_t type, int rows, int columns, int batch)
{
	cublasLtMatrixLayout_t layout;
	int64_t stride = (int64_t)rows * columns;
	LT_CHECK(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, rows));
	if (batch == 1)
		return layout;
	LT_CHECK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
											  sizeof(batch)));
	LT_CHECK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
											  &stride, sizeof(stride)));
	return layout;
}

/* Operands of one type, C of another or the same. fp8 is summed without the library's fast
 * accumulation, which is its default. */
static void lt_describe(lt_plan &plan, cudaDataType_t type, cudaDataType_t result)
{
	const lt_key &key = plan.key;
	plan.integers = type == CUDA_R_8I;
	LT_CHECK(cublasLtMatmulDescCreate(&plan.product,
									  plan.integers ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F,
									  plan.integers ? CUDA_R_32I : CUDA_R_32F));
	bool transposed = key.layout == BASELINE_B_TRANSPOSED;
	cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
	LT_CHECK(cublasLtMatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_TRANSA, &operation,
											sizeof(operation))); // the library's A is our B
	LT_CHECK(cublasLtMatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE,
											&key.epilogue, sizeof(key.epilogue)));
	int b_rows = transposed ? key.k : key.n, b_columns = transposed ? key.n : key.k;
	plan.a = lt_layout(type, key.k, key.m, key.batch);
	plan.b = lt_layout(type, b_rows, b_columns, key.batch);
	plan.c = lt_layout(result, key.n, key.m, key.batch);
}

static int lt_suggest(const lt_context &lt, const lt_plan &plan,
					  cublasLtMatmulHeuristicResult_t found[LT_CANDIDATES])
{
	const lt_key &key = plan.key;
	const struct {
		cublasLtMatmulPreferenceAttributes_t name;
		uint32_t value;
	} alignments[] = {
		// the library's A is our B: see baseline.cuh
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.align_b},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.align_a},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.align_c},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.align_c},
	};
	cublasLtMatmulPreference_t preference;
	LT_CHECK(cublasLtMatmulPreferenceCreate(&preference));
	LT_CHECK(cublasLtMatmulPreferenceSetAttribute(
		preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &LT_WORKSPACE, sizeof(LT_WORKSPACE)));
	for (const auto &alignment : alignments)
		LT_CHECK(cublasLtMatmulPreferenceSetAttribute(preference, alignment.name, &alignment.value,
													  sizeof(alignment.value)));
	int count = 0;
	LT_CHECK(cublasLtMatmulAlgoGetHeuristic(lt.handle, plan.product, plan.b, plan.a, plan.c, plan.c,
											preference, LT_CANDIDATES, found, &count));
	LT_CHECK(cublasLtMatmulPreferenceDestroy(preference));
	int usable = 0;
	for (int i = 0; i < count; i++)
		if (found[i].state == CUBLAS_STATUS_SUCCESS)
			found[usable++] = found[i];
	if (usable == 0)
		baseline_fail("cublasLtMatmulAlgoGetHeuristic", "no algorithm for this shape");
	return usable;
}

/* Times candidates on a scratch C, so that the caller's C sees nothing of it. */
struct lt_stopwatch {
	const lt_context &lt;
	const lt_plan &plan;
	const void *A, *B;
	void *C;
	float alpha, beta;
	cudaEvent_t from, to;

	/* Milliseconds per call of a burst of calls. */
	float measure(const cublasLtMatmulAlgo_t &algorithm, int calls) const
	{
		float elapsed;
		BASELINE_CUDA(cudaEventRecord(from));
		for (int i = 0; i < calls; i++)
			lt_run(lt, plan, algorithm, A, B, C, alpha, beta);
		BASELINE_CUDA(cudaEventRecord(to));
		BASELINE_CUDA(cudaEventSynchronize(to));
		BASELINE_CUDA(cudaEventElapsedTime(&elapsed, from, to));
		return elapsed / calls;
	}
};

static int lt_fastest(const lt_stopwatch &watch, const cublasLtMatmulHeuristicResult_t *found,
					  int count)
{
	float first[LT_CANDIDATES];
	for (int i = 0; i < count; i++) {
		watch.measure(found[i].algo, 1); // loads the kernel
		first[i] = watch.measure(found[i].algo, 1);
	}
	float limit = *std::min_element(first, first + count);
	int burst = std::max(1, std::min(LT_BURST_MAX, (int)(LT_BURST_MS / limit)));

	// Round by round over all of them: a clock that drifts is fair to each.
	float times[LT_CANDIDATES][LT_ROUNDS];
	for (int round = 0; round < LT_ROUNDS; round++)
		for (int i = 0; i < count; i++)
			times[i][round] =
				first[i] > limit * LT_HOPELESS ? first[i] : watch.measure(found[i].algo, burst);
	int best = 0;
	for (int i = 0; i < count; i++) {
		std::sort(times[i], times[i] + LT_ROUNDS);
		if (times[i][LT_ROUNDS / 2] < times[best][LT_ROUNDS / 2])
			best = i;
	}
	return best;
}

static void lt_choose(const lt_context &lt, lt_plan &plan, size_t c_bytes, const void *A,
					  const void *B, float alpha, float beta)
{
	cublasLtMatmulHeuristicResult_t found[LT_CANDIDATES];
	int count = lt_suggest(lt, plan, found);
	int best = 0;
	if (count > 1) {
		// The scratch C lies as the real one does modulo 256 bytes, so that no
		// algorithm looks better on it than it will be.
		char *scratch;
		size_t offset = plan.key.align_c % 256;
		BASELINE_CUDA(cudaMalloc(&scratch, c_bytes + offset));
		BASELINE_CUDA(cudaMemset(scratch, 0, c_bytes + offset));
		lt_stopwatch watch = {lt, plan, A, B, scratch + offset, alpha, beta, NULL, NULL};
		BASELINE_CUDA(cudaEventCreate(&watch.from));
		BASELINE_CUDA(cudaEventCreate(&watch.to));
		best = lt_fastest(watch, found, count);
		BASELINE_CUDA(cudaEventDestroy(watch.from));
		BASELINE_CUDA(cudaEventDestroy(watch.to));
		BASELINE_CUDA(cudaFree(scratch));
	}
	plan.algorithm = found[best].algo;
}

/* Row-major C (m x n) = alpha * A (m x k) * B (k x n) + beta * C, and the epilogue; for each of
 * `batch` products, whose matrices lie one behind the other. */
template <class Element, class Result>
static void baseline_cublaslt(const Element *A, const Element *B, Result *C, int m, int n, int k,
							  float alpha, float beta, lt_epilogue epilogue = LT_NO_EPILOGUE,
							  baseline_layout layout = BASELINE_B_PLAIN, int batch = 1)
{
	lt_context &lt = lt_get();
	size_t next = batch > 1 ? sizeof(Element) : 0;
	lt_key key = {m,
				  n,
				  k,
				  batch,
				  alpha == 1.0f,
				  beta == 0.0f,
				  lt_alignment(A, next * m * k),
				  lt_alignment(B, next * k * n),
				  lt_alignment(C, next * m * n),
				  epilogue.kind,
				  layout};
	for (const lt_plan &plan : lt.plans)
		if (plan.key == key) {
			lt_set_bias(plan, epilogue.bias);
			return lt_run(lt, plan, plan.algorithm, A, B, C, alpha, beta);
		}

	lt_plan plan = {};
	plan.key = key;
	lt_describe(plan, baseline_type<Element>::value, baseline_type<Result>::value);
	lt_set_bias(plan, epilogue.bias);
	lt_choose(lt, plan, (size_t)batch * m * n * sizeof(Result), A, B, alpha, beta);
	lt.plans.push_back(plan);
	lt_run(lt, plan, plan.algorithm, A, B, C, alpha, beta);
}

#endif
