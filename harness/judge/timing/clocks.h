/* The SM clock while measuring, through NVML (libnvidia-ml.so.1, opened at run
 * time; without it nothing is recorded). */
#ifndef GEMMJUDGE_JUDGE_TIMING_CLOCKS_H
#define GEMMJUDGE_JUDGE_TIMING_CLOCKS_H

#include "judge/timing/stats.h"
#include "judgement/judgement.h"

struct clocks {
	void *library, *device; /* NULL: not available */
	int (*clock_info)(void *device, int type, unsigned *mhz);
	int (*reasons)(void *device, unsigned long long *bits);
	double limit_mhz;
	unsigned long long seen; /* reasons, or-ed */
	struct samples mhz;
};

/* pci_bus_id as in device_properties. Always succeeds; clocks without NVML are empty. */
void clocks_open(struct clocks *clocks, const char *pci_bus_id);
/* To be called right after device work, before the clock falls. */
void clocks_sample(struct clocks *clocks);
/* Writes the clock fields of the result. */
void clocks_report(struct clocks *clocks, struct timing_result *out);
void clocks_close(struct clocks *clocks);

#endif
