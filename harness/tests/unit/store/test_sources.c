/* links: store */
/* Sources in and out of the store. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../folder_fixture.h"
#include "store/sources.h"

TestSuite(sources, .init = folder_begin, .fini = folder_end);

static void keep(const char *content, const char *text, size_t length)
{
	struct sources *sources = calloc(1, sizeof *sources);
	struct error err;
	char *copy = malloc(length + 1);
	snprintf(sources->content, sizeof sources->content, "%s", content);
	memcpy(copy, text, length);
	cr_assert(sources_add(sources, strdup("a.cu"), copy, length));
	cr_assert(sources_add(sources, strdup("parts/b.cuh"), strdup("b"), 1));
	cr_assert(sources_keep("s.db", sources, &err), "%s", err.message);
	sources_free(sources);
	free(sources);
}

Test(sources, come_out_as_they_went_in)
{
	static const char text[] = "one\0two\n\xff";
	struct sources *found = calloc(1, sizeof *found);
	struct error err;
	keep("abcd12", text, sizeof text - 1);
	keep("abcd12", "another", 7); /* a content is kept once */
	keep("abce34", "", 0);
	cr_assert(sources_find("s.db", "abcd", found, &err), "%s", err.message);
	cr_expect_str_eq(found->content, "abcd12");
	cr_assert_eq(found->count, 2);
	cr_assert_eq(found->files[0].length, sizeof text - 1);
	cr_expect_arr_eq(found->files[0].text, text, sizeof text - 1);
	cr_expect_str_eq(found->files[1].name, "parts/b.cuh");
	sources_free(found);
	cr_assert(sources_find("s.db", "abce", found, &err), "%s", err.message);
	cr_expect_eq(found->files[0].length, 0);
	sources_free(found);
	cr_expect_not(sources_find("s.db", "abc", found, &err));
	cr_expect_not_null(strstr(err.message, "the beginning of several"));
	cr_expect_not(sources_find("s.db", "ffff", found, &err));
	cr_expect_eq(found->count, 0);
	free(found);
}

/* Runs it; what a number of it is. */
static int64_t ask(const char *sql)
{
	sqlite3 *database;
	sqlite3_stmt *statement;
	cr_assert_eq(sqlite3_open("s.db", &database), SQLITE_OK);
	cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s", sql);
	const int64_t value =
		sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return value;
}

Test(sources, are_compressed)
{
	struct sources *found = calloc(1, sizeof *found);
	struct error err;
	char text[5000];
	memset(text, 'x', sizeof text);
	keep("abcd12", text, sizeof text);
	cr_expect_lt(ask("SELECT length(text) FROM source WHERE number = 0"), 100);
	cr_expect_eq(ask("SELECT length FROM source WHERE number = 0"), sizeof text);
	cr_assert(sources_find("s.db", "abcd", found, &err), "%s", err.message);
	cr_expect_arr_eq(found->files[0].text, text, sizeof text);
	sources_free(found);
	free(found);
}

static bool note_found(void *context, size_t i, struct sources *sources, struct error *err)
{
	char *seen = context;
	(void)err;
	cr_expect_eq(sources->count, 2);
	snprintf(seen + strlen(seen), 16, "%zu ", i);
	return true;
}

Test(sources, those_that_are_kept_are_found_in_one_reading)
{
	static const char *const hashes[] = {"abcd12", "ffff", "", "abce34"};
	struct error err;
	char seen[64] = "";
	keep("abcd12", "one", 3);
	keep("abce34", "two", 3);
	cr_assert(sources_each("s.db", hashes, 4, note_found, seen, &err), "%s", err.message);
	cr_expect_str_eq(seen, "0 3 ");
}

/* Of a store that somebody else may have written. */
Test(sources, whose_length_is_a_lie_are_damaged)
{
	static const char *const lies[] = {"length = 4999",    "length = 5001",  "length = -1",
									   "length = 1 << 40", "text = x'789c'", "text = x''"};
	struct sources *found = calloc(1, sizeof *found);
	struct error err;
	char text[5000] = "x", sql[128];
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		unlink("s.db");
		keep("abcd12", text, sizeof text);
		snprintf(sql, sizeof sql, "UPDATE source SET %s WHERE number = 0", lies[i]);
		ask(sql);
		cr_expect_not(sources_find("s.db", "abcd", found, &err), "%s", lies[i]);
		cr_expect_not_null(strstr(err.message, "damaged"), "%s: %s", lies[i], err.message);
	}
	free(found);
}

Test(sources, what_is_too_large_is_not_added)
{
	struct sources *sources = calloc(1, sizeof *sources);
	cr_expect(sources_add(sources, strdup("a"), calloc(1, SOURCES_BYTES), SOURCES_BYTES - 1));
	cr_expect_not(sources_add(sources, strdup("b"), calloc(1, 2), 2));
	cr_expect_not(sources_add(sources, strdup("c"), NULL, 0));
	cr_expect_eq(sources->count, 1);
	sources_free(sources);
	free(sources);
}
