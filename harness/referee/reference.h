/* What the referee has a device compute for a case, from the problem's tables. Internal to
 * referee/. */
#ifndef GEMMJUDGE_REFEREE_REFERENCE_H
#define GEMMJUDGE_REFEREE_REFERENCE_H

#include "device/referee_device.h"

/* Of the set that is drawn with `seed`. */
struct device_request reference_request(const struct problem *problem, const struct test_case *test,
										uint64_t seed);

#endif
