/* All algorithms of cuBLASLt for a product: whatever its tables of capabilities allow and its own
 * check takes, up to LT_ENUMERATED. Part of cublaslt.cuh. */

constexpr size_t LT_ENUMERATED = 1000; /* of a shape */
constexpr size_t LT_LISTED = 256;      /* tiles or stages of an algorithm */

static int lt_config(const cublasLtMatmulAlgo_t &algorithm,
					 cublasLtMatmulAlgoConfigAttributes_t attribute)
{
	int32_t value = 0; // some are 16 bits wide
	size_t written;
	cublasStatus_t status = cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value,
																 sizeof(value), &written);
	return status == CUBLAS_STATUS_SUCCESS ? value : LIBRARY_UNKNOWN;
}

static uint32_t lt_capability(const cublasLtMatmulAlgo_t &algorithm,
							  cublasLtMatmulAlgoCapAttributes_t attribute)
{
	uint32_t value = 0;
	size_t written;
	cublasStatus_t status =
		cublasLtMatmulAlgoCapGetAttribute(&algorithm, attribute, &value, sizeof(value), &written);
	return status == CUBLAS_STATUS_SUCCESS ? value : 0;
}

/* Of tiles or stages; where there is no list, 0 stands for undefined. */
static std::vector<uint32_t> lt_list(const cublasLtMatmulAlgo_t &algorithm,
									 cublasLtMatmulAlgoCapAttributes_t attribute)
{
	std::vector<uint32_t> list(LT_LISTED);
	size_t written = 0;
	cublasStatus_t status = cublasLtMatmulAlgoCapGetAttribute(
		&algorithm, attribute, list.data(), list.size() * sizeof(list[0]), &written);
	list.resize(status == CUBLAS_STATUS_SUCCESS ? written / sizeof(list[0]) : 0);
	if (list.empty())
		list.push_back(0);
	return list;
}

struct lt_configuration {
	uint32_t tile, stages;
	int32_t split;
	uint32_t reduction, custom;
};

/* Adds it where the library's check takes it. */
static void lt_try(const lt_context &lt, lt_plan &plan, cublasLtMatmulAlgo_t algorithm,
				   const lt_configuration &wanted)
{
	const struct {
		cublasLtMatmulAlgoConfigAttributes_t name;
		const void *value;
	} attributes[] = {{CUBLASLT_ALGO_CONFIG_TILE_ID, &wanted.tile},
					  {CUBLASLT_ALGO_CONFIG_STAGES_ID, &wanted.stages},
					  {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &wanted.split},
					  {CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &wanted.reduction},
					  {CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, &wanted.custom}};
	if (plan.algorithms.size() >= LT_ENUMERATED)
		return;
	for (const auto &attribute : attributes)
		if (cublasLtMatmulAlgoConfigSetAttribute(&algorithm, attribute.name, attribute.value, 4) !=
			CUBLAS_STATUS_SUCCESS)
			return;
	cublasLtMatmulHeuristicResult_t result = {};
	cublasStatus_t status = cublasLtMatmulAlgoCheck(lt.handle, plan.product, plan.b, plan.a, plan.c,
													plan.c, &algorithm, &result);
	if (status == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= LT_WORKSPACE)
		lt_add(plan, algorithm);
}

/* The splits of one tile and number of stages, with each scheme that the algorithm and the plan's
 * mode allow. */
static void lt_try_splits(const lt_context &lt, lt_plan &plan,
						  const cublasLtMatmulAlgo_t &algorithm, lt_configuration wanted)
{
	wanted.split = 1;
	wanted.reduction = CUBLASLT_REDUCTION_SCHEME_NONE;
	lt_try(lt, plan, algorithm, wanted);
	uint32_t schemes = lt_capability(algorithm, CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK);
	if (plan.key.mode == LIBRARY_ACCURATE)
		schemes &= LT_F32_SUMS;
	if (lt_capability(algorithm, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT) == 0)
		return;
	for (int split : {2, 3, 4, 5, 6, 8, 12, 16})
		for (uint32_t scheme = 1; scheme <= CUBLASLT_REDUCTION_SCHEME_MASK; scheme *= 2) {
			wanted.split = split;
			wanted.reduction = scheme;
			if ((schemes & scheme) != 0)
				lt_try(lt, plan, algorithm, wanted);
		}
}

static void lt_enumerate(const lt_context &lt, lt_plan &plan)
{
	int ids[LT_LISTED], count = 0;
	cublasComputeType_t compute = plan.integers ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
	cudaDataType_t scale = plan.integers ? CUDA_R_32I : CUDA_R_32F;
	LT_CHECK(cublasLtMatmulAlgoGetIds(lt.handle, compute, scale, plan.type, plan.type, plan.result,
									  plan.result, LT_LISTED, ids, &count));
	for (int i = 0; i < count; i++) {
		cublasLtMatmulAlgo_t algorithm;
		if (cublasLtMatmulAlgoInit(lt.handle, compute, scale, plan.type, plan.type, plan.result,
								   plan.result, ids[i], &algorithm) != CUBLAS_STATUS_SUCCESS)
			continue;
		uint32_t custom = lt_capability(algorithm, CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX);
		for (uint32_t tile : lt_list(algorithm, CUBLASLT_ALGO_CAP_TILE_IDS))
			for (uint32_t stages : lt_list(algorithm, CUBLASLT_ALGO_CAP_STAGES_IDS))
				for (uint32_t option = 0; option <= custom; option++)
					lt_try_splits(lt, plan, algorithm, {tile, stages, 1, 0, option});
	}
}
