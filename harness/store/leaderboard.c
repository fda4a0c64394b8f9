#include "store/leaderboard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/alike.h"
#include "store/difference.h"

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* ---- who may rank ----------------------------------------------------------------- */

/* Whether what the one was found to be holds for the other: the same file of the same submitter,
 * compiled with the same code and options of others. Who judges a stranger's file with a stage or a
 * flag of his own, or hands in a copy of it, finds nothing out about that file. */
static bool same_terms(const struct measured *a, const struct measured *b)
{
	return same(a->content, b->content) && same(a->path, b->path) && same(a->problem, b->problem) &&
		   same(a->epilogue, b->epilogue) && same(a->epilogue_content, b->epilogue_content) &&
		   same(a->nvcc_flags, b->nvcc_flags);
}

/* Something that was found in this run or another, and that counts for all on the same terms. */
static const char *disgrace(const struct measured_list *runs, const struct measured *run)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct measured *other = &runs->items[i];
		if (!same_terms(other, run))
			continue;
		if (verdict_is(other->verdict, VERDICT_RULE_VIOLATION))
			return LEFT_OUT_RULE;
		if (verdict_is(other->verdict, VERDICT_WRONG_ANSWER) && same(other->suites, "[]") &&
			same(other->tolerance, "bound") && same(other->device, run->device))
			return "had a wrong answer";
	}
	return NULL;
}

/* Why a run does not rank; NULL: it may, with those of its times that are confirmed. */
static const char *unfit(const struct leaderboard *all, const struct measured *run)
{
	if (run->content[0] == '\0')
		return "its content is not known";
	if (run->practice)
		return LEFT_OUT_PRACTICE;
	const char *why = disgrace(&all->runs, run);
	if (why != NULL)
		return why;
	if (!verdict_is(run->verdict, VERDICT_ACCEPTED))
		return "not accepted";
	if (!same(run->tolerance, "bound"))
		return "judged with another tolerance";
	if (!alike_ranks(all, run))
		return LEFT_OUT_OTHERWISE;
	if (run->time_count == 0)
		return "not timed";
	return NULL;
}

static bool is_confirmed(const struct measured_time *time)
{
	return time->median > 0.0 && !time->without_epilogue &&
		   (seal_state_is(time->seal, SEAL_CONFIRMED) || seal_state_is(time->seal, SEAL_HOST_SIDE));
}

/* ---- boards ------------------------------------------------------------------------- */

static struct board *board_of(struct leaderboard *out, const struct measured *run,
							  const struct measured_time *time)
{
	for (size_t i = 0; i < out->board_count; i++)
		if (measured_same_field(out->boards[i].run, run) &&
			measured_same_shape(out->boards[i].time, time))
			return &out->boards[i];
	struct board *more = realloc(out->boards, (out->board_count + 1) * sizeof *more);
	if (more == NULL)
		return NULL;
	out->boards = more;
	more[out->board_count] = (struct board){.run = run, .time = time};
	return &more[out->board_count++];
}

/* Takes the place of a slower run of the same entry. */
static bool board_enter(struct board *board, const struct measured *run,
						const struct measured_time *time)
{
	struct leader entry = {.run = run, .time = time};
	for (size_t i = 0; i < board->count; i++)
		if (measured_same_entry(board->leaders[i].run, run)) {
			if (time->median < board->leaders[i].time->median)
				board->leaders[i] = entry;
			return true;
		}
	struct leader *more = realloc(board->leaders, (board->count + 1) * sizeof *more);
	if (more == NULL)
		return false;
	board->leaders = more;
	more[board->count++] = entry;
	return true;
}

static bool is_unconfirmed(const struct board *board, const struct measured *run)
{
	if (!measured_same_field(board->run, run))
		return false;
	for (size_t i = 0; i < run->time_count; i++)
		if (measured_same_shape(board->time, &run->times[i]) && run->times[i].median > 0.0 &&
			!run->times[i].without_epilogue && !is_confirmed(&run->times[i]))
			return true;
	return false;
}

/* Each content once, by the first of its runs. */
static void count_unconfirmed(const struct leaderboard *all, struct board *board)
{
	const struct measured_list *runs = &all->runs;
	for (size_t i = 0; i < runs->count; i++) {
		const struct measured *run = &runs->items[i];
		bool counts = is_unconfirmed(board, run) && unfit(all, run) == NULL;
		for (size_t k = 0; k < board->count && counts; k++)
			counts = !same(board->leaders[k].run->content, run->content);
		for (size_t k = 0; k < i && counts; k++)
			counts = !same(runs->items[k].content, run->content) ||
					 !is_unconfirmed(board, &runs->items[k]);
		board->unconfirmed += counts;
	}
}

static int compare_leaders(const void *a, const void *b)
{
	const struct leader *x = a, *y = b;
	return (x->time->median > y->time->median) - (x->time->median < y->time->median);
}

/* Puts what has the tokens of one before it behind that one: in one pass, as those before are in
 * order. */
static void copies_gather(struct board *board)
{
	for (size_t i = 1; i < board->count; i++) {
		const struct leader one = board->leaders[i];
		size_t at = i;
		while (at > 0 && !measured_same_tokens(board->leaders[at - 1].run, one.run))
			at--;
		if (at == 0)
			continue;
		memmove(&board->leaders[at + 1], &board->leaders[at], (i - at) * sizeof one);
		board->leaders[at] = one;
	}
}

static void board_rank(struct board *board)
{
	size_t first = 0, rank = 1, files = 0; /* of the rank at hand; without copies */
	qsort(board->leaders, board->count, sizeof *board->leaders, compare_leaders);
	copies_gather(board);
	for (size_t i = 0; i < board->count; i++) {
		struct leader *leader = &board->leaders[i];
		if (i == 0 || !measured_same_tokens(leader[-1].run, leader->run)) {
			if (difference_of(board->leaders[first].time, leader->time, 1).kind ==
				DIFFERENCE_SLOWER) {
				first = i;
				rank = files + 1;
			}
			files++;
		}
		leader->rank = rank;
	}
}

static int compare_boards(const void *a, const void *b)
{
	const struct board *x = a, *y = b;
	int order = strcmp(x->run->problem, y->run->problem);
	order = order != 0 ? order : strcmp(x->run->device, y->run->device);
	order = order != 0 ? order : strcmp(x->run->epilogue, y->run->epilogue);
	if (order != 0)
		return order;
	return (x->run->id > y->run->id) - (x->run->id < y->run->id);
}

static void boards_choose(struct leaderboard *out)
{
	struct board *best = NULL;
	for (size_t i = 0; i < out->board_count; i++) {
		struct board *board = &out->boards[i];
		bool begins = best == NULL || !measured_same_field(best->run, board->run);
		if (begins || board->count > best->count) {
			if (!begins)
				best->main = false;
			board->main = true;
			best = board;
		}
	}
}

/* ---- those that rank nowhere --------------------------------------------------------- */

/* Whether both are one line of the list: the same content of the same user. What fell is a line by
 * its path, so that a copy that ranks does not hide it. */
static bool same_line(const struct measured *a, const struct measured *b, bool fell)
{
	return same(a->content, b->content) && same(a->user_id, b->user_id) &&
		   measured_same_field(a, b) && (!fell || same(a->path, b->path));
}

static bool is_a_leader(const struct leaderboard *board, const struct measured *run, bool fell)
{
	for (size_t i = 0; i < board->board_count; i++)
		for (size_t k = 0; k < board->boards[i].count; k++)
			if (same_line(board->boards[i].leaders[k].run, run, fell))
				return true;
	return false;
}

/* Whether another content of the same entry is a leader. */
static bool entry_leads(const struct leaderboard *board, const struct measured *run)
{
	for (size_t i = 0; i < board->board_count; i++)
		for (size_t k = 0; k < board->boards[i].count; k++)
			if (measured_same_field(board->boards[i].run, run) &&
				measured_same_entry(board->boards[i].leaders[k].run, run))
				return true;
	return false;
}

static bool has_fallen(const struct measured_list *runs, const struct measured *run)
{
	return run->content[0] != '\0' && disgrace(runs, run) != NULL;
}

/* What goes before other runs of its line: 0 what counts, then what was judged otherwise, then what
 * fell. */
static int place_in_line(const struct leaderboard *all, const struct measured *run)
{
	return has_fallen(&all->runs, run) ? 2 : run->practice || !alike_ranks(all, run);
}

/* The last of those that go before the others of its line stands for it. */
static bool stands_for_line(const struct leaderboard *all, size_t index, bool fell)
{
	const struct measured_list *runs = &all->runs;
	const int own = place_in_line(all, &runs->items[index]);
	for (size_t i = 0; i < runs->count; i++) {
		if (i == index || !same_line(&runs->items[i], &runs->items[index], fell))
			continue;
		const int other = place_in_line(all, &runs->items[i]);
		if (other != own ? other < own : i > index)
			return false;
	}
	return true;
}

static bool leave_out(struct leaderboard *out, size_t index)
{
	const struct measured *run = &out->runs.items[index];
	bool fell = has_fallen(&out->runs, run);
	if (!stands_for_line(out, index, fell) || is_a_leader(out, run, fell))
		return true;
	struct left_out *more = realloc(out->left_out, (out->left_out_count + 1) * sizeof *more);
	if (more == NULL)
		return false;
	out->left_out = more;
	const char *why = unfit(out, run);
	if (why == NULL && entry_leads(out, run))
		why = run->user_id[0] != '\0' ? LEFT_OUT_USER : LEFT_OUT_COPY;
	else if (why == NULL)
		why = "its time was not confirmed";
	more[out->left_out_count++] = (struct left_out){run, why};
	return true;
}

/* What a run has to say of how a field is judged: a time that ranks more than right cases. */
static int worth_of(const struct leaderboard *all, const struct measured *run)
{
	const char *why = unfit(all, run);
	for (size_t i = 0; i < run->time_count && why == NULL; i++)
		if (is_confirmed(&run->times[i]))
			return 2;
	return run->cases > 0 && run->content[0] != '\0' && !run->practice &&
		   same(run->tolerance, "bound") && (why == NULL || !same(why, LEFT_OUT_RULE));
}

static bool choose_alike(struct leaderboard *all)
{
	int *worth = calloc(all->runs.count + 1, sizeof *worth);
	if (worth == NULL)
		return false;
	for (size_t i = 0; i < all->runs.count; i++)
		worth[i] = worth_of(all, &all->runs.items[i]);
	const bool ok = alike_choose(all, worth);
	free(worth);
	return ok;
}

bool leaderboard_make(struct measured_list *runs, bool alike, struct leaderboard *out,
					  struct error *err)
{
	*out = (struct leaderboard){.runs = *runs};
	*runs = (struct measured_list){0};
	bool ok = !alike || choose_alike(out);
	for (size_t i = 0; i < out->runs.count && ok; i++) {
		const struct measured *run = &out->runs.items[i];
		bool fit = unfit(out, run) == NULL;
		for (size_t k = 0; k < run->time_count && ok && fit; k++) {
			if (!is_confirmed(&run->times[k]))
				continue;
			struct board *board = board_of(out, run, &run->times[k]);
			ok = board != NULL && board_enter(board, run, &run->times[k]);
		}
	}
	for (size_t i = 0; i < out->runs.count && ok; i++)
		ok = leave_out(out, i);
	for (size_t i = 0; i < out->board_count; i++) {
		board_rank(&out->boards[i]);
		count_unconfirmed(out, &out->boards[i]);
	}
	if (out->board_count > 0)
		qsort(out->boards, out->board_count, sizeof *out->boards, compare_boards);
	boards_choose(out);
	ok = ok && standings_make(out);
	if (!ok) {
		leaderboard_free(out);
		error_set(err, "out of memory");
	}
	return ok;
}

void leaderboard_free(struct leaderboard *leaderboard)
{
	for (size_t i = 0; i < leaderboard->board_count; i++)
		free(leaderboard->boards[i].leaders);
	free(leaderboard->boards);
	free(leaderboard->left_out);
	free(leaderboard->standings);
	free(leaderboard->ranks);
	measured_list_free(&leaderboard->runs);
	*leaderboard = (struct leaderboard){0};
}

void left_out_why(const struct left_out *one, char out[LEFT_OUT_WHY])
{
	char conditions[MEASURED_CONDITIONS];
	measured_conditions(one->run, conditions);
	const bool otherwise = same(one->why, LEFT_OUT_OTHERWISE);
	snprintf(out, LEFT_OUT_WHY, "%s%s%s", one->why, otherwise ? ": " : "",
			 otherwise ? conditions : "");
}
