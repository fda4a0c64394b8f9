/* What NVML says of a stretch of work on the device: its energy, power and SM clock. Internal to
 * judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_METER_H
#define GEMMJUDGE_JUDGE_TIMING_METER_H

#include <pthread.h>
#include <stdatomic.h>

#include "judge/timing/clocks.h"

/* Power and clock are read so often meanwhile, by a thread: afterwards they have changed. */
#define METER_SECONDS 0.05

struct metered {
	double seconds; /* of the supervisor's clock */
	double joules;  /* of the whole GPU; 0: unknown, as are the next two */
	double watts, mhz;
};

struct meter {
	struct clocks *clocks; /* gets the clocks that were seen, too */
	pthread_t thread;
	bool reads; /* the thread runs */
	atomic_bool stop;
	double begun;
	unsigned long long millijoules; /* of the device's counter, then; 0: it has none */
	double watts, mhz;              /* sums of what was read */
	size_t watts_read, mhz_read;
};

/* `clocks` is borrowed until meter_end(), and may be empty. */
void meter_begin(struct meter *meter, struct clocks *clocks);

/* Joules by the device's counter where it has one, else by the mean of the power. */
struct metered meter_end(struct meter *meter);

#endif
