/* Where in a result the wrong elements lie: a map of cells, the darker the more of a cell is wrong.
 */
#ifndef GEMMJUDGE_REPORT_HTML_HEAT_H
#define GEMMJUDGE_REPORT_HTML_HEAT_H

#include <stdio.h>

#include "judgement/wrong.h"
#include "testcases/problem.h"

/* A figure with its data; nothing where there is no map. */
void html_heat(FILE *out, const struct wrong_pattern *wrong, const struct shape *shape);

#endif
