/* links: store */
/* Stores that somebody else wrote: refused, or shown without harm, and soon. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/database.h"
#include "store/guard.h"
#include "store/show/show.h"
#include "store_fixture.h"

static char folder[64];

static void begin(void)
{
	strcpy(folder, "/tmp/test-hostile-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	fixture_append("s.db", fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED), "judge");
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(hostile, .init = begin, .fini = end);

static void tell(const char *sql)
{
	sqlite3 *database;
	cr_assert_eq(sqlite3_open("s.db", &database), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, "%s: %s", sql,
				 sqlite3_errmsg(database));
	sqlite3_close(database);
}

static void is_refused(const char *says)
{
	struct error err = {{0}};
	struct measured_list list;
	struct store_run run = {.path = "s.db", .mode = "judge"};
	struct judgement_list judged = fixture_judged("b.cu", "bb");
	const double begun = clock_seconds();
	cr_assert_not(store_find("s.db", &(struct store_filter){.counters = true}, &list, &err));
	cr_expect_not_null(strstr(err.message, says), "says \"%s\", not \"%s\"", err.message, says);
	cr_expect_null(strchr(err.message, '\n'));
	cr_expect_not(store_append(&run, &judged, &err));
	cr_expect_not_null(strstr(err.message, says), "says \"%s\", not \"%s\"", err.message, says);
	cr_expect_lt(clock_seconds() - begun, 5.0);
	judgement_list_free(&judged);
	store_run_free(&run);
}

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

/* Each alone. */
static const struct {
	const char *sql, *says;
} others[] = {
	{"CREATE VIEW v AS " ENDLESS " SELECT i FROM n", "also has the view 'v'"},
	{"DROP TABLE counter; CREATE VIEW counter AS " ENDLESS
	 " SELECT i AS judgement, '' AS kernel, '' AS name, i AS value FROM n",
	 "the store s.db is not as gemmjudge makes them"},
	{"DROP TABLE counter; CREATE TABLE counter(judgement, kernel, name, value)",
	 "the store s.db is not as gemmjudge makes them"},
	{"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END", "also has the trigger 't'"},
	{"CREATE INDEX i ON run(hex(zeroblob(1000000)))", "also has the index 'i'"},
	{"CREATE VIRTUAL TABLE f USING fts5(a)", "also has the table 'f'"},
	{"ALTER TABLE run ADD COLUMN more TEXT", "changes the table 'run'"},
	{"DROP INDEX counter_judgement", "lacks the index 'counter_judgement'"},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE VIEW run AS SELECT 1' "
	 "WHERE name = 'run'",
	 "the store s.db"},
	{"CREATE TABLE \"x\ny\"(a)", "also has the table 'x"},
	{"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES('view', 'sqlite_stat1', "
	 "'sqlite_stat1', 0, 'CREATE VIEW sqlite_stat1 AS SELECT 1')",
	 "the store s.db"},
};

Test(hostile, other_tables_are_refused)
{
	cr_assert_eq(system("cp s.db good.db"), 0);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		cr_assert_eq(system("cp good.db s.db"), 0);
		tell(others[i].sql);
		is_refused(others[i].says);
	}
}

Test(hostile, analyze_does_no_harm)
{
	tell("ANALYZE");
	struct measured_list list = fixture_all("s.db");
	cr_expect_eq(list.count, 1);
	measured_list_free(&list);
	fixture_append("s.db", fixture_judged("b.cu", "bb"), "judge");
}

static char *shown(void (*show)(const void *what, FILE *out), const void *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	show(what, out);
	fclose(out);
	return text;
}

static void is_harmless(char *text)
{
	for (const char *p = text; *p != '\0'; p++) {
		unsigned char c = (unsigned char)*p, next = (unsigned char)p[1];
		cr_assert(c >= 0x20 || c == '\n', "control %d in\n%s", c, text);
		cr_assert(c != 0x7F && !(c == 0xC2 && next < 0xA0), "a control in\n%s", text);
		cr_assert(strncmp(p, "##[", 3) != 0 && (strncmp(p, "\n::", 3) != 0), "in\n%s", text);
	}
	cr_expect_null(strstr(text, "\n    99  "), "a line of its own in\n%s", text);
	free(text);
}

/* In every column with words that is shown. */
Test(hostile, words_of_a_store_steer_no_terminal)
{
#define WORDS                                                                                      \
	"char(27) || '[2J##[error]' || char(10) || '::error::x' || char(10) || '    99  y' "           \
	"|| char(155) || char(127) || char(13)"
	fixture_append("s.db", fixture_timed("b.cu", "bb", 20, SEAL_CONFIRMED), "judge");
	tell("UPDATE judgement SET file = " WORDS ", problem = " WORDS ", verdict = 'accepted', "
		 "detail = " WORDS);
	tell("UPDATE run SET host = " WORDS ", device = " WORDS ", driver = " WORDS
		 ", epilogue = " WORDS ", mode = " WORDS ", source_commit = " WORDS
		 ", device_kind = " WORDS);
	tell("UPDATE submission SET content = id || " WORDS);
	tell("UPDATE timing SET problem = " WORDS ", scalars = json_object(" WORDS ", 1)");
	tell("UPDATE entry SET label = " WORDS);
	tell("INSERT INTO counter SELECT id, " WORDS ", " WORDS ", id FROM judgement");
	struct error err;
	struct shown_history history = {.by_file = true};
	cr_assert(store_find("s.db", &(struct store_filter){.counters = true}, &history.list, &err),
			  "%s", err.message);
	cr_assert_eq(history.list.count, 2);
	is_harmless(shown(show_history, &history));
	is_harmless(shown(show_history_json, &history));
	struct pair pair;
	cr_assert(pair_make(&history.list.items[0], &history.list.items[1], &pair, &err), "%s",
			  err.message);
	is_harmless(shown(show_pairs, &(struct shown_pairs){1, &pair}));
	is_harmless(shown(show_pairs_json, &(struct shown_pairs){1, &pair}));
	pair_free(&pair);
	struct shown_leaderboard board = {.shape_count = 0};
	cr_assert(leaderboard_make(&history.list, true, &board.all, &err), "%s", err.message);
	is_harmless(shown(show_leaderboard, &board));
	is_harmless(shown(show_leaderboard_json, &board));
	leaderboard_free(&board.all);
	measured_list_free(&history.list);
}

Test(hostile, what_takes_too_long_is_given_up)
{
	struct error err = {{0}};
	struct store *store = database_open("s.db", store_schema, false, &err);
	cr_assert_not_null(store, "%s", err.message);
	const double begun = clock_seconds();
	guard_bound(store, 0.05);
	cr_expect_not(database_execute(store, ENDLESS " SELECT count(*) FROM n", &err));
	cr_expect_not_null(strstr(err.message, "took more than 60 s"), "%s", err.message);
	cr_expect_lt(clock_seconds() - begun, 5.0);
	database_close(store);
}

Test(hostile, a_value_without_end_is_refused)
{
	tell("UPDATE judgement SET detail = hex(zeroblob(3000000))");
	struct error err = {{0}};
	struct measured_list list;
	cr_expect_not(store_find("s.db", &(struct store_filter){0}, &list, &err));
	cr_expect_not_null(strstr(err.message, "too long"), "%s", err.message);
}

/* Each page of a tree is used once: else a small file has rows without end. */
Test(hostile, a_page_in_two_places_is_refused)
{
	for (int i = 0; i < 40; i++) /* for a tree of two levels */
		fixture_append("s.db", fixture_timed("a.cu", "aaaa", 12.5, SEAL_CONFIRMED), "judge");
	sqlite3 *database;
	sqlite3_stmt *row;
	cr_assert_eq(sqlite3_open("s.db", &database), SQLITE_OK);
	cr_assert_eq(sqlite3_prepare_v2(database,
									"SELECT rootpage FROM sqlite_schema WHERE name = 'entry'", -1,
									&row, NULL),
				 SQLITE_OK);
	cr_assert_eq(sqlite3_step(row), SQLITE_ROW);
	const long at = 4096L * (sqlite3_column_int(row, 0) - 1);
	sqlite3_finalize(row);
	sqlite3_close(database);
	unsigned char head[12], children[2][4];
	FILE *file = fopen("s.db", "r+");
	cr_assert(fseek(file, at, SEEK_SET) == 0 && fread(head, sizeof head, 1, file) == 1);
	cr_assert(head[0] == 2 && head[4] > 0, "an inner page of an index, with two children");
	for (int i = 0; i < 2; i++) { /* the first takes the place of the second, which is the last */
		unsigned char cell[2];
		cr_assert(fseek(file, at + 12, SEEK_SET) == 0 && fread(cell, 2, 1, file) == 1);
		cr_assert_eq(fseek(file, at + cell[0] * 256 + cell[1], SEEK_SET), 0);
		cr_assert_eq(fread(children[0], 4, 1, file), 1);
		cr_assert_eq(fseek(file, at + 8, SEEK_SET), 0);
		cr_assert_eq(fwrite(children[0], 4, 1, file), 1);
	}
	fclose(file);
	struct error err = {{0}};
	struct measured_list list;
	cr_expect_not(store_find("s.db", &(struct store_filter){0}, &list, &err));
	cr_expect_not_null(strstr(err.message, "damaged"), "%s", err.message);
}

static void put_number(FILE *file, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		fputc((int)(number >> shift & 0xFF), file);
}

/* SQLite removes the file that a journal names as that of a larger transaction, unless it names
 * the store. */
Test(hostile, a_journal_that_names_another_file_removes_nothing)
{
	static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	char victim[128];
	uint32_t sum = 0;
	snprintf(victim, sizeof victim, "%s/victim", folder);
	FILE *file = fopen("victim", "w");
	cr_assert_eq(fwrite("words\0of somebody", 17, 1, file), 1);
	fclose(file);
	file = fopen("s.db-journal", "w");
	fwrite(magic, sizeof magic, 1, file);
	put_number(file, 0);  /* pages that it holds */
	put_number(file, 0);  /* of its checksums */
	put_number(file, 40); /* of the database */
	put_number(file, 512);
	put_number(file, 4096);
	for (long at = ftell(file); at < 512; at++)
		fputc(0, file);
	put_number(file, 0x40000000 / 4096 + 1);
	fputs(victim, file);
	for (const char *p = victim; *p != '\0'; p++)
		sum += (uint32_t)*p;
	put_number(file, (uint32_t)strlen(victim));
	put_number(file, sum);
	fwrite(magic, sizeof magic, 1, file);
	fclose(file);
	is_refused("s.db-journal names another file");
	cr_assert_eq(symlink("s.db", "link.db"), 0);
	struct error err;
	struct measured_list list;
	cr_expect_not(store_find("link.db", &(struct store_filter){0}, &list, &err));
	cr_expect_eq(access("victim", F_OK), 0);
	sqlite3 *database; /* it would have been */
	cr_assert_eq(sqlite3_open("s.db", &database), SQLITE_OK);
	sqlite3_exec(database, "SELECT * FROM run", NULL, NULL, NULL);
	sqlite3_close(database);
	cr_expect_neq(access("victim", F_OK), 0, "SQLite leaves it alone by itself");
}
