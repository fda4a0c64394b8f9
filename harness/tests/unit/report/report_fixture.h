/* Judgements made up here, to be shown: of test_report.c and test_formats.c. */
#ifndef GEMMJUDGE_TESTS_REPORT_FIXTURE_H
#define GEMMJUDGE_TESTS_REPORT_FIXTURE_H

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judgement/layers.h"
#include "report/clean.h"
#include "report/facts.h"
#include "report/overall.h"
#include "report/report.h"

/* ---- judgements to show --------------------------------------------------- */

static inline struct shape product(int m, int n, int k)
{
	return (struct shape){{1, m, n, k, 1}};
}

static inline struct test_case some_case(const char *name)
{
	struct test_case test = {.shape = product(17, 33, 64),
							 .scalar = {[SCALAR_ALPHA] = 1.0f, [SCALAR_BETA] = 0.5f},
							 .values = {{VALUES_UNIFORM, 1.0f, 0, 0},
										{VALUES_NORMAL, 2.0f, 0, 0},
										{VALUES_UNIFORM, 1.0f, 0, 0}},
							 .seed = 0xFFFFFFFFFFFFFFFFull};
	snprintf(test.name, sizeof test.name, "%s", name);
	return test;
}

static inline void add_cases(struct judgement *item, size_t count, size_t failed)
{
	item->count = count;
	item->cases = calloc(count, sizeof *item->cases);
	for (size_t i = 0; i < count; i++) {
		struct case_result *result = &item->cases[i];
		char name[32];
		snprintf(name, sizeof name, "random-%zu", i);
		result->test = some_case(name);
		result->checked = true;
		result->seconds = 0.01;
		result->check = (struct check_summary){.elements = 561, .worst_ratio = 0.25};
		if (i >= failed) {
			item->accepted++;
			continue;
		}
		result->verdict = VERDICT_WRONG_ANSWER;
		snprintf(result->detail, sizeof result->detail, "7 of 561 elements wrong");
		result->check.wrong = 7;
		result->check.worst_ratio = INFINITY;
		result->check.shown = 2;
		result->check.first[0] = (struct wrong_element){0, 16, 0, NAN, -0.75, 1.5e-4};
		result->check.first[1] = (struct wrong_element){16, 32, 0, 1.0e9, 0.25, 1.25e-4};
	}
}

static inline struct timing_stats stats_around(double median)
{
	return (struct timing_stats){.samples = 100,
								 .median = median,
								 .min = 0.98 * median,
								 .p95 = 1.1 * median,
								 .low = 0.995 * median,
								 .high = 1.005 * median};
}

static inline struct timing_result some_timing(const char *label, double median)
{
	struct timing_result timing = {.test = some_case("timing"), .count = 3};
	snprintf(timing.problem, sizeof timing.problem, "gemm-f16");
	timing.test.shape = product(1024, 1024, 1024);
	timing.entries = calloc(3, sizeof *timing.entries);
	const char *labels[] = {label, "cuBLAS", "cuBLASLt"};
	double medians[] = {median, 10.0, 8.0};
	for (int i = 0; i < 3; i++) {
		struct timing_entry *entry = &timing.entries[i];
		snprintf(entry->label, sizeof entry->label, "%s", labels[i]);
		entry->ran = true;
		entry->span = stats_around(medians[i]);
		entry->event = stats_around(medians[i] + 5.0);
	}
	timing.sm_clock_mhz_min = 1965;
	timing.sm_clock_mhz_median = timing.sm_clock_mhz_limit = 1980;
	timing.sets = 24;
	return timing;
}

/* One accepted and timed, one wrong, one that does not compile. */
static inline struct judgement_list some_list(void)
{
	struct judgement_list list = {.count = 3, .items = calloc(3, sizeof *list.items)};
	list.facts =
		(struct run_description){.version = "1.2.3",
								 .started = "2026-11-20T14:00:00Z",
								 .device_kind = DEVICE_CUDA,
								 .seed = 0xFFFFFFFFFFFFFFF0ull,
								 .tolerance = "bound",
								 .command = "gemmjudge judge --seed 0xfffffffffffffff0 a.cu"};
	snprintf(list.facts.device.name, sizeof list.facts.device.name, "NVIDIA H200");
	const char *files[] = {"solutions/gemm_f16/02_tiled.cu", "bad \"one\" <&>.cu", "broken.cu"};
	for (int i = 0; i < 3; i++) {
		snprintf(list.items[i].file, sizeof list.items[i].file, "%s", files[i]);
		snprintf(list.items[i].problem, sizeof list.items[i].problem, "gemm-f16");
	}
	add_cases(&list.items[0], 4, 0);
	list.items[0].has_timing = true;
	list.items[0].timing = some_timing("02_tiled.cu", 40.0);
	add_cases(&list.items[1], 8, 5);
	list.items[1].verdict = VERDICT_WRONG_ANSWER;
	list.items[1].cases[0].output = strdup("\033[2Jaccepted\r\nbytes: \xff\xfe ]]>");
	snprintf(list.items[1].detail, sizeof list.items[1].detail, "random-0: 7 of 561 wrong");
	list.items[2].verdict = VERDICT_COMPILE_ERROR;
	list.items[2].compile_log = strdup("broken.cu(3): error: expected a \";\"\n  int x = 1 y\n");
	snprintf(list.items[2].detail, sizeof list.items[2].detail, "nvcc refused the file");
	return list;
}

static inline char *written(report_writer writer, const struct judgement_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	writer(list, out);
	fclose(out);
	return text;
}

static struct report_style text_style;

static inline void write_text(const struct judgement_list *list, FILE *out)
{
	report_text(list, &text_style, out);
}

static inline char *text_of(const struct judgement_list *list, struct report_style style)
{
	text_style = style;
	return written(write_text, list);
}

static inline void holds(const char *text, const char *part)
{
	cr_expect(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
}

static inline size_t times(const char *text, const char *part)
{
	size_t found = 0;
	for (; *text != '\0'; text++)
		found += strncmp(text, part, strlen(part)) == 0;
	return found;
}

/* Row 22 of 5 matrices of 17 rows each, never written. */
static inline void make_batched(struct judgement *item)
{
	snprintf(item->problem, sizeof item->problem, "batched-f32");
	struct case_result *result = &item->cases[0];
	result->test.shape.size[SIZE_BATCH] = 5;
	result->check.untouched = 3;
	result->check.worst_row = 22;
	result->check.first[0] = (struct wrong_element){22, 16, 1, NAN, -0.75, 1.5e-4};
	result->check.changed[1] = 9;
	result->check.read = 2;
}

/* Shapes at 40, 10 and 8.5 us beside 8 us, and one at which the file failed. */
static inline struct judgement_list benched_list(size_t shapes)
{
	struct judgement_list list = some_list();
	list.bench_count = shapes;
	list.bench = calloc(shapes, sizeof *list.bench);
	for (size_t i = 0; i < shapes; i++) {
		list.bench[i] = some_timing("x.cu", i == 0 ? 40.0 : i == 1 ? 10.0 : 8.5);
		list.bench[i].entries[1].role = list.bench[i].entries[2].role = TIMING_LIBRARY;
	}
	list.bench[0].test.shape.size[SIZE_M] = 4095;
	list.bench[shapes - 1].entries[0].ran = false;
	snprintf(list.bench[shapes - 1].entries[0].detail, 64, "it crashed");
	return list;
}

#endif
