/* links: report store */
/* Reports of steady streams that never were. */
#include "report/compare.h"
#include "report/record.h"
#include "report/steady.h"
#include "report_fixture.h"

static void make_steady(struct timing_result *timing)
{
	for (size_t i = 0; i < timing->count; i++) {
		struct timing_entry *entry = &timing->entries[i];
		double us = entry->span.median * 1.25;
		entry->steady =
			(struct timing_steady){.time = {5, us, 0.99 * us, 1.02 * us, 0.99 * us, 1.01 * us},
								   .joules = 1e-6 * us * 700,
								   .watts = 700,
								   .mhz = 1395 + 15.0 * (double)i,
								   .calls = 70000};
		entry->passes = (struct timing_passes){5, {(float)us}};
		entry->role = i == 0 ? TIMING_FILE : TIMING_LIBRARY;
	}
	timing->warm_up = 6.15;
	timing->settled = true;
	timing->sm_clock_mhz_min = 1380;
	timing->sm_clock_mhz_median = 1395;
}

/* A bench of two shapes, the first of which did not settle; or a comparison. */
static struct judgement_list steady_list(bool compare)
{
	struct judgement_list list = some_list();
	for (int i = 1; i < 3; i++)
		judgement_free(&list.items[i]);
	list.count = 1;
	list.compare = compare;
	list.items[0].has_timing = false;
	free(list.items[0].timing.entries);
	list.items[0].timing = (struct timing_result){.count = 0};
	list.bench_count = 2;
	list.bench = calloc(2, sizeof *list.bench);
	for (int i = 0; i < 2; i++) {
		list.bench[i] = some_timing("02_tiled.cu", 12.0);
		make_steady(&list.bench[i]);
		if (compare)
			list.bench[i].entries[1].role = TIMING_FILE_PLAIN;
	}
	list.bench[0].settled = false;
	return list;
}

static void has(const char *text, const char *part)
{
	cr_expect(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
}

static void has_narrow_lines(const char *text)
{
	for (const char *line = text; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		cr_expect(length <= 80, "%.*s", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

Test(steady_report, text_has_watts_clock_and_joules_beside_the_times)
{
	struct judgement_list list = steady_list(false);
	char *text = written(write_text, &list);
	has(text, "microseconds in a steady stream\n");
	has(text, "\n                    median    +- watts   MHz   joules TFLOP/s /cuBLAS     /Lt\n");
	has(text, "\n  02_tiled.cu        15.00  1.0%   700  1395   0.0105   143.2   83.3%   66.7%\n");
	has(text, "\n  cuBLAS             12.50  1.0%   700  1410  0.00875   171.8  100.0%   80.0%\n");
	has(text, "\n  in bursts: 02_tiled.cu 12.00 us, cuBLAS 10.00 us, cuBLASLt 8.00 us\n");
	has(text, "\n  5 blocks of back-to-back calls each, in turns, after 6.2 s of warming up\n");
	has(text, "\n  SM clock 1395 MHz, lowest 1380, limit 1980; 24 input sets\n");
	has(text, "fastest library in a steady stream\n  (geometric mean of 2 shapes)");
	const char *warning = strstr(text, "warning: " STEADY_UNSETTLED);
	cr_assert_not_null(warning, "%s", text);
	cr_expect_null(strstr(warning + 10, STEADY_UNSETTLED), "the other one settled");
	cr_expect_null(strstr(text, "95% interval"));
	has_narrow_lines(text);
	free(text);
	judgement_list_free(&list);
}

Test(steady_report, text_says_what_is_not_known)
{
	struct judgement_list list = steady_list(false);
	struct timing_entry *entries = list.bench[0].entries;
	entries[0].steady.joules = entries[0].steady.watts = entries[0].steady.mhz = 0;
	entries[2].ran = false;
	snprintf(entries[2].detail, sizeof entries[2].detail, "runtime_error: CUDA error 700");
	char *text = written(write_text, &list);
	has(text, "\n  02_tiled.cu        15.00  1.0%     -     -        -   143.2   83.3%       -\n");
	has(text, "\n  cuBLASLt          not measured\n    runtime_error: CUDA error 700\n");
	has(text, "\n  in bursts: 02_tiled.cu 12.00 us, cuBLAS 10.00 us\n");
	free(text);
	judgement_list_free(&list);
}

/* More shapes than have a table each. */
Test(steady_report, a_line_for_each_of_many_shapes_says_what_its_times_are)
{
	struct judgement_list list = steady_list(false);
	list.bench_count = 8;
	list.bench = realloc(list.bench, 8 * sizeof *list.bench);
	for (int i = 2; i < 8; i++) {
		list.bench[i] = some_timing("02_tiled.cu", 12.0);
		make_steady(&list.bench[i]);
	}
	char *text = written(write_text, &list);
	has(text, "microseconds in a steady stream (--verbose");
	has(text, "  1024x1024x1024      15.00  1.0%     10.00  1.0% cuBLASLt   0.667  02_tiled.cu\n");
	free(text);
	judgement_list_free(&list);
}

Test(steady_report, a_comparison_has_the_same)
{
	struct judgement_list list = steady_list(true);
	char *text = written(write_text, &list);
	has(text, "\n  (in a steady stream) ");
	has(text, "a product takes: 02_tiled.cu fused 0.0105 J (700 W, 1395 MHz)");
	has(text, "in bursts: 02_tiled.cu fused 12.00 us, cuBLAS alone 10.00 us, cuBLASLt 8.00 us\n");
	has(text, "0.67x as fast");
	has(text, "warning: " STEADY_UNSETTLED);
	free(text);
	text = written(report_markdown, &list);
	has(text, "\nBack-to-back calls in a steady stream; SM clock 1395 MHz (lowest 1380");
	has(text, "\nA steady stream: a product takes: 02\\_tiled.cu fused 0.0105 J (700 W, 1395 MHz)");
	free(text);
	text = written(report_svg, &list);
	has(text, "NVIDIA H200, in a steady stream</text>");
	free(text);
	judgement_list_free(&list);
}

Test(steady_report, markdown_and_page_have_the_same)
{
	struct judgement_list list = steady_list(false);
	char *text = written(report_markdown, &list);
	has(text, "| 02\\_tiled.cu | 15.00 |");
	has(text, "; in bursts: 02\\_tiled.cu 12.00 us, ");
	has(text, "; 5 blocks of back-to-back calls each, in turns, after 6.2 s of warming up");
	has(text, "; **" STEADY_UNSETTLED "**.\n");
	free(text);
	text = written(report_html, &list);
	has(text, "Microseconds in a steady stream; 95%: interval of the median");
	has(text, ">Watts<");
	has(text, ">Joules<");
	has(text, ">0.0105</td>");
	has(text, "in bursts: 02_tiled.cu 12.00 us");
	has(text, "Warning: " STEADY_UNSETTLED ".");
	free(text);
	judgement_list_free(&list);
}

static json_t *part(json_t *of, const char *name)
{
	json_t *found = json_object_get(of, name);
	cr_assert_not_null(found, "no %s", name);
	return found;
}

static void is_text(json_t *of, const char *name, const char *text)
{
	cr_expect_str_eq(json_string_value(part(of, name)), text);
}

Test(steady_report, json_says_which_kind_of_time_counts)
{
	struct judgement_list list = steady_list(false);
	struct timing_entry *entries = list.bench[1].entries;
	entries[1].steady.joules = 0;
	json_t *timing = record_of_timing(&list.bench[1]);
	json_t *entry = json_array_get(part(timing, "entries"), 0);
	json_t *other = json_array_get(part(timing, "entries"), 1);
	is_text(timing, "timing", "steady");
	is_text(timing, "clock", "steady");
	is_text(entry, "clock", "steady");
	cr_expect_eq(json_number_value(part(timing, "warm_up_seconds")), 6.15);
	cr_expect(json_is_true(part(timing, "settled")));
	cr_expect_eq(json_number_value(part(entry, "microseconds")), 15.0);
	cr_expect_eq(json_number_value(part(part(entry, "span"), "median_us")), 12.0, "of bursts");
	json_t *steady = part(entry, "steady");
	cr_expect_eq(json_number_value(part(part(steady, "time"), "median_us")), 15.0);
	cr_expect_eq(json_integer_value(part(part(steady, "time"), "samples")), 5);
	cr_expect_float_eq(json_number_value(part(steady, "joules")), 0.0105, 1e-9);
	cr_expect_eq(json_number_value(part(steady, "watts")), 700.0);
	cr_expect_eq(json_number_value(part(steady, "sm_clock_mhz")), 1395.0);
	cr_expect_eq(json_integer_value(part(steady, "calls")), 70000);
	cr_expect(json_is_null(part(part(other, "steady"), "joules")));
	cr_expect_eq(json_array_size(part(entry, "passes_us")), 5);
	cr_expect_float_eq(json_number_value(part(entry, "ratio_to_fastest_library")), 10 / 15.0, 1e-9);
	json_decref(timing);

	for (size_t i = 0; i < 3; i++)
		entries[i].steady = (struct timing_steady){.calls = 0};
	list.bench[1].warm_up = 0;
	timing = record_of_timing(&list.bench[1]);
	is_text(timing, "timing", "burst");
	is_text(timing, "clock", "span");
	cr_expect(json_is_null(part(timing, "settled")));
	cr_expect(json_is_null(part(timing, "warm_up_seconds")));
	cr_expect(json_is_null(part(json_array_get(part(timing, "entries"), 0), "steady")));
	json_decref(timing);
	judgement_list_free(&list);
}

Test(steady_report, json_is_read_as_it_was_written)
{
	struct judgement_list list = steady_list(false);
	struct error err;
	json_t *written_timing = record_of_timing(&list.bench[0]);
	struct timing_result back = {.count = 0};
	const struct record_at at = {.record = &record_timing, .of = &back, .json = written_timing};
	cr_assert(record_read(&at, &err), "%s", err.message);
	cr_expect(timing_is_steady(&back));
	json_t *again = record_of_timing(&back);
	char *before = json_dumps(written_timing, JSON_INDENT(1)),
		 *after = json_dumps(again, JSON_INDENT(1));
	cr_expect_str_eq(after, before);
	free(before), free(after);
	json_decref(again), json_decref(written_timing);
	free(back.entries);
	judgement_list_free(&list);
}
