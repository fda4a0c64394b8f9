/* SwiGLU: stores silu(gate) * up, where columns 2i and 2i + 1 of C are gate and up of
 * column i: B has the columns of the two weights in turn. The chain goes on with x. Behind the last
 * column of an odd N, up is 0.
 *
 * output gated M N/2 */
#ifndef GEMMJUDGE_STAGE_SWIGLU_CUH
#define GEMMJUDGE_STAGE_SWIGLU_CUH

#include "gated.h"
#include "silu.cuh"

template <class Element> using stage_swiglu = gated_stage<Element, stage_silu<Element>>;

#endif
