#include "judgement/timing.h"

bool timing_is_file(const struct timing_entry *entry)
{
	return entry->role == TIMING_FILE || entry->role == TIMING_FILE_PLAIN;
}

const struct timing_stats *timing_own(const struct timing_entry *entry)
{
	return entry->span.samples > 0 ? &entry->span : &entry->event;
}

const struct timing_stats *timing_shown(const struct timing_entry *entry, bool span)
{
	if (entry->seal.state == SEAL_OUTSIDE)
		return &entry->seal.shown;
	return span ? &entry->span : &entry->event;
}
