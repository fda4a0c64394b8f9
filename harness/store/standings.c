/* Who stands where by correctness alone: where nobody has a time that counts. */
#include <stdlib.h>
#include <string.h>

#include "store/leaderboard.h"

/* Whether a board of times has its field. */
static bool is_timed(const struct leaderboard *all, const struct measured *run)
{
	for (size_t i = 0; i < all->board_count; i++)
		if (measured_same_field(all->boards[i].run, run))
			return true;
	return false;
}

/* Those that were judged by the cases that count, and broke no rule. */
static bool stands(const struct leaderboard *all, const struct left_out *one)
{
	return one->run->cases > 0 && strcmp(one->run->tolerance, "bound") == 0 &&
		   strcmp(one->why, LEFT_OUT_RULE) != 0 && one->run->content[0] != '\0' &&
		   !is_timed(all, one->run);
}

static double share_of(const struct measured *run)
{
	return (double)run->accepted / (double)run->cases;
}

/* The accepted first, then by the share of cases that are right. */
static int by_correctness(const struct measured *x, const struct measured *y)
{
	bool x_wrong = !verdict_is(x->verdict, VERDICT_ACCEPTED);
	bool y_wrong = !verdict_is(y->verdict, VERDICT_ACCEPTED);
	if (x_wrong != y_wrong)
		return x_wrong - y_wrong;
	return (share_of(x) < share_of(y)) - (share_of(x) > share_of(y));
}

static int compare(const void *a, const void *b)
{
	const struct measured *x = ((const struct standing *)a)->run,
						  *y = ((const struct standing *)b)->run;
	int order = strcmp(x->problem, y->problem);
	order = order != 0 ? order : strcmp(x->device, y->device);
	order = order != 0 ? order : strcmp(x->epilogue, y->epilogue);
	order = order != 0 ? order : by_correctness(x, y);
	return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

bool standings_make(struct leaderboard *all)
{
	struct standing *made = calloc(all->left_out_count + 1, sizeof *made);
	size_t first = 0; /* of the field at hand */
	if (made == NULL)
		return false;
	all->standings = made;
	for (size_t i = 0; i < all->left_out_count; i++)
		if (stands(all, &all->left_out[i]))
			made[all->standing_count++].run = all->left_out[i].run;
	qsort(made, all->standing_count, sizeof *made, compare);
	for (size_t i = 0; i < all->standing_count; i++) {
		bool begins = i == 0 || !measured_same_field(made[i - 1].run, made[i].run);
		if (begins)
			first = i;
		bool equal = !begins && by_correctness(made[i - 1].run, made[i].run) == 0;
		made[i].rank = equal ? made[i - 1].rank : i - first + 1;
	}
	return true;
}
