/* A solution's bounds and bottlenecks in sentences, for the text and the page. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explain/explain.h"

const char *explain_time(double seconds, char out[EXPLAIN_NUMBER])
{
	const double us = seconds * 1e6;
	snprintf(out, EXPLAIN_NUMBER, us < 9999.5 ? "%.4g us" : "%.4g ms", us < 9999.5 ? us : us / 1e3);
	return out;
}

static const char *bytes_text(double bytes, char out[32])
{
	static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
	size_t i = 0;
	for (; bytes >= 1000 && i < 4; i++)
		bytes /= 1000;
	snprintf(out, 32, "%.4g %s", bytes, units[i]);
	return out;
}

static const char *count_text(double count, char out[32])
{
	static const char units[] = " kMGTP";
	size_t i = 0;
	for (; count >= 10000 && i < 5; i++)
		count /= 1000;
	snprintf(out, 32, i == 0 ? "%.4g" : "%.4g%c", count, units[i]);
	return out;
}

void explain_say_shape(const struct explained *explained, char out[EXPLAIN_TEXT])
{
	char sizes[SHAPE_TEXT];
	shape_print(explained->plan.problem, &explained->test->shape, sizes);
	snprintf(out, EXPLAIN_TEXT, "%s %s on %s", explained->plan.problem->name, sizes,
			 explained->gpu.name);
}

void explain_say_bounds(const struct explained *explained, char out[EXPLAIN_TEXT])
{
	const struct explain_bounds *b = &explained->bounds;
	const char *const units[UNIT_COUNT] = {"f32 lanes", "tensor cores (16 bits)",
										   "tensor cores (TF32)", "tensor cores (8 bits)"};
	const bool narrower = b->narrower > 0;
	char operations[32], bytes[32], a[32], m[32], least[32];
	const bool closure = explained->plan.problem->algebra == ALGEBRA_SHORTEST_PATHS;
	snprintf(out, EXPLAIN_TEXT,
			 "%s takes less than %s: %s operations on %s take %s%s, %s of operands from memory "
			 "%s",
			 narrower ? "no call that makes f32 products of narrower ones like this" : "no call",
			 explain_time(b->least, least),
			 count_text(narrower ? b->narrower : b->operations, operations), units[b->unit],
			 explain_time(b->arithmetic, a), closure ? " (a closure may need fewer)" : "",
			 bytes_text(b->bytes, bytes), explain_time(b->memory, m));
}

/* ---- a kernel ----------------------------------------------------------------------------- */

void explain_say_registers(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT])
{
	const struct kernel_resources *r = kernel->resources;
	int used = 0;
	if (r != NULL)
		used = snprintf(out, EXPLAIN_TEXT, "%d registers a thread%s", r->registers,
						r->stack_bytes > 0 ? "" : ", none spilled");
	else
		used = snprintf(out, EXPLAIN_TEXT, "registers unknown (32 taken)");
	if (r != NULL && r->stack_bytes > 0)
		used += snprintf(out + used, EXPLAIN_TEXT - (size_t)used,
						 ", and %lld bytes of its own memory (arrays, spilled registers)",
						 (long long)r->stack_bytes);
	snprintf(out + used, EXPLAIN_TEXT - (size_t)used, ", %.4g KiB of shared memory a block",
			 (double)kernel->demand.shared_bytes / 1024);
}

void explain_say_occupancy(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT])
{
	const struct occupancy *o = &kernel->time.occupancy;
	if (!kernel->fits)
		snprintf(out, EXPLAIN_TEXT, "no block fits a multiprocessor of this GPU: too much of %s",
				 occupancy_limit_name(o->limit));
	else if (o->share >= 0.999)
		snprintf(out, EXPLAIN_TEXT, "%d block%s a multiprocessor, all of its warps", o->blocks,
				 text_plural((size_t)o->blocks));
	else if (o->limit == OCCUPANCY_BLOCKS)
		snprintf(out, EXPLAIN_TEXT,
				 "%d blocks a multiprocessor, the most there are, %.0f%% of its warps", o->blocks,
				 o->share * 100);
	else
		snprintf(out, EXPLAIN_TEXT,
				 "%d block%s a multiprocessor, %.0f%% of its warps; %s would have to be fewer for "
				 "more",
				 o->blocks, text_plural((size_t)o->blocks), o->share * 100,
				 o->limit == OCCUPANCY_SHARED ? "bytes of shared memory"
											  : occupancy_limit_name(o->limit));
}

void explain_say_waves(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT])
{
	snprintf(out, EXPLAIN_TEXT,
			 "%.3g wave%s of blocks; %.0f%% of the multiprocessors' time is "
			 "lost to the last one",
			 kernel->time.waves, kernel->time.waves == 1 ? "" : "s", kernel->time.idle * 100);
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

void explain_say_instructions(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT])
{
	const struct counted_kernel *k = &kernel->counted;
	const double operations = k->flops + k->tensor_flops;
	snprintf(out, EXPLAIN_TEXT,
			 "%.3g instructions of warps for 1000 operations, %.0f%% of these on tensor cores",
			 1000 * ratio(k->instructions, operations), 100 * ratio(k->tensor_flops, operations));
}

void explain_say_global(const struct explained *explained, const struct explained_kernel *kernel,
						char out[EXPLAIN_TEXT])
{
	const struct counted_kernel *k = &kernel->counted;
	char l2[32], dram[32];
	int used = snprintf(out, EXPLAIN_TEXT, "global memory: ");
	if (k->load_requests > 0)
		used += snprintf(out + used, EXPLAIN_TEXT - (size_t)used, "%.3g sector%s a load, ",
						 ratio(k->load_sectors, k->load_requests),
						 k->load_sectors == k->load_requests ? "" : "s");
	if (k->store_requests > 0)
		used += snprintf(out + used, EXPLAIN_TEXT - (size_t)used, "%.3g a store, ",
						 ratio(k->store_sectors, k->store_requests));
	snprintf(out + used, EXPLAIN_TEXT - (size_t)used,
			 "%s from L2 (%.3g times the operands), about %s from memory (%.3g times)",
			 bytes_text(kernel->demand.l2_bytes, l2),
			 ratio(kernel->demand.l2_bytes, explained->bounds.bytes),
			 bytes_text(kernel->demand.dram_bytes, dram),
			 ratio(kernel->demand.dram_bytes, explained->bounds.bytes));
}

bool explain_say_shared(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT])
{
	const struct counted_kernel *k = &kernel->counted;
	const double passes = counted_shared_passes(k);
	snprintf(out, EXPLAIN_TEXT, "shared memory: %.0f%% of its passes are bank conflicts",
			 100 * ratio(k->shared_load_conflicts + k->shared_store_conflicts, passes));
	return passes > 0;
}

void explain_say_bound(const struct explained *explained, const struct explained_kernel *kernel,
					   char out[EXPLAIN_TEXT])
{
	char words[EXPLAIN_WORDS];
	explain_bottleneck(explained, kernel, kernel->time.bound, words);
	snprintf(out, EXPLAIN_TEXT, "bound by %s", words);
}

static bool same_part(enum demand_part a, enum demand_part b)
{
	const bool instructions = a == DEMAND_ISSUE || a == DEMAND_FULL || a == DEMAND_HALF;
	return a == b || (instructions && (b == DEMAND_ISSUE || b == DEMAND_FULL || b == DEMAND_HALF));
}

bool explain_say_gain(const struct explained *explained, const struct explained_kernel *kernel,
					  char out[EXPLAIN_TEXT])
{
	char words[EXPLAIN_WORDS], time[EXPLAIN_NUMBER];
	explain_bottleneck(explained, kernel, kernel->gain, words);
	snprintf(out, EXPLAIN_TEXT, "most is to be gained (%s would remain) at %s",
			 explain_time(kernel->without, time), words);
	return !same_part(kernel->time.bound, kernel->gain);
}

void explain_say_launch(const struct explained_kernel *kernel, char out[EXPLAIN_TEXT])
{
	const double launches = kernel->counted.launches, blocks = kernel->demand.blocks;
	snprintf(out, EXPLAIN_TEXT, "%.0f launch%s of %.0f block%s of %d threads", launches,
			 launches == 1 ? "" : "es", blocks, blocks == 1 ? "" : "s", kernel->demand.threads);
}

void explain_source(const char *file, const char *place, char out[EXPLAIN_TEXT])
{
	const char *colon = strrchr(place, ':'), *slash = strrchr(file, '/');
	char path[PATHS_MAX], text[EXPLAIN_TEXT] = "";
	out[0] = '\0';
	if (colon == NULL)
		return;
	snprintf(path, sizeof path, "%.*s%.*s", slash != NULL ? (int)(slash - file + 1) : 0, file,
			 (int)(colon - place), place);
	FILE *source = fopen(path, "r");
	long number = strtol(colon + 1, NULL, 10);
	while (source != NULL && number > 0 && fgets(text, sizeof text, source) != NULL)
		if (strchr(text, '\n') != NULL || feof(source))
			number--;
	if (source != NULL && number == 0) {
		const char *from = text + strspn(text, " \t");
		snprintf(out, EXPLAIN_TEXT, "%.*s", (int)strcspn(from, "\n"), from);
	}
	if (source != NULL)
		fclose(source);
}

/* ---- the whole ------------------------------------------------------------------------------ */

void explain_say_prediction(const struct explained *explained, char out[EXPLAIN_TEXT])
{
	const double seconds = explained->total.seconds, factor = MODEL_UNCERTAINTY;
	char time[32], low[32], high[32];
	snprintf(out, EXPLAIN_TEXT,
			 "predicted: %s a call (%s to %s), %.3g T operations a second, %.0f%% of the bound",
			 explain_time(seconds, time), explain_time(seconds / factor, low),
			 explain_time(seconds * factor, high), explained->bounds.operations / seconds * 1e-12,
			 100 * explained->bounds.least / seconds);
}

bool explain_say_measured(const struct explained *explained, char out[EXPLAIN_TEXT])
{
	char time[EXPLAIN_NUMBER];
	if (explained->measured > 0)
		snprintf(out, EXPLAIN_TEXT, "measured: %s, %.2f times the predicted time",
				 explain_time(explained->measured, time),
				 explained->measured / explained->total.seconds);
	else
		snprintf(out, EXPLAIN_TEXT, "not measured: %.500s", explained->unmeasured);
	return explained->measured > 0 || explained->unmeasured[0] != '\0';
}

void explain_say_failure(const struct explained *explained, char out[EXPLAIN_TEXT])
{
	const struct judgement *judgement = &explained->counted.judgement;
	snprintf(out, EXPLAIN_TEXT,
			 "nothing is predicted, as the call could not be counted: %s: %.900s",
			 verdict_name(judgement->verdict), judgement->detail);
}
