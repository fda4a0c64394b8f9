/* Times of one shape, as text. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/clean.h"
#include "report/facts.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/seal.h"
#include "report/steady.h"
#include "report/text_page.h"
#include "report/wrap.h"

#define LABEL_COLUMNS 16

static void line_print(const struct text_page *page, int indent, const struct strbuf *line)
{
	if (line->length > 0)
		text_paragraph(page, indent, strbuf_text(line));
}

static void percent_format(char out[16], double percent)
{
	if (percent > 0.0)
		snprintf(out, 16, "%.1f%%", percent);
	else
		snprintf(out, 16, "-");
}

/* Behind an entrant's name: its time, with what else the table's kind has. */
static void burst_print(FILE *out, const struct timing_stats *stats)
{
	char median[FACTS_TIME], min[FACTS_TIME], p95[FACTS_TIME], low[FACTS_TIME], high[FACTS_TIME];
	char interval[40];
	facts_time(stats->median, median);
	facts_time(stats->min, min);
	facts_time(stats->p95, p95);
	facts_time(stats->low, low);
	facts_time(stats->high, high);
	snprintf(interval, sizeof interval, "%s-%s", low, high);
	fprintf(out, " %7s %7s %7s %13s", median, min, p95, interval);
}

static void steady_print(FILE *out, const struct timing_entry *entry)
{
	char median[FACTS_TIME], joules[STEADY_FIGURE], watts[STEADY_FIGURE], mhz[STEADY_FIGURE];
	const struct timing_stats *time = &entry->steady.time;
	fprintf(out, " %7s %4.1f%% %5s %5s %8s", facts_time(time->median, median),
			facts_half_width_percent(time), steady_watts(entry, watts), steady_mhz(entry, mhz),
			steady_joules(entry, joules));
}

static void entry_print(const struct text_page *page, const struct timing_result *timing,
						const struct timing_entry *entry, bool span)
{
	char *label = clean_line(entry->label);
	int width = label != NULL ? wrap_columns(label, strlen(label)) : 0;
	fprintf(page->out, "  %s", label != NULL ? label : "");
	free(label);
	if (width > LABEL_COLUMNS) {
		fputs("\n  ", page->out);
		width = 0;
	}
	fprintf(page->out, "%*s", LABEL_COLUMNS - width, "");
	if (!entry->ran) {
		fputs("  not measured\n", page->out);
		if (entry->detail[0] != '\0')
			text_paragraph(page, 4, entry->detail);
		return;
	}
	const struct timing_stats *stats = facts_stats(entry, span);
	char percent[16];
	if (timing_is_steady(timing))
		steady_print(page->out, entry);
	else
		burst_print(page->out, stats);
	fprintf(page->out, " %7.4g", facts_rate(timing, stats->median));
	struct facts_reference references[FACTS_REFERENCES];
	facts_references(timing, references);
	for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++) {
		percent_format(percent, facts_percent_of(timing, entry, references[y].label, span));
		fprintf(page->out, " %7s", percent);
	}
	fputc('\n', page->out);
	struct strbuf wrong = {0};
	overall_wrong(entry, &wrong);
	line_print(page, 4, &wrong);
	strbuf_release(&wrong);
}

static void chosen_print(const struct text_page *page, const struct timing_result *timing)
{
	struct strbuf line = {0};
	overall_chosen(timing, &line);
	line_print(page, 2, &line);
	strbuf_release(&line);
}

static void age_print(const struct text_page *page, const struct timing_result *timing)
{
	char line[80];
	snprintf(line, sizeof line, "the libraries were timed %.0f s before, for an earlier file",
			 timing->libraries_age);
	if (timing->libraries_age > 0.0)
		text_paragraph(page, 2, line);
}

static void events_print(const struct text_page *page, const struct timing_result *timing)
{
	char time[FACTS_TIME];
	struct strbuf line = {0};
	const char *separator = "between events: ";
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!entry->ran || entry->event.samples == 0 || entry->event.median < entry->seal.floor)
			continue;
		facts_time(entry->event.median, time);
		strbuf_addf(&line, "%s%s %s", separator, entry->label, time);
		separator = ", ";
	}
	line_print(page, 2, &line);
	strbuf_release(&line);
}

static void stream_print(const struct text_page *page, const struct timing_result *timing)
{
	struct strbuf line = {0};
	steady_bursts(timing, &line);
	line_print(page, 2, &line);
	steady_blocks(timing, &line);
	text_paragraph(page, 2, strbuf_text(&line));
	if (steady_unsettled(timing))
		text_paint(page, TEXT_WARNING, "  warning: " STEADY_UNSETTLED "\n");
	strbuf_release(&line);
}

static void seals_print(const struct text_page *page, const struct timing_result *timing, bool span)
{
	struct strbuf line = {0};
	seal_confirmed(timing, &line);
	line_print(page, 2, &line);
	for (size_t i = 0; i < timing->count; i++) {
		seal_doubt(&timing->entries[i], span, &line);
		line_print(page, 2, &line);
	}
	strbuf_release(&line);
}

static void clocks_print(const struct text_page *page, const struct timing_result *timing)
{
	char line[256];
	facts_clocks(line, sizeof line, timing);
	if (line[0] != '\0')
		text_paragraph(page, 2, line);
	if (timing->throttled) {
		snprintf(line, sizeof line, "  warning: the clock was held down while measuring (%s)\n",
				 timing->throttle_reason);
		text_paint(page, TEXT_WARNING, line);
	}
	if (timing->wide) {
		snprintf(line, sizeof line,
				 "  warning: a median is uncertain by %.1f%%; measure again on a quiet machine\n",
				 facts_widest_percent(timing));
		text_paint(page, TEXT_WARNING, line);
	}
}

void text_schedule(const struct text_page *page, const char *label, const char *schedule)
{
	char line[JUDGE_SCHEDULE_TEXT + 128];
	snprintf(line, sizeof line, "%.64s%sschedule: %s", label, label[0] != '\0' ? ": " : "",
			 schedule);
	if (schedule[0] != '\0')
		text_paragraph(page, 2, line);
}

void text_timing(const struct text_page *page, const struct timing_result *timing)
{
	bool span = facts_use_span(timing);
	char shape[128], line[256];
	facts_timed_shape(shape, sizeof shape, timing);
	bool steady = timing_is_steady(timing);
	snprintf(line, sizeof line, "%s: microseconds %s", shape, facts_times_are(timing));
	text_paragraph(page, 2, line);
	if (steady)
		fprintf(page->out, "  %-*s %7s %5s %5s %5s %8s", LABEL_COLUMNS, "", "median", "+-", "watts",
				"MHz", "joules");
	else
		fprintf(page->out, "  %-*s %7s %7s %7s %13s", LABEL_COLUMNS, "", "median", "min", "p95",
				"95% interval");
	fprintf(page->out, " %7s", facts_rate_unit(timing));
	struct facts_reference references[FACTS_REFERENCES];
	facts_references(timing, references);
	for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++)
		fprintf(page->out, " %7s", references[y].abbreviation);
	fputc('\n', page->out);
	for (size_t i = 0; i < timing->count; i++)
		entry_print(page, timing, &timing->entries[i], span);
	chosen_print(page, timing);
	age_print(page, timing);
	for (size_t i = 0; i < timing->count; i++)
		text_schedule(page, timing->entries[i].label, timing->entries[i].schedule);
	if (steady)
		stream_print(page, timing);
	else if (span)
		events_print(page, timing);
	seals_print(page, timing, span);
	clocks_print(page, timing);
	if (page->verbose)
		kernels_print(page->out, page->width, timing);
}
