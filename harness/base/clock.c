#include "base/clock.h"

#include <time.h>

double clock_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void clock_date(char out[CLOCK_DATE])
{
	struct tm utc;
	time_t now = time(NULL);
	gmtime_r(&now, &utc);
	strftime(out, CLOCK_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
