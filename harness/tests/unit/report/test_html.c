/* links: report */
/* The page of a run: its elements nest whatever strangers wrote, and it says what was found. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/table.h"
#include "report/report.h"

#define DEPTH 64

/* ---- elements --------------------------------------------------------------------------- */

static bool is_void(const char *name)
{
	static const char *const names[] = {"meta", "link", "wbr"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* The end of a tag that has no handler; a quoted value may hold anything but a quote. */
static const char *tag_end(const char *at)
{
	while (*at != '>' && *at != '\0') {
		cr_assert_neq(strncmp(at, " on", 3), 0, "a handler: %.40s", at);
		if (*at == '"')
			at = strchr(at + 1, '"');
		cr_assert_not_null(at, "a value without its end");
		at++;
	}
	cr_assert_eq(*at, '>');
	return at;
}

/* Every element is one that pages have, none has a handler, and all nest; only <html> and <head>
 * are left to the browser. */
static void nests(const char *page)
{
	static const char known[] =
		" html meta link title style body main header footer h1 h2 h3 h4 p pre dl dt dd ul li div "
		"details summary table caption thead tbody tr th td a span strong wbr figure figcaption "
		"svg "
		"path line rect polyline text script ";
	char open[DEPTH][16];
	size_t depth = 0, scripts = 0;
	for (const char *at = strchr(page, '<'); at != NULL; at = strchr(at, '<')) {
		char name[16] = "", word[18];
		bool closes = at[1] == '/';
		at += closes ? 2 : 1;
		if (*at == '!')
			continue; /* the doctype */
		sscanf(at, "%15[a-z0-9]", name);
		const char *end = tag_end(at);
		snprintf(word, sizeof word, " %s ", name);
		cr_assert_not_null(strstr(known, word), "<%.40s", at);
		if (closes) {
			cr_assert_gt(depth, 0);
			cr_assert_str_eq(open[--depth], name, "</%s> in <%s>", name, open[depth]);
		} else if (end[-1] != '/' && !is_void(name)) {
			cr_assert_lt(depth, DEPTH);
			memcpy(open[depth++], name, sizeof name);
		}
		scripts += !closes && strcmp(name, "script") == 0;
		at = end;
		if (!closes && (strcmp(name, "script") == 0 || strcmp(name, "style") == 0))
			at = strstr(at, "</"); /* what they hold is text */
	}
	cr_assert_eq(depth, 0, "<%s> is left open", depth > 0 ? open[depth - 1] : "");
	cr_assert_eq(scripts, 1);
}

/* ---- a run to show -------------------------------------------------------------------------- */

#define HOSTILE "\"' onload=alert(1)><script>alert(2)</script>\x1b[2J\xff</pre></title>&amp;"

static struct test_case case_at(int m)
{
	struct shape shape = {{1, m, 100, 64, 1}};
	struct test_case test = case_of_shape(problem_find("gemm-f16"), &shape, NULL, 1);
	snprintf(test.name, sizeof test.name, "random-0");
	return test;
}

static struct timing_result timing_of(int m, const char *label, double median)
{
	struct timing_result timing = {.test = case_at(m), .count = 2};
	const double medians[] = {median, 10};
	snprintf(timing.problem, sizeof timing.problem, "gemm-f16");
	timing.entries = calloc(2, sizeof *timing.entries);
	for (int i = 0; i < 2; i++) {
		timing.entries[i] =
			(struct timing_entry){.ran = true, .role = i == 0 ? TIMING_FILE : TIMING_LIBRARY};
		snprintf(timing.entries[i].label, sizeof timing.entries[i].label, "%s",
				 i == 0 ? label : "cuBLAS");
		timing.entries[i].span = (struct timing_stats){100,
													   medians[i],
													   medians[i] * 0.9,
													   medians[i] * 1.2,
													   medians[i] * 0.99,
													   medians[i] * 1.01};
	}
	return timing;
}

/* One that is right and timed, and one that is wrong, whose texts are all `text`. */
static struct judgement_list list_with(const char *text)
{
	struct judgement_list list = {.count = 2, .items = calloc(2, sizeof *list.items)};
	list.facts =
		(struct run_description){.version = "1.2.3", .started = "2026", .device_kind = DEVICE_CUDA};
	snprintf(list.facts.device.name, sizeof list.facts.device.name, "%s", text);
	snprintf(list.facts.device.architecture, sizeof list.facts.device.architecture, "90a");
	list.facts.device.multiprocessors = 132;
	list.facts.device.sm_clock_khz = 1980000;
	list.facts.device.memory_bytes_per_second = 4.8e12;
	snprintf(list.facts.command, sizeof list.facts.command, "gemmjudge judge %s", text);
	for (int i = 0; i < 2; i++) {
		struct judgement *item = &list.items[i];
		snprintf(item->file, sizeof item->file, "folder/%s%d.cu", text, i);
		snprintf(item->problem, sizeof item->problem, "gemm-f16");
		item->compile_log = strdup(text);
		item->count = 1;
		item->cases = calloc(1, sizeof *item->cases);
		item->cases[0].test = case_at(64);
		item->cases[0].checked = true;
		item->cases[0].output = strdup(text);
	}
	list.items[0].accepted = 1;
	list.items[0].has_timing = true;
	list.items[0].timing = timing_of(4096, text, 8);
	list.items[0].uses = calloc(1, sizeof *list.items[0].uses);
	list.items[0].use_count = 1;
	list.items[0].uses[0] = (struct kernel_use){"", 168, 4096, 16, 20, 24};
	snprintf(list.items[0].uses[0].name, KERNEL_USE_NAME, "%.60s", text);
	snprintf(list.items[0].uses_of, sizeof list.items[0].uses_of, "sm_90a");
	list.items[0].cases[0].facts.peak_bytes = 1 << 20;
	struct judgement *wrong = &list.items[1];
	wrong->verdict = wrong->cases[0].verdict = VERDICT_WRONG_ANSWER;
	snprintf(wrong->detail, sizeof wrong->detail, "%s", text);
	snprintf(wrong->cases[0].detail, sizeof wrong->cases[0].detail, "%s", text);
	snprintf(wrong->hints[0], sizeof wrong->hints[0], "%s", text);
	wrong->hint_count = 1;
	wrong->cases[0].check = (struct check_summary){.elements = 6400,
												   .wrong = 3,
												   .shown = 1,
												   .worst_ratio = INFINITY,
												   .first = {{63, 99, 0, NAN, 1, 0.5}}};
	struct wrong_pattern *facts = wrong->cases[0].wrong = calloc(1, sizeof *facts);
	facts->wrong = 3;
	facts->places.top = facts->places.bottom = 63;
	facts->places.left = 97;
	facts->places.right = 99;
	facts->map = (struct wrong_map){.rows = 32, .columns = 25, .height = 2, .width = 4};
	facts->map.wrong[31][24] = 3;
	return list;
}

static char *written(const struct judgement_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	report_html(list, out);
	fclose(out);
	cr_assert_eq(strlen(text), size);
	return text;
}

static void holds(const char *text, const char *part)
{
	const char *content = strstr(text, "<main>");
	cr_expect(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part,
			  content != NULL ? content : text);
}

/* ---- tests --------------------------------------------------------------------------------------
 */

Test(html, tells_what_was_found)
{
	struct judgement_list list = list_with("plain");
	char *page = written(&list);
	nests(page);
	holds(page, "<h1>1 of 2 solutions accepted</h1>");
	holds(page, "gemmjudge judge plain");
	holds(page, "<a href=\"#file-2\">folder/<wbr>plain1.cu</a>");
	holds(page, "<h2 id=\"file-2\">folder/plain1.cu</h2>");
	holds(page,
		  "plain takes 8.00 us (95% interval 7.92 to 8.08); cuBLAS, the fastest library, 10.00 us: "
		  "1.250 times as fast.");
	holds(page, "<td class=\"n\" data-value=\"1.25\">1.250</td>");
	holds(page,
		  "3 wrong elements of a result of 64 x 100, all in rows 63 to 63 and columns 97 to 99; "
		  "1 of 800 cells have some.");
	/* 1356288 bytes take 0.2826 us of 8 at the memory's peak, the operations less */
	holds(page, "plain reaches 3.53% of what the GPU's peaks allow, at 4096x100x64");
	holds(page, "<strong>Hint:</strong> plain");
	holds(page, "As machine code of sm_90a");
	holds(page, "<th scope=\"row\" class=\"name\">plain</th><td class=\"n\">168</td>"
				"<td class=\"n\">4096</td><td class=\"n\">16</td><td class=\"n\">44</td>");
	holds(page, "solve() allocated 1048576 bytes of device memory and did not free them, in case "
				"random-0.");
	cr_expect_null(strstr(strstr(page, "id=\"file-2\""), "Kernels"), "of a file without any");
	holds(page,
		  "1071 TFLOP/s of dense tensor cores on operands of 16 bits at 1980 MHz, and 4.8 TB/s");
	free(page);
	judgement_list_free(&list);
}

Test(html, strangers_write_no_markup)
{
	struct judgement_list list = list_with(HOSTILE);
	char *page = written(&list);
	nests(page);
	cr_expect_null(strchr(page, '\x1b'));
	cr_expect_null(strchr(page, '\xff'));
	cr_expect_null(strstr(page, "<script>alert"));
	holds(page, "&lt;script&gt;alert(2)&lt;/<wbr>script&gt;");
	free(page);
	judgement_list_free(&list);
}

/* Where a GPU's peaks are not known, no roofline is made up. */
Test(html, unknown_peaks_are_said)
{
	struct judgement_list list = list_with("plain");
	list.facts.device.memory_bytes_per_second = 0;
	char *page = written(&list);
	nests(page);
	holds(page, "No roofline: the peaks of plain for plus-times are not known.");
	cr_expect_null(strstr(page, "<polyline"));
	free(page);
	judgement_list_free(&list);
}

/* A column says what differs among files, the head what does not. */
Test(html, problems_of_files)
{
	struct judgement_list list = list_with("plain");
	char *page = written(&list);
	holds(page, "<dt>Problem</dt><dd>gemm-f16</dd>\n<dt>Started");
	cr_expect_null(strstr(page, ">Problem</th>"));
	free(page);
	snprintf(list.items[1].problem, sizeof list.items[1].problem, "sgemm");
	page = written(&list);
	nests(page);
	holds(page, ">Problem</th>");
	holds(page, "<td class=\"short\">sgemm</td>");
	cr_expect_null(strstr(page, "<dd>gemm-f16</dd>\n<dt>Started"));
	free(page);
	judgement_list_free(&list);
}

Test(html, shapes_of_bench)
{
	struct judgement_list list = list_with("plain");
	static const int sizes[] = {64, 40, 33, 1000, 2000, 4096, 17, 128, 96, 31};
	list.count = 1;
	list.bench_count = sizeof sizes / sizeof *sizes;
	list.bench = calloc(list.bench_count, sizeof *list.bench);
	for (size_t i = 0; i < list.bench_count; i++)
		list.bench[i] = timing_of(sizes[i], "plain", 5.0 + (double)i);
	list.bench[3].entries[0].ran = false;
	char *page = written(&list);
	nests(page);
	holds(page, "<h1>1 solution timed at 10 shapes</h1>");
	holds(page,
		  "As fast or faster at 5 of 9 points; from 0.714 at 31x100x64 to 2.000 at 64x100x64.");
	holds(page, "<td>ragged</td>");
	holds(page, "<td class=\"n\">not measured</td>");
	cr_expect_null(strstr(page, "nan"));
	free(page);
	list.count = 2;
	judgement_list_free(&list);
}

/* ---- parts --------------------------------------------------------------------------------------
 */

static char *plotted(struct plot plot, double x, double y)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	plot_open(&plot, out);
	plot_mark(&plot, 1, x, y, "<mark>");
	plot_close(&plot);
	fclose(out);
	return text;
}

Test(html, axes_have_ticks_that_people_read)
{
	struct plot plot = {
		.name = "it", .x = PLOT_NOTHING("x", PLOT_LOG), .y = PLOT_NOTHING("y", PLOT_LINEAR)};
	plot_include(&plot.x, 3e4);
	plot_include(&plot.x, 4e11);
	plot_include(&plot.x, -1); /* has no logarithm */
	plot_include(&plot.y, 0.13);
	plot_include(&plot.y, 0.97);
	plot_include(&plot.y, INFINITY);
	char *text = plotted(plot, 1e6, 0.5);
	holds(text, ">10\xE2\x81\xB6</text>");
	holds(text, ">0.8</text>");
	holds(text, "&lt;mark&gt;");
	cr_expect_null(strstr(text, "inf"));
	free(text);
	plot.x = PLOT_NOTHING("when", PLOT_DATES);
	plot_include(&plot.x, 1795564800); /* 2026-11-25 */
	plot_include(&plot.x, 1795564800 + 3 * 86400);
	text = plotted(plot, 1795564800 + 86400, 0.5);
	holds(text, ">2026-11-26</text>");
	free(text);
}

/* Nothing included, one value, values beyond the axis: a plot all the same. */
Test(html, axes_of_little)
{
	struct plot plot = {
		.name = "it", .x = PLOT_NOTHING("x", PLOT_LOG), .y = PLOT_NOTHING("y", PLOT_LINEAR)};
	char *text = plotted(plot, NAN, INFINITY);
	cr_expect_null(strstr(text, "nan"));
	cr_expect_null(strstr(text, "inf"));
	free(text);
	plot_include(&plot.x, 5);
	plot_include(&plot.y, 0);
	text = plotted(plot, 5, 0);
	cr_expect_null(strstr(text, "nan"));
	free(text);
}

Test(html, short_rows_are_filled)
{
	static const struct html_column columns[] = {
		{"A", COLUMN_NUMBER}, {"B", COLUMN_NAME}, {"C", COLUMN_WORDS}};
	struct html_table table;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	html_table_open(&table, out, "a <caption>", columns, 3);
	html_table_row(&table, 0);
	html_table_number(&table, NAN, "nothing");
	html_table_text(&table, "a/b");
	html_table_close(&table);
	fclose(out);
	holds(text,
		  "<tr><td class=\"n\"></td><th scope=\"row\" class=\"name\">a/<wbr>b</th><td></td></tr>");
	holds(text, "a &lt;caption&gt;");
	free(text);
}

Test(html, cells_of_the_map_touch)
{
	struct judgement_list list = list_with("plain");
	struct wrong_pattern *facts = NULL;
	for (size_t i = 0; i < list.count; i++)
		for (size_t k = 0; k < list.items[i].count; k++)
			if (list.items[i].cases[k].wrong != NULL) {
				facts = list.items[i].cases[k].wrong;
				list.items[i].cases[k].test.shape.size[SIZE_N] = 97; /* a column is 2.37 wide */
			}
	cr_assert_not_null(facts);
	for (size_t column = 0; column < 25; column++) /* of two shades in turn */
		facts->map.wrong[31][column] = 1 + 7 * (uint32_t)(column % 2);
	char *page = written(&list);
	size_t cells = 0;
	long end = 0;
	for (char *at = page; (at = strstr(at, "class=\"cell ")) != NULL; at++, cells++) {
		double x, y, width, height;
		char *rect = at;
		while (strncmp(rect, "<rect", 5) != 0)
			rect--;
		cr_assert_eq(sscanf(rect, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &x, &y,
							&width, &height),
					 4);
		cr_expect(cells == 0 || lround(10.0 * x) == end,
				  "a cell begins at %g, the last ended at %g", x, (double)end / 10.0);
		end = lround(10.0 * x) + lround(10.0 * width);
	}
	cr_expect_eq(cells, 25);
	free(page);
	judgement_list_free(&list);
}
