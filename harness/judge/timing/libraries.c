#include "judge/timing/libraries.h"

#include <stdio.h>

#include "judgement/library_cause.h"

bool libraries_wanted(const struct lane *lanes, size_t count, const struct timing_entry *entries,
					  size_t i)
{
	if (lanes[i].entrant->by_default == NULL)
		return true;
	for (size_t k = 0; k < count; k++)
		if (lanes[k].entrant == lanes[i].entrant->by_default)
			return lanes[k].has_modes && entries[k].ran && timing_leaves_bound(&entries[k]);
	return false;
}

/* Asks the library's process, where it lives. */
static void tell_algorithm(struct lane *lane, struct timing_entry *entry)
{
	struct contestant_library_reply reply;
	const struct contestant_library request = {
		.mode = lane->entrant->mode, .use = LIBRARY_FASTEST, .tell = LIBRARY_FASTEST};
	entry->mode = lane->entrant->mode;
	entry->has_modes = lane->has_modes;
	entry->algorithm.id = LIBRARY_UNKNOWN;
	if (!entry->ran || !lane->entrant->is_reference || lane->contestant.child == NULL ||
		contestant_link_library(&lane->contestant, request, &reply).verdict != VERDICT_ACCEPTED)
		return;
	entry->algorithm = reply.facts;
	entry->has_algorithm = reply.facts.id != LIBRARY_UNKNOWN;
}

/* Whether the accurate mode of the library of lane i was measured and keeps the bound. */
static bool is_mended(const struct lane *lanes, size_t count, const struct timing_entry *entries,
					  size_t i)
{
	for (size_t k = 0; k < count; k++)
		if (lanes[k].entrant->by_default == lanes[i].entrant)
			return entries[k].ran && !timing_leaves_bound(&entries[k]);
	return false;
}

void libraries_finish(struct lane *lanes, size_t count, const struct problem *problem,
					  struct timing_result *out)
{
	size_t left = 0;
	for (size_t i = 0; i < count; i++)
		tell_algorithm(&lanes[i], &out->entries[i]);
	for (size_t i = 0; i < count; i++) {
		struct timing_entry *entry = &out->entries[i];
		if (entry->role == TIMING_LIBRARY && timing_leaves_bound(entry))
			snprintf(entry->cause, sizeof entry->cause, "%s",
					 library_cause(problem, &out->test, &entry->algorithm,
								   is_mended(lanes, count, out->entries, i)));
	}
	for (size_t i = 0; i < count; i++)
		if (out->entries[i].label[0] != '\0')
			out->entries[left++] = out->entries[i];
	out->count = left;
}
