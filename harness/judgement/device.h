/* The device of a run: what it is, and what it has. */
#ifndef GEMMJUDGE_JUDGEMENT_DEVICE_H
#define GEMMJUDGE_JUDGEMENT_DEVICE_H

#include <stdint.h>

/* Where the solution runs. */
enum device_kind { DEVICE_CUDA, DEVICE_EMULATED };

struct device_properties {
#define RECORD_DEVICE
#include "judgement/record_fields.h"
};

#endif
