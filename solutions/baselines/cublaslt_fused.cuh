/* The epilogues that cuBLASLt fuses itself, as chains: relu, gelu, bias, and bias
 * followed by either, each with or without alpha_beta before.
 *
 * The library sees C^T, column-major and N x M, and its bias has one value for each
 * of its rows: those are the columns of C, so that its bias is our `bias` along N.
 * There is none for `bias_rows`. */
#ifndef GEMMJUDGE_BASELINE_CUBLASLT_FUSED_CUH
#define GEMMJUDGE_BASELINE_CUBLASLT_FUSED_CUH

#include "cublaslt.cuh"

#include "epilogue.cuh"

#include "alpha_beta.cuh"
#include "bias.cuh"
#include "gelu.cuh"
#include "relu.cuh"

template <class Chain> struct lt_stages {
	static constexpr bool known = false;
	static lt_epilogue of(const Chain &)
	{
		return {};
	}
};
template <class E> struct lt_stages<epilogue_chain<stage_relu<E>>> {
	static constexpr bool known = true;
	static lt_epilogue of(const epilogue_chain<stage_relu<E>> &)
	{
		return {CUBLASLT_EPILOGUE_RELU, NULL};
	}
};
template <class E> struct lt_stages<epilogue_chain<stage_gelu<E>>> {
	static constexpr bool known = true;
	static lt_epilogue of(const epilogue_chain<stage_gelu<E>> &)
	{
		return {CUBLASLT_EPILOGUE_GELU, NULL};
	}
};
template <class E> struct lt_stages<epilogue_chain<stage_bias<E>>> {
	static constexpr bool known = true;
	static lt_epilogue of(const epilogue_chain<stage_bias<E>> &chain)
	{
		return {CUBLASLT_EPILOGUE_BIAS, chain.first.bias};
	}
};
template <class E> struct lt_stages<epilogue_chain<stage_bias<E>, stage_relu<E>>> {
	static constexpr bool known = true;
	static lt_epilogue of(const epilogue_chain<stage_bias<E>, stage_relu<E>> &chain)
	{
		return {CUBLASLT_EPILOGUE_RELU_BIAS, chain.first.bias};
	}
};
template <class E> struct lt_stages<epilogue_chain<stage_bias<E>, stage_gelu<E>>> {
	static constexpr bool known = true;
	static lt_epilogue of(const epilogue_chain<stage_bias<E>, stage_gelu<E>> &chain)
	{
		return {CUBLASLT_EPILOGUE_GELU_BIAS, chain.first.bias};
	}
};
template <class E, class... Rest> struct lt_stages<epilogue_chain<stage_alpha_beta<E>, Rest...>> {
	static constexpr bool known = lt_stages<epilogue_chain<Rest...>>::known;
	static lt_epilogue of(const epilogue_chain<stage_alpha_beta<E>, Rest...> &chain)
	{
		return lt_stages<epilogue_chain<Rest...>>::of(chain.rest);
	}
};
template <class Chain> struct lt_scales : std::false_type {
};
template <class E, class... Rest>
struct lt_scales<epilogue_chain<stage_alpha_beta<E>, Rest...>> : std::true_type {
};

template <class Element>
static void baseline_cublaslt_fused(const Element *A, const Element *B, Element *C, int m, int n,
									int k, float alpha, float beta,
									baseline_layout layout = BASELINE_B_PLAIN, int batch = 1)
{
	auto made = epilogue_make(C, batch * m, n, alpha, beta);
	using chain = decltype(made.stages);
	static_assert(lt_stages<chain>::known, "cuBLASLt has no epilogue for this chain");
	constexpr bool scales = lt_scales<chain>::value;
	baseline_cublaslt(A, B, C, m, n, k, scales ? alpha : 1.0f, scales ? beta : 0.0f,
					  lt_stages<chain>::of(made.stages), layout, batch);
}

#endif
