/* Where wrong elements lie, in a few words for a cell of a table. Hints (judge/hints/of_places.c)
 * say it in sentences, and of many cases at once. */
#ifndef GEMMJUDGE_JUDGEMENT_PLACES_H
#define GEMMJUDGE_JUDGEMENT_PLACES_H

#include "judgement/wrong.h"
#include "testcases/problem.h"

/* "the last 64 rows", "row 3, columns 0 to 15", "tiles of 16x16", "everywhere"; "" where nothing is
 * wrong. */
#define PLACES_TEXT 96
const char *places_print(const struct wrong_pattern *wrong, const struct shape *shape,
						 char out[PLACES_TEXT]);

#endif
