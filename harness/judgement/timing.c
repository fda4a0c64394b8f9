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
	const struct timing_stats *own = span ? &entry->span : &entry->event;
	const struct timing_seal *seal = &entry->seal;
	bool moved = seal->state == SEAL_CONFIRMED && seal->shown.samples > 0 &&
				 seal->shown.median > own->median;
	return seal->state == SEAL_HOST_SIDE || moved ? &seal->shown : own;
}
