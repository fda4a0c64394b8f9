/* links: report */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/compare.h"
#include "report/events.h"
#include "report/report.h"

#define ENTRIES 5

static struct timing_entry entries[2][ENTRIES];
static struct timing_result results[2];
static struct judgement items[1];
static struct judgement_list list;

static void entry(size_t shape, size_t index, enum timing_role role, const char *label,
				  double median)
{
	struct timing_entry *e = &entries[shape][index];
	*e = (struct timing_entry){.role = role, .ran = median > 0};
	snprintf(e->label, sizeof e->label, "%s", label);
	if (median > 0)
		e->span = e->event = (struct timing_stats){100,          median,        median * 0.98,
												   median * 1.1, median * 0.99, median * 1.01};
	else
		snprintf(e->detail, sizeof e->detail, "the library has <none> of it");
}

static void begin(void)
{
	for (size_t i = 0; i < 2; i++) {
		entry(i, 0, TIMING_FILE, "a&b.cu", 50);
		entry(i, 1, TIMING_FILE_PLAIN, "a&b.cu", 49);
		entry(i, 2, TIMING_LIBRARY, "cuBLAS+kernel", 75);
		entry(i, 3, TIMING_LIBRARY, "cuBLASLt+kernel", i == 0 ? 60 : 40);
		entry(i, 4, TIMING_LIBRARY, "cuBLASLt fused", 0);
		results[i] =
			(struct timing_result){.problem = "gemm-f16",
								   .test = {.shape.size = {1, 4096, 4096, i == 0 ? 64 : 8192, 1},
											.scalar = {[SCALAR_ALPHA] = 1}},
								   .count = ENTRIES,
								   .entries = entries[i],
								   .sets = 12};
	}
	items[0] = (struct judgement){.file = "a&b.cu", .problem = "gemm-f16"};
	list = (struct judgement_list){
		.count = 1,
		.items = items,
		.bench_count = 2,
		.bench = results,
		.compare = true,
		.facts = {.version = "1", .device.name = "a GPU", .epilogue = "bias,silu"}};
}

TestSuite(compare, .init = begin);

static char *written(report_writer writer)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	writer(&list, out);
	fclose(out);
	return text;
}

static void text_writer(const struct judgement_list *all, FILE *out)
{
	report_text(all, &(struct report_style){.width = 80}, out);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

Test(compare, ratios_and_their_intervals)
{
	struct compare_ratio ratio = compare_speed_up(&entries[0][0], &entries[0][2], true);
	cr_assert(near(ratio.value, 1.5));
	cr_assert(near(ratio.low, 75 * 0.99 / (50 * 1.01)));
	cr_assert(near(ratio.high, 75 * 1.01 / (50 * 0.99)));
	const struct timing_entry *plain = compare_plain(&results[0], &entries[0][0]);
	cr_assert_eq(plain, &entries[0][1]);
	cr_assert(near(compare_cost(&entries[0][0], plain, true).value, 100.0 * (50.0 / 49 - 1)));
	cr_assert_eq(compare_speed_up(&entries[0][0], &entries[0][4], true).value, 0);
	cr_assert_eq(compare_cost(&entries[0][0], &entries[0][4], true).high, 0);
}

Test(compare, several_files_find_their_own)
{
	entry(0, 1, TIMING_FILE, "c.cu", 52);
	entry(0, 2, TIMING_FILE_PLAIN, "a&b.cu", 49);
	entry(0, 3, TIMING_FILE_PLAIN, "c.cu", 50);
	cr_assert_eq(compare_plain(&results[0], &entries[0][0]), &entries[0][2]);
	cr_assert_eq(compare_plain(&results[0], &entries[0][1]), &entries[0][3]);
}

Test(compare, text)
{
	char *text = written(text_writer);
	cr_assert_not_null(strstr(text, "epilogue bias,silu"));
	cr_assert_not_null(strstr(text, "a&b.cu fused"));
	cr_assert_not_null(strstr(text, "1.50x as fast (1.47 to 1.53)"));
	cr_assert_not_null(strstr(text, "fusing costs 2.0% (0.0 to 4.1)"));
	cr_assert_not_null(strstr(text, "<none>"));
	cr_assert_not_null(strstr(text, "4096x4096x8192"));
	cr_assert_not_null(strstr(text, "0.80x"));
	free(text);
}

/* A file stands twice, and so do its kernels. */
Test(compare, kernels)
{
	for (int i = 0; i < 2; i++) {
		entries[0][i].has_kernels = true;
		struct kernel_list *kernels = &entries[0][i].kernels;
		kernels->run = kernels->shown = 1;
		snprintf(kernels->first[0].name, KERNEL_NAME_BYTES, "gemm<%s>", i == 0 ? "bias" : "none");
	}
	char *text = written(text_writer);
	cr_assert_null(strstr(text, "gemm<bias>"));
	free(text);
	size_t size;
	FILE *out = open_memstream(&text, &size);
	report_text(&list, &(struct report_style){.width = 80, .verbose = true}, out);
	fclose(out);
	const char *fused = strstr(text, "\n  a&b.cu fused\n"),
			   *alone = strstr(text, "\n  a&b.cu alone\n");
	cr_assert(fused != NULL && alone != NULL && fused < alone, "%s", text);
	cr_assert(strstr(fused, "gemm<bias>") < alone && strstr(alone, "gemm<none>") != NULL);
	free(text);
	text = written(report_markdown_verbose);
	cr_assert_not_null(strstr(text, "| a&b.cu alone | gemm\\<none\\> |"), "%s", text);
	free(text);
}

Test(compare, markdown)
{
	char *text = written(report_markdown);
	cr_assert_not_null(strstr(text, "| cuBLAS+kernel | 75.00 | 74.25 - 75.75 |"));
	cr_assert_not_null(strstr(text, "fusing costs 2.0%"));
	free(text);
}

/* What costs most is the floor, and stands beside what fusing costs: in the picture in percent. */
Test(compare, floors)
{
	char line[COMPARE_FLOOR];
	compare_floor_line(line, &results[0].floor);
	cr_assert_str_empty(line);
	cr_assert_eq(compare_floor(&results[0].floor), 0);
	results[0].floor = (struct timing_floor){
		.known = true, .special = 4, .instructions = 4.9, .bytes = 0.25, .product = 30};
	results[1].floor = results[0].floor;
	results[1].floor.branches = true;
	snprintf(results[1].floor.uncounted, sizeof results[1].floor.uncounted, "mish");
	cr_assert_eq(compare_floor(&results[0].floor), 4.9);
	char *text = written(text_writer);
	cr_assert_not_null(strstr(text, "fusing costs 2.0% (0.0 to 4.1), 1.00 us"));
	cr_assert_not_null(strstr(text, "  floor of the chain: 4.90 us (special functions 4.00, "));
	cr_assert_not_null(strstr(text, "instructions up to 4.90,"), "%s", text);
	cr_assert_not_null(strstr(text, "product: 30.00 us; instructions of mish are not"), "%s", text);
	cr_assert_not_null(strstr(text, "     2.0%     1.00     4.90"), "%s", text);
	free(text);
	text = written(report_svg);
	cr_assert_not_null(strstr(text, ">cost 2.0%<"));
	cr_assert_not_null(strstr(text, ">floor 10.0%<"));
	free(text);
	text = written(report_json);
	cr_assert_not_null(strstr(text, "\"special_functions\": 4.0"));
	cr_assert_not_null(strstr(text, "\"fusion_cost_us\": 1.0"));
	cr_assert_not_null(strstr(text, "\"uncounted\": \"mish\""));
	free(text);
}

/* Somebody's kernel is a row like a library; a program's own time has no interval. */
Test(compare, baselines_of_the_user)
{
	for (size_t i = 0; i < 2; i++) {
		entry(i, 3, TIMING_BASELINE, "theirs.cu", 60);
		entry(i, 4, TIMING_PROGRAM, "bench", 100);
	}
	char *text = written(text_writer);
	cr_assert_not_null(strstr(text, "theirs.cu                   60.00  1.00%    35.8  1.20x"));
	cr_assert_not_null(strstr(text,
							  "bench                      100.00      -    21.5  2.00x as fast, "
							  "by its own word: not checked\n"),
					   "%s", text);
	cr_assert_not_null(strstr(text, "          theirs.cu              bench*\n"), "%s", text);
	cr_assert_not_null(strstr(text, "\n  * bench, by its own word: not checked\n"), "%s", text);
	free(text);
	text = written(report_json);
	cr_assert_not_null(strstr(text, "\"role\": \"baseline\""));
	cr_assert_not_null(strstr(text, "\"role\": \"program\""));
	cr_assert_not_null(strstr(text, "\"theirs.cu\": {"));
	cr_assert_not_null(strstr(text, "\"fastest_library\": \"cuBLAS+kernel\""));
	free(text);
	text = written(report_svg);
	cr_assert_not_null(strstr(text, ">over theirs.cu<"));
	cr_assert_not_null(strstr(text, ">over bench, not checked<"));
	free(text);
	text = written(report_html);
	cr_assert_not_null(strstr(text, "theirs.cu"));
	free(text);
}

Test(compare, json)
{
	char *text = written(report_json);
	cr_assert_not_null(strstr(text, "\"epilogue\": \"bias,silu\""));
	cr_assert_not_null(strstr(text, "\"speed_up_over\""));
	cr_assert_not_null(strstr(text, "\"fusion_cost_percent\""));
	cr_assert_not_null(strstr(text, "\"role\": \"file without epilogue\""));
	free(text);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;
	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

Test(compare, picture)
{
	char *text = written(report_svg);
	cr_assert_eq(strncmp(text, "<svg ", 5), 0);
	cr_assert_not_null(strstr(text, "</svg>"));
	/* the page, two legends, four bars */
	cr_assert_eq(count_of(text, "<rect "), 1 + 2 + 4);
	cr_assert_eq(count_of(text, "<text "), count_of(text, "</text>"));
	cr_assert_not_null(strstr(text, "a&amp;b.cu fused"));
	cr_assert_null(strstr(text, "nan"));
	cr_assert_not_null(strstr(text, "K 8192"));
	free(text);
}

Test(compare, nothing_measured)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < ENTRIES; j++)
			entries[i][j].ran = false;
	report_writer writers[] = {text_writer, report_markdown, report_json, report_svg};
	for (size_t i = 0; i < 4; i++) {
		char *text = written(writers[i]);
		cr_assert_null(strstr(text, "nan"));
		free(text);
	}
}

/* What a batch hands on of a bench. */
Test(compare, the_event_of_a_verdict_has_the_times_of_each_shape)
{
	char path[] = "/tmp/test_compare.XXXXXX";
	struct error err;
	struct events events;
	close(mkstemp(path));
	cr_assert(events_open(&events, path, &err), "%s", err.message);
	events_verdict(&events, &list, 0);
	cr_assert(events_close(&events, &err), "%s", err.message);
	json_t *event = json_load_file(path, 0, NULL);
	unlink(path);
	const json_t *bench = json_object_get(event, "bench");
	cr_assert_str_eq(json_string_value(json_object_get(event, "event")), "verdict");
	cr_assert_eq(json_array_size(bench), 2);
	const json_t *test = json_object_get(json_array_get(bench, 1), "case");
	cr_assert_eq(json_integer_value(json_object_get(test, "k")), 8192);
	json_decref(event);
}
