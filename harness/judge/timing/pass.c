#include "judge/timing/pass.h"

#define SLOW_MICROSECONDS 2000.0  /* from here on neither caches nor launches matter */
#define PASS_MICROSECONDS 20000.0 /* of slow calls, unless two of them take longer */
#define COLD_MICROSECONDS 10000.0 /* from here on a first call is no slower than others */
#define CALLS_MIN 2u
#define SAMPLES_MIN 40u  /* before the interval is believed */
#define SAMPLES_SLOW 12u /* the same of slow calls, each of which is a mean over much work */
#define EVENTS_MIN 6u    /* times between events */
#define EVENTS_SLOW 4u
#define PASSES_MIN 6u      /* so that a rank test can tell two runs apart */
#define WIDTH_WANTED 0.005 /* of the 95% interval, relative to the median */
#define WHOLES 4u          /* passes to a result that is compared as a whole */
#define CHECK_SHARE 0.3    /* of the time may go into comparing, before only rows are */

struct pass_plan pass_plan(uint32_t sets, double microseconds)
{
	if (!(microseconds > SLOW_MICROSECONDS))
		return (struct pass_plan){.warmups = PASS_WARMUPS, .calls = sets - PASS_WARMUPS};
	struct pass_plan plan = {.warmups = microseconds < COLD_MICROSECONDS, .calls = CALLS_MIN};
	double within = PASS_MICROSECONDS / microseconds - plan.warmups;
	if (within > CALLS_MIN)
		plan.calls = (uint32_t)within;
	if (plan.calls > sets - plan.warmups)
		plan.calls = sets - plan.warmups;
	return plan;
}

bool pass_enough(struct samples *times, const struct samples *event, uint32_t passes)
{
	struct timing_stats stats = stats_of(times);
	const bool slow = stats.median > SLOW_MICROSECONDS;
	return passes >= PASSES_MIN && event->count >= (slow ? EVENTS_SLOW : EVENTS_MIN) &&
		   stats.samples >= (slow ? SAMPLES_SLOW : SAMPLES_MIN) &&
		   stats_relative_width(&stats) <= WIDTH_WANTED;
}

uint32_t pass_rows(bool first, uint64_t drawn, double checking, double elapsed)
{
	bool whole = drawn % WHOLES == 0 && checking < CHECK_SHARE * elapsed;
	return first || whole ? 0 : PASS_ROWS;
}
