#include "report/seal.h"

#include <stdio.h>

/* Microseconds: of shorter calls nothing is confirmed on any machine (judge/timing/host_time.c). */
#define SEAL_SHORT 20.0

static int decimals(double microseconds)
{
	return microseconds < 100.0 ? 1 : 0;
}

void seal_confirmed(const struct timing_result *timing, char out[SEAL_LINE])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < timing->count && used < SEAL_LINE; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		const struct timing_seal *seal = &entry->seal;
		if (!entry->ran || seal->state != SEAL_CONFIRMED)
			continue;
		int more = snprintf(out + used, SEAL_LINE - used, "%s %s (host-side time %.*f +-%.*f us)",
							used == 0 ? "confirmed by sealed calls:" : ",", entry->label,
							decimals(seal->outside), seal->outside, decimals(seal->uncertainty),
							seal->uncertainty);
		used += more > 0 ? (size_t)more : 0;
	}
}

/* Why the host-side time does not confirm it. */
static const char *doubt_of(const struct timing_seal *seal, const struct timing_stats *own)
{
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
	if (seal->state == SEAL_OUTSIDE)
		snprintf(out, SEAL_LINE,
				 "%s: its process says %.*f us; its host-side time is %.*f us (+-%.*f), "
				 "which is shown",
				 entry->label, decimals(own->median), own->median, decimals(seal->outside),
				 seal->outside, decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_UNCERTAIN)
		snprintf(out, SEAL_LINE, "%s: not confirmed: %s (%.*f +-%.*f us)", entry->label,
				 doubt_of(seal, own), decimals(seal->outside), seal->outside,
				 decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_NONE && seal->why[0] != '\0')
		snprintf(out, SEAL_LINE, "%s: not confirmed: %.400s", entry->label, seal->why);
}
