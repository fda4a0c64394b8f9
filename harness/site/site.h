/* The pages of a leaderboard: index.html with the main boards, a page for all shapes of a problem
 * on a device, and a page for each submission. */
#ifndef GEMMJUDGE_SITE_SITE_H
#define GEMMJUDGE_SITE_SITE_H

#include "store/leaderboard.h"

/* Writes them all (folder.h says what may lie in the folder before); *pages is how many. False with
 * err; what was there then is as it was. */
bool site_write(const char *folder, const struct leaderboard *all, const char *version,
				size_t *pages, struct error *err);

#endif
