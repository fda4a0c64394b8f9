/* The files of a run beside each other: which is the fastest, which are the same. */
#ifndef GEMMJUDGE_REPORT_RANKING_H
#define GEMMJUDGE_REPORT_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "judgement/judgement.h"

/* So many files end with a table. */
#define RANKING_FILES 3

struct ranking_row {
	const struct judgement *item;
	unsigned rank;       /* among the accepted files of its problem; 0: none */
	double microseconds; /* the time that counts; 0: none */
	double low, high;    /* its 95% interval */
	bool confirmed;      /* by sealed calls, or these showed it: without, a time has no rank */
	double ratio;        /* the time of the fastest library over it; 0: none */
	const struct judgement *same; /* the first file with this content; NULL: it is that itself */
};

struct ranking {
	size_t count;
	bool timed;               /* some row has a time */
	bool problems;            /* the rows are of several */
	struct ranking_row *rows; /* owned */
};

/* Ranks and sorts: by speed, each problem by itself, where a file has a time, else by verdict, then
 * by name. Files of a rank differ from its first by no more than 1%, or their intervals
 * meet; the next rank counts all before it (1, 1, 3). Without rows where memory runs out, and for
 * bench and compare, which say more (overall.h). */
struct ranking ranking_make(const struct judgement_list *list);
void ranking_free(struct ranking *ranking);

/* The table for people, of a list of RANKING_FILES or more; nothing for less. What never had its
 * turn is left out. */
void ranking_text(const struct judgement_list *list, int width, FILE *out);
void ranking_markdown(const struct judgement_list *list, FILE *out);

#endif
