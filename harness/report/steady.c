#include "report/steady.h"

#include "base/text.h"
#include "report/clean.h"
#include "report/facts.h"

static const char *figure(double value, int decimals, char out[STEADY_FIGURE])
{
	if (value > 0.0)
		snprintf(out, STEADY_FIGURE, "%.*f", decimals, value);
	else
		snprintf(out, STEADY_FIGURE, "-");
	return out;
}

const char *steady_watts(const struct timing_entry *entry, char out[STEADY_FIGURE])
{
	return figure(entry->steady.watts, 0, out);
}

const char *steady_mhz(const struct timing_entry *entry, char out[STEADY_FIGURE])
{
	return figure(entry->steady.mhz, 0, out);
}

/* Four digits: a product takes from microjoules to kilojoules. */
const char *steady_joules(const struct timing_entry *entry, char out[STEADY_FIGURE])
{
	if (entry->steady.joules > 0.0)
		snprintf(out, STEADY_FIGURE, "%.4g", entry->steady.joules);
	else
		snprintf(out, STEADY_FIGURE, "-");
	return out;
}

static bool was_steady(const struct timing_entry *entry)
{
	return entry->ran && entry->steady.time.samples > 0;
}

void steady_energies(const struct timing_result *timing, struct strbuf *out)
{
	char label[FACTS_LABEL], joules[STEADY_FIGURE], watts[STEADY_FIGURE], mhz[STEADY_FIGURE];
	strbuf_clear(out);
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!was_steady(entry) || !(entry->steady.joules > 0.0))
			continue;
		facts_label_of(timing, entry, label);
		strbuf_addf(out, "%s %s %s J (%s W, %s MHz)", out->length == 0 ? "a product takes:" : ",",
					label, steady_joules(entry, joules), steady_watts(entry, watts),
					steady_mhz(entry, mhz));
	}
}

void steady_bursts(const struct timing_result *timing, struct strbuf *out)
{
	char label[FACTS_LABEL], time[FACTS_TIME];
	strbuf_clear(out);
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!was_steady(entry) || timing_own(entry)->samples == 0)
			continue;
		facts_label_of(timing, entry, label);
		strbuf_addf(out, "%s %s %s us", out->length == 0 ? "in bursts:" : ",", label,
					facts_time(timing_own(entry)->median, time));
	}
}

void steady_blocks(const struct timing_result *timing, struct strbuf *out)
{
	strbuf_clear(out);
	for (size_t i = 0; i < timing->count && out->length == 0; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (was_steady(entry))
			strbuf_setf(out,
						"%u block%s of back-to-back calls each, in turns, after %.1f s of warming "
						"up",
						entry->steady.time.samples, text_plural(entry->steady.time.samples),
						timing->warm_up);
	}
}

bool steady_unsettled(const struct timing_result *timing)
{
	return timing_is_steady(timing) && !timing->settled;
}

void steady_markdown(const struct timing_result *timing, FILE *out)
{
	static void (*const says[])(const struct timing_result *,
								struct strbuf *) = {steady_energies, steady_bursts, steady_blocks};
	struct strbuf line = {0};
	for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
		says[i](timing, &line);
		if (line.length == 0)
			continue;
		fputs(i == 0 ? "\nA steady stream: " : "; ", out);
		clean_print_cell(out, strbuf_text(&line));
	}
	if (steady_unsettled(timing))
		fputs("; **" STEADY_UNSETTLED "**", out);
	fputs(timing_is_steady(timing) ? ".\n" : "", out);
	strbuf_release(&line);
}
