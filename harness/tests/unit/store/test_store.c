/* links: store; timeout: 120 */
/* The store keeps what it was given. */
#include "store_questions.h"

TestSuite(store, .init = folder_begin, .fini = folder_end);

/* ---- what goes in comes out ------------------------------------------------------------- */

Test(store, a_judgement_comes_back_with_its_times)
{
	struct judgement_list list = fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED);
	list.items[0].cases[1].verdict = VERDICT_WRONG_ANSWER;
	list.items[0].cases[1].check.worst_ratio = INFINITY;
	list.items[0].verdict = VERDICT_WRONG_ANSWER;
	list.items[0].accepted = 1;
	snprintf(list.items[0].detail, sizeof list.items[0].detail, "bad \xff \033[2J; DROP TABLE run");
	list.items[0].has_larger = true;
	list.items[0].larger = fixture_timing("a.cu", 2048, 99.0, SEAL_HOST_SIDE);
	fixture_append("s.db", list, "judge");
	is_whole("s.db");

	struct measured_list all = fixture_all("s.db");
	cr_assert_eq(all.count, 1);
	const struct measured *run = &all.items[0];
	cr_expect_eq(run->id, 1);
	cr_expect_str_eq(run->verdict, "wrong_answer");
	cr_expect_str_eq(run->content, "aaaa");
	cr_expect_str_eq(run->device, "NVIDIA H200");
	cr_expect_not_null(strstr(run->detail, "DROP TABLE run"));
	cr_expect_null(strchr(run->detail, '\033'));
	cr_expect_eq(run->cases, 2);
	cr_expect_eq(run->accepted, 1);
	cr_assert_eq(run->time_count, 2);
	cr_assert_not_null(run->times);
	const struct measured_time *time = &run->times[0];
	cr_expect_str_eq(time->seal, "confirmed");
	cr_expect_str_eq(time->clock, "span");
	cr_expect_eq(time->median, 12.5);
	cr_expect_str_eq(time->library, "cuBLAS");
	cr_expect_float_eq(measured_ratio(time), 0.8, 1e-12);
	cr_assert_eq(time->pass_count, FIXTURE_PASSES);
	cr_expect_float_eq(time->passes[0], 12.5 * (1.0 - 0.0005 * 3.5), 1e-5);
	char shape[MEASURED_SHAPE];
	measured_shape(time, shape);
	cr_expect_str_eq(shape, "1024x1024x1024 (MxNxK), alpha 1, beta 0");
	cr_expect_str_eq(run->times[1].clock, "host_side");
	cr_expect_float_eq(run->times[1].median, 1.2 * 99.0, 1e-9);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM test_case WHERE verdict = 'wrong_answer' AND "
							 "worst_ratio > 1e300"),
				 1);
	measured_list_free(&all);
}

/* ---- one time, one reading ------------------------------------------------------------- */

/* The run as it comes by way of the JSON report. */
static struct measured_list by_report(const struct judgement_list *list)
{
	struct error err;
	struct measured_list all;
	FILE *file = fopen("r.json", "w");
	cr_assert_not_null(file);
	report_json(list, file);
	fclose(file);
	cr_assert(measured_read_report("r.json", &all, &err), "%s", err.message);
	return all;
}

static void same_time(const struct measured_time *a, const struct measured_time *b)
{
	cr_expect_str_eq(a->problem, b->problem);
	cr_expect_str_eq(a->clock, b->clock);
	cr_expect_str_eq(a->seal, b->seal);
	cr_expect_str_eq(a->library, b->library);
	cr_expect_str_eq(a->scalars, b->scalars);
	cr_expect_arr_eq(&a->shape, &b->shape, sizeof a->shape);
	cr_expect_float_eq(a->median, b->median, 1e-6);
	cr_expect_float_eq(a->low, b->low, 1e-6);
	cr_expect_float_eq(a->high, b->high, 1e-6);
	cr_expect_float_eq(a->library_microseconds, b->library_microseconds, 1e-6);
	cr_expect_eq(a->sm_clock_mhz, b->sm_clock_mhz);
	cr_assert_eq(a->pass_count, b->pass_count);
	for (size_t i = 0; i < a->pass_count; i++)
		cr_expect_float_eq(a->passes[i], b->passes[i], 1e-4);
}

/* Appends it, and compares what the store and the report say of its first time with what text and
 * pages show. */
static void counts(struct judgement_list list, const char *clock)
{
	const struct timing_result *timing = &list.items[0].timing;
	double shown = facts_stats(&timing->entries[0], facts_use_span(timing))->median;
	struct measured_list reported = by_report(&list);
	unlink("s.db");
	fixture_append("s.db", list, "judge");
	struct measured_list stored = fixture_all("s.db");
	cr_assert(reported.count == 1 && stored.count == 1);
	cr_assert(reported.items[0].time_count == 1 && stored.items[0].time_count == 1);
	same_time(&reported.items[0].times[0], &stored.items[0].times[0]);
	cr_expect_str_eq(stored.items[0].times[0].clock, clock);
	cr_expect_float_eq(stored.items[0].times[0].median, shown, 1e-6);
	measured_list_free(&reported);
	measured_list_free(&stored);
}

Test(store, a_report_and_the_store_count_the_same_time)
{
	counts(fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED), "span");
	counts(fixture_timed("a.cu", "aaaa", 12.5, SEAL_UNCERTAIN), "span");
	counts(fixture_timed("a.cu", "aaaa", 12.5, SEAL_NONE), "span");
	struct judgement_list outside = fixture_timed("a.cu", "aaaa", 100.0, SEAL_HOST_SIDE);
	outside.items[0].timing.entries[0].seal.host_side = 100.0;
	outside.items[0].timing.entries[0].seal.shown.median = 117.0;
	counts(outside, "host_side");
	/* a claim that is confirmed, and counts as no less than the host-side time allows */
	struct judgement_list moved = fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED);
	moved.items[0].timing.entries[0].seal.shown = moved.items[0].timing.entries[0].span;
	moved.items[0].timing.entries[0].seal.shown.median = 12.9;
	counts(moved, "span");
	/* a library without spans: events are compared, and passes are of spans */
	struct judgement_list mixed = fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED);
	mixed.items[0].timing.entries[0].event.median = 13.0;
	mixed.items[0].timing.entries[1].span = (struct timing_stats){0};
	counts(mixed, "event");
	struct judgement_list events = fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED);
	events.items[0].timing.entries[0].span = (struct timing_stats){0};
	counts(events, "event");
	/* a steady stream, whatever the bursts before it say */
	struct judgement_list steady = fixture_timed("a.cu", "aaaa", 12.5, SEAL_NONE);
	for (int i = 0; i < 2; i++)
		steady.items[0].timing.entries[i].steady.time =
			(struct timing_stats){5, 15.5 + i, 15, 16, 15, 16};
	steady.items[0].timing.entries[0].passes = (struct timing_passes){2, {15.25f, 15.75f}};
	counts(steady, "steady");
}

/* ---- suites ---------------------------------------------------------------------------------- */

#define LONG_FOLDER                                                                                \
	"/home/somebody/projects/a-folder-with-a-name-of-more-than-64-characters/suites/"

static void says(void (*write)(const struct judgement_list *list, FILE *out),
				 const struct judgement_list *list, const char *text)
{
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	write(list, out);
	fclose(out);
	cr_expect_not_null(strstr(page, text), "no \"%s\" in %.2000s", text, page);
	free(page);
}

static void text_of(const struct judgement_list *list, FILE *out)
{
	struct report_style style = {.width = 80};
	report_text(list, &style, out);
}

Test(store, all_suites_of_a_run_are_kept)
{
	struct judgement_list list = fixture_judged("a.cu", "aaaa");
	list.facts.suites =
		(const char *const[]){LONG_FOLDER "first.ini", LONG_FOLDER "second,or.ini", "edges", NULL};
	const char *suites =
		"[\"" LONG_FOLDER "first.ini\",\"" LONG_FOLDER "second,or.ini\",\"edges\"]";
	const char *joined = LONG_FOLDER "first.ini," LONG_FOLDER "second,or.ini,edges";
	says(report_json, &list, joined);
	says(report_html, &list, joined);
	says(text_of, &list, joined);
	struct measured_list reported = by_report(&list);
	fixture_append("s.db", list, "judge");
	struct measured_list stored = fixture_all("s.db");
	cr_expect_str_eq(reported.items[0].suites, suites);
	cr_expect_str_eq(stored.items[0].suites, suites);
	measured_list_free(&reported);
	measured_list_free(&stored);
}

Test(store, counters_come_back)
{
	struct judgement_list list = fixture_judged("a.cu", "aaaa");
	struct judgement *item = &list.items[0];
	item->kernel_count = 1;
	item->kernels = calloc(1, sizeof *item->kernels);
	item->kernels[0].name = strdup("_Z6kernelv");
	item->kernels[0].shown = strdup("kernel()");
	item->kernels[0].count = 2;
	item->kernels[0].counters = calloc(2, sizeof(struct counter));
	item->kernels[0].counters[0] = (struct counter){"launches", 3};
	item->kernels[0].counters[1] = (struct counter){"launches", 4}; /* a solution may write that */
	fixture_append("s.db", list, "judge");
	struct error err;
	struct measured_list all;
	const struct store_filter filter = {.id = 1, .counters = true};
	cr_assert(store_find("s.db", &filter, &all, &err));
	cr_assert_eq(all.items[0].counter_count, 2);
	cr_expect_str_eq(all.items[0].counters[0].kernel, "kernel()");
	cr_expect_eq(all.items[0].counters[0].value, 3);
	measured_list_free(&all);
}

/* Files of one bench share a timing, each with its own entry. */
Test(store, a_bench_of_two_files_is_one_timing)
{
	struct judgement_list list = fixture_judged("a.cu", "aaaa");
	list.items = realloc(list.items, 2 * sizeof *list.items);
	struct judgement_list second = fixture_judged("b.cu", "bbbb");
	list.items[list.count++] = second.items[0];
	free(second.items);
	list.bench_count = 1;
	list.bench = calloc(1, sizeof *list.bench);
	list.bench[0] = fixture_timing("a.cu", 512, 5.0, SEAL_NONE);
	list.bench[0].entries = realloc(list.bench[0].entries, 3 * sizeof(struct timing_entry));
	list.bench[0].entries[2] = list.bench[0].entries[1];
	list.bench[0].entries[1] = list.bench[0].entries[0];
	fixture_time(&list.bench[0].entries[1], 6.0, SEAL_NONE);
	list.bench[0].count = 3;
	fixture_append("s.db", list, "bench");
	struct measured_list all = fixture_all("s.db");
	cr_assert_eq(all.count, 2);
	cr_expect_eq(all.items[0].times[0].median, 5.0);
	cr_expect_eq(all.items[1].times[0].median, 6.0);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM timing"), 1);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM run"), 1);
	measured_list_free(&all);
	is_whole("s.db");
}

/* Each judgement once, though the list is handed over after each file. */
Test(store, a_run_is_appended_as_it_goes)
{
	struct error err;
	struct store_run run = {.path = "s.db", .mode = "judge"};
	struct judgement_list list = fixture_judged("a.cu", "aaaa");
	list.items = realloc(list.items, 2 * sizeof *list.items);
	struct judgement_list second = fixture_judged("b.cu", "bbbb");
	list.items[list.count++] = second.items[0];
	free(second.items);
	list.items[1].verdict = VERDICT_NOT_RUN;
	cr_assert(store_append(&run, &list, &err));
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement"), 1, "what was not run is no run");
	list.items[1].verdict = VERDICT_ACCEPTED;
	cr_assert(store_append(&run, &list, &err) && store_append(&run, &list, &err));
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement"), 2);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM run"), 1);
	store_run_free(&run);
	judgement_list_free(&list);
}

Test(store, is_asked_by_file_content_problem_device_and_number)
{
	fixture_append("s.db", fixture_judged("a.cu", "aaaa1"), "judge");
	fixture_append("s.db", fixture_judged("a.cu", "bbbb2"), "judge");
	fixture_append("s.db", fixture_judged("copy.cu", "bbbb2"), "judge");
	char path[PATHS_MAX];
	paths_absolute("a.cu", path);
	const struct {
		struct store_filter filter;
		size_t count;
	} cases[] = {
		{{.path = path}, 2},
		{{.content = "bbbb"}, 2},
		{{.path = path, .content = "bbbb2"}, 3},
		{{.problem = "sgemm"}, 0},
		{{.problem = "gemm-f16"}, 3},
		{{.device = "h200"}, 3},
		{{.device = "a100"}, 0},
		{{.id = 2}, 1},
		{{.newest = true}, 1},
		{{.content = "%"}, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error err;
		struct measured_list list;
		cr_assert(store_find("s.db", &cases[i].filter, &list, &err));
		cr_expect_eq(list.count, cases[i].count, "case %zu: %zu", i, list.count);
		measured_list_free(&list);
	}
}

/* A judgement that began first, and so has the smaller number, may end last. */
Test(store, tells_in_the_order_of_time)
{
	fixture_append("s.db", fixture_judged("a.cu", "aaaa1"), "judge");
	fixture_append("s.db", fixture_judged("b.cu", "bbbb2"), "judge");
	tell("s.db", "UPDATE judgement SET ended = '2999-01-01T00:00:00Z' WHERE id = 1");
	struct measured_list all = fixture_all("s.db");
	cr_assert_eq(all.count, 2);
	cr_expect(all.items[0].id == 2 && all.items[1].id == 1);
	measured_list_free(&all);
}
