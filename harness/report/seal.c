#include "report/seal.h"

#include <stdio.h>

/* Microseconds: of shorter calls nothing is confirmed on any machine (judge/timing/host_time.c). */
#define SEAL_SHORT 20.0

static int decimals(double microseconds)
{
	return microseconds < 100.0 ? 1 : 0;
}

/* " (host-side time 303 +-9.1 us)", and what else counts than what the process says. */
static int confirmed_print(char *out, size_t room, const struct timing_entry *entry)
{
	const struct timing_seal *seal = &entry->seal;
	const struct timing_stats *own = timing_own(entry);
	char counts[96] = "";
	if (seal->shown.samples > 0 && seal->shown.median > own->median)
		snprintf(counts, sizeof counts, "; its process says %.*f, %.*f counts",
				 decimals(own->median), own->median, decimals(seal->shown.median),
				 seal->shown.median);
	return snprintf(out, room, " %s (host-side time %.*f +-%.*f us%s)", entry->label,
					decimals(seal->host_side), seal->host_side, decimals(seal->uncertainty),
					seal->uncertainty, counts);
}

void seal_confirmed(const struct timing_result *timing, char out[SEAL_LINE])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < timing->count && used < SEAL_LINE; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!entry->ran || entry->seal.state != SEAL_CONFIRMED)
			continue;
		used += (size_t)snprintf(out + used, SEAL_LINE - used, "%s",
								 used == 0 ? "confirmed by sealed calls:" : ",");
		if (used < SEAL_LINE)
			used += (size_t)confirmed_print(out + used, SEAL_LINE - used, entry);
	}
}

/* Why the host-side time does not confirm it. */
static const char *doubt_of(const struct timing_seal *seal, const struct timing_stats *own)
{
	if (seal->slowed)
		return "its calls took less alone than beside others, who slowed it down: judge it again "
			   "by itself";
	if (own->median < seal->floor)
		return "less than the GPU needs, and too short for a host-side time";
	return own->median < SEAL_SHORT ? "too short for a host-side time"
									: "the machine is too unsteady for a host-side time";
}

void seal_doubt(const struct timing_entry *entry, bool span, char out[SEAL_LINE])
{
	const struct timing_seal *seal = &entry->seal;
	const struct timing_stats *own = span ? &entry->span : &entry->event;
	out[0] = '\0';
	if (!entry->ran)
		return;
	if (seal->state == SEAL_HOST_SIDE)
		snprintf(out, SEAL_LINE,
				 "%s: its process says %.*f us; its host-side time is %.*f us (+-%.*f), "
				 "which is shown",
				 entry->label, decimals(own->median), own->median, decimals(seal->host_side),
				 seal->host_side, decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_UNCERTAIN)
		snprintf(out, SEAL_LINE, "%s: not confirmed: %s (%.*f +-%.*f us)", entry->label,
				 doubt_of(seal, own), decimals(seal->host_side), seal->host_side,
				 decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_NONE && seal->why[0] != '\0')
		snprintf(out, SEAL_LINE, "%s: not confirmed: %.400s", entry->label, seal->why);
}
