/* For stages that read or write __nv_fp8_e4m3: what epilogue_stage.cuh has for other types. Apart,
 * because the header of CUDA's takes long to compile. */
#ifndef GEMMJUDGE_EPILOGUE_FP8_CUH
#define GEMMJUDGE_EPILOGUE_FP8_CUH

#include <cuda_fp8.h>

#include "epilogue_stage.cuh"

__device__ __forceinline__ float epilogue_to_float(__nv_fp8_e4m3 x)
{
	return (float)x;
}
/* Saturates: there is no infinity. */
template <> __device__ __forceinline__ __nv_fp8_e4m3 epilogue_from_float<__nv_fp8_e4m3>(float x)
{
	return __nv_fp8_e4m3(x);
}

#endif
