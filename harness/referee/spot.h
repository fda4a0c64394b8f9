/* Spot checks of the reference: elements computed once more on the CPU, from values drawn
 * anew. Nothing is copied from the device, so that a fault in the library, in the
 * device's fill or in a copy shows. */
#ifndef GEMMJUDGE_REFEREE_SPOT_H
#define GEMMJUDGE_REFEREE_SPOT_H

#include "device/referee_device.h"

#define SPOT_CHECKS 16

/* Compares SPOT_CHECKS elements (the corners and random ones; with fewer elements
 * some of them twice): with a dot product in f64, a minimum in f32, or, of shortest paths, with
 * the least over the last edge (Bellman's equation). Returns how many disagree. */
uint32_t spot_check(const struct device_request *request, const struct device_product *product);

#endif
