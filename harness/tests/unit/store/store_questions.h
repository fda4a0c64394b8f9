/* What is asked of a store's file past the store itself: of test_store*.c. */
#ifndef GEMMJUDGE_TESTS_STORE_QUESTIONS_H
#define GEMMJUDGE_TESTS_STORE_QUESTIONS_H

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

/* What a statement gives; -1 where it fails. */
static inline int64_t ask(const char *path, const char *sql)
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

static inline void tell(const char *path, const char *sql)
{
	sqlite3 *database;
	cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sql);
	sqlite3_close(database);
}

static inline void is_whole(const char *path)
{
	cr_expect_eq(
		ask(path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
	cr_expect_eq(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	cr_expect_eq(ask(path, "SELECT count(*) FROM judgement j WHERE cases != (SELECT count(*) FROM "
						   "test_case WHERE judgement = j.id)"),
				 0, "half a judgement");
}

/* Refused with a line that says so, and left as it was. */
static inline void is_refused(const char *path, const char *says)
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

#endif
