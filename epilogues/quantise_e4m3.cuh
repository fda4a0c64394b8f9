/* Stores x * scale, rounded to e4m3, saturated at 448; the chain goes on with x.
 *
 * input scale 1 float
 * output codes M N e4m3 */
#ifndef GEMMJUDGE_STAGE_QUANTISE_E4M3_CUH
#define GEMMJUDGE_STAGE_QUANTISE_E4M3_CUH

#include "epilogue_fp8.cuh"
#include "quantise.h"

template <class Element> using stage_quantise_e4m3 = quantise_stage<__nv_fp8_e4m3>;

#endif
