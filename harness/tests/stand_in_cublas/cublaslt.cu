/* libcublasLt.so.13, as far as the baselines need it: README.md. */
#include <string.h>

#include "product.cuh"

struct cublasLtContext {
	int unused;
};

/* What opaque structures hold. */
struct product_fields {
	cublasComputeType_t compute;
	cublasOperation_t op_a, op_b;
	cublasLtEpilogue_t epilogue;
};
struct layout_fields {
	cudaDataType_t type;
	int64_t rows, columns, ld, stride;
	int32_t batch;
};
struct preference_fields {
	uint32_t reduction; // a mask
};
struct algorithm_fields {
	int32_t id, tile, stages, split, reduction, swizzle, custom, inner, cluster;
};
static_assert(sizeof(product_fields) <= sizeof(cublasLtMatmulDescOpaque_t), "it is held there");
static_assert(sizeof(layout_fields) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it is held there");
static_assert(sizeof(preference_fields) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "as above");
static_assert(sizeof(algorithm_fields) <= sizeof(cublasLtMatmulAlgo_t), "it is held there");

template <class Fields, class Opaque> static Fields &fields_of(Opaque *opaque)
{
	return *(Fields *)(void *)opaque;
}

template <class Fields, class Opaque> static const Fields &fields_of(const Opaque *opaque)
{
	return *(const Fields *)(const void *)opaque;
}

/* ---- what is made, and its attributes ----------------------------------------------- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	*handle = new cublasLtContext();
	return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
	return STAND_IN_MAJOR * 10000 + STAND_IN_MINOR * 100 + STAND_IN_PATCH;
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return status == CUBLAS_STATUS_SUCCESS ? "success" : "refused by the stand-in for cuBLASLt";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made, cublasComputeType_t compute,
										cudaDataType_t)
{
	*made = new cublasLtMatmulDescOpaque_t();
	fields_of<product_fields>(*made) = {compute, CUBLAS_OP_N, CUBLAS_OP_N,
										CUBLASLT_EPILOGUE_DEFAULT};
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
											  cublasLtMatmulDescAttributes_t attribute,
											  const void *value, size_t bytes)
{
	product_fields &fields = fields_of<product_fields>(product);
	void *into = attribute == CUBLASLT_MATMUL_DESC_TRANSA     ? (void *)&fields.op_a
				 : attribute == CUBLASLT_MATMUL_DESC_TRANSB   ? (void *)&fields.op_b
				 : attribute == CUBLASLT_MATMUL_DESC_EPILOGUE ? (void *)&fields.epilogue
															  : NULL;
	if (into == NULL || bytes != 4)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	memcpy(into, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made, cudaDataType_t type,
										  uint64_t rows, uint64_t columns, int64_t ld)
{
	*made = new cublasLtMatrixLayoutOpaque_t();
	fields_of<layout_fields>(*made) = {type, (int64_t)rows, (int64_t)columns, ld, 0, 1};
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
												cublasLtMatrixLayoutAttribute_t attribute,
												const void *value, size_t bytes)
{
	layout_fields &fields = fields_of<layout_fields>(layout);
	if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof fields.batch)
		memcpy(&fields.batch, value, bytes);
	else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET &&
			 bytes == sizeof fields.stride)
		memcpy(&fields.stride, value, bytes);
	else
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made)
{
	*made = new cublasLtMatmulPreferenceOpaque_t();
	fields_of<preference_fields>(*made) = {CUBLASLT_REDUCTION_SCHEME_MASK};
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
	delete preference;
	return CUBLAS_STATUS_SUCCESS;
}

/* Workspace and alignment change nothing here. */
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
													cublasLtMatmulPreferenceAttributes_t attribute,
													const void *value, size_t bytes)
{
	preference_fields &fields = fields_of<preference_fields>(preference);
	if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK && bytes == sizeof fields.reduction)
		memcpy(&fields.reduction, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

/* ---- algorithms --------------------------------------------------------------------- */

static void *field_of(algorithm_fields &fields, cublasLtMatmulAlgoConfigAttributes_t attribute)
{
	switch (attribute) {
	case CUBLASLT_ALGO_CONFIG_ID: return &fields.id;
	case CUBLASLT_ALGO_CONFIG_TILE_ID: return &fields.tile;
	case CUBLASLT_ALGO_CONFIG_STAGES_ID: return &fields.stages;
	case CUBLASLT_ALGO_CONFIG_SPLITK_NUM: return &fields.split;
	case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME: return &fields.reduction;
	case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING: return &fields.swizzle;
	case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION: return &fields.custom;
	case CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID: return &fields.inner;
	case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID: return &fields.cluster;
	default: return NULL;
	}
}

/* Some attributes have 2 bytes in the real library; these have 4, as callers pass. */
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
													cublasLtMatmulAlgoConfigAttributes_t attribute,
													void *value, size_t bytes, size_t *written)
{
	algorithm_fields fields = fields_of<algorithm_fields>(algorithm);
	const void *field = field_of(fields, attribute);
	if (field == NULL || bytes != 4)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(value, field, bytes);
	*written = bytes;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algorithm,
													cublasLtMatmulAlgoConfigAttributes_t attribute,
													const void *value, size_t bytes)
{
	void *field = field_of(fields_of<algorithm_fields>(algorithm), attribute);
	if (field == NULL || bytes != 4)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(field, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasLtMatmulAlgo_t algorithm_make(int tile, int split, int reduction)
{
	cublasLtMatmulAlgo_t made = {};
	fields_of<algorithm_fields>(&made) = {7, tile, 0, split, reduction, 0, 0, 0, 0};
	return made;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t,
										cudaDataType_t, cudaDataType_t, cudaDataType_t,
										cudaDataType_t, int, int ids[], int *count)
{
	ids[0] = 7;
	*count = 1;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t,
									  cudaDataType_t, cudaDataType_t, cudaDataType_t,
									  cudaDataType_t, int, cublasLtMatmulAlgo_t *algorithm)
{
	*algorithm = algorithm_make(1, 1, CUBLASLT_REDUCTION_SCHEME_NONE);
	return CUBLAS_STATUS_SUCCESS;
}

/* One tile, any split by any scheme. */
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *,
												 cublasLtMatmulAlgoCapAttributes_t attribute,
												 void *value, size_t bytes, size_t *written)
{
	*written = 4;
	uint32_t told = attribute == CUBLASLT_ALGO_CAP_SPLITK_SUPPORT ? 1
					: attribute == CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK
						? CUBLASLT_REDUCTION_SCHEME_MASK
					: attribute == CUBLASLT_ALGO_CAP_TILE_IDS ? 1
															  : 0;
	if (bytes < sizeof told)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(value, &told, sizeof told);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t,
									   cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
									   cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
									   const cublasLtMatmulAlgo_t *algorithm,
									   cublasLtMatmulHeuristicResult_t *result)
{
	*result = {};
	result->algo = *algorithm;
	return CUBLAS_STATUS_SUCCESS;
}

static stand_in_matrix matrix_of(const void *at, cublasLtMatrixLayout_t layout, bool transposed)
{
	const layout_fields &fields = fields_of<layout_fields>(layout);
	return {at, fields.type, fields.ld, fields.stride, transposed};
}

/* Sizes and types, without scalars, which the two callers have or have not. */
static stand_in_product product_of(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
								   cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c)
{
	const product_fields &product = fields_of<product_fields>(desc);
	const layout_fields &result = fields_of<layout_fields>(c), &left = fields_of<layout_fields>(a);
	stand_in_product p = {};
	p.m = (int)result.rows;
	p.n = (int)result.columns;
	p.k = (int)(product.op_a == CUBLAS_OP_N ? left.columns : left.rows);
	p.batch = result.batch;
	p.integers = product.compute == CUBLAS_COMPUTE_32I;
	p.a = matrix_of(NULL, a, product.op_a != CUBLAS_OP_N);
	p.b = matrix_of(NULL, b, product.op_b != CUBLAS_OP_N);
	p.c = matrix_of(NULL, c, false);
	return p;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t product,
											  cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
											  cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
											  cublasLtMatmulPreference_t preference, int wanted,
											  cublasLtMatmulHeuristicResult_t results[], int *count)
{
	static const struct {
		int split, reduction;
		bool always; // else where sizes are no multiples of 8
	} known[] = {{4,
				  STAND_IN_IS_NEW ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
								  : CUBLASLT_REDUCTION_SCHEME_INPLACE,
				  false},
				 {1, CUBLASLT_REDUCTION_SCHEME_NONE, true},
				 {3, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE, false},
				 {2, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, true}};
	uint32_t mask = fields_of<preference_fields>(preference).reduction;
	bool splits = stand_in_splits(product_of(product, a, b, c));
	*count = 0;
	for (int i = 0; i < 4 && *count < wanted; i++)
		if ((splits || known[i].always) &&
			(known[i].split == 1 || (mask & known[i].reduction) != 0)) {
			results[*count] = {};
			results[(*count)++].algo = algorithm_make(1 + i, known[i].split, known[i].reduction);
		}
	return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/* ---- the call -----------------------------------------------------------------------------------
 */

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void *alpha,
							  const void *A, cublasLtMatrixLayout_t a, const void *B,
							  cublasLtMatrixLayout_t b, const void *beta, const void *C,
							  cublasLtMatrixLayout_t c, void *D, cublasLtMatrixLayout_t,
							  const cublasLtMatmulAlgo_t *algorithm, void *, size_t,
							  cudaStream_t stream)
{
	const algorithm_fields &chosen = fields_of<algorithm_fields>(algorithm);
	stand_in_product p = product_of(product, a, b, c);
	if (C != D || fields_of<product_fields>(product).epilogue != CUBLASLT_EPILOGUE_DEFAULT)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	p.a.at = A;
	p.b.at = B;
	p.c.at = D;
	p.split = chosen.split;
	p.reduction = chosen.reduction;
	memcpy(p.integers ? (void *)&p.whole_alpha : &p.alpha, alpha, 4);
	memcpy(p.integers ? (void *)&p.whole_beta : &p.beta, beta, 4);
	return stand_in_start(p, stream);
}
