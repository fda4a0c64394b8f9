/* links: report */
/* The text of judgements made up here. */
#include "report_fixture.h"

/* ---- text ------------------------------------------------------------------ */

Test(report, tells_what_files_ran_on_and_what_compiled_them)
{
	char device[FACTS_DEVICE];
	struct run_description facts = {.device_kind = DEVICE_CUDA,
									.devices = 2,
									.device = {.name = "NVIDIA H200",
											   .multiprocessors = 132,
											   .driver = "580.1",
											   .library = "cuBLAS 13.10.0"},
									.nvcc = "13.5.37"};
	cr_expect_str_eq(facts_device(&facts, device),
					 "2 x NVIDIA H200 (132 SMs, driver 580.1, cuBLAS 13.10.0, nvcc 13.5.37)");
	facts = (struct run_description){
		.device_kind = DEVICE_EMULATED, .device.name = "emulated GPU (t4)", .nvcc = "13.0.88"};
	cr_expect_str_eq(facts_device(&facts, device), "emulated GPU (t4), nvcc 13.0.88");
	facts.nvcc[0] = '\0';
	cr_expect_str_eq(facts_device(&facts, device), "emulated GPU (t4)");
	facts.device.name[0] = '\0';
	cr_expect_str_eq(facts_device(&facts, device), "", "there was nothing to run");
}

Test(report, text_tells_verdicts_and_first_wrong_elements)
{
	struct judgement_list list = some_list();
	char *text = text_of(&list, (struct report_style){.width = 80});
	holds(text, "accepted        solutions/gemm_f16/02_tiled.cu");
	holds(text, "wrong_answer    bad");
	holds(text, "7 of 561 elements wrong");
	holds(text, "      0      16             nan           -0.75    0.00015");
	holds(text, "and 2 more failing cases");
	holds(text, "  broken.cu(3): error: expected a \";\"\n    int x = 1 y\n");
	cr_expect_null(strstr(text, "25.0%   20.0%"),
				   "a table of times, although there are three files");
	holds(text, "seed 0xfffffffffffffff0");
	holds(text, "1 of 3 solutions accepted");
	holds(text, list.facts.command);
	free(text);
	judgement_list_free(&list);
}

Test(report, two_files_have_their_tables)
{
	struct judgement_list list = some_list();
	list.count = 2;
	char *text = text_of(&list, (struct report_style){.width = 80});
	holds(text, "[1/2] accepted");
	holds(text, "25.0%   20.0%");
	free(text);
	list.count = 3;
	judgement_list_free(&list);
}

/* In every format: those of a file that failed in its cases once, and of one that has none. */
Test(report, hints_are_in_every_format)
{
	struct judgement_list list = some_list();
	list.items[1].hint_count = 2;
	snprintf(list.items[1].hints[0], HINT_TEXT,
			 "K < 17 & B is | read, as a long sentence says that "
			 "goes on until it has to be broken somewhere");
	snprintf(list.items[1].hints[1], HINT_TEXT, "the \033[2Jsecond");
	list.items[2].hint_count = 1;
	snprintf(list.items[2].hints[0], HINT_TEXT, "of a file without cases");
	char *said = text_of(&list, (struct report_style){.width = 80});
	holds(said,
		  "  hint: K < 17 & B is | read, as a long sentence says that goes on until it has\n");
	holds(said, "  hint: of a file without cases\n");
	cr_expect_null(strchr(said, '\033'));
	char *junit = written(report_junit, &list);
	holds(junit, "\nhint: K &lt; 17 &amp; B is");
	cr_expect_eq(times(junit, "hint: K"), 1);
	holds(junit, "hint: of a file without cases</error>");
	char *markdown = written(report_markdown, &list);
	holds(markdown, "- hint: K \\< 17 & B is \\| read");
	char *json = written(report_json, &list);
	json_t *read = json_loads(json, 0, NULL);
	json_t *results = json_object_get(read, "results");
	cr_expect_eq(json_array_size(json_object_get(json_array_get(results, 0), "hints")), 0);
	cr_expect_eq(json_array_size(json_object_get(json_array_get(results, 1), "hints")), 2);
	json_decref(read);
	free(said);
	free(junit);
	free(markdown);
	free(json);
	judgement_list_free(&list);
}

/* One line where all are alike, one a file where they are not; none of what was never run. */
Test(report, tells_what_held)
{
	struct judgement_list list = some_list();
	struct report_style style = {.width = 80};
	char *said = text_of(&list, style);
	cr_expect_null(strstr(said, "guarantees"));
	free(said);
	judgement_take_layers(&list.items[0], true, LAYER_FILES | LAYER_CALLS);
	judgement_take_layers(&list.items[1], true, LAYER_FILES | LAYER_CALLS);
	said = text_of(&list, style);
	holds(said, "\nguarantees: files, calls\n");
	free(said);
	list.items[1].layers |= LAYER_COMPILER; /* what its next process lacks it has not */
	judgement_take_layers(&list.items[1], true, LAYER_CALLS | LAYER_NAMESPACES);
	said = text_of(&list, style);
	holds(said, "one\" <&>.cu: calls, compiler\n");
	free(said);
	said = written(report_json, &list);
	json_t *json = json_loads(said, 0, NULL);
	json_t *results = json_object_get(json, "results");
	json_t *names = json_object_get(json_array_get(results, 1), "guarantees");
	cr_expect_eq(json_array_size(names), 2);
	cr_expect_str_eq(json_string_value(json_array_get(names, 1)), "compiler");
	cr_expect(json_is_null(json_object_get(json_array_get(results, 2), "guarantees")));
	json_decref(json);
	free(said);
	judgement_list_free(&list);
}

/* In the verbose text, in JSON and on the page; where nobody looked on, JSON says so. */
Test(report, tells_what_was_denied)
{
	struct judgement_list list = some_list();
	struct denied_list *denied = &list.items[0].denied;
	denied->recorded = true;
	denied_add(denied, "socket", "AF_INET", 3);
	denied_add(denied, "open", "/etc/<b>\033[31m", 1);
	for (int i = 0; i < DENIED_MAX; i++)
		denied_add(denied, "execve", (char[]){'/', (char)('a' + i), '\0'}, 1);
	snprintf(list.items[1].denied.unrecorded, sizeof list.items[1].denied.unrecorded, "no kernel");
	char *said = text_of(&list, (struct report_style){.width = 200, .verbose = true});
	holds(said, "\n  denied by the jail: socket AF_INET (3 times), open /etc/<b>?[31m, execve /a, "
				"execve /b, execve /c, execve /d, and 12 more calls\n");
	holds(said, "\n  what the jail denied was not recorded: no kernel\n");
	cr_expect_eq(times(said, "denied by the jail"), 1);
	free(said);
	said = text_of(&list, (struct report_style){.width = 200});
	cr_expect_null(strstr(said, "denied"));
	free(said);
	said = written(report_html, &list);
	holds(said, "<li>open /etc/&lt;b&gt;?[31m</li>\n");
	holds(said, "<li>execve /n</li>\n<li>and 2 more calls</li>\n</ul>");
	free(said);
	said = written(report_json, &list);
	json_t *json = json_loads(said, 0, NULL);
	json_t *results = json_object_get(json, "results");
	const json_t *calls = json_object_get(json_array_get(results, 0), "denied");
	const json_t *first = json_array_get(calls, 0);
	cr_expect_eq(json_array_size(calls), DENIED_MAX);
	cr_expect_str_eq(json_string_value(json_object_get(first, "call")), "socket");
	cr_expect_str_eq(json_string_value(json_object_get(first, "what")), "AF_INET");
	cr_expect_eq(json_integer_value(json_object_get(first, "times")), 3);
	cr_expect_eq(json_integer_value(json_object_get(json_array_get(results, 0), "denied_more")), 2);
	cr_expect(json_is_null(json_object_get(json_array_get(results, 1), "denied")));
	json_decref(json);
	free(said);
	judgement_list_free(&list);
}

Test(report, verdicts_are_shown_as_they_come)
{
	struct judgement_list list = some_list();
	struct report_style style = {0};
	struct report_written parts = {0};
	char *text = NULL;
	size_t size;
	snprintf(list.items[1].file, sizeof list.items[1].file, "two\nlines.cu");
	list.items[1].verdict = VERDICT_BAD_FILE;
	snprintf(list.items[1].detail, sizeof list.items[1].detail, "the file is empty");
	FILE *out = open_memstream(&text, &size);
	report_text_file(&list, 2, &style, &parts, out);
	report_text_file(&list, 1, &style, &parts, out);
	fflush(out);
	holds(text, "tolerance bound\n\n[1/3] compile_error   broken.cu\n  nvcc refused the file\n");
	holds(text, "1 y\n\n[2/3] bad_file        two\\nlines.cu: the file is empty\n");
	cr_expect(strstr(text, "02_tiled.cu") == NULL);
	report_text_end(&list, &style, &parts, out);
	fclose(out);
	holds(text, "empty\n[3/3] accepted        solutions/gemm_f16/02_tiled.cu\n");
	holds(text, "1 of 3 solutions accepted\n");
	cr_expect_eq(times(text, "] compile_error"), 1, "twice:\n%s", text);
	cr_expect(parts.shown == NULL);
	free(text);
	judgement_list_free(&list);
}

Test(report, what_never_ran_takes_a_line)
{
	struct judgement_list list = {.count = 40, .items = calloc(40, sizeof *list.items)};
	snprintf(list.facts.device.name, sizeof list.facts.device.name, "NVIDIA H200");
	for (int i = 0; i < 40; i++) {
		snprintf(list.items[i].file, sizeof list.items[i].file, "%d.cu", i);
		if (i == 0)
			continue;
		list.items[i].verdict = VERDICT_NOT_RUN;
		snprintf(list.items[i].detail, sizeof list.items[i].detail, "interrupted before its turn");
	}
	char *text = text_of(&list, (struct report_style){0});
	holds(
		text,
		"\n[ 1/40] accepted        0.cu\nnot_run         39 files: interrupted before its turn\n");
	free(text);
	text = text_of(&list, (struct report_style){.quiet = true});
	holds(text, "not_run         7.cu\n");
	free(text);
	judgement_list_free(&list);
}

Test(report, nothing_to_judge_needs_no_device)
{
	struct judgement_list list = {.count = 1, .items = calloc(1, sizeof *list.items)};
	list.items[0].verdict = VERDICT_BAD_FILE;
	snprintf(list.items[0].file, sizeof list.items[0].file, "typo.cu");
	snprintf(list.items[0].detail, sizeof list.items[0].detail, "No such file or directory");
	char *text = text_of(&list, (struct report_style){0});
	cr_expect_str_eq(text, "bad_file        typo.cu: No such file or directory\n");
	free(text);
	text = written(report_json, &list);
	holds(text, "\"device\": null");
	holds(text, "\"problem\": null");
	free(text);
	text = written(report_junit, &list);
	holds(text, "<error message=\"No such file or directory\" type=\"bad_file\">");
	free(text);
	judgement_list_free(&list);
}

Test(report, text_keeps_to_the_width)
{
	struct judgement_list list = some_list();
	snprintf(
		list.items[1].cases[0].detail, sizeof list.items[1].cases[0].detail,
		"a long sentence of many words, such as a runtime or an emulator may say, that goes on "
		"and on until it has to be broken somewhere");
	list.items[1].cases[0].verdict = VERDICT_RUNTIME_ERROR;
	char *text = text_of(&list, (struct report_style){.width = 80, .verbose = true});
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80, "%zu columns: %s", strlen(line), line);
	free(text);
	judgement_list_free(&list);
}

Test(report, text_has_no_escape_of_others)
{
	struct judgement_list list = some_list();
	char *plain = text_of(&list, (struct report_style){.width = 80});
	cr_expect_null(strchr(plain, '\033'));
	cr_expect_null(strchr(plain, '\xff'));
	char *colored = text_of(&list, (struct report_style){.width = 80, .color = true});
	holds(colored, "\033[1;32maccepted");
	cr_expect_null(strstr(colored, "\033[2J"));
	free(plain);
	free(colored);
	judgement_list_free(&list);
}

Test(report, text_warns_of_throttling_wide_intervals_and_old_times)
{
	struct judgement_list list = some_list();
	struct timing_result *timing = &list.items[0].timing;
	timing->throttled = timing->wide = true;
	timing->libraries_age = 12.2;
	snprintf(timing->throttle_reason, sizeof timing->throttle_reason, "power cap");
	char *text = text_of(&list, (struct report_style){.width = 80, .verbose = true});
	holds(text, "warning: the clock was held down while measuring (power cap)");
	holds(text, "warning: a median is uncertain by 0.5%");
	holds(text, "  the libraries were timed 12 s before, for an earlier file\n");
	free(text);
	judgement_list_free(&list);
}

/* 1 GiB and two vectors in 300 us. */
/* Of a library that is faster than the GPU's peak no figure is shown, and nothing compared with it.
 */
Test(report, a_time_that_beats_the_peak_is_no_figure)
{
	static const report_writer writers[] = {report_markdown, report_csv, report_html};
	struct judgement_list list = some_list();
	struct timing_result *timing = &list.items[0].timing;
	timing->entries[1].role = timing->entries[2].role = TIMING_LIBRARY;
	timing->entries[2].span.median = 7.77;
	timing->entries[2].seal.floor = 9;
	timing_keep_possible(&timing->entries[2]);
	char *text = text_of(&list, (struct report_style){.width = 100, .verbose = true});
	holds(text, "cuBLASLt          not measured\n    an error of measurement: less time than this "
				"GPU needs at its peak (9 us)\n");
	cr_expect_null(strstr(text, "7.77"));
	free(text);
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		text = written(writers[i], &list);
		cr_expect_null(strstr(text, "7.77"), "writer %zu", i);
		free(text);
	}
	text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL);
	const json_t *shown =
		json_object_get(json_array_get(json_object_get(json, "results"), 0), "timing");
	const json_t *entry = json_array_get(json_object_get(shown, "entries"), 2);
	cr_expect(json_is_false(json_object_get(entry, "ran")));
	cr_expect(json_is_null(json_object_get(entry, "span")));
	cr_expect_str_eq(json_string_value(json_object_get(shown, "fastest_library")), "cuBLAS");
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}

Test(report, a_problem_of_bandwidth_shows_bytes)
{
	struct judgement_list list = some_list();
	struct timing_result *timing = &list.items[0].timing;
	snprintf(timing->problem, sizeof timing->problem, "gemv-f32");
	timing->test.shape = product(16384, 1, 16384);
	timing->test.scalar[SCALAR_BETA] = 0.0f;
	timing->entries[0].span.median = 300.0;
	double bytes = 4.0 * (16384.0 * 16384.0 + 2 * 16384.0);
	cr_expect_float_eq(facts_gbytes(timing, 300.0), bytes / 300e-6 * 1e-9, 1e-6);
	char *text = text_of(&list, (struct report_style){.width = 80, .verbose = true});
	holds(text, "  16384x16384 (MxN): microseconds of device span (bursts)\n");
	holds(text, "GB/s /cuBLAS");
	holds(text, "   3580 ");
	free(text);
	text = written(report_markdown, &list);
	holds(text, "### gemv-f32, 16384x16384 (MxN)\n");
	holds(text, "| GB/s | of cuBLAS |");
	holds(text, " 3580 |");
	free(text);
	text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL);
	json_t *entry = json_object_get(json_array_get(json_object_get(json, "results"), 0), "timing");
	entry = json_array_get(json_object_get(entry, "entries"), 0);
	cr_expect_float_eq(json_number_value(json_object_get(entry, "gbytes_per_s")), 3579.6, 0.1);
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}

/* No library has min-plus products: our own kernel takes its place. */
Test(report, a_plain_kernel_may_be_the_reference)
{
	struct judgement_list list = some_list();
	struct timing_result *timing = &list.items[0].timing;
	snprintf(timing->problem, sizeof timing->problem, "minplus-f32");
	snprintf(timing->entries[1].label, sizeof timing->entries[1].label, "plain");
	timing->count = 2;
	char *text = text_of(&list, (struct report_style){.width = 80, .verbose = true});
	holds(text, "TFLOP/s  /plain\n");
	holds(text, "53.69   25.0%\n");
	cr_expect_null(strstr(text, "cuBLAS"));
	free(text);
	text = written(report_markdown, &list);
	holds(text, "| TFLOP/s | of the plain kernel |\n|---|--:|--:|--:|--:|--:|--:|\n");
	holds(text, " 53.69 | 25.0% |\n");
	free(text);
	judgement_list_free(&list);
}

static void sizes_are(const char *problem, const struct test_case *test, const char *says)
{
	char text[160];
	facts_case_sizes(text, sizeof text, problem_find(problem), test);
	cr_expect_str_eq(text, says);
}

static void values_are(const char *problem, const struct test_case *test, const char *says)
{
	char text[160];
	facts_case_values(text, sizeof text, problem_find(problem), test);
	cr_expect_str_eq(text, says);
}

Test(report, case_sizes_are_those_of_solve)
{
	struct test_case test = some_case("one");
	sizes_are("sgemm", &test, "M 17, N 33, K 64, alpha 1, beta 0.5");
	sizes_are("matmul-f32", &test, "M 17, K 33, N 64"); /* K: the width of C */
	values_are("sgemm", &test, "A uniform +-1, B normal 2, C uniform +-1");
	test.scalar[SCALAR_BETA] = 0.0f;
	values_are("sgemm", &test, "A uniform +-1, B normal 2");
	test.shape.size[SIZE_N] = 1;
	sizes_are("gemv-f32", &test, "M 17, N 64");
	values_are("gemv-f32", &test, "A uniform +-1, x normal 2");
	test.shape = (struct shape){{5, 17, 33, 64, 16}};
	sizes_are("batched-f16", &test, "BATCH 5, M 17, N 33, K 64");
	sizes_are("gemm-w4", &test, "M 17, N 33, K 64, group_size 16");
	test.values[1] = (struct value_spec){VALUES_CODES, 7, 0, 0};
	test.values[2] = (struct value_spec){VALUES_POSITIVE, 0.1f, 0.01f, 0};
	values_are("gemm-w4", &test, "x uniform +-1, w_q codes, scales positive 0.1 from 0.01");
	for (int i = SCALAR_SCALE_LEFT; i <= SCALAR_SCALE_RESULT; i++)
		test.scalar[i] = 0.25f;
	test.scalar[SCALAR_ZERO_RIGHT] = -3;
	sizes_are("gemm-s8", &test,
			  "M 17, N 33, K 64, scale_A 0.25, scale_B 0.25, scale_C 0.25, zero_point_A 0, "
			  "zero_point_B -3, zero_point_C 0");
	test.shape = product(40, 40, 40);
	sizes_are("apsp-f32", &test, "N 40");
	test.values[0] = (struct value_spec){VALUES_GRAPH_SIGNED, 10, 0.5f, 0.25f};
	values_are("apsp-f32", &test, "dist graph-signed 10 from 0.5, 0.25 of the edges");
}

Test(report, elements_of_a_batch_are_counted_within_their_matrix)
{
	struct judgement_list list = some_list();
	make_batched(&list.items[1]);
	char *text = text_of(&list, (struct report_style){.width = 80});
	holds(text, "7 of 561 elements wrong, 3 of them never written; C is read before it is");
	holds(text, "  never written           -0.75");
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80, "%zu columns: %s", strlen(line), line);
	free(text);
	text = written(report_markdown, &list);
	holds(text, "batch 1, row 5, column 16");
	holds(text, "never written");
	free(text);
	char place[80];
	facts_place(place, sizeof place, problem_find("batched-f32"),
				&list.items[1].cases[0].test.shape, 22, 16);
	cr_expect_str_eq(place, "batch 1, row 5, column 16");
	facts_place(place, sizeof place, problem_find("sgemm"), &list.items[1].cases[0].test.shape, 3,
				16);
	cr_expect_str_eq(place, "row 3, column 16");
	judgement_list_free(&list);
}

Test(report, bench_shows_every_shape_and_the_means)
{
	struct judgement_list list = some_list();
	list.bench_count = 2;
	list.bench = calloc(2, sizeof *list.bench);
	list.bench[0] = some_timing("a_file_with_a_very_long_name_indeed.cu", 40.0);
	list.bench[1] = some_timing("a_file_with_a_very_long_name_indeed.cu", 10.0);
	char *text = text_of(&list, (struct report_style){.width = 80});
	holds(text, "a_file_with_a_very_long_name_indeed.cu: 50.0% of cuBLAS, 40.0% of cuBLASLt");
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80, "%zu columns: %s", strlen(line), line);
	free(text);
	judgement_list_free(&list);
}

Test(report, many_shapes_take_a_line_each_and_come_to_a_mean)
{
	struct judgement_list list = benched_list(8);
	char *text = text_of(&list, (struct report_style){.width = 80});
	/* (8/40 * 8/10 * (8/8.5)^5)^(1/7) */
	holds(text, "x.cu: 0.737 times as fast as the fastest library (geometric mean of 7");
	holds(text, "worst 0.200 at 4095x1024x1024 (MxNxK)");
	holds(text, "2 below");
	holds(text, "; 1 NOT");
	holds(text, "1024x1024x1024      10.00  0.5%      8.00  0.5% cuBLASLt   0.800  x.cu");
	holds(text, "x.cu not measured: it crashed");
	cr_expect_null(strstr(text, "p95"), "full tables of 8 shapes:\n%s", text);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80, "%zu columns: %s", strlen(line), line);
	free(text);
	text = text_of(&list, (struct report_style){.width = 80, .verbose = true});
	holds(text, "p95");
	free(text);
	judgement_list_free(&list);
}

Test(report, two_that_run_nothing_are_even)
{
	struct judgement_list list = benched_list(3);
	struct timing_result *timing = &list.bench[1];
	/* the file and the faster library, 15 and 13 us between their events */
	timing->entries[0].span.samples = timing->entries[2].span.samples = 0;
	cr_expect_float_eq(overall_ratio(timing, &timing->entries[0]), 1.0, 1e-9);
	/* one of them does run something, or nobody has spans */
	timing->entries[2].activities = 1;
	cr_expect_float_eq(overall_ratio(timing, &timing->entries[0]), 13.0 / 15.0, 1e-9);
	timing->entries[2].activities = 0;
	timing->entries[1].span.samples = 0;
	cr_expect_float_eq(overall_ratio(timing, &timing->entries[0]), 13.0 / 15.0, 1e-9);
	judgement_list_free(&list);
}

Test(report, json_has_ratios_and_what_they_come_to)
{
	struct judgement_list list = benched_list(3);
	char *text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL);
	json_t *second = json_array_get(json_object_get(json, "bench"), 1);
	json_t *entry = json_array_get(json_object_get(second, "entries"), 0);
	cr_expect_str_eq(json_string_value(json_object_get(second, "fastest_library")), "cuBLASLt");
	cr_expect_float_eq(json_number_value(json_object_get(entry, "ratio_to_fastest_library")), 0.8,
					   1e-9);
	json_t *overall = json_object_get(json, "overall");
	cr_assert_eq(json_array_size(overall), 1);
	overall = json_array_get(overall, 0);
	cr_expect_eq(json_integer_value(json_object_get(overall, "shapes")), 2);
	cr_expect_eq(json_integer_value(json_object_get(overall, "not_measured")), 1);
	cr_expect_eq(json_integer_value(json_object_get(overall, "below_0.9")), 2);
	cr_expect_float_eq(json_number_value(json_object_get(overall, "geometric_mean")), 0.4, 1e-9);
	cr_expect_float_eq(json_number_value(json_object_get(overall, "worst")), 0.2, 1e-9);
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}

/* A tensor-core kernel of a library, and a file that takes two kernels and leaves more out. */
static void add_kernels(struct timing_result *timing)
{
	struct timing_entry *file = &timing->entries[0], *library = &timing->entries[1];
	file->has_kernels = library->has_kernels = true;
	file->kernels = (struct kernel_list){
		.run = 11,
		.shown = 2,
		.first = {{.name = "gemm<tile<128, 256, 64>, a_name_that_takes|more|than_its_place>",
				   .grid = {2147483647, 65535, 65535},
				   .block = {16, 16, 1},
				   .cluster = {1, 1, 1},
				   .registers = 255,
				   .shared_bytes = 232448},
				  {.name = "scale\n  accepted \033[2J", .grid = {7, 1, 2}, .block = {256, 1, 1}}}};
	library->kernels =
		(struct kernel_list){.run = 1,
							 .shown = 1,
							 .first = {{.name = "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNN",
										.grid = {2, 66, 1},
										.block = {384, 1, 1},
										.cluster = {2, 1, 1},
										.registers = 168,
										.shared_bytes = 213504}}};
}

Test(report, text_lists_kernels_when_verbose)
{
	struct judgement_list list = benched_list(2);
	add_kernels(&list.bench[0]);
	list.bench[0].entries[2].has_kernels = true; /* and made none */
	char *text = text_of(&list, (struct report_style){.width = 80});
	cr_expect_null(strstr(text, "nvjet"));
	free(text);
	text = text_of(&list, (struct report_style){.width = 80, .verbose = true});
	holds(text, "  kernels of a call\n       grid block cluster regs shared\n  x.cu\n");
	holds(text,
		  "    2147483647x65535x65535 16x16       -  255 232448  gemm<tile<128, 256, 64>,..\n");
	holds(text, "      7x1x2   256   0x0x0    0      0  scale\\n  accepted \xEF\xBF\xBD[2J\n"
				"    and 9 more\n");
	holds(text, "  cuBLAS\n       2x66   384       2  168 213504  "
				"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNN\n  cuBLASLt\n    none\n");
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80 || strstr(line, "\xEF") != NULL, "%s", line);
	free(text);
	judgement_list_free(&list);
}

Test(report, markdown_lists_kernels_when_verbose)
{
	struct judgement_list list = benched_list(2);
	add_kernels(&list.bench[0]);
	char *text = written(report_markdown, &list);
	cr_expect_null(strstr(text, "nvjet"));
	free(text);
	text = written(report_markdown_verbose, &list);
	holds(text, "| | kernel | grid | block | cluster | registers | shared bytes |\n");
	holds(text, "| x.cu | gemm\\<tile\\<128, 256, 64\\>, a\\_name\\_that\\_takes\\|more");
	holds(text, "| x.cu | 9 more | | | | | |\n| cuBLAS | nvjet");
	holds(text, "coopA\\_NNN | 2x66 | 384 | 2 | 168 | 213504 |\n");
	free(text);
	judgement_list_free(&list);
}

Test(report, json_has_kernels_where_they_were_recorded)
{
	struct judgement_list list = benched_list(2);
	add_kernels(&list.bench[0]);
	char *text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL);
	json_t *entries = json_object_get(json_array_get(json_object_get(json, "bench"), 0), "entries");
	json_t *file = json_array_get(entries, 0), *library = json_array_get(entries, 1);
	cr_assert_eq(json_array_size(json_object_get(file, "kernels")), 2);
	cr_expect_eq(json_integer_value(json_object_get(file, "kernels_left_out")), 9);
	cr_expect_eq(json_integer_value(json_object_get(library, "kernels_left_out")), 0);
	json_t *kernel = json_array_get(json_object_get(library, "kernels"), 0);
	cr_expect_str_eq(json_string_value(json_object_get(kernel, "name")),
					 "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNN");
	json_t *expected =
		json_pack("{s:s, s:[iii], s:[iii], s:[iii], s:i, s:i}", "name",
				  "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNN", "grid", 2, 66, 1, "block", 384, 1, 1,
				  "cluster", 2, 1, 1, "registers", 168, "shared_bytes", 213504);
	cr_expect(json_equal(kernel, expected));
	cr_expect_null(json_object_get(json_array_get(entries, 2), "kernels"), "not recorded: absent");
	json_decref(expected);
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}
