/* links: store; label: threads */
/* Submissions in the store: their course, who else may have it open, and users. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder_fixture.h"
#include "store/accounts.h"
#include "store/database.h"
#include "store/jobs.h"
#include "store/query.h"

TestSuite(jobs, .init = folder_begin, .fini = folder_end);

static struct jobs *opened(void)
{
	struct error err;
	struct jobs *jobs = jobs_open("s.db", false, &err);
	cr_assert_not_null(jobs, "%s", err.message);
	return jobs;
}

static void insert_named(struct jobs *jobs, const char *id, const char *account, const char *given,
						 const char *named)
{
	const struct job_given job = {.id = id,
								  .account = account,
								  .problem = "sgemm",
								  .name = given,
								  .options = "{\"cases\":4}",
								  .source = "text",
								  .source_length = 4};
	struct error err;
	int64_t number;
	char *name;
	cr_assert(job_insert(jobs, &job, &number, &name, &err), "%s", err.message);
	cr_expect_str_eq(name, named);
	free(name);
}

static void insert(struct jobs *jobs, const char *id, const char *account)
{
	insert_named(jobs, id, account, "a.cu", "a.cu");
}

static void take(struct jobs *jobs, const char *id)
{
	char *options, *source;
	int attempts;
	struct error err;
	cr_assert(job_begin(jobs, id, &options, &source, &attempts, &err), "%s", err.message);
	cr_expect_str_eq(options, "{\"cases\":4}");
	cr_expect_str_eq(source, "text");
	free(options);
	free(source);
}

static void has_state(struct jobs *jobs, const char *id, const char *state)
{
	struct error err;
	json_t *job = job_find(jobs, id, true, &err);
	cr_assert_not_null(job, "%s", err.message);
	cr_expect_str_eq(json_string_value(json_object_get(job, "state")), state, "%s: %s", id,
					 json_string_value(json_object_get(job, "state")));
	json_decref(job);
}

Test(jobs, go_from_waiting_to_done)
{
	struct jobs *jobs = opened();
	struct error err;
	insert(jobs, "a", "ada");
	has_state(jobs, "a", "waiting");
	take(jobs, "a");
	has_state(jobs, "a", "judging");
	cr_assert(job_again(jobs, "a", 1.5, &err), "%s", err.message);
	has_state(jobs, "a", "waiting");
	take(jobs, "a");
	cr_expect_geq(jobs_seconds(jobs, "ada", 0), 1.5, "what came to no verdict");
	cr_expect_not(job_withdraw(jobs, "a", &err));
	cr_expect_str_empty(err.message);
	const struct job_end ended = {.verdict = "accepted",
								  .content = "abc",
								  .result = "{\"result\":{\"cases\":[]}}",
								  .seconds = 2};
	cr_assert(job_finish(jobs, "a", &ended, &err), "%s", err.message);
	json_t *job = job_find(jobs, "a", true, &err);
	cr_expect_str_eq(json_string_value(json_object_get(job, "verdict")), "accepted");
	cr_expect(json_is_object(json_object_get(job, "result")));
	cr_expect_eq(strlen(json_string_value(json_object_get(job, "ended"))), 24);
	json_decref(job);
	cr_expect_eq(jobs_seconds(jobs, "ada", 0), 3.5);
	cr_expect_eq(jobs_seconds(jobs, "bob", 0), 0);
	cr_expect_null(job_find(jobs, "b", true, &err));
	cr_expect_str_empty(err.message);
	cr_expect_not(job_finish(jobs, "b", &ended, &err));
	jobs_close(jobs);
}

static void count_one(void *context, const struct job_given *job, int64_t number)
{
	char *seen = context;
	cr_expect_gt(number, 0);
	strcat(seen, job->id);
}

/* A process that is killed holds nothing back, and what it was judging waits again. */
Test(jobs, survive_a_server_that_is_killed)
{
	struct error err;
	char seen[16] = "";
	int status;
	const pid_t child = fork();
	if (child == 0) {
		struct jobs *jobs = opened();
		insert(jobs, "a", "");
		insert(jobs, "b", "");
		insert(jobs, "c", "");
		take(jobs, "b");
		cr_expect(job_withdraw(jobs, "c", &err));
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	struct jobs *jobs = opened();
	cr_expect(jobs_waiting(jobs, count_one, seen, &err), "%s", err.message);
	cr_expect_str_eq(seen, "ab");
	jobs_close(jobs);
}

/* Others may read and write the store, but there is one server. */
Test(jobs, have_one_server)
{
	struct error err;
	int status;
	bool some = true;
	struct jobs *jobs = opened();
	cr_expect(accounts_any(jobs, &some) && !some);
	insert(jobs, "a", "");
	const pid_t child = fork();
	if (child == 0) {
		struct measured_list none;
		char token[ACCOUNT_TOKEN];
		const bool refused = jobs_open("s.db", false, &err) == NULL &&
							 strstr(err.message, "another 'gemmjudge serve' has it") != NULL;
		_exit(!refused || !store_find("s.db", &(struct store_filter){0}, &none, &err) ||
			  !account_add("s.db", "ada", "student", token, &err));
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	cr_expect(accounts_any(jobs, &some) && some);
	insert(jobs, "b", "");
	jobs_close(jobs);
	cr_expect_neq(access("s.db-wal", F_OK), 0, "it is one file again");
	jobs = opened();
	has_state(jobs, "a", "waiting");
	has_state(jobs, "b", "waiting");
	jobs_close(jobs);
}

Test(jobs, list_pages_of_a_user)
{
	struct jobs *jobs = opened();
	struct error err;
	char id[2] = "a";
	for (; id[0] < 'g'; id[0]++)
		insert(jobs, id, id[0] % 2 == 0 ? "ada" : "bob");
	json_t *list =
		jobs_list(jobs, &(struct job_filter){.account = "ada", .before = 6, .limit = 5}, &err);
	cr_assert_eq(json_array_size(list), 2);
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "id")), "d");
	json_decref(list);
	jobs_close(jobs);
}

/* Of those without a name each has its number's, which nobody else has. */
Test(jobs, are_named)
{
	struct jobs *jobs = opened();
	struct error err;
	insert_named(jobs, "a", "ada", "", "submission-1.cu");
	insert_named(jobs, "b", "ada", "mine.cu", "mine.cu");
	insert_named(jobs, "c", "ada", "", "submission-3.cu");
	json_t *list =
		jobs_list(jobs, &(struct job_filter){.name = "submission-3.cu", .limit = 5}, &err);
	cr_assert_eq(json_array_size(list), 1);
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "id")), "c");
	json_decref(list);
	jobs_close(jobs);
}

static void end(struct jobs *jobs, const char *id, const char *verdict, double microseconds)
{
	struct error err;
	const struct job_end ended = {.verdict = verdict, .microseconds = microseconds};
	take(jobs, id);
	cr_assert(job_finish(jobs, id, &ended, &err), "%s", err.message);
}

static void is_best(const json_t *class, const char *user, const char *id, double microseconds,
					json_int_t submissions)
{
	const json_t *best = NULL;
	for (size_t i = 0; i < json_array_size(class); i++)
		if (strcmp(json_string_value(json_object_get(json_array_get(class, i), "user")), user) == 0)
			best = json_object_get(json_object_get(json_array_get(class, i), "best"), "sgemm");
	cr_expect_str_eq(json_string_value(json_object_get(best, "id")), id, "%s", user);
	cr_expect_eq(json_number_value(json_object_get(best, "microseconds")), microseconds, "%s",
				 user);
	cr_expect_eq(json_integer_value(json_object_get(best, "submissions")), submissions, "%s", user);
}

/* The fastest that was accepted, else the last that was, else the last. */
Test(jobs, of_a_class)
{
	static const struct {
		const char *id, *user, *verdict;
		double microseconds;
	} all[] = {{"a", "ada", "accepted", 9},     {"b", "ada", "accepted", 7},
			   {"c", "ada", "accepted", 8},     {"d", "ada", "accepted", 0},
			   {"e", "ada", "wrong_answer", 1}, {"f", "bob", "accepted", 0},
			   {"g", "bob", "accepted", 0},     {"h", "bob", "wrong_answer", 0},
			   {"i", "cy", "compile_error", 0}, {"k", "cy", "wrong_answer", 0}};
	struct jobs *jobs = opened();
	struct error err;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		insert(jobs, all[i].id, all[i].user);
		end(jobs, all[i].id, all[i].verdict, all[i].microseconds);
	}
	insert(jobs, "l", "cy"); /* it waits */
	json_t *class = jobs_class(jobs, &err);
	cr_assert_not_null(class, "%s", err.message);
	is_best(class, "ada", "b", 7, 5);
	is_best(class, "bob", "g", 0, 3);
	is_best(class, "cy", "k", 0, 2);
	json_decref(class);
	json_t *job = job_find(jobs, "b", false, &err);
	cr_expect_eq(json_number_value(json_object_get(job, "microseconds")), 7);
	json_decref(job);
	jobs_close(jobs);
}

Test(jobs, know_tokens_by_their_hash)
{
	struct error err;
	struct account account;
	char token[ACCOUNT_TOKEN], again[ACCOUNT_TOKEN];
	struct jobs *jobs = opened();
	jobs_close(jobs);
	cr_assert(account_add("s.db", "eve", "teacher", token, &err), "%s", err.message);
	cr_expect_not(account_add("s.db", "eve", "teacher", again, &err));
	cr_expect_not(account_add("s.db", "../eve", "teacher", again, &err));
	jobs = opened();
	cr_assert(account_find(jobs, token, &account, &err), "%s", err.message);
	cr_expect_str_eq(account.name, "eve");
	cr_expect_eq(account.role, ACCOUNT_TEACHER);
	token[0] = token[0] == 'a' ? 'b' : 'a';
	cr_expect_not(account_find(jobs, token, &account, &err));
	cr_expect_str_empty(err.message);
	jobs_close(jobs);
	cr_assert(account_remove("s.db", "eve", &err), "%s", err.message);
	cr_expect_not(account_remove("s.db", "eve", &err));
}

/* What was withdrawn keeps no source, and counts for a while as if it did. */
Test(jobs, say_how_much_they_take)
{
	struct error err;
	struct jobs *jobs = opened();
	insert(jobs, "a", "ada");
	insert(jobs, "b", "ada");
	insert(jobs, "c", "bob");
	const int64_t each = jobs_bytes(jobs, "bob", 0);
	cr_expect_eq(each, 512 + 4 + 11, "a row, the source, the options: %lld", (long long)each);
	cr_expect_eq(jobs_bytes(jobs, "ada", 0), 2 * each);
	cr_assert(job_withdraw(jobs, "a", &err));
	char *source = job_source(jobs, "a", &err);
	cr_expect_null(source);
	cr_expect_str_empty(err.message);
	cr_expect_eq(jobs_bytes(jobs, "ada", 0), 2 * each, "withdrawn a moment ago");
	cr_expect_eq(jobs_bytes(jobs, "ada", 1e12), 512 + each, "and before that moment");
	take(jobs, "b");
	cr_assert(job_finish(jobs, "b", &(struct job_end){.result = "{\"a\":1}", .seconds = 1}, &err));
	cr_expect_eq(jobs_bytes(jobs, "ada", 1e12), 512 + each + 7);
	const struct job_filter all = {.limit = 9}, kept = {.limit = 9, .kept = true};
	json_t *list = jobs_list(jobs, &all, &err), *rest = jobs_list(jobs, &kept, &err);
	cr_expect_eq(json_array_size(list), 3);
	cr_expect_eq(json_array_size(rest), 2);
	json_decref(list);
	json_decref(rest);
	cr_expect_gt(jobs_size(jobs), 4096);
	jobs_close(jobs);
}

/* A store of before submissions had a size. */
Test(jobs, of_an_older_store_are_measured)
{
	const char *const first[] = {store_schema[0], NULL};
	struct error err;
	struct store *store = database_open("s.db", first, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	cr_assert(database_execute(
				  store,
				  "INSERT INTO job (id, account, problem, name, options, source, state, created, "
				  "ended, seconds, attempts, result) VALUES ('a', '', 'sgemm', 'a.cu', '{}', "
				  "'\u00e9', 'done', 1, 2, 0, 1, '{}'), ('b', '', 'sgemm', 'b.cu', '{}', 'long', "
				  "'withdrawn', 1, 2, 0, 0, NULL)",
				  &err),
			  "%s", err.message);
	database_close(store);
	struct jobs *jobs = opened();
	cr_expect_eq(jobs_bytes(jobs, "", 0), 512 + 6 + 512 + 2);
	cr_expect_null(job_source(jobs, "b", &err));
	char *source = job_source(jobs, "a", &err);
	cr_expect_str_eq(source, "\u00e9");
	free(source);
	jobs_close(jobs);
}

/* ---- users are ids ------------------------------------------------------------------------ */

static struct account added(const char *name, char token[ACCOUNT_TOKEN])
{
	struct error err;
	struct account account;
	cr_assert(account_add("s.db", name, "student", token, &err), "%s", err.message);
	struct jobs *jobs = opened();
	cr_assert(account_find(jobs, token, &account, &err), "%s", err.message);
	jobs_close(jobs);
	return account;
}

static size_t submitted_by(struct jobs *jobs, const char *account, const char *user)
{
	struct error err;
	const struct job_filter filter = {.account = account, .user = user, .limit = 9};
	json_t *list = jobs_list(jobs, &filter, &err);
	cr_assert_not_null(list, "%s", err.message);
	const size_t count = json_array_size(list);
	json_decref(list);
	return count;
}

/* Who gets a name has nothing of an earlier one of that name. */
Test(jobs, are_not_inherited_with_a_name)
{
	struct error err;
	char before[ACCOUNT_TOKEN], now[ACCOUNT_TOKEN];
	const struct account first = added("bob", before);
	struct jobs *jobs = opened();
	insert(jobs, "a", first.id);
	end(jobs, "a", "accepted", 0);
	jobs_close(jobs);
	cr_assert(account_remove("s.db", "bob", &err), "%s", err.message);
	const struct account second = added("bob", now);
	cr_expect_str_neq(first.id, second.id);
	jobs = opened();
	struct account found;
	cr_expect_not(account_find(jobs, before, &found, &err), "a removed user's token");
	cr_expect_not(account_is(jobs, first.id));
	cr_expect(account_is(jobs, second.id));
	cr_expect_eq(submitted_by(jobs, first.id, NULL), 1);
	cr_expect_eq(submitted_by(jobs, second.id, NULL), 0);
	cr_expect_eq(submitted_by(jobs, NULL, "bob"), 1, "a teacher finds it");
	json_t *class = jobs_class(jobs, &err), *accounts = accounts_list("s.db", &err);
	cr_expect_eq(json_array_size(class), 1);
	cr_expect_eq(json_object_size(json_object_get(json_array_get(class, 0), "best")), 0);
	cr_expect_eq(json_integer_value(json_object_get(json_array_get(accounts, 0), "submissions")),
				 0);
	json_decref(class);
	json_decref(accounts);
	jobs_close(jobs);
}

/* A store of before users were ids. Submissions that are older than the account of their name are
 * of an earlier one. */
Test(jobs, of_an_older_store_keep_their_users)
{
	struct error err;
	const char *const first_schema[] = {store_schema[0], NULL};
	struct store *store = database_open("s.db", first_schema, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	cr_assert(
		database_execute(
			store,
			"INSERT INTO account VALUES ('ada', 'teacher', 'x', 100), ('bob', 'student', "
			"'y', 200);"
			"INSERT INTO job (id, account, problem, name, state, created, seconds, attempts, "
			"options, source) VALUES"
			" ('a', 'ada', 'sgemm', 'a.cu', 'done', 150, 1, 1, '{}', 'text of a'),"
			" ('b', 'bob', 'sgemm', 'b.cu', 'done', 150, 1, 1, '{}', 'text of b'),"
			" ('c', 'bob', 'sgemm', 'c.cu', 'done', 250, 1, 1, '{}', 'text of c'),"
			" ('d', 'gone', 'sgemm', 'd.cu', 'done', 90, 1, 1, '{}', 'text of d'),"
			" ('e', '', 'sgemm', 'e.cu', 'done', 90, 1, 1, '{}', 'text of e');"
			"UPDATE job SET options = '{\"seed\":\"0x1\",\"suite\":null}', content = 'cc', "
			"started = 249, ended = 251 WHERE id = 'c';"
			"UPDATE job SET options = '{\"seed\":null,\"fail-fast\":true}' WHERE id = 'd';"
			"INSERT INTO run (id, mode) VALUES (1, 'judge'), (2, 'judge');"
			"INSERT INTO submission VALUES (1, 'cc', '/x/stdin');"
			"INSERT INTO judgement (run, submission, ended, file) VALUES"
			" (1, 1, '1970-01-01T00:04:10Z', 'stdin'), (2, 1, '1970-01-01T01:00:00Z', 'stdin')",
			&err),
		"%s", err.message);
	database_close(store);
	struct jobs *jobs = opened();
	static const char *const users[] = {"ada", "bob", "bob", "gone", ""};
	json_t *shown[5];
	for (size_t i = 0; i < 5; i++) {
		const char id[] = {(char)('a' + i), '\0'};
		shown[i] = job_find(jobs, id, false, &err);
		cr_assert_not_null(shown[i], "%s", id);
		cr_expect_str_eq(json_string_value(json_object_get(shown[i], "user")), users[i]);
		cr_expect_eq(json_is_true(json_object_get(shown[i], "practice")), i == 2, "%s", id);
		char *source = job_source(jobs, id, &err);
		cr_expect_eq(source[strlen(source) - 1], id[0]);
		free(source);
	}
	const char *earlier = json_string_value(json_object_get(shown[1], "user_id"));
	const char *present = json_string_value(json_object_get(shown[2], "user_id"));
	cr_expect_str_neq(earlier, present);
	cr_expect_not(account_is(jobs, earlier));
	cr_expect(account_is(jobs, present));
	cr_expect_not(account_is(jobs, json_string_value(json_object_get(shown[3], "user_id"))));
	cr_expect_str_empty(json_string_value(json_object_get(shown[4], "user_id")));
	for (size_t i = 0; i < 5; i++)
		json_decref(shown[i]);
	jobs_close(jobs);
	json_t *accounts = accounts_list("s.db", &err);
	cr_assert_eq(json_array_size(accounts), 2);
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(accounts, 0), "role")),
					 "teacher");
	json_decref(accounts);
	struct measured_list found; /* the run that was of a submission is known to be */
	cr_assert(store_find("s.db", &(struct store_filter){.submitted = true}, &found, &err));
	cr_assert_eq(found.count, 1);
	cr_expect_eq(found.items[0].id, 1);
	cr_expect_str_eq(found.items[0].job, "c");
	cr_expect_str_eq(found.items[0].file, "c.cu");
	measured_list_free(&found);
}
