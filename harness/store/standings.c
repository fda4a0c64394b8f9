/* Who stands where by correctness alone: where nobody has a time that counts. */
#include <stdlib.h>
#include <string.h>

#include "store/alike.h"

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
	return one->run->cases > 0 && !one->run->practice &&
		   strcmp(one->run->tolerance, "bound") == 0 && strcmp(one->why, LEFT_OUT_RULE) != 0 &&
		   one->run->content[0] != '\0' && alike_ranks(all, one->run) &&
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

/* Takes those off that stand behind another one of the same entry. */
static void keep_best(struct leaderboard *all)
{
	struct standing *made = all->standings;
	size_t kept = 0;
	for (size_t i = 0; i < all->standing_count; i++) {
		size_t k = 0;
		while (k < kept && !(measured_same_field(made[k].run, made[i].run) &&
							 measured_same_entry(made[k].run, made[i].run)))
			k++;
		if (k == kept) {
			made[kept++] = made[i];
			continue;
		}
		for (size_t l = 0; l < all->left_out_count; l++)
			if (all->left_out[l].run == made[i].run)
				all->left_out[l].why =
					made[i].run->user_id[0] != '\0' ? LEFT_OUT_USER : LEFT_OUT_COPY;
	}
	all->standing_count = kept;
}

/* How many files there are, copies not counted. */
static size_t files_between(const struct standing *made, size_t first, size_t end)
{
	size_t count = 0;
	for (size_t i = first; i < end; i++) {
		size_t k = first;
		while (k < i && !measured_same_tokens(made[k].run, made[i].run))
			k++;
		count += k == i;
	}
	return count;
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
	keep_best(all);
	for (size_t i = 0; i < all->standing_count; i++) {
		bool begins = i == 0 || !measured_same_field(made[i - 1].run, made[i].run);
		if (begins)
			first = i;
		bool equal = !begins && by_correctness(made[i - 1].run, made[i].run) == 0;
		made[i].rank = equal ? made[i - 1].rank : 1 + files_between(made, first, i);
	}
	return true;
}
