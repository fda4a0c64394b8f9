#include "judge/timing/calibration.h"

#include <math.h>
#include <stdio.h>

#include "base/thread.h"

#define PASSES_APART 3u  /* of the calibration kernel, by itself */
#define WORK_MOST 2000.0 /* microseconds; the round-trip overhead hardly changes beyond */
/* The device span of the calibration kernel, as that of any other, is longer than what it
 * does: on the host, 26 honest calls of 175 us read 1.5 us too short, and 12 of 80 us 1.4
 * (an H200). */
#define KERNEL_MICROSECONDS 1.4

static bool process_open(struct calibration *self, struct error *err)
{
	char build[PATHS_MAX];
	if (!paths_build(build, err) ||
		!paths_join(self->library, build, "libexec/calibration.so", err))
		return false;
	struct outcome outcome = contestant_link_open(&self->link);
	if (outcome.verdict != VERDICT_ACCEPTED &&
		self->setup.lent > 0) { /* whoever had it was killed */
		self->setup.lent = 0;
		outcome = contestant_link_open(&self->link);
	}
	return outcome.verdict == VERDICT_ACCEPTED ||
		   error_set(err, "the calibration kernel of sealed calls does not start: %s",
					 outcome.detail);
}

static void *start(void *context)
{
	struct calibration *self = context;
	self->opened = process_open(self, &self->why);
	return NULL;
}

void calibration_start(struct calibration *calibration, const struct device_choice *device,
					   const struct timeline_of *spends, const struct judge_loan *lent,
					   size_t memory_limit, double timeout)
{
	calibration->device = *device;
	calibration->setup = (struct contestant_setup){.device = &calibration->device,
												   .spends = spends,
												   .library = calibration->library,
												   .problem = PROBLEM_CALIBRATION,
												   .memory_limit = memory_limit,
												   .timeout = timeout,
												   .lent = lent != NULL ? lent->channel : 0,
												   .lent_program = lent != NULL ? lent->program : 0,
												   .timed = true};
	calibration->link = (struct contestant_link){.setup = &calibration->setup};
	pthread_mutex_init(&calibration->waits, NULL);
	calibration->starting = thread_start(&calibration->thread, start, calibration);
	if (!calibration->starting)
		start(calibration);
}

bool calibration_wait(struct calibration *calibration, struct error *err)
{
	pthread_mutex_lock(&calibration->waits);
	if (calibration->starting)
		pthread_join(calibration->thread, NULL);
	calibration->starting = false;
	pthread_mutex_unlock(&calibration->waits);
	return calibration->opened || error_set(err, "%s", calibration->why.message);
}

void calibration_close(struct calibration *calibration)
{
	struct error ignored;
	calibration_wait(calibration, &ignored);
	contestant_link_close(&calibration->link);
	pthread_mutex_destroy(&calibration->waits);
}

struct sealed_plan calibration_plan(const struct sealed_plan *like, bool again, double microseconds)
{
	struct sealed_plan plan = *like;
	plan.entrant = NULL;
	plan.again = again;
	plan.checks = false;
	plan.nanoseconds =
		(int32_t)(fmin(fmax(microseconds - CALIBRATION_OVERHEAD, 1.0), WORK_MOST) * 1e3);
	return plan;
}

/* What there is besides the work. */
bool calibration_pass(struct run *run, struct calibration *calibration,
					  const struct sealed_plan *plan, struct sealed_times *out,
					  struct outcome *outcome, struct error *err)
{
	bool ok = sealed_run(run, &calibration->link, plan, out, outcome, err) &&
			  (outcome->verdict == VERDICT_ACCEPTED || outcome->refused ||
			   error_set(err, "the calibration kernel failed: %s", outcome->detail));
	for (uint32_t i = 0; i < out->count; i++)
		out->groups[i].call -= plan->nanoseconds * 1e-3 + KERNEL_MICROSECONDS;
	return ok;
}

bool calibration_overhead(struct run *run, struct calibration *calibration,
						  const struct sealed_plan *plan, struct sealed_group *overhead,
						  struct outcome *outcome, struct error *err)
{
	struct sealed_plan pass = *plan;
	struct samples calls = {0}, releases = {0};
	bool ok = true;
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	for (uint32_t i = 0; i < PASSES_APART && ok && !outcome->refused; i++) {
		struct sealed_times times;
		ok = calibration_pass(run, calibration, &pass, &times, outcome, err);
		pass.again = true;
		struct sealed_group mean = sealed_mean(&times);
		float call = (float)mean.call, release = (float)mean.release;
		ok = ok && ((samples_add(&calls, &call, 1) && samples_add(&releases, &release, 1)) ||
					error_set(err, "out of memory"));
	}
	*overhead = (struct sealed_group){.call = samples_quantile(&calls, 0.5),
									  .release = samples_quantile(&releases, 0.5)};
	samples_free(&calls);
	samples_free(&releases);
	return ok;
}
