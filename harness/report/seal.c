#include "report/seal.h"

/* Microseconds: of shorter calls nothing is confirmed on any machine (judge/timing/host_time.c). */
#define SEAL_SHORT 20.0

static int decimals(double microseconds)
{
	return microseconds < 100.0 ? 1 : 0;
}

/* " (host-side time 303 +-9.1 us)", and what else counts than what the process says. */
static void say_confirmed(const struct timing_entry *entry, struct strbuf *out)
{
	const struct timing_seal *seal = &entry->seal;
	const struct timing_stats *own = timing_own(entry);
	strbuf_addf(out, " %s (host-side time %.*f +-%.*f us", entry->label, decimals(seal->host_side),
				seal->host_side, decimals(seal->uncertainty), seal->uncertainty);
	if (seal->shown.samples > 0 && seal->shown.median > own->median)
		strbuf_addf(out, "; its process says %.*f, %.*f counts", decimals(own->median), own->median,
					decimals(seal->shown.median), seal->shown.median);
	strbuf_add(out, ")");
}

void seal_confirmed(const struct timing_result *timing, struct strbuf *out)
{
	strbuf_clear(out);
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!entry->ran || entry->seal.state != SEAL_CONFIRMED)
			continue;
		strbuf_add(out, out->length == 0 ? "confirmed by sealed calls:" : ",");
		say_confirmed(entry, out);
	}
}

/* Why the host-side time does not confirm it. */
static const char *doubt_of(const struct timing_seal *seal, const struct timing_stats *own)
{
	if (seal->slowed)
		return "its calls took less alone than beside others, who slowed it down: judge it again "
			   "by itself";
	return own->median < SEAL_SHORT ? "too short for a host-side time"
									: "the machine is too unsteady for a host-side time";
}

void seal_doubt(const struct timing_entry *entry, bool span, struct strbuf *out)
{
	const struct timing_seal *seal = &entry->seal;
	const struct timing_stats *own = span ? &entry->span : &entry->event;
	strbuf_clear(out);
	if (!entry->ran)
		return;
	const bool possible = seal->host_side >= seal->floor;
	if (seal->state == SEAL_HOST_SIDE && own->median < seal->floor)
		strbuf_setf(out,
					"%s: its process says less than the GPU needs; its host-side time is %.*f us "
					"(+-%.*f), which is shown",
					entry->label, decimals(seal->host_side), seal->host_side,
					decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_UNCERTAIN && !possible)
		strbuf_setf(out,
					"%s: not confirmed: its host-side time is an error of measurement, less than "
					"the GPU needs",
					entry->label);
	else if (seal->state == SEAL_HOST_SIDE)
		strbuf_setf(out,
					"%s: its process says %.*f us; its host-side time is %.*f us (+-%.*f), "
					"which is shown",
					entry->label, decimals(own->median), own->median, decimals(seal->host_side),
					seal->host_side, decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_UNCERTAIN)
		strbuf_setf(out, "%s: not confirmed: %s (%.*f +-%.*f us)", entry->label,
					doubt_of(seal, own), decimals(seal->host_side), seal->host_side,
					decimals(seal->uncertainty), seal->uncertainty);
	else if (seal->state == SEAL_NONE && seal->why[0] != '\0')
		strbuf_setf(out, "%s: not confirmed: %s", entry->label, seal->why);
}
