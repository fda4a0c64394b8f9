/* Tile configuration HOPPER_CONFIG (tools/cost_model_part.cuh). */
#include "cost_model_part.cuh"

template <hopper::b_layout B_LAYOUT>
static hopper_status call(const hopper_gemm &product, void *workspace, size_t bytes,
						  cudaStream_t stream)
{
	auto out = epilogue_make((half *)product.c, product.m, product.n, product.alpha, product.beta);
	return hopper::gemm_by<half, B_LAYOUT>(HOPPER_CONFIG, product, out, workspace, bytes, stream);
}

static part here(HOPPER_CONFIG, call<hopper::B_N_MAJOR>, call<hopper::B_K_MAJOR>);
