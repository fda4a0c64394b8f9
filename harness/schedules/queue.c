#include "schedules/queue.h"

#include <search.h>
#include <stdlib.h>

/* What decides most about the time, and about what a model has wrong of it. */
static const enum tune_role kind[] = {TUNE_BLOCK_M, TUNE_BLOCK_N, TUNE_SPLIT_K, TUNE_SPLIT_ATOMIC};

/* An order on its way into the queue. */
struct queued_order {
	const size_t *order; /* NULL: there is none */
	int some;            /* that are taken at a time */
	bool of_new_kinds;   /* only the first of each kind */
	size_t at;           /* it was gone through so far */
	void *kinds;         /* a tree of those seen; owned */
};

struct queue {
	const struct schedule_list *list;
	size_t count, most, *out;
	bool *taken; /* by the list */
};

static int compare_kinds(const void *a, const void *b)
{
	for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
		const int64_t x = roles_or(a, kind[i], 1), y = roles_or(b, kind[i], 1);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static bool is_new_kind(struct queued_order *line, const struct roles *roles)
{
	const struct roles *const *seen = tsearch(roles, &line->kinds, compare_kinds);
	return seen != NULL && *seen == roles;
}

static void leave(void *roles)
{
	(void)roles; /* the list's */
}

static bool take(struct queue *queue, size_t schedule)
{
	if (queue->taken[schedule] || queue->count == queue->most)
		return false;
	queue->taken[schedule] = true;
	queue->out[queue->count++] = schedule;
	return true;
}

static void take_next(struct queue *queue, struct queued_order *line)
{
	for (int some = line->some; some > 0 && line->at < queue->list->count; line->at++) {
		const size_t schedule = line->order[line->at];
		if (!line->of_new_kinds || is_new_kind(line, &queue->list->items[schedule].roles))
			some -= take(queue, schedule);
	}
}

size_t queue_make(const struct ranked *ranking, size_t most, size_t *out)
{
	const size_t count = ranking->list.count;
	const size_t *best = ranking->has_model ? ranking->by_model : ranking->by_thesis;
	struct queued_order lines[] = {
		{.order = ranking->by_model, .some = 2, .of_new_kinds = true},
		{.order = ranking->by_thesis, .some = 1, .of_new_kinds = true},
		{.order = best, .some = 1},
	};
	const size_t last = sizeof lines / sizeof lines[0] - 1;
	struct queue queue = {.list = &ranking->list,
						  .most = most < count ? most : count,
						  .out = out,
						  .taken = calloc(count + 1, 1)};
	if (queue.taken == NULL)
		return 0;
	if (ranking->list.standard < count)
		take(&queue, ranking->list.standard);
	while (best != NULL && queue.count < queue.most && lines[last].at < count)
		for (size_t i = 0; i <= last; i++)
			if (lines[i].order != NULL)
				take_next(&queue, &lines[i]);
	for (size_t i = 0; i < count; i++) /* without any order: that of the list */
		take(&queue, i);
	for (size_t i = 0; i <= last; i++)
		tdestroy(lines[i].kinds, leave);
	free(queue.taken);
	return queue.count;
}

bool queue_worth(const struct ranked *ranking, const size_t *order, const double *times,
				 bool *has_best, double *share)
{
	double best = 0, first = 0;
	for (size_t place = 0; place < ranking->list.count; place++) {
		const double time = times[order[place]];
		if (time > 0 && (!(best > 0) || time < best))
			best = time;
		if (time > 0 && place < QUEUE_FIRST && (!(first > 0) || time < first))
			first = time;
	}
	*has_best = best > 0 && first <= best && first > 0;
	*share = first > 0 ? best / first : 0;
	return best > 0;
}
