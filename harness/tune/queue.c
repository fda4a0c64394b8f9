#include "tune/queue.h"

#include <stdlib.h>

#define BY_MODEL 2 /* for one of the thesis */

struct queue {
	size_t count, most, *out;
	bool *taken; /* by the list */
};

static void take(struct queue *queue, size_t schedule)
{
	if (queue->taken[schedule] || queue->count == queue->most)
		return;
	queue->taken[schedule] = true;
	queue->out[queue->count++] = schedule;
}

/* The next one of an order that was not taken yet. */
static void take_next(struct queue *queue, const size_t *order, size_t count, size_t *at)
{
	while (*at < count && queue->taken[order[*at]])
		(*at)++;
	if (*at < count)
		take(queue, order[(*at)++]);
}

size_t queue_make(const struct ranked *ranking, size_t most, size_t *out)
{
	const size_t count = ranking->list.count;
	size_t model = 0, thesis = 0;
	struct queue queue = {
		.most = most < count ? most : count, .out = out, .taken = calloc(count + 1, 1)};
	if (queue.taken == NULL)
		return 0;
	if (ranking->list.standard < count)
		take(&queue, ranking->list.standard);
	while (queue.count < queue.most && (ranking->has_model || ranking->has_thesis)) {
		for (int i = 0; i < BY_MODEL && ranking->has_model; i++)
			take_next(&queue, ranking->by_model, count, &model);
		if (ranking->has_thesis)
			take_next(&queue, ranking->by_thesis, count, &thesis);
	}
	for (size_t i = 0; i < count; i++) /* without any order: that of the list */
		take(&queue, i);
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
