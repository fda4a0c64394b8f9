/* links: report */
/* What comes back out of JSON is shown as it was; and nothing that a stranger writes there breaks
 * it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/layers.h"
#include "report/read.h"
#include "report/record.h"
#include "report/report.h"

#define ROUNDS 3000 /* of members replaced by others */

/* ---- a judgement ------------------------------------------------------------------------- */

static struct test_case some_case(void)
{
	struct test_case test = {.name = "random-3",
							 .shape = {{2, 17, 33, 64, 1}},
							 .values = {{VALUES_UNIFORM, 1.0f, 0, 0},
										{VALUES_POSITIVE, 2.0f, 0.5f, 0},
										{VALUES_NORMAL, 1.0f, 0, 0}},
							 .seed = 0xFFFFFFFFFFFFFFFFull,
							 .exact = true};
	case_neutral_scalars(&test);
	test.scalar[SCALAR_BETA] = 0.5f;
	return test;
}

static struct timing_stats around(double median)
{
	return (struct timing_stats){100, median, median * 0.5, median * 2, median - 1, median + 1};
}

/* A file whose time is the host's, one that is moved, and a library that claims. */
static void add_timing(struct judgement *item)
{
	static const char *const labels[] = {"mine.cu", "cuBLAS", "cuBLASLt"};
	struct timing_result *timing = &item->timing;
	*timing = (struct timing_result){.problem = "gemm-f16",
									 .test = some_case(),
									 .count = 3,
									 .entries = calloc(3, sizeof *timing->entries),
									 .sm_clock_mhz_min = 1900,
									 .sm_clock_mhz_median = 1980,
									 .sm_clock_mhz_limit = 1980,
									 .throttled = true,
									 .throttle_reason = "power",
									 .wide = true,
									 .sets = 24,
									 .libraries_age = 12.5};
	for (int i = 0; i < 3; i++) {
		struct timing_entry *entry = &timing->entries[i];
		snprintf(entry->label, sizeof entry->label, "%s", labels[i]);
		entry->role = i == 0 ? TIMING_FILE : TIMING_LIBRARY;
		entry->ran = true;
		entry->span = around(40.0 + i);
		entry->event = around(50.0 + i);
		entry->seal = (struct timing_seal){.state = SEAL_CONFIRMED,
										   .host_side = 44,
										   .uncertainty = 2,
										   .least = 42,
										   .calls = 64,
										   .passes = 4};
	}
	struct timing_seal *seal = &timing->entries[0].seal;
	seal->shown = around(40.0);
	seal->shown.median += 2, seal->shown.min += 2, seal->shown.p95 += 2;
	seal->shown.low += 2, seal->shown.high += 2;
	timing->entries[1].seal.state = SEAL_HOST_SIDE;
	timing->entries[1].seal.shown = (struct timing_stats){64, 60, 58, 62, 58, 62};
	timing->entries[2].seal.state = SEAL_UNCERTAIN;
	timing->entries[0].has_kernels = true;
	timing->entries[0].kernels = (struct kernel_list){
		.run = 3,
		.shown = 1,
		.first = {{"gemm<128>", {8, 4, 1}, {256, 1, 1}, {2, 1, 1}, 168, 4096}}};
	item->has_timing = true;
}

static void add_cases(struct judgement *item)
{
	item->count = 2;
	item->accepted = 1;
	item->cases = calloc(2, sizeof *item->cases);
	item->cases[0] = (struct case_result){.test = some_case(),
										  .checked = true,
										  .seconds = 0.25,
										  .facts = {.peak_bytes = 4096},
										  .check = {.elements = 1122, .worst_ratio = 0.5}};
	item->cases[1] = (struct case_result){
		.test = some_case(),
		.verdict = VERDICT_WRONG_ANSWER,
		.detail = "7 of 1122 elements wrong",
		.checked = true,
		.output = strdup("here\nand there\n"),
		.check = {.elements = 1122,
				  .wrong = 7,
				  .untouched = 2,
				  .worst_ratio = INFINITY,
				  .shown = 2,
				  .first = {{0, 16, 0, NAN, -0.75, 1.5e-4}, {20, 32, 1, 0, 0.25, 1.25e-4}}}};
}

static struct judgement_list some_list(enum verdict verdict)
{
	static const char *const suites[] = {"edges", "large", NULL};
	struct judgement_list list = {.count = 1, .items = calloc(1, sizeof *list.items)};
	list.facts = (struct run_description){.version = "1.2.3",
										  .device = {.name = "NVIDIA H200",
													 .multiprocessors = 132,
													 .driver = "580.1",
													 .library = "cuBLAS 13.1.0"},
										  .devices = 1,
										  .nvcc = "13.5.37",
										  .seed = 0xFFFFFFFFFFFFFFF0ull,
										  .suites = suites,
										  .multiple = 8,
										  .tolerance = "leetgpu",
										  .epilogue = "bias",
										  .command = "gemmjudge judge mine.cu"};
	struct judgement *item = &list.items[0];
	*item = (struct judgement){.file = "mine.cu",
							   .problem = "gemm-f16",
							   .verdict = verdict,
							   .hint_count = 1,
							   .hints = {"read beta"},
							   .was_run = true,
							   .layers = LAYER_FILES | LAYER_CALLS};
	if (verdict == VERDICT_COMPILE_ERROR) {
		snprintf(item->detail, sizeof item->detail, "nvcc refused the file");
		item->compile_log = strdup("mine.cu(3): error: expected a \";\"\n");
		return list;
	}
	add_cases(item);
	if (verdict == VERDICT_ACCEPTED)
		add_timing(item);
	return list;
}

/* ---- texts -------------------------------------------------------------------------------- */

static char *text_of(const struct judgement_list *list, bool verbose)
{
	const struct report_style style = {.width = 80, .verbose = verbose};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	report_text(list, &style, out);
	fclose(out);
	return text;
}

Test(read, shows_what_was_shown)
{
	static const enum verdict verdicts[] = {VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER,
											VERDICT_COMPILE_ERROR};
	for (size_t i = 0; i < 6; i++) {
		struct report_read back;
		struct error err;
		struct judgement_list list = some_list(verdicts[i / 2]);
		json_t *run = record_of_run(&list.facts), *result = record_of_result(&list.items[0]);
		cr_assert(report_read_result(run, result, &back, &err), "%s", err.message);
		char *before = text_of(&list, i % 2 == 1), *after = text_of(&back.list, i % 2 == 1);
		cr_expect_str_eq(after, before);
		free(before), free(after);
		report_read_free(&back);
		json_decref(run), json_decref(result);
		judgement_list_free(&list);
	}
}

/* A map of 2 x 2 cells, counters, what was denied, and what the kernels take of a GPU. */
static void add_rest(struct judgement *item)
{
	struct wrong_pattern *wrong = calloc(1, sizeof *wrong);
	wrong->wrong = 7;
	wrong->map = (struct wrong_map){.rows = 2, .columns = 2, .height = 16, .width = 32};
	wrong->map.wrong[0][1] = 3;
	wrong->map.wrong[1][0] = 4;
	wrong->places = (struct wrong_places){.top = 1, .bottom = 20, .left = 2, .right = 31};
	item->cases[1].wrong = wrong;
	item->cases[1].steps = 1000;
	item->has_counters = true;
	item->kernel_count = 1;
	item->kernels = calloc(1, sizeof *item->kernels);
	item->kernels[0] = (struct kernel_counters){.name = strdup("_Z4gemmv"),
												.shown = strdup("gemm"),
												.count = 1,
												.counters = calloc(1, sizeof(struct counter))};
	item->kernels[0].counters[0] = (struct counter){"launches", 3};
	item->denied.recorded = true;
	denied_add(&item->denied, "socket", "AF_INET", 2);
	item->use_count = 1;
	item->uses = calloc(1, sizeof *item->uses);
	item->uses[0] = (struct kernel_use){"gemm", 40, 1024, 16, 8, 4};
	strcpy(item->uses_of, "sm_90a");
	strcpy(item->content, "c0ffee");
	strcpy(item->schedule, "A=1");
	item->compile_cached = true;
	item->tool_report = strdup("nothing");
	item->has_larger = true;
	item->larger = (struct timing_result){.problem = "gemm-f16",
										  .test = some_case(),
										  .count = 1,
										  .entries = calloc(1, sizeof(struct timing_entry))};
}

/* Every member that is read is written as it was, so that no pair of functions loses one. */
Test(read, is_written_as_it_was_read)
{
	struct report_read back;
	struct error err;
	struct judgement_list list = some_list(VERDICT_ACCEPTED);
	list.items[0].timing.entries[0].passes = (struct timing_passes){2, {12.5f, 12.75f}};
	add_rest(&list.items[0]);
	json_t *run = record_of_run(&list.facts), *result = record_of_result(&list.items[0]);
	cr_assert(report_read_result(run, result, &back, &err), "%s", err.message);
	json_t *run_again = record_of_run(&back.list.facts);
	json_t *result_again = record_of_result(&back.list.items[0]);
	char *before = json_dumps(result, JSON_INDENT(1)),
		 *after = json_dumps(result_again, JSON_INDENT(1));
	cr_expect(json_equal(run, run_again));
	cr_expect_str_eq(after, before);
	free(before), free(after);
	json_decref(run_again), json_decref(result_again);
	report_read_free(&back);
	json_decref(run), json_decref(result);
	judgement_list_free(&list);
}

Test(read, what_is_missing_is_not_known)
{
	struct report_read back;
	struct error err;
	json_t *none = json_object(),
		   *some = json_pack("{s:s, s:s}", "verdict", "time_limit", "file", "a.cu");
	cr_expect_not(report_read_result(none, none, &back, &err));
	cr_expect_str_eq(err.message, "no verdict has the name ''");
	cr_assert(report_read_result(NULL, some, &back, &err));
	char *text = text_of(&back.list, true);
	cr_expect_str_eq(text, "time_limit      a.cu\n");
	free(text);
	report_read_free(&back);
	json_object_set_new(some, "problem", json_string("gemm-f16"));
	json_object_set_new(some, "timing",
						json_pack("{s:s, s:{}, s:[]}", "problem", "gemm-f16", "case", "entries"));
	cr_assert(report_read_result(NULL, some, &back, &err), "%s", err.message);
	cr_expect_not(back.list.items[0].has_timing, "of no entries");
	report_read_free(&back);
	json_object_del(some, "problem");
	json_object_del(some, "timing");
	json_object_set_new(some, "cases", json_pack("[{}]"));
	cr_expect_not(report_read_result(none, some, &back, &err));
	cr_expect_str_eq(err.message, "no problem has the name ''");
	json_decref(none), json_decref(some);
}

/* ---- strangers ------------------------------------------------------------------------------ */

static unsigned state = 1;

static unsigned draw(unsigned below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

static json_t *anything(void)
{
	switch (draw(8)) {
	case 0: return json_integer(INT64_MIN);
	case 1: return json_integer(INT64_MAX);
	case 2: return json_integer(0);
	case 3: return json_real(1e308);
	case 4: return json_string("nan");
	case 5: return json_null();
	case 6: return json_pack("[{}, [], 1]");
	default:
		return json_string("%s%n\033[2J and a text that is longer than most of them have "
						   "room for, were it copied without a look at how long it is");
	}
}

/* Replaces one member of one object below. */
static void mutate(json_t *json)
{
	const char *name;
	json_t *value;
	unsigned which = json_is_object(json) ? draw((unsigned)json_object_size(json) + 1) : 0;
	if (json_is_array(json) && json_array_size(json) > 0)
		mutate(json_array_get(json, draw((unsigned)json_array_size(json))));
	json_object_foreach(json, name, value)
	{
		if (which-- > 0)
			continue;
		if ((json_is_object(value) || json_is_array(value)) && draw(8) > 0)
			mutate(value);
		else
			json_object_set_new(json, name, anything());
		return;
	}
}

Test(read, takes_anything)
{
	struct judgement_list list = some_list(VERDICT_ACCEPTED);
	json_t *run = record_of_run(&list.facts), *result = record_of_result(&list.items[0]);
	for (int i = 0; i < ROUNDS; i++) {
		struct report_read back;
		struct error err;
		json_t *other_run = json_deep_copy(run), *other = json_deep_copy(result);
		for (unsigned k = draw(4) + 1; k > 0; k--)
			mutate(draw(4) == 0 ? other_run : other);
		if (report_read_result(other_run, other, &back, &err)) {
			free(text_of(&back.list, true));
			report_read_free(&back);
		}
		json_decref(other_run), json_decref(other);
	}
	json_decref(run), json_decref(result);
	judgement_list_free(&list);
}
