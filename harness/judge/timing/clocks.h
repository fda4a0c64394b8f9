/* The SM clock and the power while measuring, through NVML (libnvidia-ml.so.1, opened at run
 * time; without it nothing is recorded). */
#ifndef GEMMJUDGE_JUDGE_TIMING_CLOCKS_H
#define GEMMJUDGE_JUDGE_TIMING_CLOCKS_H

#include "judge/timing/stats.h"
#include "judgement/judgement.h"

struct clocks {
	void *library, *device; /* NULL: not available */
	int (*clock_info)(void *device, int type, unsigned *mhz);
	int (*reasons)(void *device, unsigned long long *bits);
	int (*power)(void *device, unsigned *milliwatts);             /* this, and the next: or NULL */
	int (*energy)(void *device, unsigned long long *millijoules); /* since the driver was loaded */
	bool power_cap_expected; /* that the power holds the clock down is no slowdown: a steady stream
							  */
	double limit_mhz;
	unsigned long long seen; /* reasons, or-ed */
	struct samples mhz;
};

/* pci_bus_id as in device_properties. Always succeeds; clocks without NVML are empty. */
void clocks_open(struct clocks *clocks, const char *pci_bus_id);
void clocks_begin(struct clocks *clocks);       /* forgets what was sampled */
bool clocks_known(const struct clocks *clocks); /* whether there is NVML */
/* To be called right after device work, before the clock falls, or during it. The clock in MHz; 0:
 * unknown. */
double clocks_sample(struct clocks *clocks);
/* What the whole device takes now, and has taken; 0: unknown. */
double clocks_watts(const struct clocks *clocks);
unsigned long long clocks_millijoules(const struct clocks *clocks);
/* Writes the clock fields of the result. */
void clocks_report(struct clocks *clocks, struct timing_result *out);
/* The least memory that a GPU of this machine has, in bytes; 0: NVML does not say. */
uint64_t clocks_least_memory(void);

void clocks_close(struct clocks *clocks);

#endif
