#include "judge/timing/yardstick.h"

#include <math.h>
#include <stdio.h>

#define PASSES_APART 3u  /* of the yardstick, by itself */
#define WORK_MOST 2000.0 /* microseconds; what the way takes hardly changes beyond */
/* The device span of the yardstick's kernel, as that of any other, is longer than what it does:
 * from outside, 26 honest calls of 175 us read 1.5 us too short, and 12 of 80 us 1.4
 * (judge/LOG.md). */
#define KERNEL_MICROSECONDS 1.4

bool yardstick_open(struct yardstick *yardstick, const struct device_choice *device,
					size_t memory_limit, double timeout, struct error *err)
{
	char build[PATHS_MAX];
	if (!paths_build(build, err) ||
		!paths_join(yardstick->library, build, "libexec/yardstick.so", err))
		return false;
	yardstick->link = (struct contestant_link){.device = device,
											   .library = yardstick->library,
											   .problem = PROBLEM_YARDSTICK,
											   .memory_limit = memory_limit,
											   .timeout = timeout,
											   .timed = true};
	struct outcome outcome = contestant_link_open(&yardstick->link);
	return outcome.verdict == VERDICT_ACCEPTED ||
		   error_set(err, "the yardstick of sealed calls does not start: %.900s", outcome.detail);
}

/* What there is besides the work, in a pass like this one, by calls of about as many microseconds.
 */
bool yardstick_pass(struct run *run, struct yardstick *yardstick, const struct sealed_plan *like,
					bool again, double microseconds, struct sealed_times *out,
					struct outcome *outcome, struct error *err)
{
	double work = fmin(fmax(microseconds - YARDSTICK_WAY, 1.0), WORK_MOST);
	struct sealed_plan plan = *like;
	plan.entrant = NULL;
	plan.again = again;
	plan.checks = false;
	plan.nanoseconds = (int32_t)(work * 1e3);
	bool ok = sealed_run(run, &yardstick->link, &plan, out, outcome, err) &&
			  (outcome->verdict == VERDICT_ACCEPTED || outcome->refused ||
			   error_set(err, "the yardstick failed: %.900s", outcome->detail));
	for (uint32_t i = 0; i < out->count; i++)
		out->groups[i].call -= work + KERNEL_MICROSECONDS;
	return ok;
}

bool yardstick_alone(struct run *run, struct yardstick *yardstick, const struct sealed_plan *like,
					 double microseconds, struct sealed_group *way, struct outcome *outcome,
					 struct error *err)
{
	struct samples calls = {0}, reveals = {0};
	bool ok = true;
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	for (uint32_t i = 0; i < PASSES_APART && ok && !outcome->refused; i++) {
		struct sealed_times times;
		ok = yardstick_pass(run, yardstick, like, i > 0, microseconds, &times, outcome, err);
		struct sealed_group mean = sealed_mean(&times);
		float call = (float)mean.call, reveal = (float)mean.reveal;
		ok = ok && ((samples_add(&calls, &call, 1) && samples_add(&reveals, &reveal, 1)) ||
					error_set(err, "out of memory"));
	}
	*way = (struct sealed_group){.call = samples_quantile(&calls, 0.5),
								 .reveal = samples_quantile(&reveals, 0.5)};
	samples_free(&calls);
	samples_free(&reveals);
	return ok;
}

void yardstick_close(struct yardstick *yardstick)
{
	contestant_link_close(&yardstick->link);
}
