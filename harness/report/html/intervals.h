/* Times beside each other: for each a line from the least to the 95th percentile, upon it the 95%
 * interval of the median, and a mark at the median. */
#ifndef GEMMJUDGE_REPORT_HTML_INTERVALS_H
#define GEMMJUDGE_REPORT_HTML_INTERVALS_H

#include <stddef.h>
#include <stdio.h>

#include "judgement/judgement.h"

struct html_interval {
	const char *label; /* borrowed */
	unsigned series;
	struct timing_stats stats;
};

/* `finding` is the text alternative. Of more than INTERVALS_MOST rows the first are drawn: the
 * caller's table has all of them. */
#define INTERVALS_MOST 24
void html_intervals(FILE *out, const char *finding, const struct html_interval *rows, size_t count);

#endif
