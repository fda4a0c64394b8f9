/* links: report */
/* Reports of judgements made up here for programs: what they hold, and that nothing from outside
 * can break them. */
#include "report/overall.h"
#include "report_fixture.h"

/* ---- facts ----------------------------------------------------------------- */

Test(report, tables_compare_by_one_clock)
{
	struct timing_result timing = some_timing("x.cu", 40.0);
	cr_assert(facts_use_span(&timing));
	timing.entries[1].span = (struct timing_stats){0};
	cr_assert(!facts_use_span(&timing), "cuBLAS has no span: events for all");
	timing.entries[1].ran = false;
	cr_assert(facts_use_span(&timing));
	cr_assert_eq(facts_percent_of(&timing, &timing.entries[0], "cuBLAS", true), 0.0);
	cr_assert_float_eq(facts_percent_of(&timing, &timing.entries[0], "cuBLASLt", true), 20.0, 1e-9);
	free(timing.entries);
}

Test(report, flags_of_nvcc_are_shown)
{
	static const char *const flags[] = {"-std=c++20", "-rdc=true", NULL};
	struct judgement_list list = some_list();
	list.facts.nvcc_flags = flags;
	char *text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL), *shown = json_object_get(json, "nvcc_flags");
	cr_expect_str_eq(json_string_value(json_array_get(shown, 0)), flags[0]);
	cr_expect_str_eq(json_string_value(json_array_get(shown, 1)), flags[1]);
	json_decref(json);
	free(text);
	text = written(report_markdown, &list);
	cr_expect_not_null(strstr(text, "nvcc flags -std=c++20 -rdc=true"), "%s", text);
	free(text);
	judgement_list_free(&list);
}

/* ---- JSON ------------------------------------------------------------------ */

Test(report, json_can_be_read_back)
{
	struct judgement_list list = some_list();
	list.items[1].cases[0].steps = 300000000; /* on an emulated GPU */
	char *text = written(report_json, &list);
	json_error_t error;
	json_t *json = json_loads(text, 0, &error);
	cr_assert_not_null(json, "%s", error.text);
	cr_assert_eq(json_integer_value(json_object_get(json, "schema_version")),
				 REPORT_JSON_SCHEMA_VERSION);
	cr_assert_str_eq(json_string_value(json_object_get(json, "seed")), "0xfffffffffffffff0");
	json_t *results = json_object_get(json, "results");
	cr_assert_eq(json_array_size(results), 3);
	json_t *wrong = json_array_get(results, 1);
	cr_assert_str_eq(json_string_value(json_object_get(wrong, "verdict")), "wrong_answer");
	cr_assert_str_eq(json_string_value(json_object_get(wrong, "file")), list.items[1].file);
	json_t *first = json_array_get(json_object_get(wrong, "cases"), 0);
	cr_assert_eq(json_integer_value(json_object_get(first, "steps")), 300000000);
	json_t *second = json_array_get(json_object_get(wrong, "cases"), 1);
	cr_assert(json_is_null(json_object_get(second, "steps")));
	json_t *check = json_object_get(first, "check");
	cr_assert_str_eq(json_string_value(json_object_get(check, "worst_ratio")), "inf");
	json_t *element = json_array_get(json_object_get(check, "first_wrong"), 0);
	cr_assert_str_eq(json_string_value(json_object_get(element, "got")), "nan");
	cr_assert_eq(json_number_value(json_object_get(element, "want")), -0.75);
	cr_assert(json_is_true(json_object_get(element, "written")));
	cr_assert_eq(json_integer_value(json_object_get(element, "batch")), 0);
	json_t *scalars = json_object_get(first, "scalars");
	cr_assert_eq(json_object_size(scalars), 2);
	cr_assert_eq(json_number_value(json_object_get(scalars, "beta")), 0.5);
	json_t *right = json_object_get(json_object_get(first, "operands"), "B");
	cr_assert_str_eq(json_string_value(json_object_get(right, "distribution")), "normal");
	cr_assert_eq(json_number_value(json_object_get(right, "scale")), 2.0);
	cr_assert_eq(json_array_size(json_object_get(wrong, "cases")), 8);
	cr_assert(json_is_null(json_object_get(wrong, "timing")));
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}

static json_int_t number_in(json_t *object, const char *key)
{
	json_t *number = json_object_get(object, key);
	cr_assert(json_is_integer(number), "%s", key);
	return json_integer_value(number);
}

Test(report, json_tells_batches_and_inputs_by_name)
{
	struct judgement_list list = some_list();
	make_batched(&list.items[1]);
	char *text = written(report_json, &list);
	json_t *json = json_loads(text, 0, NULL);
	json_t *item = json_array_get(json_object_get(json, "results"), 1);
	json_t *first = json_array_get(json_object_get(item, "cases"), 0);
	cr_assert_eq(number_in(first, "batch"), 5);
	cr_assert_eq(number_in(first, "group"), 1);
	cr_assert_eq(json_object_size(json_object_get(first, "scalars")), 0);
	json_t *check = json_object_get(first, "check");
	cr_assert(number_in(check, "worst_batch") == 1 && number_in(check, "worst_row") == 5);
	cr_assert(number_in(check, "untouched") == 3 && number_in(check, "read") == 2);
	json_t *changed = json_object_get(check, "changed");
	cr_assert_eq(json_object_size(changed), 2, "the inputs");
	cr_assert(number_in(changed, "A") == 0 && number_in(changed, "B") == 9);
	json_t *element = json_array_get(json_object_get(check, "first_wrong"), 0);
	cr_assert(number_in(element, "batch") == 1 && number_in(element, "row") == 5);
	cr_assert(json_is_false(json_object_get(element, "written")));
	json_decref(json);
	free(text);
	judgement_list_free(&list);
}

/* ---- JUnit and markdown ----------------------------------------------------- */

Test(report, junit_is_escaped_and_counts)
{
	struct judgement_list list = some_list();
	char *text = written(report_junit, &list);
	holds(text, "name=\"bad &quot;one&quot; &lt;&amp;&gt;.cu\"");
	holds(text, "tests=\"9\" failures=\"5\" errors=\"0\" skipped=\"0\"");
	holds(text, "tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\"");
	holds(text, "]]&gt;");
	for (const char *p = text; *p != '\0'; p++)
		cr_expect((unsigned char)*p >= 0x20 || *p == '\n' || *p == '\t', "control %d", *p);
	free(text);
	judgement_list_free(&list);
}

Test(report, markdown_cells_stay_cells)
{
	struct judgement_list list = some_list();
	snprintf(list.items[1].file, sizeof list.items[1].file, "a|b\nc.cu");
	char *text = written(report_markdown, &list);
	holds(text, "| a\\|b\\\\nc.cu | gemm-f16 | **wrong_answer** |");
	holds(text, "| nvcc refused the file: broken.cu(3): error: expected a \";\" |");
	holds(text, "    broken.cu(3): error: expected a \";\"\n      int x = 1 y\n");
	free(text);
	judgement_list_free(&list);
}

/* ---- clean text ------------------------------------------------------------- */

static void cleans(const char *from, const char *to)
{
	char *clean = clean_text(from);
	cr_expect_str_eq(clean, to);
	free(clean);
}

Test(report, clean_text_is_utf8_without_ascii_controls)
{
	cleans("plain\ttext\n", "plain\ttext\n");
	cleans("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
	cleans("a\r\nb\rc", "a\nb\xEF\xBF\xBD"
						"c");
	cleans("\033[31m", "\xEF\xBF\xBD[31m");
	cleans("\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* overlong */
	cleans("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
	cleans("\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* cut off */
	cleans("\xC2\x9B\xE2\x80\xAE", "\xC2\x9B\xE2\x80\xAE");         /* JSON escapes them */
}

/* ---- saving ------------------------------------------------------------------ */

static void write_hello(const struct judgement_list *list, FILE *out)
{
	(void)list;
	fputs("hello\n", out);
}

static void read_file(const char *path, char out[64])
{
	FILE *file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	size_t size = fread(out, 1, 63, file);
	out[size] = '\0';
	fclose(file);
}

static int entries_in(const char *folder)
{
	char command[128], out[64];
	snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
	FILE *pipe = popen(command, "r");
	cr_assert(fgets(out, sizeof out, pipe) != NULL);
	pclose(pipe);
	return atoi(out);
}

Test(report, save_replaces_whole_files_only)
{
	char folder[] = "/tmp/test_report.XXXXXX", path[64], content[64];
	struct error err = {{0}};
	struct stat facts;
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/out", folder);
	cr_assert(report_probe(path, &err), "%s", err.message);
	cr_assert_eq(entries_in(folder), 0, "the probe leaves nothing");

	cr_assert(report_save(path, write_hello, NULL, &err), "%s", err.message);
	read_file(path, content);
	cr_assert_str_eq(content, "hello\n");
	chmod(path, 0640);
	cr_assert(report_save(path, write_hello, NULL, &err), "%s", err.message);
	cr_assert(stat(path, &facts) == 0 && (facts.st_mode & 0777) == 0640, "the mode is kept");
	cr_assert_eq(entries_in(folder), 1);

	char link[64];
	snprintf(link, sizeof link, "%s/link", folder);
	cr_assert_eq(symlink("out", link), 0);
	cr_assert(report_save(link, write_hello, NULL, &err), "%s", err.message);
	cr_assert(lstat(link, &facts) == 0 && S_ISLNK(facts.st_mode), "a link stays a link");
	unlink(link);
	unlink(path);
	rmdir(folder);
}

static void save_fails(const char *path, const char *says)
{
	struct error err = {{0}};
	cr_expect(!report_save(path, write_hello, NULL, &err), "%s was written", path);
	cr_expect(strstr(err.message, path) != NULL && strstr(err.message, says) != NULL, "%s",
			  err.message);
}

Test(report, save_says_what_failed)
{
	save_fails("/dev/full", "No space left");
	save_fails("/nowhere/at/all.json", "No such file");
	save_fails("/tmp", "it is a folder");
	save_fails("/dev/null/x", "Not a directory");
	struct error err;
	cr_expect(report_save("/dev/null", write_hello, NULL, &err));
	struct stat facts;
	cr_expect(stat("/dev/null", &facts) == 0 && S_ISCHR(facts.st_mode), "still a device");
}

/* ---- libraries ------------------------------------------------------------------ */

/* Where there is nothing to round, a library that misses an element tells of the GPU. */
static void expect_gpu_blamed(struct judgement_list *list, bool blamed)
{
	char *text = text_of(list, (struct report_style){.width = 80});
	cr_expect_eq(strstr(text, "computes wrongly") != NULL, blamed, "%s", text);
	if (blamed)
		holds(text, "\nwarning: this GPU computes wrongly: cuBLAS itself misses 2 elements of");
	free(text);
	text = written(report_json, list);
	json_t *json = json_loads(text, 0, NULL);
	cr_expect_eq(json_is_true(json_object_get(json, "gpu_computes_wrongly")), blamed);
	json_decref(json);
	free(text);
}

Test(report, a_library_that_is_wrong_in_exact_cases_blames_the_gpu)
{
	struct judgement_list list = benched_list(8);
	list.bench[1].test.exact = list.bench[2].test.exact = true;
	list.bench[1].entries[0].wrong = 5;    /* the file's own fault */
	list.bench[3].entries[1].wrong = 4955; /* the library rounds in its own way */
	expect_gpu_blamed(&list, false);
	list.bench[1].entries[2].wrong = 5;
	list.bench[2].entries[2].wrong = 7;
	expect_gpu_blamed(&list, false); /* the other library is right: it is this one's own fault */
	list.bench[1].entries[1].wrong = list.bench[2].entries[1].wrong = 1;
	expect_gpu_blamed(&list, true);
	snprintf(list.facts.epilogue, sizeof list.facts.epilogue, "gelu");
	expect_gpu_blamed(&list, false);
	judgement_list_free(&list);
}

/* A file is compared with the fastest library that is right, and what is faster stands beside it.
 */
Test(report, a_library_that_leaves_the_bound_is_not_what_counts)
{
	struct judgement_list list = benched_list(2);
	struct timing_result *timing = &list.bench[0];
	const struct timing_entry *file = &timing->entries[0];
	struct timing_entry *fast = &timing->entries[2], *right = &timing->entries[1];
	fast->span.median = 20;
	right->span.median = 60;
	fast->wrong = 100;
	fast->compared = 10000;
	fast->worst_ratio = 3.2;
	strcpy(fast->cause, "partial sums of split-K are rounded to 16 bits");
	cr_expect_eq(overall_library(timing), right);
	cr_expect_eq(overall_library_of_all(timing), fast);
	cr_expect_float_eq(overall_ratio(timing, file), 60 / file->span.median, 1e-9);
	char *text = text_of(&list, (struct report_style){.width = 200, .verbose = true});
	holds(text,
		  "1% of its results leave the error bound, by up to 3.2 times: partial sums of split-K "
		  "are rounded to 16 bits");
	holds(text, "compared with cuBLAS, 60.00 us, the fastest library whose results keep the error "
				"bound; cuBLASLt, which does not, takes 20.00 us");
	free(text);
	right->wrong = 1;
	cr_expect_null(overall_library(timing));
	cr_expect_eq(overall_ratio(timing, file), 0.0);
	text = text_of(&list, (struct report_style){.width = 200, .verbose = true});
	holds(text,
		  "compared with no library: none keeps the error bound; cuBLASLt, which does not, takes");
	free(text);
	judgement_list_free(&list);
}
