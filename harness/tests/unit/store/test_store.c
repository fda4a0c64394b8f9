/* links: store; timeout: 120 */
/* The store keeps what it was given, whatever happens to it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder_fixture.h"
#include "report/facts.h"
#include "report/report.h"
#include "store/database.h"
#include "store/leaderboard.h"
#include "store/place.h"
#include "store_fixture.h"

TestSuite(store, .init = folder_begin, .fini = folder_end);

/* What a statement gives; -1 where it fails. */
static int64_t ask(const char *path, const char *sql)
{
	sqlite3 *database;
	sqlite3_stmt *statement = NULL;
	int64_t value = -1;
	cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return value;
}

static void tell(const char *path, const char *sql)
{
	sqlite3 *database;
	cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sql);
	sqlite3_close(database);
}

static void is_whole(const char *path)
{
	cr_expect_eq(
		ask(path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
	cr_expect_eq(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	cr_expect_eq(ask(path, "SELECT count(*) FROM judgement j WHERE cases != (SELECT count(*) FROM "
						   "test_case WHERE judgement = j.id)"),
				 0, "half a judgement");
}

/* Refused with a line that says so, and left as it was. */
static void is_refused(const char *path, const char *says)
{
	struct error err = {{0}};
	struct store_run run = {.path = path, .mode = "judge"};
	struct judgement_list list = fixture_judged("a.cu", "aa");
	cr_expect_not(store_append(&run, &list, &err));
	cr_expect_not_null(strstr(err.message, says), "%s: says \"%s\", not \"%s\"", path, err.message,
					   says);
	cr_expect_null(strchr(err.message, '\n'));
	cr_expect_not_null(strstr(err.message, path), "no file in \"%s\"", err.message);
	judgement_list_free(&list);
	store_run_free(&run);
}

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

/* ---- files that are no store of this version --------------------------------------------- */

static void put(const char *path, const char *bytes, size_t count)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fwrite(bytes, 1, count, file);
	fclose(file);
}

static bool holds(const char *path, const char *bytes, size_t count)
{
	char now[8192];
	FILE *file = fopen(path, "r");
	size_t size = fread(now, 1, sizeof now, file);
	fclose(file);
	return size == count && memcmp(now, bytes, count) == 0;
}

Test(store, a_file_of_somebody_else_stays_as_it_is)
{
	static char text[4096] = "extern \"C\" void solve() {}\n";
	put("victim.cu", text, sizeof text);
	is_refused("victim.cu", "is no store of gemmjudge; it stays as it is");
	cr_expect(holds("victim.cu", text, sizeof text));
	put("short.txt", "x", 1);
	is_refused("short.txt", "is no store of gemmjudge");
	cr_expect(holds("short.txt", "x", 1));
	tell("other.db", "CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('x')");
	is_refused("other.db", "is a database of another program");
	cr_expect_eq(ask("other.db", "SELECT count(*) FROM sqlite_schema"), 1);
	tell("versioned.db", "PRAGMA user_version = 1");
	is_refused("versioned.db", "is a database of another program");
	put("empty.db", "", 0); /* as mktemp leaves it */
	fixture_append("empty.db", fixture_judged("a.cu", "aa"), "judge");
	is_whole("empty.db");
}

Test(store, what_is_no_regular_file_is_refused)
{
	mkdir("folder", 0777);
	is_refused("folder", "it is a folder");
	is_refused("missing/s.db", "missing/s.db");
	mkfifo("pipe", 0666);
	is_refused("pipe", "no regular file");
	is_refused("/dev/full", "no regular file");
	is_refused("/proc/self/status/s.db", "Not a directory");
	is_refused("/proc/new.db", "/proc/new.db");
	cr_expect_eq(access("missing", F_OK), -1);
}

/* By a user who may not; root may. The exit status is 0 where the line says so. */
static int refusal_without_rights(const char *path, const char *says)
{
	pid_t child = fork();
	if (child == 0) {
		struct error err = {{0}};
		struct store_run run = {.path = path, .mode = "judge"};
		struct judgement_list list = fixture_judged("a.cu", "aa");
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		bool stored = store_append(&run, &list, &err);
		fprintf(stderr, "%s\n", err.message);
		_exit(!stored && strstr(err.message, says) != NULL ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	return status;
}

Test(store, what_may_not_be_written_is_told_with_the_reason)
{
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	chmod("s.db", 0444);
	chmod(folder, 0555);
	cr_expect_eq(refusal_without_rights("s.db", "s.db cannot be written"), 0);
	cr_expect_eq(refusal_without_rights("new.db", "in its folder: Permission denied"), 0);
	chmod("s.db", 0);
	cr_expect_eq(refusal_without_rights("s.db", "s.db: Permission denied"), 0);
	chmod(folder, 0755);
	chmod("s.db", 0644);
	is_whole("s.db");
	cr_expect_eq(access("new.db", F_OK), -1);
}

Test(store, a_link_leads_to_the_store)
{
	mkdir("real", 0777);
	cr_assert_eq(symlink("real/s.db", "link.db"), 0);
	fixture_append("link.db", fixture_judged("a.cu", "aa"), "judge");
	fixture_append("link.db", fixture_judged("a.cu", "aa"), "judge");
	struct stat facts;
	cr_expect(lstat("link.db", &facts) == 0 && S_ISLNK(facts.st_mode));
	cr_expect_eq(ask("real/s.db", "SELECT count(*) FROM judgement"), 2);
	fixture_append(":memory:", fixture_judged("a.cu", "aa"), "judge");
	cr_expect_eq(access(":memory:", F_OK), 0, "a name like any other");
}

Test(store, a_newer_store_is_refused)
{
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	tell("s.db", "PRAGMA user_version = 99; CREATE TABLE later(x)");
	is_refused("s.db", "a newer gemmjudge wrote it");
	struct error err;
	struct measured_list list;
	cr_expect_not(store_find("s.db", &(struct store_filter){0}, &list, &err));
	cr_expect_not_null(strstr(err.message, "version 99"));
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement"), 1);
}

/* The first bytes of a store, which stay as they are. */
static void is_refused_cut(const char *path, size_t bytes)
{
	char begin[8192];
	FILE *file = fopen(path, "r");
	cr_assert_eq(fread(begin, 1, bytes, file), bytes);
	fclose(file);
	put("cut.db", begin, bytes);
	is_refused("cut.db", "cut.db");
	cr_expect(holds("cut.db", begin, bytes), "%zu bytes were overwritten", bytes);
}

/* Page after page is overwritten: there is a line, and never a crash. */
Test(store, a_damaged_store_is_refused)
{
	for (int i = 0; i < 20; i++)
		fixture_append("s.db", fixture_timed("a.cu", "aa", 10.0, SEAL_CONFIRMED), "judge");
	struct stat facts;
	cr_assert_eq(stat("s.db", &facts), 0);
	size_t refused = 0;
	for (off_t page = 1; page < facts.st_size / 4096; page++) {
		cr_assert_eq(system("cp s.db broken.db"), 0);
		int fd = open("broken.db", O_WRONLY);
		for (int i = 0; i < 1024; i++)
			cr_assert_eq(pwrite(fd, "\xff\x13\x37\x80", 4, page * 4096 + 4 * i), 4);
		close(fd);
		struct error err = {{0}};
		struct measured_list list;
		if (!store_find("broken.db", &(struct store_filter){.counters = true}, &list, &err)) {
			refused++;
			cr_expect_not_null(strstr(err.message, "broken.db"), "%s", err.message);
		} else {
			measured_list_free(&list);
		}
		struct store_run run = {.path = "broken.db", .mode = "judge"};
		struct judgement_list judged = fixture_judged("b.cu", "bb");
		err.message[0] = '\0';
		cr_expect(store_append(&run, &judged, &err) || strstr(err.message, "broken.db") != NULL);
		store_run_free(&run);
		judgement_list_free(&judged);
	}
	cr_expect_gt(refused, 0);
	is_refused_cut("s.db", 50); /* of less than a page: SQLite would begin anew */
	is_refused_cut("s.db", 1000);
	is_refused_cut("s.db", 4096);
	is_refused_cut("s.db", 5000);
}

/* Steps that a later version could have. */
static const char *const later[] = {"CREATE TABLE one(x)",
									"CREATE TABLE two(x); INSERT INTO one "
									"VALUES(1)",
									NULL};
static const char *const failing[] = {"CREATE TABLE one(x)",
									  "CREATE TABLE two(x); INSERT INTO nowhere VALUES(1)", NULL};
static const char *const earlier[] = {"CREATE TABLE one(x)", NULL};

Test(store, an_older_store_is_brought_up_in_one_transaction)
{
	struct error err;
	struct store *store = database_open("s.db", earlier, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	database_close(store);
	cr_expect_eq(ask("s.db", "PRAGMA user_version"), 1);
	cr_expect_null(database_open("s.db", failing, true, &err));
	cr_expect_eq(ask("s.db", "PRAGMA user_version"), 1);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM sqlite_schema"), 1, "half a step");
	store = database_open("s.db", later, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	database_close(store);
	cr_expect_eq(ask("s.db", "PRAGMA user_version"), 2);
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM one"), 1);
	cr_expect_null(database_open("s.db", earlier, true, &err));
	cr_expect_not_null(strstr(err.message, "newer"));
}

Test(store, where_there_is_none_readers_say_so)
{
	struct error err;
	struct measured_list list;
	cr_expect_not(store_find("none.db", &(struct store_filter){0}, &list, &err));
	cr_expect_not_null(strstr(err.message, "there is no store none.db yet"));
	cr_expect_eq(access("none.db", F_OK), -1);
	cr_expect(store_probe("none.db", &err));
	cr_expect_eq(access("none.db", F_OK), -1, "a run that judges nothing leaves nothing");
}

/* ---- what happens to processes and disks -------------------------------------------------- */

/* What the disk does not take is not there; what was there is. */
Test(store, a_full_disk_loses_nothing)
{
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	struct stat facts;
	cr_assert_eq(stat("s.db", &facts), 0);
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit before, small;
	getrlimit(RLIMIT_FSIZE, &before);
	size_t failed = 0;
	for (rlim_t room = 0; room < 40960; room += 4096) {
		small = before;
		small.rlim_cur = (rlim_t)facts.st_size + room;
		setrlimit(RLIMIT_FSIZE, &small);
		struct error err = {{0}};
		struct store_run run = {.path = "s.db", .mode = "judge"};
		struct judgement_list list = fixture_timed("big.cu", "bb", 10.0, SEAL_CONFIRMED);
		struct timing_passes *passes = &list.items[0].timing.entries[0].passes;
		for (passes->count = 0; passes->count < PASSES_KEPT; passes->count++)
			passes->microseconds[passes->count] = 1.2345678f;
		bool ok = true;
		while (ok) { /* until the room is used up */
			ok = store_append(&run, &list, &err);
			memset(run.stored, 0, sizeof *run.stored);
		}
		setrlimit(RLIMIT_FSIZE, &before);
		failed++;
		cr_expect_not_null(strstr(err.message, "s.db"), "%s", err.message);
		is_whole("s.db");
		cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement WHERE file = 'a.cu'"), 1);
		store_run_free(&run);
		judgement_list_free(&list);
	}
	cr_expect_gt(failed, 0);
	fixture_append("s.db", fixture_judged("a.cu", "aa"), "judge");
	cr_expect_eq(ask("s.db", "SELECT count(*) FROM judgement WHERE file = 'a.cu'"), 2);
}

/* Appends for ever; a byte into the pipe after each judgement that is said to be there. */
static pid_t start_writer(const char *path, int acknowledge)
{
	pid_t child = fork();
	if (child != 0)
		return child;
	for (;;) {
		struct error err;
		struct store_run run = {.path = path, .mode = "judge"};
		struct judgement_list list = fixture_timed("a.cu", "aa", 10.0, SEAL_CONFIRMED);
		if (!store_append(&run, &list, &err)) {
			fprintf(stderr, "%s\n", err.message);
			_exit(1);
		}
		store_run_free(&run);
		judgement_list_free(&list);
		if (write(acknowledge, "", 1) != 1)
			_exit(2);
	}
}

static size_t acknowledged(int fd)
{
	char bytes[4096];
	size_t count = 0;
	ssize_t more;
	while ((more = read(fd, bytes, sizeof bytes)) > 0)
		count += (size_t)more;
	return count;
}

/* Two writers, one killed at a random moment, again and again: all that was there is there. A slow
 * disk takes more rounds until enough was written to tell. */
Test(store, killed_writers_lose_nothing)
{
	const size_t enough = 10;
	size_t there = 1;
	fixture_append("s.db", fixture_judged("first.cu", "aa"), "judge");
	srandom((unsigned)getpid());
	for (int i = 0; i < 10 || (there <= enough && i < 100); i++) {
		int both[2][2];
		pid_t children[2];
		for (int k = 0; k < 2; k++) {
			cr_assert_eq(pipe(both[k]), 0);
			children[k] = start_writer("s.db", both[k][1]);
			close(both[k][1]);
		}
		usleep((useconds_t)(20000 + random() % 150000));
		for (int k = 0; k < 2; k++) {
			kill(children[k], SIGKILL);
			int status;
			waitpid(children[k], &status, 0);
			cr_expect(WIFSIGNALED(status), "a writer gave up: status %d", status);
			there += acknowledged(both[k][0]);
			close(both[k][0]);
		}
		struct measured_list all = fixture_all("s.db"); /* plays back the journal */
		/* a writer may have been killed between the commit and its word */
		cr_expect_geq(all.count, there, "%zu stored, %zu acknowledged", all.count, there);
		cr_expect_leq(all.count, there + 2 * (size_t)(i + 1));
		cr_expect_str_eq(all.items[0].file, "first.cu");
		measured_list_free(&all);
		is_whole("s.db");
	}
	cr_expect_gt(there, enough);
}

/* ---- where it lies --------------------------------------------------------------------------- */

Test(store, lies_where_it_is_told_to)
{
	char place[PATHS_MAX], here[128];
	struct error err;
	cr_assert_not_null(getcwd(here, sizeof here));
	unsetenv("GEMMJUDGE_STORE");
	setenv("XDG_DATA_HOME", "relative", 1); /* the specification: to be ignored */
	setenv("HOME", here, 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_not_null(strstr(place, "/.local/share/gemmjudge/store.db"));
	cr_expect_eq(access(".local/share/gemmjudge", W_OK), 0);
	char data[256];
	snprintf(data, sizeof data, "%s/data", here);
	setenv("XDG_DATA_HOME", data, 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_not_null(strstr(place, "/data/gemmjudge/store.db"));
	setenv("GEMMJUDGE_STORE", "mine.db", 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_str_eq(place, "mine.db");
	cr_assert(store_place("asked.db", place, &err));
	cr_expect_str_eq(place, "asked.db");
	setenv("GEMMJUDGE_STORE", "none", 1);
	cr_assert(store_place(NULL, place, &err));
	cr_expect_str_eq(place, "");
}

Test(store, lies_in_tmpdir_where_there_is_no_home)
{
	char place[PATHS_MAX], here[128], folder_name[256];
	struct error err;
	cr_assert_not_null(getcwd(here, sizeof here));
	unsetenv("GEMMJUDGE_STORE");
	unsetenv("XDG_DATA_HOME");
	setenv("HOME", "/proc/nowhere", 1);
	setenv("TMPDIR", here, 1);
	cr_assert(store_place(NULL, place, &err));
	snprintf(folder_name, sizeof folder_name, "%s/gemmjudge-%u", here, (unsigned)geteuid());
	cr_expect_eq(strncmp(place, folder_name, strlen(folder_name)), 0, "%s", place);
	struct stat facts;
	cr_assert_eq(stat(folder_name, &facts), 0);
	cr_expect_eq(facts.st_mode & 0777, 0700);
	/* what somebody else could have put there is not taken */
	rmdir(folder_name);
	mkdir("elsewhere", 0777);
	cr_assert_eq(symlink("elsewhere", folder_name), 0);
	cr_expect_not(store_place(NULL, place, &err));
	cr_expect_not_null(strstr(err.message, "GEMMJUDGE_STORE"));
}
