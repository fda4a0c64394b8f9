#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gpu/models.h"
#include "judge/judge.h"

#define LAUNCH_SECONDS                                                                             \
	1e-6          /* of a kernel: its first trip to memory and back (batched_f16/NOTES.md) */
#define SAMPLE 16 /* blocks (or clusters) of a launch that are run to count */

bool explain_open(struct explained *explained, const struct judge_options *judge, struct error *err)
{
	struct judge_options timed = *judge;
	timed.mode = JUDGE_TIMES;
	*explained = (struct explained){.judge = judge, .file = judge->files[0]};
	if (!plan_make(&timed, explained->file, &explained->plan, err))
		return false;
	explained->test = &explained->plan.cases[0];
	return true;
}

void explain_free(struct explained *explained)
{
	free(explained->kernels);
	resources_free(&explained->resources);
	count_free(&explained->counted);
	plan_free(&explained->plan);
}

/* ---- bounds --------------------------------------------------------------------------------- */

static void find_bounds(struct explained *explained)
{
	const struct problem *problem = explained->plan.problem;
	const struct tune_gpu *gpu = &explained->gpu;
	struct explain_bounds *bounds = &explained->bounds;
	const double clocks = gpu->multiprocessors * gpu->clock_mhz * 1e6;
	bounds->operations = 2 * shape_terms(&explained->test->shape);
	bounds->bytes = counted_operand_bytes(problem, explained->test);
	bounds->unit = counted_unit(problem);
	if (bounds->unit == UNIT_TENSOR_TF32 || gpu->multiply_adds[bounds->unit] == 0)
		bounds->unit = UNIT_FMA; /* f32 results are wanted */
	double rate = gpu->multiply_adds[bounds->unit];
	if (problem->algebra != ALGEBRA_PLUS_TIMES) /* an addition, and a minimum at half the rate */
		rate = gpu->fma_lanes / 3.0;
	bounds->arithmetic = bounds->operations / 2 / (rate * clocks);
	bounds->memory = bounds->bytes / gpu->dram_bytes_per_second;
	bounds->launch = LAUNCH_SECONDS;
	bounds->least = fmax(fmax(bounds->arithmetic, bounds->memory), bounds->launch);
}

/* The file's own way to f32 products. */
static void bound_narrower(struct explained *explained)
{
	struct explain_bounds *bounds = &explained->bounds;
	const struct tune_gpu *gpu = &explained->gpu;
	double made[UNIT_COUNT] = {0}, lanes = 0, seconds = 0;
	for (size_t i = 0; i < explained->count; i++) {
		lanes += explained->kernels[i].counted.flops;
		for (int unit = UNIT_TENSOR_16; unit < UNIT_COUNT; unit++)
			made[unit] += 2 * explained->kernels[i].demand.multiply_adds[unit];
	}
	double all = 0;
	enum tune_unit most = UNIT_TENSOR_16;
	for (int unit = UNIT_TENSOR_16; unit < UNIT_COUNT; unit++) {
		const double rate = 2.0 * gpu->multiply_adds[unit] * gpu->multiprocessors;
		all += made[unit];
		most = made[unit] > made[most] ? (enum tune_unit)unit : most;
		seconds += made[unit] > 0 && rate > 0 ? made[unit] / (rate * gpu->clock_mhz * 1e6) : 0;
	}
	if (bounds->unit != UNIT_FMA || all <= lanes)
		return;
	bounds->narrower = all;
	bounds->unit = most;
	bounds->arithmetic = seconds;
	bounds->least = fmax(fmax(bounds->arithmetic, bounds->memory), bounds->launch);
}

/* ---- counting and predicting ---------------------------------------------------------------- */

/* CUDA 13 compiles nothing for a V100, and what is compiled for a B200 does not run on the emulated
 * GPU. */
static void choose_emulated(struct explained *explained)
{
	const struct gpu_model *model = gpu_model_standing_for(explained->gpu.compute);
	explained->emulated = model->id;
	explained->architecture = gpu_capability_of(model->compute)->architecture;
}

enum judge_status explain_count(struct explained *explained, const struct judge_progress *progress,
								struct error *err)
{
	struct judge_options judge = *explained->judge;
	choose_emulated(explained);
	find_bounds(explained);
	judge.mode = JUDGE_TIMES;
	judge.emulation.gpu = explained->emulated;
	judge.emulation.sample = SAMPLE;
	judge.emulation.by_line = true;
	const struct count_request request = {
		.options = &judge, .test = explained->test, .architecture = explained->architecture};
	return judge_count(&request, progress, &explained->counted, err);
}

static int by_time(const void *a, const void *b)
{
	const double x = ((const struct explained_kernel *)a)->time.seconds;
	const double y = ((const struct explained_kernel *)b)->time.seconds;
	return (x < y) - (x > y);
}

/* What the problem itself needs of a part, in seconds. */
static double needed(const struct explain_bounds *bounds, enum demand_part part)
{
	switch (part) {
	case DEMAND_ISSUE:
	case DEMAND_FULL:
	case DEMAND_HALF: return bounds->unit == UNIT_FMA ? bounds->arithmetic : 0;
	case DEMAND_TENSOR: return bounds->unit != UNIT_FMA ? bounds->arithmetic : 0;
	case DEMAND_DRAM: return bounds->memory;
	case DEMAND_LAUNCH: return bounds->launch;
	default: return 0;
	}
}

/* Once the whole is known, of which a kernel needs its share. */
static void find_gain(const struct explained *explained, struct explained_kernel *kernel)
{
	const double share = kernel->time.seconds / explained->total.seconds;
	kernel->gain = kernel->time.bound;
	kernel->without = kernel->time.seconds;
	for (int i = 0; i < DEMAND_PARTS; i++) {
		const enum demand_part part = (enum demand_part)i;
		const double seconds =
			demand_without(&kernel->time, part, share * needed(&explained->bounds, part));
		if (part == DEMAND_FULL || part == DEMAND_HALF) /* with the issue slots */
			continue;
		if (seconds < kernel->without) {
			kernel->without = seconds;
			kernel->gain = part;
		}
	}
}

static void predict_kernel(const struct explained *explained, const struct kernel_counters *raw,
						   struct explained_kernel *out)
{
	*out = (struct explained_kernel){.raw = raw};
	for (size_t i = 0; i < raw->count; i++)
		counted_set(&out->counted, raw->counters[i].name, (double)raw->counters[i].value);
	out->resources = resources_find(&explained->resources, raw->name);
	counted_demand(&out->counted, out->resources, &explained->gpu, explained->plan.problem,
				   explained->test, &out->demand);
	out->fits = demand_time(&explained->gpu, &out->demand, &out->time);
}

/* On the GPU at hand, as bench does. */
static void measure(struct explained *explained)
{
	struct judge_options judge = *explained->judge;
	struct judgement_list list = {0};
	struct error err = {{0}};
	judge.mode = JUDGE_TIMES;
	enum judge_status status = judge_run(&judge, NULL, &list, &err);
	const bool ran = (status == JUDGE_DONE) && list.bench_count > 0 && list.bench[0].count > 0 &&
					 list.bench[0].entries[0].ran;
	if (ran) {
		const struct timing_entry *entry = &list.bench[0].entries[0];
		explained->measured = timing_shown(entry, entry->span.samples > 0)->median * 1e-6;
	} else {
		text_format(explained->unmeasured, sizeof explained->unmeasured, "%s",
					status != JUDGE_DONE ? err.message
					: list.bench_count > 0 && list.bench[0].count > 0
						? list.bench[0].entries[0].detail
						: "the file could not be timed");
	}
	judgement_list_free(&list);
}

bool explain_predict(struct explained *explained, struct error *err)
{
	const struct judgement *judgement = &explained->counted.judgement;
	struct error ignored;
	if (!resources_read(explained->counted.compiled.library, &explained->resources, &ignored))
		explained->resources = (struct resources){0};
	explained->kernels = calloc(judgement->kernel_count + 1, sizeof *explained->kernels);
	if (explained->kernels == NULL)
		return error_set(err, "out of memory");
	explained->predicted = judgement->kernel_count > 0 && judgement->verdict == VERDICT_ACCEPTED;
	for (size_t i = 0; i < judgement->kernel_count; i++) {
		struct explained_kernel *kernel = &explained->kernels[explained->count++];
		predict_kernel(explained, &judgement->kernels[i], kernel);
		explained->predicted = explained->predicted && kernel->fits;
		if (kernel->fits)
			demand_add(&explained->total, &kernel->time);
	}
	bound_narrower(explained);
	for (size_t i = 0; i < explained->count; i++)
		if (explained->kernels[i].fits)
			find_gain(explained, &explained->kernels[i]);
	qsort(explained->kernels, explained->count, sizeof *explained->kernels, by_time);
	if (explained->at_hand && explained->predicted)
		measure(explained);
	return true;
}
