/* links: judge compile jail process testcases base; label: threads */
/* How many sealed passes a file makes before its time is confirmed, on a machine that is made up
 * here, and how often the overhead is measured. Its clock moves by what is asked for alone. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "judge/timing/calibration.h"
#include "judge/timing/groups.h"
#include "process/cpu.h"

#define OVERHEAD 40.0
#define RELEASE 90.0
#define PASS_SECONDS 0.04 /* besides its calls */

static struct made {
	double now;
	double work;    /* microseconds of a call */
	double scatter; /* of a call, each second group's is so much longer */
	bool refuses;   /* the referee has no memory for groups of the calibration kernel */
	size_t passes, calibrations, overheads, held, started, closed;
	uint32_t wholes, rows; /* of the last plan */
} made;

static double made_seconds(void)
{
	return made.now;
}

static void fill(const struct sealed_plan *plan, double work, struct sealed_times *out)
{
	*out = (struct sealed_times){.count = plan->groups - 1,
								 .calls = 2 + (plan->groups - 1) * plan->calls};
	for (uint32_t g = 0; g < out->count; g++)
		out->groups[g] = (struct sealed_group){
			.release = RELEASE, .call = OVERHEAD + work + (g % 2 == 1 ? made.scatter : 0)};
}

static bool made_sealed(struct run *run, struct contestant_link *link,
						const struct sealed_plan *plan, struct sealed_times *out,
						struct outcome *outcome, struct error *err)
{
	(void)run, (void)link, (void)err;
	made.passes++;
	made.wholes = plan->wholes;
	made.rows = plan->rows;
	made.now += PASS_SECONDS + 1e-6 * plan->groups * plan->calls * made.work;
	fill(plan, made.work, out);
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	return true;
}

static bool made_calibration(struct run *run, struct calibration *calibration,
							 const struct sealed_plan *plan, struct sealed_times *out,
							 struct outcome *outcome, struct error *err)
{
	(void)run, (void)calibration, (void)outcome, (void)err;
	made.calibrations++;
	fill(plan, 0, out);
	return true;
}

static bool made_overhead(struct run *run, struct calibration *calibration,
						  const struct sealed_plan *plan, struct sealed_group *overhead,
						  struct outcome *outcome, struct error *err)
{
	(void)run, (void)calibration, (void)plan, (void)err;
	made.overheads++;
	*overhead = (struct sealed_group){.release = RELEASE, .call = OVERHEAD};
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED, .refused = made.refuses};
	return true;
}

static bool made_hold(struct child *child, int cpu)
{
	(void)child, (void)cpu;
	made.held++;
	return true;
}

static void made_start(struct calibration *calibration, const struct device_choice *device,
					   const struct timeline_of *spends, const struct judge_loan *lent,
					   size_t memory_limit, double timeout)
{
	(void)calibration, (void)device, (void)spends, (void)lent, (void)memory_limit, (void)timeout;
	made.started++;
}

static void made_close(struct calibration *calibration)
{
	(void)calibration;
	made.closed++;
}

static void made_nothing(struct child *child)
{
	(void)child;
}

#define clock_seconds made_seconds
#define sealed_run made_sealed
#define calibration_pass made_calibration
#define calibration_overhead made_overhead
#define calibration_start made_start
#define calibration_close made_close
#define child_hold made_hold
#define child_is_held(child, cpu) true
#define child_pause made_nothing
#define child_continue made_nothing
#include "judge/timing/confirm.c" /* NOLINT(bugprone-suspicious-include) */

static const struct judge_options options = {.mode = JUDGE_CHECKS};

/* An H200's memory and peaks. */
static struct run run_of(void)
{
	struct run run = {.options = &options, .timeout = 10};
	snprintf(run.referee.facts.architecture, sizeof run.referee.facts.architecture, "90a");
	run.referee.facts.memory_bytes = 141ull << 30;
	run.referee.facts.l2_bytes = 60u << 20;
	return run;
}

static const struct shape large = {{1, 4096, 4096, 4096, 1}};

/* A file of 4096 x 4096 x 4096 whose calls take made.work, and whose process says `claim`. */
static struct timing_entry confirmed(double claim, double floor)
{
	static const float scalars[] = {1, 0};
	const struct problem *problem = problem_find("sgemm");
	struct run run = run_of();
	struct calibration calibration = {.before = OVERHEAD, .link.jail.can_seal = true};
	struct entrant entrant = {.label = "x.cu"};
	struct lane lane = {.entrant = &entrant, .running = true};
	struct timing_entry entry = {.ran = true,
								 .role = TIMING_FILE,
								 .span = {.samples = 18, .median = claim},
								 .event = {.samples = 6, .median = claim},
								 .seal.floor = floor};
	struct timing_result result = {.test = case_of_shape(problem, &large, scalars, 1),
								   .count = 1,
								   .entries = &entry,
								   .seconds = 0.6};
	struct error err;
	made = (struct made){.work = made.work, .scatter = made.scatter};
	cr_assert(confirm(&run, problem, &calibration, &lane, &result, &err), "%s", err.message);
	return entry;
}

Test(confirm, slow_calls_are_confirmed_in_two_passes)
{
	made.work = 15000;
	struct timing_entry entry = confirmed(15000, 300);
	cr_expect_eq(entry.seal.state, SEAL_CONFIRMED, "%g +- %g", entry.seal.host_side,
				 entry.seal.uncertainty);
	cr_expect_eq(made.passes, 2);
	cr_expect_eq(made.calibrations, 2, "one after each pass");
	cr_expect_eq(made.overheads, 1, "when its process has ended");
	cr_expect(made.wholes == 2 && made.rows == 32, "as many results and rows as in four passes");
}

Test(confirm, fast_calls_make_as_many_passes_as_their_groups_are_counted_out_for)
{
	made.work = 400;
	struct timing_entry entry = confirmed(400, 300);
	cr_expect_eq(entry.seal.state, SEAL_CONFIRMED);
	cr_expect_eq(made.passes, 4);
	cr_expect(made.wholes == 4 && made.rows == 16);
}

/* As long as a claim is not confirmed there are as many passes as before: the machine may be slow
 * for a moment. */
Test(confirm, slow_calls_that_are_slower_than_they_say_have_four_passes)
{
	made.work = 16000;
	struct timing_entry entry = confirmed(15000, 300);
	cr_expect_eq(entry.seal.state, SEAL_HOST_SIDE);
	cr_expect_geq(made.passes, 4);
}

Test(confirm, slow_calls_that_scatter_have_more_passes)
{
	made.work = 15000;
	made.scatter = 1200;
	confirmed(15000, 300);
	cr_expect_gt(made.passes, 2);
}

static void begin(struct run *run, struct calibration *calibration, const struct shape *shape)
{
	static const float scalars[] = {1, 0};
	const struct problem *problem = problem_find("sgemm");
	const struct timing_result result = {.test = case_of_shape(problem, shape, scalars, 1)};
	struct error err;
	cr_assert(calibration_before(run, calibration, problem, &result, &err), "%s", err.message);
}

Test(confirm, files_of_one_shape_share_the_overhead_before_them)
{
	static const struct shape other = {{1, 4096, 4096, 2048, 1}};
	struct run run = run_of();
	struct calibration calibration = {.link.jail.can_seal = true};
	made = (struct made){.now = 1000};
	begin(&run, &calibration, &large);
	made.now += BEFORE_SECONDS - 1;
	begin(&run, &calibration, &large);
	cr_expect_eq(made.overheads, 1);
	cr_expect_eq(made.held, 1, "on the CPU where it was measured");
	cr_expect_eq(calibration.before, OVERHEAD);
	made.now += 2;
	begin(&run, &calibration, &large);
	cr_expect_eq(made.overheads, 2, "a minute ago");
	begin(&run, &calibration, &other);
	cr_expect_eq(made.overheads, 3, "another shape");
	begin(&run, &calibration, &large);
	cr_expect_eq(made.overheads, 4);
}

Test(confirm, an_overhead_that_there_is_no_memory_for_is_asked_for_again)
{
	struct run run = run_of();
	struct calibration calibration = {.link.jail.can_seal = true};
	made = (struct made){.now = 1000, .refuses = true};
	begin(&run, &calibration, &large);
	made.refuses = false;
	begin(&run, &calibration, &large);
	cr_expect_eq(made.overheads, 2);
	begin(&run, &calibration, &large);
	cr_expect_eq(made.overheads, 2);
}

/* ---- one calibration kernel ------------------------------------------------------------ */

Test(confirm, files_of_a_run_have_one_calibration_kernel)
{
	struct run run = run_of();
	made = (struct made){.now = 0};
	run.referee.device.kind = DEVICE_CUDA;
	for (int file = 0; file < 3; file++)
		confirm_ahead(&run);
	cr_expect(run.calibration != NULL && made.started == 1);
	confirm_ahead_end(&run);
	cr_expect(run.calibration == NULL && made.closed == 1);
	run.referee.device.kind = DEVICE_EMULATED;
	confirm_ahead(&run);
	cr_expect_eq(made.started, 1);
}

Test(confirm, runs_on_a_device_share_a_calibration_kernel)
{
	struct calibration_share share;
	struct run runs[3];
	made = (struct made){.now = 0};
	confirm_share(&share);
	for (int i = 0; i < 3; i++) {
		runs[i] = run_of();
		runs[i].referee.device.kind = DEVICE_CUDA;
		runs[i].calibrations = &share;
		confirm_ahead(&runs[i]);
		cr_expect(runs[i].calibration != NULL && runs[i].calibration == runs[0].calibration);
	}
	cr_expect_eq(made.started, 1);
	for (int i = 0; i < 3; i++)
		confirm_ahead_end(&runs[i]);
	cr_expect_eq(made.closed, 0, "another run may use it still");
	confirm_share_end(&share);
	cr_expect_eq(made.closed, 1);
	confirm_share(&share);
	confirm_share_end(&share);
	cr_expect_eq(made.closed, 1, "nobody has started any");
}
