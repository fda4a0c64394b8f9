/* hopper::gemm(): a product with any epilogue, fused. hopper_gemm.h documents products, workspaces
 * and statuses; epilogue.cuh documents epilogues.
 *
 *     auto out = epilogue_make<half>(C, M, N, alpha, beta);
 *     hopper::gemm<half>({M, N, K, A, B, C, K, N, N, alpha, beta}, out, workspace, bytes, stream);
 *
 * With a K-major B, X * W^T of a linear layer (W is N x K):
 *
 *     hopper::gemm<half, hopper::B_K_MAJOR>(
 *         {M, N, K, X, W, Y, K, K, N, alpha, beta, true}, out, workspace, bytes, stream); */
#ifndef HOPPER_GEMM_CUH
#define HOPPER_GEMM_CUH

#include "heuristic.cuh"
#include "launch.cuh"
#include "parts.cuh"

namespace hopper
{
template <class Epilogue>
using launcher = hopper_status (*)(const launch_context &, const problem &, int, const Epilogue &);

/* Whether a line of configs.def is of use to the epilogue. Swapped tiles are for alpha and beta
 * without a stage: their store is not hidden as well (with sigmoid and gelu 2 to 3% slower, with a
 * bias 80%). */
template <class Epilogue> constexpr bool is_useful(variant variant, b_layout layout)
{
	return variant == SMALL ||
		   (variant_takes(variant, layout) && (variant != SWAP_AB || Epilogue::is_alpha_beta));
}

/* The launch of a line of configs.def that is. */
template <class Element, b_layout B_LAYOUT, class Epilogue, variant VARIANT, int TILE_M, int TILE_N,
		  int TILE_K, int CONSUMERS, int CLUSTER_M, int CLUSTER_N, int MAX_SPLIT, int MAX_STAGES,
		  int PRODUCERS>
static constexpr launcher<Epilogue> launcher_of(void)
{
	if constexpr (VARIANT == SMALL) {
		return small_launch<Element, CONSUMERS, TILE_N / 8, B_LAYOUT, Epilogue>;
	} else {
		using config = tile_config<VARIANT, TILE_M, TILE_N, TILE_K, CONSUMERS, CLUSTER_M, CLUSTER_N,
								   MAX_SPLIT, MAX_STAGES, PRODUCERS, B_LAYOUT>;
		if constexpr (VARIANT == REGISTER_STAGED)
			return staged_launch<Element, config, Epilogue>;
		else
			return tma_launch<Element, config, Epilogue>;
	}
}

/* HOPPER_CONFIG, a number, compiles only that configuration, and the small one where it does not
 * fit: for tools that measure configurations. */
#ifndef HOPPER_CONFIG
#define HOPPER_CONFIG -1
#endif

template <class Element, b_layout B_LAYOUT, class Epilogue> struct config_launchers {
	launcher<Epilogue> of[CONFIGS]; // that this object has
	bool compiled[CONFIGS];         // that some object has

	constexpr config_launchers(void) : of(), compiled()
	{
		constexpr int FIRST = __COUNTER__ + 1;
#define CONFIG(variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n, split_k,         \
			   max_split_k, max_stages, producers, ...)                                            \
	set<__COUNTER__ - FIRST, variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n,    \
		max_split_k, max_stages, producers>();
#include "configs.def"
#undef CONFIG
	}

	template <int NUMBER, variant VARIANT, int... FIELDS> constexpr void set(void)
	{
		constexpr bool WANTED =
			(HOPPER_CONFIG < 0 || NUMBER == HOPPER_CONFIG || VARIANT == SMALL) &&
			is_useful<Epilogue>(VARIANT, B_LAYOUT);
		if constexpr (WANTED && part_is_here(NUMBER))
			of[NUMBER] = launcher_of<Element, B_LAYOUT, Epilogue, VARIANT, FIELDS...>();
		compiled[NUMBER] = WANTED;
	}
};

template <class Element, b_layout B_LAYOUT, class Epilogue>
static constexpr config_launchers<Element, B_LAYOUT, Epilogue> LAUNCHERS;

#ifdef SOLUTION_PART
/* What this object's part launches. */
template <class Element, b_layout B_LAYOUT, class Epilogue = epilogue<Element>>
static launcher<Epilogue> part_launcher(void)
{
	return LAUNCHERS<Element, B_LAYOUT, Epilogue>.of[SOLUTION_PART];
}
#endif

static inline bool product_valid(const hopper_gemm &p)
{
	auto fits = [](int size) { return size >= 0 && size <= HOPPER_MAX_SIZE; };
	bool sizes = fits(p.m) && fits(p.n) && fits(p.k) && p.lda >= p.k &&
				 p.ldb >= (p.b_is_k_major ? p.k : p.n) && p.ldc >= p.n;
	bool empty = p.m == 0 || p.n == 0;
	bool operands = p.k == 0 || p.alpha == 0.0f || (p.a != NULL && p.b != NULL);
	bool numbered = p.configuration >= 0 && p.configuration <= CONFIGS;
	return sizes && numbered && (empty || (p.c != NULL && operands));
}

/* What hopper_gemm_workspace() says. */
static inline size_t workspace_bytes(const hopper_gemm &product)
{
	problem q(product, true);
	size_t room = padded_bytes_a(q) + padded_bytes_b(q);
	room += product.batch_invariant ? 0 : split_bytes(q);
	return q.misaligned || room > 0 ? WORKSPACE_HEAD + room : 0;
}

/* Whether beta * C is all that is left to do. Of chains of stages nobody knows what they make of
 * zeros. */
template <class Epilogue> static bool only_scales(const hopper_gemm &product)
{
	return Epilogue::is_alpha_beta && (product.alpha == 0.0f || product.k == 0);
}

template <class Epilogue> static problem problem_of(const hopper_gemm &product, bool workspace)
{
	return problem(product, workspace, {Epilogue::elementwise, Epilogue::instructions});
}

/* The product by configuration `number`, whatever the product names, or by the one that the
 * heuristic chooses if that is -1. HOPPER_INVALID_ARGUMENT if no configuration fits, or that one
 * does not or has other bits than a batch-invariant product's, or B_LAYOUT is not the product's, or
 * its part is not linked. */
template <class Element, b_layout B_LAYOUT = B_N_MAJOR, class Epilogue>
static hopper_status gemm_by(int number, const hopper_gemm &product, const Epilogue &out,
							 void *workspace, size_t bytes, cudaStream_t stream)
{
	constexpr const auto &launchers = LAUNCHERS<Element, B_LAYOUT, Epilogue>;
	if (!product_valid(product) || (product.b_is_k_major != 0) != (B_LAYOUT == B_K_MAJOR))
		return HOPPER_INVALID_ARGUMENT;
	if (product.m == 0 || product.n == 0)
		return HOPPER_OK;
	if (bytes > 0 && (workspace == NULL || bytes < workspace_bytes(product)))
		return HOPPER_WORKSPACE_TOO_SMALL;
	int ordinal;
	const device_table &device = device_get(ordinal);
	if (device.status != HOPPER_OK)
		return device.status;
	launch_context context = {device, ordinal, workspace, stream};
	problem q = problem_of<Epilogue>(product, bytes > 0);
	if (only_scales<Epilogue>(product))
		return scale_launch<Element>(context, q);
	if (product.k == 0)
		return HOPPER_INVALID_ARGUMENT;
	if (number < 0)
		number = config_choose(device, q, launchers.compiled);
	else if (number >= CONFIGS || !config_serves(device, number, q, launchers.compiled,
												 order_wanted(q, launchers.compiled)))
		return HOPPER_INVALID_ARGUMENT;
	if (number < 0) // other configurations would have other bits
		return product.batch_invariant && !q.workspace ? HOPPER_WORKSPACE_TOO_SMALL
													   : HOPPER_INVALID_ARGUMENT;
	launcher<Epilogue> launch = part_linked(number, launchers.of[number]);
	if (launch == NULL)
		return HOPPER_INVALID_ARGUMENT;
	Epilogue pitched = out; // matrices of stages are like C
	pitched.ld = product.ldc;
	epilogue_begin(pitched, stream);
	int split = split_of(device, CONFIG_LINES[number], q);
	return launch(context, q, split, pitched);
}

template <class Element, b_layout B_LAYOUT = B_N_MAJOR, class Epilogue>
static hopper_status gemm(const hopper_gemm &product, const Epilogue &out, void *workspace,
						  size_t bytes, cudaStream_t stream)
{
	return gemm_by<Element, B_LAYOUT>(product.configuration - 1, product, out, workspace, bytes,
									  stream);
}

/* The number of the configuration that gemm() runs, from 0 on; -1 where it needs none, or the
 * product names one that does not fit. */
template <class Element, b_layout B_LAYOUT, class Epilogue>
static int gemm_choice(const hopper_gemm &product, bool workspace)
{
	int ordinal;
	const device_table &device = device_get(ordinal);
	if (!product_valid(product) || product.m == 0 || product.n == 0 || product.k == 0 ||
		only_scales<Epilogue>(product) || device.status != HOPPER_OK)
		return -1;
	const bool *compiled = LAUNCHERS<Element, B_LAYOUT, Epilogue>.compiled;
	problem q = problem_of<Epilogue>(product, workspace);
	int number = product.configuration - 1;
	if (number < 0)
		return config_choose(device, q, compiled);
	return config_serves(device, number, q, compiled, order_wanted(q, compiled)) ? number : -1;
}

/* Counters begin at 0. */
static inline hopper_status workspace_init(void *workspace, size_t bytes, cudaStream_t stream)
{
	if (bytes == 0)
		return HOPPER_OK;
	if (workspace == NULL || (uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0)
		return HOPPER_INVALID_ARGUMENT;
	if (bytes < WORKSPACE_HEAD)
		return HOPPER_WORKSPACE_TOO_SMALL;
	return cudaMemsetAsync(workspace, 0, WORKSPACE_HEAD, stream) == cudaSuccess ? HOPPER_OK
																				: HOPPER_CUDA_ERROR;
}

static inline const char *status_text(hopper_status status)
{
	switch (status) {
	case HOPPER_OK: return "no error";
	case HOPPER_INVALID_ARGUMENT:
		return "a size is negative or too large, a leading dimension too small, a pointer NULL, or "
			   "the configuration does not fit";
	case HOPPER_UNSUPPORTED_DEVICE:
		return "the current device is no Hopper GPU (sm_90), or its driver is too old for TMA";
	case HOPPER_WORKSPACE_TOO_SMALL:
		return "the workspace is smaller than hopper_gemm_workspace() says: give more, or none "
			   "where "
			   "the product is not batch-invariant";
	case HOPPER_CUDA_ERROR: return "a call of CUDA failed: see cudaGetLastError()";
	}
	return "no status of hopper_gemm.h";
}
} // namespace hopper

#endif
