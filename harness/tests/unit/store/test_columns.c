/* links: store */
/* Every column of the store holds what its name says: written, read and shown. All values are
 * different, so that two that were swapped are found. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <unistd.h>

#include "../folder_fixture.h"
#include "store/columns.h"
#include "store/database.h"
#include "store/tuned.h"
#include "store_fixture.h"

#define NAMED(destination, text) snprintf(destination, sizeof(destination), "%s", text)

TestSuite(columns, .init = folder_begin, .fini = folder_end);

/* ---- what is written --------------------------------------------------------------------- */

/* What a column of the last row holds, as text; "*" is anything but NULL. */
struct expected {
	const char *column, *value;
};

static const struct expected run[] = {
	{"id", "3"},
	{"started", "2026-11-20T14:00:00Z"},
	{"mode", "bench"},
	{"job", "0f0f"},
	{"seed_given", "1"},
	{"host", "*"},
	{"kernel", "*"},
	{"version", "1.2.3"},
	{"source_commit", "*"},
	{"command", "gemmjudge judge c.cu"},
	{"nvcc", "13.5.37"},
	{"seed", "0x77"},
	{"suites", "[\"edges\"]"},
	{"sizes", "uniform"},
	{"max_dim", "512"},
	{"multiple_of", "8"},
	{"tolerance", "leetgpu"},
	{"nvcc_flags", "[\"-DX\"]"},
	{"epilogue", "bias"},
	{"epilogue_content", "e1e1"},
	{"tool", "ncu"},
	{"device_kind", "cuda"},
	{"device", "NVIDIA X1"},
	{"architecture", "90a"},
	{"multiprocessors", "132"},
	{"memory_bytes", "1000000"},
	{"l2_bytes", "5000"},
	{"sm_clock_mhz", "1755.5"},
	{"pci_bus_id", "0000:01:00.0"},
	{"driver", "580.1"},
	{"runtime", "13.1"},
	{"library", "cuBLAS 13.0"},
	{0},
};

static const struct expected judgement[] = {
	{"id", "4"},
	{"run", "3"},
	{"submission", "2"},
	{"ended", "*"},
	{"file", "c.cu"},
	{"problem", "gemm-f16"},
	{"verdict", "time_limit"},
	{"detail", "too slow"},
	{"guarantees", "*"},
	{"compile_seconds", "2.5"},
	{"compile_cached", "1"},
	{"cases", "5"},
	{"accepted", "6"},
	{"timing_note", "late"},
	{"repeatable", "yes"},
	{"bits_calls", "27"},
	{"bits_differing", "28"},
	{"batch_invariant", "no"},
	{"schedule", "A=1"},
	{"tokens", "dddd"},
	{0},
};

static const struct expected test_case[] = {
	{"judgement", "4"},
	{"number", "0"},
	{"name", "one"},
	{"m", "16"},
	{"n", "17"},
	{"k", "18"},
	{"batch", "19"},
	{"group_size", "20"},
	{"scalars", "{\"alpha\":3.0,\"beta\":0.5}"},
	{"seed", "0x9"},
	{"exact", "1"},
	{"verdict", "wrong_answer"},
	{"detail", "off"},
	{"seconds", "0.125"},
	{"wrong", "21"},
	{"worst_ratio", "22.5"},
	{0},
};

static const struct expected counter[] = {
	{"judgement", "4"}, {"kernel", "kernel()"}, {"name", "launches"}, {"value", "3"}, {0}};

static const struct expected timing[] = {
	{"id", "2"},
	{"run", "3"},
	{"problem", "gemm-f16"},
	{"name", "timed"},
	{"m", "16"},
	{"n", "17"},
	{"k", "18"},
	{"batch", "19"},
	{"group_size", "20"},
	{"scalars", "{\"alpha\":3.0,\"beta\":0.5}"},
	{"seed", "0x9"},
	{"exact", "0"},
	{"clock", "span"},
	{"timing", "burst"},
	{"sm_clock_mhz_min", "1100.5"},
	{"sm_clock_mhz_median", "1200.5"},
	{"sm_clock_mhz_limit", "1300.5"},
	{"throttled", "1"},
	{"throttle_reason", "power"},
	{"wide", "*"},
	{"seconds", "1.25"},
	{"input_sets", "7"},
	{0},
};

static const struct expected entry[] = {
	{"timing", "2"},
	{"number", "0"},
	{"judgement", "4"},
	{"label", "c.cu"},
	{"role", "file"},
	{"ran", "1"},
	{"verdict", "accepted"},
	{"detail", "fine"},
	{"clock", "span"},
	{"median", "12.5"},
	{"low", "12.25"},
	{"high", "12.75"},
	{"joules", "0.0625"},
	{"watts", "650.5"},
	{"mhz", "1375.5"},
	{"seal", "confirmed"},
	{"seal_why", "why"},
	{"host_side", "14.5"},
	{"uncertainty", "0.75"},
	{"floor", "0.25"},
	{"sealed_calls", "70"},
	{"sealed_passes", "5"},
	{"tflops", "300.5"},
	{"wrong", "8"},
	{"compared", "80"},
	{"worst_ratio", "1.5"},
	{"cause", "rounded"},
	{"library_mode", "accurate"},
	{"passes", "[12.5,12.75]"},
	{0},
};

static const struct expected trial[] = {
	{"device", "NVIDIA X1"},
	{"problem", "gemm-f16"},
	{"content", "cccc"},
	{"epilogue", "bias"},
	{"nvcc_flags", "-DX"},
	{"m", "16"},
	{"n", "17"},
	{"k", "18"},
	{"batch", "19"},
	{"group_size", "20"},
	{"scalars", "{\"alpha\":3.0,\"beta\":0.5}"},
	{"clock_mhz", "1755.5"},
	{"driver", "580.1"},
	{"nvcc", "13.5.37"},
	{"constants", "A=1"},
	{"outcome", "measured"},
	{"detail", "fine"},
	{"median", "12.5"},
	{"low", "12.25"},
	{"high", "12.75"},
	{"samples", "100"},
	{"measured", "*"},
	{0},
};

static const struct expected schedule[] = {
	{"device", "NVIDIA X1"},
	{"problem", "gemm-f16"},
	{"content", "cccc"},
	{"epilogue", "bias"},
	{"nvcc_flags", "-DX"},
	{"m", "16"},
	{"n", "17"},
	{"k", "18"},
	{"batch", "19"},
	{"group_size", "20"},
	{"scalars", "{\"alpha\":3.0,\"beta\":0.5}"},
	{"beta_is_0", "0"},
	{"constants", "A=1"},
	{"median", "12.5"},
	{"gain", "1.5"},
	{"gain_low", "1.25"},
	{"gain_high", "1.75"},
	{"library", "cuBLAS"},
	{"library_ratio", "0.75"},
	{"tried", "21"},
	{"judged", "1"},
	{"chosen", "*"},
	{0},
};

/* All columns that the table has, of its last row. */
static void holds(const char *table, const struct expected *expected)
{
	struct error err;
	char sql[256];
	struct store *store = database_open("s.db", store_schema, false, &err);
	cr_assert_not_null(store, "%s", err.message);
	snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY rowid", table);
	if (strcmp(table, "test_case") == 0)
		strcpy(sql, "SELECT * FROM test_case ORDER BY judgement, number DESC");
	if (strcmp(table, "entry") == 0)
		strcpy(sql, "SELECT * FROM entry ORDER BY timing, number DESC");
	sqlite3_stmt *row = database_prepare(store, sql, &err);
	sqlite3_stmt *last = database_prepare(store, sql, &err);
	int rows = 0;
	while (sqlite3_step(row) == SQLITE_ROW)
		rows++;
	while (rows-- > 0)
		cr_assert_eq(sqlite3_step(last), SQLITE_ROW);
	for (int i = 0; i < sqlite3_column_count(last); i++) {
		const char *name = sqlite3_column_name(last, i), *text;
		const struct expected *one = expected;
		while (one->column != NULL && strcmp(one->column, name) != 0)
			one++;
		cr_assert_not_null(one->column, "%s.%s: nobody says what it holds", table, name);
		text = (const char *)sqlite3_column_text(last, i);
		cr_expect_not_null(text, "%s.%s is NULL", table, name);
		if (text != NULL && strcmp(one->value, "*") != 0)
			cr_expect_str_eq(text, one->value, "%s.%s is %s, not %s", table, name, text,
							 one->value);
	}
	for (const struct expected *a = expected; a->column != NULL; a++)
		for (const struct expected *b = expected; b < a; b++)
			cr_expect(strcmp(a->value, "*") == 0 || strcmp(a->value, b->value) != 0,
					  "%s: a swap of %s and %s would not be found", table, a->column, b->column);
	sqlite3_finalize(row);
	sqlite3_finalize(last);
	database_close(store);
}

static struct test_case the_case(const char *name)
{
	struct test_case test = {.exact = strcmp(name, "one") == 0, .seed = 9};
	NAMED(test.name, name);
	test.shape.size[SIZE_M] = 16;
	test.shape.size[SIZE_N] = 17;
	test.shape.size[SIZE_K] = 18;
	test.shape.size[SIZE_BATCH] = 19;
	test.shape.size[SIZE_GROUP] = 20;
	test.scalar[SCALAR_ALPHA] = 3;
	test.scalar[SCALAR_BETA] = 0.5f;
	return test;
}

static void fill_facts(struct run_description *facts)
{
	static const char *const suites[] = {"edges", NULL}, *const flags[] = {"-DX", NULL};
	facts->seed = 0x77;
	facts->seed_given = true;
	facts->suites = suites;
	facts->nvcc_flags = flags;
	NAMED(facts->command, "gemmjudge judge c.cu");
	NAMED(facts->nvcc, "13.5.37");
	NAMED(facts->sizes, "uniform");
	facts->max_dim = 512;
	facts->multiple = 8;
	NAMED(facts->tolerance, "leetgpu");
	NAMED(facts->epilogue, "bias");
	NAMED(facts->epilogue_content, "e1e1");
	NAMED(facts->tool, "ncu");
	facts->device = (struct device_properties){.name = "NVIDIA X1",
											   .architecture = "90a",
											   .multiprocessors = 132,
											   .memory_bytes = 1000000,
											   .l2_bytes = 5000,
											   .sm_clock_khz = 1755500,
											   .pci_bus_id = "0000:01:00.0",
											   .driver = "580.1",
											   .runtime = "13.1",
											   .library = "cuBLAS 13.0"};
}

static void fill_timing(struct timing_result *out)
{
	struct timing_entry *file = &out->entries[0];
	out->test = the_case("timed");
	out->sm_clock_mhz_min = 1100.5;
	out->sm_clock_mhz_median = 1200.5;
	out->sm_clock_mhz_limit = 1300.5;
	out->throttled = true;
	NAMED(out->throttle_reason, "power");
	out->seconds = 1.25;
	out->sets = 7;
	NAMED(file->detail, "fine");
	file->span = (struct timing_stats){100, 12.5, 11.5, 13.5, 12.25, 12.75};
	file->steady = (struct timing_steady){.joules = 0.0625, .watts = 650.5, .mhz = 1375.5};
	NAMED(file->seal.why, "why");
	file->seal.host_side = 14.5;
	file->seal.uncertainty = 0.75;
	file->seal.floor = 0.25;
	file->seal.calls = 70;
	file->seal.passes = 5;
	file->tflops = 300.5;
	file->wrong = 8;
	file->compared = 80;
	file->worst_ratio = 1.5;
	strcpy(file->cause, "rounded");
	file->has_modes = true;
	file->mode = LIBRARY_ACCURATE;
	file->passes = (struct timing_passes){2, {12.5f, 12.75f}};
}

static struct judgement_list filled(void)
{
	struct judgement_list list = fixture_timed("c.cu", "cccc", 1.0, SEAL_CONFIRMED);
	NAMED(list.items[0].tokens, "dddd");
	struct judgement *item = &list.items[0];
	fill_facts(&list.facts);
	fill_timing(&item->timing);
	item->verdict = VERDICT_TIME_LIMIT;
	NAMED(item->detail, "too slow");
	item->was_run = true;
	item->compile_seconds = 2.5;
	item->compile_cached = true;
	item->cases = realloc(item->cases, 5 * sizeof *item->cases);
	item->count = 5;
	for (size_t i = 2; i < 5; i++)
		item->cases[i] = item->cases[1];
	item->accepted = 6;
	NAMED(item->timing_note, "late");
	item->bits = (struct judged_bits){
		.repeatable = BITS_YES, .calls = 27, .differing = 28, .batch_invariant = BITS_NO};
	NAMED(item->schedule, "A=1");
	struct case_result *result = &item->cases[0];
	result->test = the_case("one");
	result->verdict = VERDICT_WRONG_ANSWER;
	NAMED(result->detail, "off");
	result->seconds = 0.125;
	result->check.wrong = 21;
	result->check.worst_ratio = 22.5;
	item->kernel_count = 1;
	item->kernels = calloc(1, sizeof *item->kernels);
	item->kernels[0].name = strdup("_Z6kernelv");
	item->kernels[0].shown = strdup("kernel()");
	item->kernels[0].count = 1;
	item->kernels[0].counters = calloc(1, sizeof(struct counter));
	item->kernels[0].counters[0] = (struct counter){"launches", 3};
	return list;
}

/* Others before it, so that its run, submission, judgement and timing have numbers of their own. */
static void append_filled(void)
{
	struct judgement_list two = fixture_judged("a.cu", "aaaa"), second;
	second = fixture_judged("a.cu", "aaaa");
	two.items = realloc(two.items, 2 * sizeof *two.items);
	two.items[two.count++] = second.items[0];
	free(second.items);
	fixture_append("s.db", two, "judge");
	fixture_append("s.db", fixture_timed("a.cu", "aaaa", 1.0, SEAL_NONE), "judge");
	fixture_append_job("s.db", filled(), "bench", "0f0f");
}

Test(columns, of_judgements_hold_what_they_are_called)
{
	append_filled();
	holds("run", run);
	holds("judgement", judgement);
	holds("test_case", test_case);
	holds("counter", counter);
	holds("timing", timing);
	holds("entry", entry);
}

/* ---- what is read, and shown ------------------------------------------------------------------
 */

static void member(const char *got, const char *wanted, const char *name)
{
	cr_expect_str_eq(got, wanted, "%s is %s, not %s", name, got, wanted);
}

static void shows(const json_t *object, const struct expected *expected)
{
	for (; expected->column != NULL; expected++) {
		json_t *value = json_object_get(object, expected->column);
		char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
		cr_assert_not_null(text, "no %s", expected->column);
		cr_expect(strcmp(expected->value, "*") == 0 || strcmp(text, expected->value) == 0,
				  "%s is %s, not %s", expected->column, text, expected->value);
		free(text);
	}
}

static void read_back(const struct measured *got)
{
	cr_expect_eq(got->id, 4);
	member(got->file, "c.cu", "file");
	member(got->detail, "too slow", "detail");
	cr_expect_not_null(strstr(got->path, "/c.cu"));
	member(got->content, "cccc", "content");
	cr_expect_eq(strlen(got->when), strlen("2026-11-20T14:00:00Z"));
	member(got->mode, "bench", "mode");
	member(got->problem, "gemm-f16", "problem");
	member(got->verdict, "time_limit", "verdict");
	member(got->device_kind, "cuda", "device_kind");
	member(got->device, "NVIDIA X1", "device");
	member(got->driver, "580.1", "driver");
	member(got->nvcc, "13.5.37", "nvcc");
	member(got->library, "cuBLAS 13.0", "library");
	member(got->tolerance, "leetgpu", "tolerance");
	member(got->epilogue, "bias", "epilogue");
	member(got->epilogue_content, "e1e1", "epilogue_content");
	member(got->nvcc_flags, "[\"-DX\"]", "nvcc_flags");
	member(got->suites, "[\"edges\"]", "suites");
	cr_expect_neq(strcmp(got->commit, got->host), 0);
	cr_expect_eq(got->cases, 5);
	cr_expect_eq(got->accepted, 6);
	member(got->seed, "0x77", "seed");
	member(got->tokens, "dddd", "tokens");
	member(got->job, "0f0f", "job");
	cr_expect(got->seed_given);
	member(got->sizes, "uniform", "sizes");
	cr_expect(got->max_dim == 512 && got->multiple == 8 && got->tuned && !got->has_source);
}

static void time_read_back(const struct measured_time *got)
{
	static const int32_t sizes[] = {16, 17, 18, 19, 20};
	static const enum size order[] = {SIZE_M, SIZE_N, SIZE_K, SIZE_BATCH, SIZE_GROUP};
	for (size_t i = 0; i < 5; i++)
		cr_expect_eq(got->shape.size[order[i]], sizes[i]);
	member(got->problem, "gemm-f16", "problem");
	member(got->scalars, "{\"alpha\":3.0,\"beta\":0.5}", "scalars");
	member(got->clock, "span", "clock");
	member(got->seal, "confirmed", "seal");
	member(got->library, "cuBLAS", "library");
	cr_expect_eq(got->median, 12.5);
	cr_expect_eq(got->low, 12.25);
	cr_expect_eq(got->high, 12.75);
	cr_expect_eq(got->library_microseconds, 10.0);
	cr_expect_eq(got->sm_clock_mhz, 1200.5);
	cr_expect(got->throttled && !got->without_epilogue);
	cr_assert_eq(got->pass_count, 2);
	cr_expect_eq(got->passes[1], 12.75);
}

Test(columns, of_judgements_are_read_and_shown_as_what_they_are)
{
	static const struct expected head[] = {{"file", "\"c.cu\""},
										   {"content", "\"cccc\""},
										   {"when", "*"},
										   {"mode", "\"bench\""},
										   {"problem", "\"gemm-f16\""},
										   {"verdict", "\"time_limit\""},
										   {"detail", "\"too slow\""},
										   {"cases_total", "5"},
										   {"cases_accepted", "6"},
										   {"repeatable", "\"yes\""},
										   {"batch_invariant", "\"no\""},
										   {"commit", "*"},
										   {"host", "*"},
										   {"device_kind", "\"cuda\""},
										   {"device", "\"NVIDIA X1\""},
										   {"driver", "\"580.1\""},
										   {"nvcc", "\"13.5.37\""},
										   {"library", "\"cuBLAS 13.0\""},
										   {"tolerance", "\"leetgpu\""},
										   {"suites", "[\"edges\"]"},
										   {"epilogue", "\"bias\""},
										   {"nvcc_flags", "[\"-DX\"]"},
										   {0}};
	static const struct expected time[] = {
		{"problem", "\"gemm-f16\""},   {"scalars", "{\"alpha\":3.0,\"beta\":0.5}"},
		{"clock", "\"span\""},         {"sealed", "\"confirmed\""},
		{"median_us", "12.5"},         {"low_us", "12.25"},
		{"high_us", "12.75"},          {"library_us", "10.0"},
		{"sm_clock_mhz", "1200.5"},    {"throttled", "true"},
		{"without_epilogue", "false"}, {0}};
	append_filled();
	struct measured_list all = fixture_all("s.db");
	cr_assert_eq(all.count, 4);
	const struct measured *got = &all.items[3];
	cr_assert_eq(got->time_count, 1);
	read_back(got);
	time_read_back(&got->times[0]);
	json_t *object = json_object();
	columns_show(object, measured_columns, MEASURED_COLUMNS, got);
	shows(object, head);
	json_object_clear(object);
	columns_show(object, measured_time_columns, MEASURED_TIME_COLUMNS, &got->times[0]);
	shows(object, time);
	json_decref(object);
	measured_list_free(&all);
}

/* ---- schedules ------------------------------------------------------------------------------ */

Test(columns, of_schedules_hold_what_they_are_called)
{
	const struct test_case test = the_case("tuned");
	const struct tuned_key key = {.device = "NVIDIA X1",
								  .clock_mhz = 1755.5,
								  .driver = "580.1",
								  .nvcc = "13.5.37",
								  .problem = problem_find("gemm-f16"),
								  .content = "cccc",
								  .epilogue = "bias",
								  .flags = "-DX",
								  .test = &test};
	const struct tuned_trial one = {.constants = "A=1",
									.outcome = "measured",
									.detail = "fine",
									.median = 12.5,
									.low = 12.25,
									.high = 12.75,
									.samples = 100};
	const struct tuned_choice choice = {.constants = "A=1",
										.median = 12.5,
										.gain = 1.5,
										.gain_low = 1.25,
										.gain_high = 1.75,
										.library = "cuBLAS",
										.library_ratio = 0.75,
										.tried = 21,
										.judged = true};
	struct error err;
	struct tuned_trials trials;
	struct tuned_choices choices;
	fixture_demand(tuned_keep("s.db", &key, &one, 1, &err), &err);
	fixture_demand(tuned_choose("s.db", &key, &choice, &err), &err);
	holds("trial", trial);
	holds("schedule", schedule);
	fixture_demand(tuned_trials("s.db", &key, &trials, &err), &err);
	fixture_demand(tuned_choices("s.db", &key, &choices, &err), &err);
	cr_assert(trials.count == 1 && choices.count == 1);
	struct tuned_trial *tried = &trials.items[0];
	struct tuned_choice *chosen = &choices.items[0];
	cr_expect(strlen(tried->when) == 20 && strlen(chosen->when) == 20);
	member(tried->constants, "A=1", "constants");
	member(tried->outcome, "measured", "outcome");
	member(tried->detail, "fine", "detail");
	cr_expect(tried->median == 12.5 && tried->low == 12.25 && tried->high == 12.75 &&
			  tried->samples == 100);
	cr_expect_arr_eq(&chosen->shape, &test.shape, sizeof test.shape);
	cr_expect(chosen->judged && !chosen->beta_is_0 && chosen->tried == 21);
	member(chosen->constants, "A=1", "constants");
	member(chosen->library, "cuBLAS", "library");
	cr_expect(chosen->median == 12.5 && chosen->gain == 1.5 && chosen->gain_low == 1.25 &&
			  chosen->gain_high == 1.75 && chosen->library_ratio == 0.75);
	tuned_trials_free(&trials);
	tuned_choices_free(&choices);
}
