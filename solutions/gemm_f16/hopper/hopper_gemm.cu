/* The functions of hopper_gemm.h, to be compiled into a static library or a program. */
#include "tune.cuh"

template <class Element>
static hopper_status gemm_plain(const hopper_gemm *product, void *workspace, size_t bytes,
								cudaStream_t stream)
{
	if (product == NULL)
		return HOPPER_INVALID_ARGUMENT;
	auto out =
		epilogue_make((Element *)product->c, product->m, product->n, product->alpha, product->beta);
	return product->b_is_k_major
			   ? hopper::gemm<Element, hopper::B_K_MAJOR>(*product, out, workspace, bytes, stream)
			   : hopper::gemm<Element>(*product, out, workspace, bytes, stream);
}

template <class Element>
static hopper_status tune_plain(hopper_gemm *product, void *workspace, size_t bytes,
								cudaStream_t stream)
{
	if (product == NULL)
		return HOPPER_INVALID_ARGUMENT;
	auto out =
		epilogue_make((Element *)product->c, product->m, product->n, product->alpha, product->beta);
	return product->b_is_k_major
			   ? hopper::tune<Element, hopper::B_K_MAJOR>(*product, out, workspace, bytes, stream)
			   : hopper::tune<Element>(*product, out, workspace, bytes, stream);
}

const char *hopper_status_text(enum hopper_status status)
{
	return hopper::status_text(status);
}

enum hopper_status hopper_gemm_workspace(const struct hopper_gemm *product, size_t *bytes)
{
	if (product == NULL || bytes == NULL || !hopper::product_valid(*product))
		return HOPPER_INVALID_ARGUMENT;
	*bytes = hopper::workspace_bytes(*product);
	return HOPPER_OK;
}

enum hopper_status hopper_gemm_workspace_init(void *workspace, size_t bytes, cudaStream_t stream)
{
	return hopper::workspace_init(workspace, bytes, stream);
}

enum hopper_status hopper_gemm_f16(const struct hopper_gemm *product, void *workspace, size_t bytes,
								   cudaStream_t stream)
{
	return gemm_plain<half>(product, workspace, bytes, stream);
}

enum hopper_status hopper_gemm_tune_f16(struct hopper_gemm *product, void *workspace, size_t bytes,
										cudaStream_t stream)
{
	return tune_plain<half>(product, workspace, bytes, stream);
}

#ifndef HOPPER_F16_ONLY /* for tests: half of the time that it takes to compile */
enum hopper_status hopper_gemm_bf16(const struct hopper_gemm *product, void *workspace,
									size_t bytes, cudaStream_t stream)
{
	return gemm_plain<__nv_bfloat16>(product, workspace, bytes, stream);
}

enum hopper_status hopper_gemm_tune_bf16(struct hopper_gemm *product, void *workspace, size_t bytes,
										 cudaStream_t stream)
{
	return tune_plain<__nv_bfloat16>(product, workspace, bytes, stream);
}
#endif
