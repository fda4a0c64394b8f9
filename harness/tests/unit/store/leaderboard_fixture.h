/* A leaderboard of a store that a test has filled: used by test_leaderboard.c and test_alike.c. */
#ifndef GEMMJUDGE_TESTS_LEADERBOARD_FIXTURE_H
#define GEMMJUDGE_TESTS_LEADERBOARD_FIXTURE_H

#include <criterion/criterion.h>
#include <unistd.h>

#include "store/leaderboard.h"
#include "store_fixture.h"

static char path[64];

static inline void begin(void)
{
	strcpy(path, "/tmp/test-leaderboard-XXXXXX");
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
}

static inline void end(void)
{
	unlink(path);
}

static inline struct leaderboard made(void)
{
	struct error err;
	struct leaderboard out;
	struct measured_list runs = fixture_found(path, &(struct store_filter){.case_names = true});
	cr_assert(leaderboard_make(&runs, true, &out, &err), "%s", err.message);
	return out;
}

static inline void is_left_out(const struct leaderboard *all, size_t i, const char *content,
							   const char *why)
{
	cr_assert_lt(i, all->left_out_count);
	cr_expect_str_eq(all->left_out[i].run->content, content);
	cr_expect_str_eq(all->left_out[i].why, why);
}

static inline struct judgement_list judged_with(const char *content, size_t accepted)
{
	struct judgement_list list = fixture_judged("a.cu", content);
	list.items[0].accepted = accepted;
	if (accepted < list.items[0].count)
		list.items[0].verdict = VERDICT_WRONG_ANSWER;
	return list;
}

#endif
