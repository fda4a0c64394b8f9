/* Whether one time is longer than another, beyond noise. */
#ifndef GEMMJUDGE_STORE_DIFFERENCE_H
#define GEMMJUDGE_STORE_DIFFERENCE_H

#include "store/measured.h"

/* Two runs of the same file differ by so much in clocks and placement, which no number of passes
 * within a run shows: less than that is noise. */
#define DIFFERENCE_MARGIN 0.01
/* How rarely chance may be taken for a difference, over all shapes that are looked at. */
#define DIFFERENCE_LEVEL 0.01

enum difference_kind { DIFFERENCE_NONE, DIFFERENCE_SLOWER, DIFFERENCE_FASTER };

/* b beside a: it takes `ratio` times as long. */
struct difference {
	enum difference_kind kind;
	double ratio, low, high; /* 95% interval */
	bool ranked; /* by the passes of both: p is there. Else the intervals of both medians
					do not meet, or do: there are too few passes, or of another clock */
	double p;
	size_t a_passes, b_passes;
	bool clocks_differ; /* what one is measured by is not what the other is */
};

/* `tests` is how many shapes are compared at once: the level is divided among them. */
struct difference difference_of(const struct measured_time *a, const struct measured_time *b,
								size_t tests);

#endif
