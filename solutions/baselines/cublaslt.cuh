/* The best that cuBLASLt has: on the first sight of a shape the library's suggestions under several
 * preferences are timed, and the fastest is kept for good. It gives 8 at most at a time, however
 * many are asked for. */
#ifndef GEMMJUDGE_BASELINE_CUBLASLT_CUH
#define GEMMJUDGE_BASELINE_CUBLASLT_CUH

#include <algorithm>
#include <chrono>
#include <cublasLt.h>
#include <stdint.h>
#include <string.h>
#include <vector>

#include "baseline.cuh"
#include "library.cuh"

constexpr int LT_ASKED = 8;
constexpr size_t LT_WORKSPACE = (size_t)64 << 20;
constexpr int LT_ROUNDS = 5;
constexpr int LT_BURST_MAX = 16;
constexpr float LT_BURST_MS = 0.2f;
constexpr double LT_SECONDS = 2.0; /* no round is begun after it, but for the first */
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
	library_mode mode;
	bool thorough;

	bool operator==(const lt_key &other) const
	{
		return m == other.m && n == other.n && k == other.k && batch == other.batch &&
			   alpha_is_one == other.alpha_is_one && beta_is_zero == other.beta_is_zero &&
			   align_a == other.align_a && align_b == other.align_b && align_c == other.align_c &&
			   epilogue == other.epilogue && layout == other.layout && mode == other.mode &&
			   thorough == other.thorough;
	}
};

struct lt_plan {
	lt_key key;
	bool integers; // the library takes alpha and beta as int32_t
	cudaDataType_t type, result;
	cublasLtMatmulDesc_t product;
	cublasLtMatrixLayout_t a, b, c;
	std::vector<cublasLtMatmulAlgo_t> algorithms; // the library's first suggestion is the first
	std::vector<char> refused;                    // of them, when they were called
	int fastest = LIBRARY_FASTEST;                // of them; not known yet
};

struct lt_context {
	cublasLtHandle_t handle;
	void *workspace;
	std::vector<lt_plan> plans;
	size_t last; // the plan of the last call
	int used;    // and its algorithm
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

/* One call with the given algorithm; false where the library refuses it. Operands stand in the
 * libraries' order: see baseline.cuh. */
static bool lt_run(const lt_context &lt, const lt_plan &plan, const cublasLtMatmulAlgo_t &algorithm,
				   const void *A, const void *B, void *C, float alpha, float beta)
{
	int32_t whole_alpha = (int32_t)alpha, whole_beta = (int32_t)beta;
	const void *alpha_at = plan.integers ? (const void *)&whole_alpha : &alpha;
	const void *beta_at = plan.integers ? (const void *)&whole_beta : &beta;
	cublasStatus_t status =
		cublasLtMatmul(lt.handle, plan.product, alpha_at, B, plan.b, A, plan.a, beta_at, C, plan.c,
					   C, plan.c, &algorithm, lt.workspace, LT_WORKSPACE, 0);
	if (status != CUBLAS_STATUS_NOT_SUPPORTED)
		lt_check(status, "cublasLtMatmul");
	return status == CUBLAS_STATUS_SUCCESS;
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
	plan.type = type;
	plan.result = result;
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

static void lt_add(lt_plan &plan, const cublasLtMatmulAlgo_t &algorithm)
{
	for (const cublasLtMatmulAlgo_t &other : plan.algorithms)
		if (memcmp(&other, &algorithm, sizeof(algorithm)) == 0)
			return;
	plan.algorithms.push_back(algorithm);
}

struct lt_preference {
	size_t workspace;   // bytes
	uint32_t reduction; // schemes that may be suggested
	uint32_t alignment; // bytes, at most, that are made use of
};

/* Adds what the library suggests under a preference. */
static void lt_suggest(const lt_context &lt, lt_plan &plan, const lt_preference &preferred)
{
	const lt_key &key = plan.key;
	const struct {
		cublasLtMatmulPreferenceAttributes_t name;
		uint32_t value;
	} attributes[] = {
		// the library's A is our B: see baseline.cuh
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, std::min(key.align_b, preferred.alignment)},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, std::min(key.align_a, preferred.alignment)},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, std::min(key.align_c, preferred.alignment)},
		{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, std::min(key.align_c, preferred.alignment)},
		{CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, preferred.reduction},
	};
	cublasLtMatmulPreference_t preference;
	LT_CHECK(cublasLtMatmulPreferenceCreate(&preference));
	LT_CHECK(
		cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
											 &preferred.workspace, sizeof(preferred.workspace)));
	for (const auto &attribute : attributes)
		LT_CHECK(cublasLtMatmulPreferenceSetAttribute(preference, attribute.name, &attribute.value,
													  sizeof(attribute.value)));
	cublasLtMatmulHeuristicResult_t found[LT_ASKED];
	int count = 0;
	cublasStatus_t status =
		cublasLtMatmulAlgoGetHeuristic(lt.handle, plan.product, plan.b, plan.a, plan.c, plan.c,
									   preference, LT_ASKED, found, &count);
	LT_CHECK(cublasLtMatmulPreferenceDestroy(preference));
	for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; i++)
		if (found[i].state == CUBLAS_STATUS_SUCCESS)
			lt_add(plan, found[i].algo);
}

/* The schemes of split-K that keep partial sums in f32. */
constexpr uint32_t LT_F32_SUMS = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;

/* Adds the suggestions of the library for the plan's mode. A mask without a scheme allows what
 * does not split, only. */
static void lt_suggest_all(const lt_context &lt, lt_plan &plan)
{
	const uint32_t any = CUBLASLT_REDUCTION_SCHEME_MASK, none = CUBLASLT_REDUCTION_SCHEME_NONE;
	for (uint32_t alignment : {256u, 8u, 4u})
		for (size_t workspace : {LT_WORKSPACE, LT_WORKSPACE / 16, (size_t)0})
			for (uint32_t mask : {any, LT_F32_SUMS, none})
				if (mask != any || plan.key.mode != LIBRARY_ACCURATE)
					lt_suggest(lt, plan, {workspace, mask, alignment});
	if (plan.algorithms.empty())
		baseline_fail("cublasLtMatmulAlgoGetHeuristic", "no algorithm for this shape");
}

#include "cublaslt_enumerate.cuh"

/* Times candidates on a scratch C, so that the caller's C sees nothing of it. */
struct lt_stopwatch {
	const lt_context &lt;
	const lt_plan &plan;
	const void *A, *B;
	void *C;
	float alpha, beta;
	cudaEvent_t from, to;

	/* Milliseconds per call of a burst of calls; infinite where the library refuses them. */
	float measure(const cublasLtMatmulAlgo_t &algorithm, int calls) const
	{
		float elapsed;
		BASELINE_CUDA(cudaEventRecord(from));
		for (int i = 0; i < calls; i++)
			if (!lt_run(lt, plan, algorithm, A, B, C, alpha, beta))
				return INFINITY;
		BASELINE_CUDA(cudaEventRecord(to));
		BASELINE_CUDA(cudaEventSynchronize(to));
		BASELINE_CUDA(cudaEventElapsedTime(&elapsed, from, to));
		return elapsed / calls;
	}
};

static double lt_seconds(void)
{
	using namespace std::chrono;
	return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static int lt_fastest(const lt_stopwatch &watch, const std::vector<cublasLtMatmulAlgo_t> &tried)
{
	const int count = (int)tried.size();
	std::vector<float> first(count, INFINITY);
	for (int i = 0; i < count; i++)
		if (isfinite(watch.measure(tried[i], 1))) // loads the kernel
			first[i] = watch.measure(tried[i], 1);
	float limit = *std::min_element(first.begin(), first.end());
	if (!isfinite(limit))
		baseline_fail("cublasLtMatmul", "refuses all algorithms that it has suggested");
	int burst = std::max(1, std::min(LT_BURST_MAX, (int)(LT_BURST_MS / limit)));

	// Round by round over all of them: a clock that drifts is fair to each.
	std::vector<std::vector<float>> times(count);
	double until = lt_seconds() + LT_SECONDS;
	for (int round = 0; round < LT_ROUNDS && (round == 0 || lt_seconds() < until); round++)
		for (int i = 0; i < count; i++)
			times[i].push_back(first[i] > limit * LT_HOPELESS ? first[i]
															  : watch.measure(tried[i], burst));
	int best = 0;
	for (int i = 0; i < count; i++) {
		size_t middle = times[i].size() / 2;
		std::sort(times[i].begin(), times[i].end());
		if (times[i][middle] < times[best][middle])
			best = i;
	}
	return best;
}

static int lt_choose(const lt_context &lt, const lt_plan &plan, size_t c_bytes, const void *A,
					 const void *B, float alpha, float beta)
{
	if (plan.algorithms.size() == 1)
		return 0;
	// The scratch C lies as the real one does modulo 256 bytes, so that no
	// algorithm looks better on it than it will be.
	char *scratch;
	size_t offset = plan.key.align_c % 256;
	BASELINE_CUDA(cudaMalloc(&scratch, c_bytes + offset));
	BASELINE_CUDA(cudaMemset(scratch, 0, c_bytes + offset));
	lt_stopwatch watch = {lt, plan, A, B, scratch + offset, alpha, beta, NULL, NULL};
	BASELINE_CUDA(cudaEventCreate(&watch.from));
	BASELINE_CUDA(cudaEventCreate(&watch.to));
	int best = lt_fastest(watch, plan.algorithms);
	BASELINE_CUDA(cudaEventDestroy(watch.from));
	BASELINE_CUDA(cudaEventDestroy(watch.to));
	BASELINE_CUDA(cudaFree(scratch));
	return best;
}

/* The plan's place in lt.plans; a new one knows its algorithms, and not the fastest of them. */
static size_t lt_plan_of(lt_context &lt, const lt_key &key, cudaDataType_t type,
						 cudaDataType_t result, const void *bias)
{
	for (size_t i = 0; i < lt.plans.size(); i++)
		if (lt.plans[i].key == key) {
			lt_set_bias(lt.plans[i], bias);
			return i;
		}
	lt_plan plan = {};
	plan.key = key;
	lt_describe(plan, type, result);
	lt_set_bias(plan, bias);
	lt_suggest_all(lt, plan);
	if (key.thorough)
		lt_enumerate(lt, plan);
	plan.refused.resize(plan.algorithms.size());
	lt.plans.push_back(plan);
	return lt.plans.size() - 1;
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
	beta = library_beta(beta, sizeof(Result) == 2);
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
				  layout,
				  library_chosen.mode,
				  library_chosen.thorough};
	lt.last = lt_plan_of(lt, key, baseline_type<Element>::value, baseline_type<Result>::value,
						 epilogue.bias);
	lt_plan &plan = lt.plans[lt.last];
	if (library_chosen.algorithm == LIBRARY_FASTEST && plan.fastest == LIBRARY_FASTEST)
		plan.fastest =
			lt_choose(lt, plan, (size_t)batch * m * n * sizeof(Result), A, B, alpha, beta);
	lt.used = library_chosen.algorithm == LIBRARY_FASTEST
				  ? plan.fastest
				  : std::min(library_chosen.algorithm, (int)plan.algorithms.size() - 1);
	plan.refused[lt.used] = !lt_run(lt, plan, plan.algorithms[lt.used], A, B, C, alpha, beta);
}

extern "C" int library_algorithms(void)
{
	const lt_context &lt = lt_get();
	return lt.plans.empty() ? 1 : (int)lt.plans[lt.last].algorithms.size();
}

extern "C" int library_fact(int algorithm, const char *name)
{
	static const struct {
		const char *name;
		cublasLtMatmulAlgoConfigAttributes_t attribute;
	} known[] = {{"id", CUBLASLT_ALGO_CONFIG_ID},
				 {"tile", CUBLASLT_ALGO_CONFIG_TILE_ID},
				 {"stages", CUBLASLT_ALGO_CONFIG_STAGES_ID},
				 {"split_k", CUBLASLT_ALGO_CONFIG_SPLITK_NUM},
				 {"reduction", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME},
				 {"swizzle", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING},
				 {"custom", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION},
				 {"inner", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID},
				 {"cluster", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID}};
	const lt_context &lt = lt_get();
	if (lt.plans.empty())
		return LIBRARY_UNKNOWN;
	const lt_plan &plan = lt.plans[lt.last];
	size_t index = algorithm == LIBRARY_FASTEST ? lt.used : algorithm;
	if (index >= plan.algorithms.size())
		return LIBRARY_UNKNOWN;
	if (strcmp(name, "refused") == 0)
		return plan.refused[index];
	for (const auto &fact : known)
		if (strcmp(name, fact.name) == 0)
			return lt_config(plan.algorithms[index], fact.attribute);
	return LIBRARY_UNKNOWN;
}

#endif
