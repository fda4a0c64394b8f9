/* What bounds a kernel, in words, and which lines of its source cause it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explain/explain.h"

#define PART_SHARE 0.01 /* of the time: parts of less are left out */
#define WARP 32
#define MANY_LINES 4.0 /* a load that is coalesced touches 1, or 4 of 16 bytes a lane */
#define FEW_TRIPS 8
#define MANY_CONFLICTS 0.2 /* of the passes */

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double requests(const struct counted_kernel *k)
{
	return k->load_requests + k->store_requests + k->atomic_requests;
}

static double conflicts(const struct counted_kernel *k)
{
	return share(k->shared_load_conflicts + k->shared_store_conflicts, counted_shared_passes(k));
}

static void words_of_issue(const struct counted_kernel *k, char *out)
{
	const double arithmetic = share(k->fp32 / WARP, k->instructions);
	if (k->tensor_flops > k->flops)
		snprintf(out, EXPLAIN_WORDS,
				 "issue slots: instructions around the tensor cores, %.3g for each 1000 of their "
				 "operations",
				 1000 * share(k->instructions, k->tensor_flops));
	else
		snprintf(out, EXPLAIN_WORDS, "issue slots: %.0f%% of the instructions are f32 arithmetic%s",
				 arithmetic * 100,
				 arithmetic < 0.5 ? ", the others move data and compute addresses" : "");
}

static void words_of_lookups(const struct counted_kernel *k, char *out)
{
	const double lines = share(k->lines, requests(k));
	if (lines > MANY_LINES)
		snprintf(out, EXPLAIN_WORDS,
				 "accesses of global memory that are not coalesced: the lanes of one touch %.0f "
				 "lines of 128 bytes, and L1 looks up one a clock",
				 lines);
	else
		snprintf(out, EXPLAIN_WORDS,
				 "load instructions: %.2g of global memory for each f32 operation of a warp, and "
				 "L1 takes one a clock; tiles in shared memory or registers would reuse what is "
				 "loaded",
				 share(requests(k), k->fp32 / WARP + k->tensor_flops / 2 / WARP / 256));
}

static void words_of_shared(const struct counted_kernel *k, char *out)
{
	const double conflict = conflicts(k);
	if (conflict > MANY_CONFLICTS)
		snprintf(
			out, EXPLAIN_WORDS,
			"bank conflicts: %.0f%% of shared memory's passes come of lanes that need the same "
			"banks",
			conflict * 100);
	else if (k->tensor_flops > k->flops)
		snprintf(out, EXPLAIN_WORDS,
				 "shared memory's bandwidth: %.3g operations for each byte of fragments; larger "
				 "tiles of a warp need fewer",
				 share(k->tensor_flops, counted_shared_passes(k) * 128));
	else
		snprintf(out, EXPLAIN_WORDS,
				 "shared memory: %.2g passes over its banks for each f32 instruction; larger tiles "
				 "of a thread reuse more in registers",
				 share(counted_shared_passes(k), k->fp32 / WARP));
}

static void words_of_latency(const struct explained_kernel *kernel, char *out)
{
	const struct counted_kernel *k = &kernel->counted;
	const double waits = counted_waits(k);
	if (waits < 1 && kernel->demand.trips < FEW_TRIPS)
		snprintf(
			out, EXPLAIN_WORDS,
			"latency: the first and last trip to memory of each block, in %.0f launch%s of %.3g "
			"waves",
			k->launches, k->launches == 1 ? "" : "es", kernel->time.waves);
	else if (waits >= 1)
		snprintf(
			out, EXPLAIN_WORDS,
			"latency: a block waits %.0f times at a barrier for a tile that nothing was "
			"loaded ahead of, and %d block%s a multiprocessor hide%s little of it; loads ahead "
			"(double buffering, cp.async) would",
			waits, kernel->time.occupancy.blocks, text_plural(kernel->time.occupancy.blocks),
			kernel->time.occupancy.blocks == 1 ? "s" : "");
	else
		snprintf(
			out, EXPLAIN_WORDS,
			"latency: a warp makes %.0f trips to L2 one after the other, and the %d warps of a "
			"multiprocessor are too few to hide them",
			kernel->demand.trips, kernel->time.occupancy.warps);
}

void explain_bottleneck(const struct explained *explained, const struct explained_kernel *kernel,
						enum demand_part part, char out[EXPLAIN_WORDS])
{
	const struct counted_kernel *k = &kernel->counted;
	const double operations = k->flops + k->tensor_flops;
	switch (part) {
	case DEMAND_LAUNCH:
		snprintf(out, EXPLAIN_WORDS, "launches: %.0f of them, of about a microsecond each",
				 k->launches);
		break;
	case DEMAND_ISSUE: words_of_issue(k, out); break;
	case DEMAND_FULL:
		snprintf(out, EXPLAIN_WORDS, "f32 arithmetic: %d lanes a multiprocessor",
				 explained->gpu.fma_lanes);
		break;
	case DEMAND_HALF:
		snprintf(out, EXPLAIN_WORDS, "%s, which run at half the rate of FMAs",
				 explained->plan.problem->algebra == ALGEBRA_PLUS_TIMES
					 ? "integers (addresses and conditions)"
					 : "minima and integers");
		break;
	case DEMAND_TENSOR:
		snprintf(out, EXPLAIN_WORDS, "tensor cores%s",
				 kernel->demand.warp_products && explained->gpu.compute >= 90
					 ? ", by mma.sync, which reaches 62% of what wgmma does"
					 : "");
		break;
	case DEMAND_SHARED: words_of_shared(k, out); break;
	case DEMAND_LOOKUPS: words_of_lookups(k, out); break;
	case DEMAND_L2:
		snprintf(out, EXPLAIN_WORDS,
				 "L2's bandwidth: %.3g operations for each byte that leaves it; larger tiles of a "
				 "block reuse more",
				 share(operations, kernel->demand.l2_bytes));
		break;
	case DEMAND_DRAM:
		snprintf(out, EXPLAIN_WORDS,
				 "memory's bandwidth: %.3g GB, and %.3g times what the operands have",
				 kernel->demand.dram_bytes * 1e-9,
				 share(kernel->demand.dram_bytes, explained->bounds.bytes));
		break;
	default: words_of_latency(kernel, out); break;
	}
}

static int by_seconds(const void *a, const void *b)
{
	const double x = ((const struct explain_part *)a)->seconds;
	const double y = ((const struct explain_part *)b)->seconds;
	return (x < y) - (x > y);
}

size_t explain_parts(const struct demand_time *time, struct explain_part out[DEMAND_PARTS])
{
	size_t count = 0;
	for (int i = 0; i < DEMAND_PARTS; i++)
		if (time->part[i] >= PART_SHARE * time->seconds)
			out[count++] = (struct explain_part){(enum demand_part)i, time->part[i]};
	qsort(out, count, sizeof *out, by_seconds);
	return count;
}

/* How much a line of the source has of the part. */
static double line_value(const struct line_counters *line, enum demand_part part, bool conflict)
{
	switch (part) {
	case DEMAND_SHARED:
		return (double)(conflict ? line->shared_conflicts : line->shared_wavefronts);
	case DEMAND_LOOKUPS: return (double)line->global_lines;
	case DEMAND_L2:
	case DEMAND_DRAM:
	case DEMAND_LATENCY: return (double)line->global_sectors;
	default: return (double)line->instructions;
	}
}

static int by_share(const void *a, const void *b)
{
	const double x = ((const struct explain_line *)a)->share;
	const double y = ((const struct explain_line *)b)->share;
	return (x < y) - (x > y);
}

size_t explain_lines(const struct explained_kernel *kernel, enum demand_part part,
					 struct explain_line *out, size_t most)
{
	const struct kernel_counters *raw = kernel->raw;
	const bool conflict = conflicts(&kernel->counted) > MANY_CONFLICTS;
	struct explain_line *all = calloc(raw->line_count + 1, sizeof *all);
	double sum = 0;
	size_t count = 0;
	for (size_t i = 0; all != NULL && i < raw->line_count; i++) {
		const double value = line_value(&raw->lines[i], part, conflict);
		sum += value;
		if (value > 0)
			all[count++] = (struct explain_line){&raw->lines[i], value};
	}
	if (all != NULL)
		qsort(all, count, sizeof *all, by_share);
	count = count < most ? count : most;
	for (size_t i = 0; i < count; i++)
		out[i] = (struct explain_line){all[i].line, all[i].share / sum};
	free(all);
	return count;
}
