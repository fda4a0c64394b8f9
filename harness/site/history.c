/* Which runs belong to what a submission was. */
#include "site/history.h"

#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool same_place(const struct measured *a, const struct measured *b)
{
	return same(a->path, b->path) && same(a->host, b->host);
}

/* The last run under the path of this one. */
static const struct measured *last_there(const struct measured_list *all,
										 const struct measured *run)
{
	for (size_t i = all->count; i-- > 0;)
		if (all->items[i].content[0] != '\0' && same_place(&all->items[i], run))
			return &all->items[i];
	return run;
}

/* Only the last content of a path has what others were there: else a file that was changed a
 * thousand times would be told a thousand times. */
static bool belongs(const struct history *history, const struct measured_list *all,
					const struct measured *run)
{
	const struct page_submission *submission = history->submission;
	if (same(run->content, submission->content))
		return true;
	for (size_t i = 0; i < submission->count; i++)
		if (same_place(submission->runs[i], run))
			return same(last_there(all, run)->content, submission->content);
	return false;
}

bool history_make(const struct site *site, const struct page_submission *submission,
				  struct history *out)
{
	const struct measured_list *all = &site->all->runs;
	*out = (struct history){.site = site, .submission = submission};
	out->runs = calloc(all->count + 1, sizeof *out->runs);
	for (size_t i = 0; i < all->count && out->runs != NULL; i++)
		if (belongs(out, all, &all->items[i]))
			out->runs[out->count++] = &all->items[i];
	for (size_t i = 0; i < submission->count && out->later == NULL; i++) {
		const struct measured *last = last_there(all, submission->runs[i]);
		if (!same(last->content, submission->content))
			out->later = last;
	}
	return out->runs != NULL;
}

void history_free(struct history *history)
{
	free(history->runs);
	*history = (struct history){0};
}
