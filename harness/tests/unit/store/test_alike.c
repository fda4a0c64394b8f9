/* links: store; timeout: 60 */
/* What ranks on one board: of users, and of files that were judged alike. */
#include <criterion/criterion.h>

#include "leaderboard_fixture.h"
#include "store/database.h"

TestSuite(alike, .init = begin, .fini = end);

/* ---- what was submitted to a server ------------------------------------------------------- */

static void submitted(struct judgement_list list, const char *job, const char *user, bool practice)
{
	char sql[512];
	struct error err;
	fixture_append_job(path, list, "judge", job);
	snprintf(
		sql, sizeof sql,
		"INSERT OR IGNORE INTO account VALUES ('id of %s', '%s', 'student', NULL, 1, NULL);"
		"INSERT INTO job (id, account, problem, name, state, created, seconds, attempts, "
		"options, source, practice) VALUES ('%s', 'id of %s', 'gemm-f16', '%s.cu', 'done', 1, 1, "
		"1, '{}', 'x', %d)",
		user, user, job, user, job, practice);
	struct store *store = database_open(path, store_schema, true, &err);
	cr_assert_not_null(store, "%s", err.message);
	cr_assert(database_execute(store, sql, &err), "%s", err.message);
	database_close(store);
}

Test(alike, of_a_user_the_best_counts)
{
	submitted(fixture_timed("stdin", "a", 12.0, SEAL_CONFIRMED), "slow", "ada", false);
	submitted(fixture_timed("stdin", "b", 10.0, SEAL_CONFIRMED), "fast", "ada", false);
	submitted(fixture_timed("stdin", "c", 11.0, SEAL_CONFIRMED), "other", "bob", false);
	submitted(fixture_timed("stdin", "d", 1.0, SEAL_CONFIRMED), "cheat", "bob", true);
	struct leaderboard all = made();
	cr_assert_eq(all.board_count, 1);
	cr_assert_eq(all.boards[0].count, 2);
	cr_expect_str_eq(all.boards[0].leaders[0].run->job, "fast");
	cr_expect_str_eq(all.boards[0].leaders[0].run->user, "ada");
	cr_expect_str_eq(all.boards[0].leaders[0].run->file, "fast.cu");
	cr_expect_eq(all.boards[0].leaders[1].rank, 2);
	cr_assert_eq(all.left_out_count, 2);
	is_left_out(&all, 0, "a", LEFT_OUT_USER);
	is_left_out(&all, 1, "d", LEFT_OUT_PRACTICE);
	leaderboard_free(&all);
}

Test(alike, by_correctness_of_a_user_the_best_counts)
{
	submitted(judged_with("half", 1), "first", "ada", false);
	submitted(judged_with("right", 2), "second", "ada", false);
	submitted(judged_with("right", 2), "the same", "bob", false);
	submitted(judged_with("none", 0), "third", "cy", false);
	submitted(judged_with("of practice", 2), "fourth", "cy", true);
	struct leaderboard all = made();
	static const char *const users[] = {"ada", "bob", "cy"};
	cr_assert_eq(all.standing_count, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_str_eq(all.standings[i].run->user, users[i]);
	cr_expect_str_eq(all.standings[0].run->job, "second");
	cr_expect_eq(all.standings[1].rank, 1);
	cr_expect_str_eq(all.standings[2].run->content, "none");
	leaderboard_free(&all);
}

/* A run of the same content that was practice hides none that counts. */
Test(alike, practice_hides_nothing_that_counts)
{
	submitted(judged_with("right", 2), "first", "ada", false);
	submitted(judged_with("right", 2), "second", "ada", true);
	struct leaderboard all = made();
	cr_assert_eq(all.standing_count, 1);
	cr_expect_str_eq(all.standings[0].run->job, "first");
	leaderboard_free(&all);
}

/* ---- what was judged alike ---------------------------------------------------------------- */

/* Judged on one case, with a time: `name` is that of the case. */
static struct judgement_list on_one_case(const char *content, const char *name)
{
	struct judgement_list list = fixture_timed("a.cu", content, 1.0, SEAL_CONFIRMED);
	list.items[0].count = list.items[0].accepted = 1;
	snprintf(list.items[0].cases[0].test.name, sizeof list.items[0].cases[0].test.name, "%s", name);
	return list;
}

static void is_judged_otherwise(const struct leaderboard *all, size_t i, const char *content,
								const char *why)
{
	char said[LEFT_OUT_WHY];
	is_left_out(all, i, content, LEFT_OUT_OTHERWISE);
	left_out_why(&all->left_out[i], said);
	cr_expect_str_eq(said, why);
}

Test(alike, only_what_was_judged_alike_ranks)
{
	fixture_append(path, on_one_case("chosen", "random-1"), "judge");
	fixture_append(path, on_one_case("one", "random-0"), "judge");
	struct judgement_list list = fixture_timed("a.cu", "aligned", 1.0, SEAL_CONFIRMED);
	list.facts.multiple = 64;
	fixture_append(path, list, "judge");
	list = fixture_timed("a.cu", "small", 1.0, SEAL_CONFIRMED);
	list.facts.max_dim = 16;
	fixture_append(path, list, "judge");
	list = fixture_timed("a.cu", "seed", 1.0, SEAL_CONFIRMED);
	list.facts.seed_given = true;
	fixture_append(path, list, "judge");
	list = fixture_timed("a.cu", "edges", 1.0, SEAL_CONFIRMED);
	list.facts.suites = (const char *const[]){"edges", NULL};
	fixture_append(path, list, "judge");
	fixture_append(path, fixture_timed("a.cu", "slow", 20.0, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("a.cu", "fast", 10.0, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.board_count, 1);
	cr_assert_eq(all.boards[0].count, 2);
	cr_expect_str_eq(all.boards[0].leaders[0].run->content, "fast");
	cr_assert_eq(all.left_out_count, 6);
	is_judged_otherwise(&all, 0, "chosen", "judged otherwise: 1 generated case, only random-1");
	is_judged_otherwise(&all, 1, "one", "judged otherwise: 1 generated case");
	is_judged_otherwise(&all, 2, "aligned", "judged otherwise: 2 generated cases, multiples of 64");
	is_judged_otherwise(&all, 3, "small", "judged otherwise: 2 generated cases, sizes up to 16");
	is_judged_otherwise(&all, 4, "seed", "judged otherwise: 2 generated cases, seed 0x7");
	is_judged_otherwise(&all, 5, "edges", "judged otherwise: suite edges, 2 cases");
	leaderboard_free(&all);
	struct error err;
	struct measured_list runs = fixture_all(path); /* of versions of a file, all count */
	cr_assert(leaderboard_make(&runs, false, &all, &err));
	cr_expect_eq(all.boards[0].count, 8);
	leaderboard_free(&all);
}

/* A run that was judged otherwise later hides none that counts. */
Test(alike, a_content_ranks_by_its_runs_that_are_alike)
{
	struct judgement_list list;
	fixture_append(path, judged_with("a", 2), "judge");
	fixture_append(path, judged_with("b", 2), "judge");
	list = judged_with("a", 1);
	list.items[0].count = 1;
	list.items[0].verdict = VERDICT_ACCEPTED;
	list.facts.seed_given = true;
	fixture_append(path, list, "judge");
	list = judged_with("c", 1); /* right in the only case, by a seed that was chosen */
	list.items[0].count = 1;
	list.items[0].verdict = VERDICT_ACCEPTED;
	list.facts.seed_given = true;
	fixture_append(path, list, "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.standing_count, 2);
	cr_expect_eq(all.standings[0].run->id, 1);
	cr_expect_eq(all.standings[1].run->id, 2);
	cr_assert_eq(all.left_out_count, 3);
	is_judged_otherwise(&all, 2, "c", "judged otherwise: 1 generated case, seed 0x7");
	leaderboard_free(&all);
}

/* On a server the newest submission has the standard, whatever many were judged by by hand. */
Test(alike, what_was_submitted_has_the_standard)
{
	struct judgement_list list;
	fixture_append(path, judged_with("a", 2), "judge");
	fixture_append(path, judged_with("b", 2), "judge");
	list = judged_with("c", 1);
	list.facts.max_dim = 32;
	submitted(list, "old", "ada", false);
	list = judged_with("d", 2);
	list.facts.max_dim = 64;
	submitted(list, "new", "bob", false);
	struct leaderboard all = made();
	cr_assert_eq(all.standing_count, 1);
	cr_expect_str_eq(all.standings[0].run->job, "new");
	leaderboard_free(&all);
}

static struct judgement_list with_tokens(struct judgement_list list, const char *tokens)
{
	snprintf(list.items[0].tokens, sizeof list.items[0].tokens, "%s", tokens);
	return list;
}

/* Files that differ in comments alone take one rank. */
Test(alike, copies_take_no_further_ranks)
{
	fixture_append(path, with_tokens(fixture_timed("a.cu", "a", 10.0, SEAL_CONFIRMED), "t"),
				   "judge");
	fixture_append(path, with_tokens(fixture_timed("b.cu", "b", 9.0, SEAL_CONFIRMED), "t"),
				   "judge");
	fixture_append(path, with_tokens(fixture_timed("c.cu", "c", 20.0, SEAL_CONFIRMED), "u"),
				   "judge");
	fixture_append(path, fixture_timed("d.cu", "d", 30.0, SEAL_CONFIRMED),
				   "judge"); /* nobody knows */
	fixture_append(path, fixture_timed("e.cu", "e", 40.0, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.boards[0].count, 4);
	cr_expect_str_eq(all.boards[0].leaders[0].run->content, "b");
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(all.boards[0].leaders[i].rank, i + 1);
	cr_assert_eq(all.left_out_count, 1);
	is_left_out(&all, 0, "a", LEFT_OUT_COPY);
	leaderboard_free(&all);
}

/* Users whose files are copies share a rank, and take none from those behind. */
Test(alike, users_of_copies_share_a_rank)
{
	static const char *const users[] = {"ada", "bob", "cy", "dan"};
	static const double times[] = {10.0, 20.0, 15.0, 30.0};
	static const char *const tokens[] = {"t", "t", "u", "v"};
	static const size_t ranks[] = {1, 1, 2, 3};
	for (size_t i = 0; i < 4; i++)
		submitted(
			with_tokens(fixture_timed("stdin", users[i], times[i], SEAL_CONFIRMED), tokens[i]),
			users[i], users[i], false);
	struct leaderboard all = made();
	cr_assert_eq(all.boards[0].count, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_str_eq(all.boards[0].leaders[i].run->user, users[i]);
		cr_expect_eq(all.boards[0].leaders[i].rank, ranks[i]);
	}
	leaderboard_free(&all);
}

Test(alike, copies_by_correctness_take_no_further_ranks)
{
	fixture_append(path, with_tokens(judged_with("a", 2), "t"), "judge");
	fixture_append(path, with_tokens(judged_with("b", 2), "t"), "judge");
	fixture_append(path, with_tokens(judged_with("c", 1), "u"), "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.standing_count, 2);
	cr_expect_eq(all.standings[1].rank, 2);
	leaderboard_free(&all);
}
