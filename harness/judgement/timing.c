#include "judgement/timing.h"

#include <stdio.h>

bool timing_leaves_bound(const struct timing_entry *entry)
{
	return entry->wrong > 0 || entry->rms_ratio > 1;
}

bool timing_is_file(const struct timing_entry *entry)
{
	return entry->role == TIMING_FILE || entry->role == TIMING_FILE_PLAIN;
}

bool timing_is_steady(const struct timing_result *timing)
{
	bool steady = false;
	for (size_t i = 0; i < timing->count; i++)
		steady = steady || timing->entries[i].steady.time.samples > 0;
	return steady;
}

const struct timing_stats *timing_own(const struct timing_entry *entry)
{
	return entry->span.samples > 0 ? &entry->span : &entry->event;
}

const struct timing_stats *timing_shown(const struct timing_entry *entry, bool span)
{
	const struct timing_stats *own = span ? &entry->span : &entry->event;
	const struct timing_seal *seal = &entry->seal;
	if (entry->steady.time.samples > 0)
		return &entry->steady.time;
	bool moved = seal->state == SEAL_CONFIRMED && seal->shown.samples > 0 &&
				 seal->shown.median > own->median;
	return seal->state == SEAL_HOST_SIDE || moved ? &seal->shown : own;
}

static bool is_impossible(const struct timing_stats *stats, double floor)
{
	return stats->samples > 0 && stats->median < floor;
}

void timing_keep_possible(struct timing_entry *entry)
{
	const double floor = entry->seal.floor;
	struct timing_passes *passes = &entry->passes;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < passes->count; i++)
		if (!(passes->microseconds[i] < floor))
			passes->microseconds[kept++] = passes->microseconds[i];
	passes->count = kept;
	if (!entry->ran || (!is_impossible(timing_shown(entry, true), floor) &&
						!is_impossible(timing_shown(entry, false), floor)))
		return;
	entry->ran = false;
	entry->span = entry->event = entry->steady.time = entry->seal.shown = (struct timing_stats){0};
	passes->count = 0;
	entry->tflops = 0;
	snprintf(entry->detail, sizeof entry->detail,
			 "an error of measurement: less time than this GPU needs at its peak (%.3g us)", floor);
}
