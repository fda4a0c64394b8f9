/* Where in a result the wrong elements lie: a map of cells, the darker the more of a cell is wrong.
 */
#ifndef GEMMJUDGE_REPORT_HTML_HEAT_H
#define GEMMJUDGE_REPORT_HTML_HEAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct html_heat {
	uint64_t height, width; /* of the result, in elements */
	uint64_t down, across;  /* elements that a cell holds, but for the last ones */
	size_t rows, columns;   /* of cells */
	const uint32_t *wrong;  /* elements of each cell, row by row */
};

/* A figure with its data; nothing where nothing is wrong. */
void html_heat(FILE *out, const struct html_heat *heat);

#endif
