/* links: report */
/* Files beside each other: ranks, ties, what has no rank, orders, and the tables of all that. Times
 * are made up; the library always takes 10 us. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/facts.h"
#include "report/ranking.h"
#include "report/report.h"

#define FILES_MAX 16

static struct judgement_list list_new(void)
{
	struct judgement_list list = {.items = calloc(FILES_MAX, sizeof *list.items)};
	snprintf(list.facts.device.name, sizeof list.facts.device.name, "NVIDIA H200");
	return list;
}

static struct judgement *add(struct judgement_list *list, const char *file, const char *problem,
							 enum verdict verdict)
{
	struct judgement *item = &list->items[list->count++];
	snprintf(item->file, sizeof item->file, "%s", file);
	snprintf(item->problem, sizeof item->problem, "%s", problem);
	snprintf(item->content, sizeof item->content, "%032zx", list->count);
	item->verdict = verdict;
	return item;
}

static struct timing_stats stats_around(double median)
{
	return (struct timing_stats){.samples = 100,
								 .median = median,
								 .min = median,
								 .p95 = median,
								 .low = 0.999 * median,
								 .high = 1.001 * median};
}

static struct judgement *add_timed(struct judgement_list *list, const char *file,
								   const char *problem, double median)
{
	struct judgement *item = add(list, file, problem, VERDICT_ACCEPTED);
	struct timing_result *timing = &item->timing;
	item->has_timing = true;
	*timing = (struct timing_result){.count = 2, .entries = calloc(2, sizeof *timing->entries)};
	snprintf(timing->problem, sizeof timing->problem, "%s", problem);
	timing->test.shape = (struct shape){{1, 64, 64, 64, 1}};
	for (int i = 0; i < 2; i++) {
		timing->entries[i].ran = true;
		timing->entries[i].span = stats_around(i == 0 ? median : 10.0);
		timing->entries[i].role = i == 0 ? TIMING_FILE : TIMING_LIBRARY;
		timing->entries[i].seal.state = SEAL_CONFIRMED;
	}
	snprintf(timing->entries[1].label, sizeof timing->entries[1].label, "cuBLAS");
	return item;
}

/* Files and ranks in order: "a.cu 1, b.cu -". */
static void ranks_are(const struct judgement_list *list, const char *expected)
{
	struct ranking ranking = ranking_make(list);
	char got[1024] = "";
	for (size_t i = 0; i < ranking.count; i++) {
		const struct ranking_row *row = &ranking.rows[i];
		char rank[16] = "-";
		if (row->rank > 0)
			snprintf(rank, sizeof rank, "%u", row->rank);
		size_t used = strlen(got);
		snprintf(got + used, sizeof got - used, "%s%.20s %s", i > 0 ? ", " : "", row->item->file,
				 rank);
	}
	cr_expect_str_eq(got, expected);
	ranking_free(&ranking);
}

static char *written(report_writer writer, const struct judgement_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	writer(list, out);
	fclose(out);
	return text;
}

static void write_text(const struct judgement_list *list, FILE *out)
{
	ranking_text(list, 80, out);
}

Test(ranking, the_fastest_is_first)
{
	struct judgement_list list = list_new();
	add_timed(&list, "slow.cu", "sgemm", 40);
	add(&list, "wrong.cu", "sgemm", VERDICT_WRONG_ANSWER);
	add_timed(&list, "fast.cu", "sgemm", 5);
	add(&list, "untimed.cu", "sgemm", VERDICT_ACCEPTED);
	add_timed(&list, "middle.cu", "sgemm", 20);
	ranks_are(&list, "fast.cu 1, middle.cu 2, slow.cu 3, untimed.cu -, wrong.cu -");
	judgement_list_free(&list);
}

Test(ranking, ties_share_a_rank)
{
	struct judgement_list list = list_new();
	add_timed(&list, "a.cu", "sgemm", 100);
	add_timed(&list, "b.cu", "sgemm", 100.9);
	add_timed(&list, "c.cu", "sgemm", 101.8); /* near to b, not to the first of the rank */
	struct judgement *wide = add_timed(&list, "d.cu", "sgemm", 110);
	wide->timing.entries[0].span.low = 101.9; /* beneath where c's interval ends */
	add_timed(&list, "e.cu", "sgemm", 120);
	ranks_are(&list, "a.cu 1, b.cu 1, c.cu 3, d.cu 3, e.cu 5");
	judgement_list_free(&list);
}

Test(ranking, only_confirmed_times_rank)
{
	struct judgement_list list = list_new();
	add_timed(&list, "a.cu", "sgemm", 1)->timing.entries[0].seal.state = SEAL_UNCERTAIN;
	add_timed(&list, "b.cu", "sgemm", 2)->timing.entries[0].seal.state = SEAL_NONE;
	add_timed(&list, "c.cu", "sgemm", 3);
	struct timing_entry *outside = &add_timed(&list, "d.cu", "sgemm", 4)->timing.entries[0];
	outside->seal.state = SEAL_HOST_SIDE;
	outside->seal.shown = stats_around(50); /* what was seen is what counts */
	ranks_are(&list, "a.cu -, b.cu -, c.cu 1, d.cu 2");
	char *text = written(write_text, &list);
	cr_expect(strstr(text, "     -     1.00? 10.000        -  accepted       a.cu\n") != NULL, "%s",
			  text);
	cr_expect(strstr(text, "     2     50.00  0.200        -  accepted       d.cu\n") != NULL, "%s",
			  text);
	cr_expect(strstr(text, "  ? not confirmed by sealed calls") != NULL, "%s", text);
	free(text);
	judgement_list_free(&list);
}

Test(ranking, problems_rank_by_themselves)
{
	struct judgement_list list = list_new();
	add_timed(&list, "a.cu", "sgemm", 9);
	add_timed(&list, "b.cu", "gemm-f16", 8);
	add_timed(&list, "c.cu", "gemm-f16", 7);
	add(&list, "d.cu", "", VERDICT_BAD_FILE);
	ranks_are(&list, "c.cu 1, b.cu 2, a.cu 1, d.cu -");
	char *text = written(write_text, &list);
	cr_expect(strstr(text, "\ngemm-f16, 64x64x64 (MxNxK)") != NULL, "%s", text);
	cr_expect(strstr(text, "\nsgemm, 64x64x64 (MxNxK)") != NULL, "%s", text);
	cr_expect(strstr(text, "-  bad_file       -           d.cu\n") != NULL, "%s", text);
	free(text);
	judgement_list_free(&list);
}

Test(ranking, speed_orders_and_then_verdicts)
{
	struct judgement_list list = list_new();
	add_timed(&list, "b.cu", "sgemm", 9);
	add(&list, "a.cu", "sgemm", VERDICT_RUNTIME_ERROR);
	add(&list, "d.cu", "sgemm", VERDICT_WRONG_ANSWER);
	add_timed(&list, "c.cu", "sgemm", 8);
	ranks_are(&list, "c.cu 1, b.cu 2, d.cu -, a.cu -");
	judgement_list_free(&list);
}

Test(ranking, without_times_verdicts_order)
{
	struct judgement_list list = list_new();
	add(&list, "c.cu", "sgemm", VERDICT_BAD_FILE);
	add(&list, "b.cu", "sgemm", VERDICT_ACCEPTED);
	add(&list, "a.cu", "sgemm", VERDICT_TIME_LIMIT);
	add(&list, "never.cu", "sgemm", VERDICT_NOT_RUN);
	list.items[1].count = list.items[1].accepted = 12;
	list.items[1].cases = calloc(12, sizeof *list.items[1].cases);
	char *text = written(write_text, &list);
	cr_expect_str_eq(text, "\n    cases  verdict        file\n"
						   "    12/12  accepted       b.cu\n"
						   "        -  time_limit     a.cu\n"
						   "        -  bad_file       c.cu\n");
	free(text);
	list.count = 2;
	text = written(write_text, &list);
	cr_expect_str_eq(text, "", "a table of two");
	free(text);
	list.count = 4;
	judgement_list_free(&list);
}

Test(ranking, tables_doubt_what_they_should)
{
	struct judgement_list list = list_new();
	for (int i = 0; i < 4; i++) {
		struct judgement *item = add_timed(&list, "x.cu", "sgemm", 9 + i);
		item->timing.throttled = i == 2;
		item->timing.wide = i > 1;
	}
	char *text = written(write_text, &list);
	cr_expect(strstr(text, "warning: the clock was held down while 1 file was measured") != NULL);
	cr_expect(strstr(text, "warning: the medians of 2 files are uncertain") != NULL);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80, "%zu columns: %s", strlen(line), line);
	free(text);
	judgement_list_free(&list);
}

Test(ranking, long_names_end_in_their_line)
{
	struct judgement_list list = list_new();
	add_timed(&list, "home/somebody/class/solutions/gemm_f16/submitted_by_anna.cu", "gemm-f16", 9);
	add_timed(&list, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC_a_bit_too_long/for_it_i.cu",
			  "gemm-f16", 12);
	add_timed(&list, "just_as_long_as_it_may_be/is.cu", "gemm-f16", 20);
	char *text = written(write_text, &list);
	cr_expect(strstr(text, " ...emm_f16/submitted_by_anna.cu\n") != NULL, "%s", text);
	cr_expect(strstr(text, " ...\xC3\xBC_a_bit_too_long/for_it_i.cu\n") != NULL, "%s", text);
	cr_expect(strstr(text, " just_as_long_as_it_may_be/is.cu\n") != NULL, "%s", text);
	free(text);
	judgement_list_free(&list);
}

static int times(const char *text, const char *part)
{
	int count = 0;
	for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
		count++;
	return count;
}

static void same_content(struct judgement_list *list, size_t a, size_t b)
{
	memcpy(list->items[b].content, list->items[a].content, sizeof list->items[b].content);
}

Test(ranking, the_same_source_is_named)
{
	struct judgement_list list = list_new();
	add(&list, "c.cu", "sgemm", VERDICT_COMPILE_ERROR);
	add(&list, "b\n.cu", "sgemm", VERDICT_COMPILE_ERROR);
	add(&list, "a.cu", "sgemm", VERDICT_ACCEPTED);
	add(&list, "x|y.cu", "sgemm", VERDICT_COMPILE_ERROR);
	add(&list, "c.cu", "sgemm", VERDICT_COMPILE_ERROR); /* named twice */
	add(&list, "empty.cu", "sgemm", VERDICT_BAD_FILE)->content[0] = '\0';
	add(&list, "empty2.cu", "sgemm", VERDICT_BAD_FILE)->content[0] = '\0';
	same_content(&list, 0, 1);
	same_content(&list, 0, 3);
	same_content(&list, 0, 4);
	char *text = written(write_text, &list);
	cr_expect(strstr(text, "\n  the same source: c.cu, b\\n.cu, x|y.cu\n") != NULL, "%s", text);
	cr_expect_eq(times(text, "the same"), 1);
	free(text);
	text = written(ranking_markdown, &list);
	cr_expect(strstr(text, "\nThe same source: c.cu, b\\\\n.cu, x\\|y.cu.\n") != NULL, "%s", text);
	cr_expect(strstr(text, "| - | b\\\\n.cu | sgemm | compile_error | - | - | - |\n") != NULL, "%s",
			  text);
	free(text);
	text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL);
	json_t *row = json_array_get(json_object_get(json, "ranking"), 1);
	cr_expect_str_eq(json_string_value(json_object_get(row, "file")), "b\n.cu");
	cr_expect_str_eq(json_string_value(json_object_get(row, "same_as")), "c.cu");
	cr_expect_eq(json_integer_value(json_object_get(row, "result")), 1);
	cr_expect(json_is_null(json_object_get(row, "rank")));
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}

Test(ranking, csv_is_that_of_rfc_4180)
{
	struct judgement_list list = list_new();
	add_timed(&list, "b.cu", "sgemm", 12.5);
	struct judgement *odd = add(&list, "a \"1\",\n2\xff.cu", "", VERDICT_BAD_FILE);
	snprintf(odd->detail, sizeof odd->detail, "a, b");
	list.items[0].count = 4;
	list.items[0].accepted = 4;
	list.items[0].hint_count = 1;
	snprintf(list.items[0].hints[0], sizeof list.items[0].hints[0], "c, d");
	same_content(&list, 0, 1);
	list.items[0].cases = calloc(4, sizeof *list.items[0].cases);
	char *text = written(report_csv, &list);
	cr_expect_str_eq(
		text,
		"rank,file,problem,verdict,cases_accepted,cases_total,microseconds,confirmed,"
		"ratio_to_fastest_library,content,same_as,detail,hint\r\n"
		"1,b.cu,sgemm,accepted,4,4,12.5,yes,0.8,00000000000000000000000000000001,,,\"c, d\"\r\n"
		",\"a \"\"1\"\",\n2\xEF\xBF\xBD.cu\",,bad_file,0,0,,,,00000000000000000000000000000001,"
		"b.cu,\"a, b\",\r\n");
	free(text);
	judgement_list_free(&list);
}

Test(ranking, csv_has_no_formulas)
{
	static const char *const texts[] = {"=HYPERLINK(\"http://a\";\"b\")",
										"+1",
										"-1+cmd|' /C calc'!A0",
										"@SUM(1)",
										"\t=1",
										"\xEF\xBC\x9D(1)",
										"\r=1",
										" \"=1",
										"a;=1\t+2\n-3",
										"a=1, b-2, c@d.cu"};
	static const char *const cells[] = {"\"'=HYPERLINK(\"\"http://a\"\";\"\"b\"\")\"",
										"'+1",
										"'-1+cmd|' /C calc'!A0",
										"'@SUM(1)",
										"\"\t'=1\"",
										"'\xEF\xBC\x9D(1)",
										"\xEF\xBF\xBD'=1",
										"\" \"\"'=1\"",
										"\"a;'=1\t'+2\n'-3\"",
										"\"a=1, b-2, c@d.cu\""};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		clean_print_csv(out, texts[i]);
		fclose(out);
		cr_expect_str_eq(text, cells[i]);
		free(text);
	}
}

Test(ranking, a_refused_file_has_the_first_error_beside_it)
{
	struct judgement_list list = list_new();
	char reason[FACTS_REASON];
	struct judgement *item = add(&list, "b.cu", "sgemm", VERDICT_COMPILE_ERROR);
	snprintf(item->detail, sizeof item->detail, "nvcc refused the file");
	item->compile_log = strdup("/home/a/b.cu(1): warning #177-D: x, y\n"
							   "/home/a/b.cu(3): error: expected a /\n1 error detected\n");
	cr_expect_str_eq(facts_reason(item, reason),
					 "nvcc refused the file: b.cu(3): error: expected a /");
	char *text = written(report_csv, &list);
	cr_expect_not_null(strstr(text, ",nvcc refused the file: b.cu(3): error: expected a /,\r\n"));
	free(text);
	item->verdict = VERDICT_WRONG_ANSWER; /* a log that has other words in it */
	cr_expect_str_eq(facts_reason(item, reason), "nvcc refused the file");
	item->verdict = VERDICT_COMPILE_ERROR;
	strcpy(item->compile_log, "ld: nothing\n");
	cr_expect_str_eq(facts_reason(item, reason), "nvcc refused the file");
	judgement_list_free(&list);
}

Test(ranking, side_by_side_there_is_none)
{
	struct judgement_list list = list_new();
	for (int i = 0; i < 3; i++)
		add(&list, "a.cu", "sgemm", VERDICT_ACCEPTED);
	list.compare = true;
	ranks_are(&list, "");
	judgement_list_free(&list);
}
