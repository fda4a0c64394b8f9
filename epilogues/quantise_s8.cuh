/* Stores x * scale, rounded to an integer from -128 to 127; the chain goes on with x.
 *
 * input scale 1 float
 * output codes M N int8 */
#ifndef GEMMJUDGE_STAGE_QUANTISE_S8_CUH
#define GEMMJUDGE_STAGE_QUANTISE_S8_CUH

#include "quantise.h"

template <class Element> using stage_quantise_s8 = quantise_stage<int8_t>;

#endif
