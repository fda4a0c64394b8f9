/* What a submission was at each time. Internal to site/. */
#ifndef GEMMJUDGE_SITE_HISTORY_H
#define GEMMJUDGE_SITE_HISTORY_H

#include "site/pages.h"

/* The runs of a content; where it is the last that was judged under a path, also those of others
 * that were there before. */
struct history {
	const struct site *site;                  /* borrowed */
	const struct page_submission *submission; /* borrowed */
	size_t count;
	const struct measured **runs; /* the oldest first; owned */
	const struct measured *later; /* of another content that took its path; NULL: none did */
};

/* False where memory runs out. */
bool history_make(const struct site *site, const struct page_submission *submission,
				  struct history *out);
void history_free(struct history *history);

/* Times over dates: a plot, or a row, for each shape that was timed in two runs or more; nothing
 * without. */
void history_times(FILE *out, const struct history *history);

/* A table of the runs, the newest first, and what changed from each to the next. False where
 * memory runs out. */
bool history_runs(FILE *out, const struct history *history);

#endif
