#include "judge/timing/meter.h"

#include <time.h>

#include "base/clock.h"
#include "base/thread.h"

static void *read_on(void *context)
{
	struct meter *meter = context;
	const struct timespec pause = {.tv_nsec = (long)(METER_SECONDS * 1e9)};
	for (;;) {
		nanosleep(&pause, NULL);
		if (atomic_load(&meter->stop)) /* the device may be idle by now */
			return NULL;
		double watts = clocks_watts(meter->clocks), mhz = clocks_sample(meter->clocks);
		meter->watts += watts;
		meter->watts_read += watts > 0.0;
		meter->mhz += mhz;
		meter->mhz_read += mhz > 0.0;
	}
}

void meter_begin(struct meter *meter, struct clocks *clocks)
{
	*meter = (struct meter){.clocks = clocks};
	meter->reads = clocks_known(clocks) && thread_start(&meter->thread, read_on, meter);
	meter->millijoules = clocks_millijoules(clocks);
	meter->begun = clock_seconds();
}

struct metered meter_end(struct meter *meter)
{
	atomic_store(&meter->stop, true);
	unsigned long long now = clocks_millijoules(meter->clocks);
	struct metered out = {.seconds = clock_seconds() - meter->begun};
	if (meter->reads)
		pthread_join(meter->thread, NULL);
	if (meter->watts_read > 0)
		out.watts = meter->watts / (double)meter->watts_read;
	if (meter->mhz_read > 0)
		out.mhz = meter->mhz / (double)meter->mhz_read;
	out.joules = out.watts * out.seconds;
	if (meter->millijoules > 0 && now > meter->millijoules && out.seconds > 0.0) {
		out.joules = 1e-3 * (double)(now - meter->millijoules);
		out.watts = out.joules / out.seconds;
	}
	return out;
}
