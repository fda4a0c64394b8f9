/* Shortest paths that are too long: what is missed where paths may have only so many edges. */
#include <math.h>
#include <stdlib.h>

#include "referee/variant.h"

/* Terms that are looked at, over all rows; a row takes N * N of them for each edge. */
#define TERMS_MOST (16.0 * EXPLAIN_TERMS)
#define ROWS_MOST 8
#define EDGES_MOST 256

/* A row of the graph: the lengths of the shortest paths from its node, of at most so many edges. */
struct paths_row {
	uint64_t from;
	double *lengths, *next;
	bool grew; /* the last edge made a path shorter */
};

/* Which numbers of edges explain all rows so far. */
struct finding {
	uint32_t compared, longer;
	bool fits[EDGES_MOST]; /* elements are what paths of at most so many edges give */
};

static double out_at(const struct trial *trial, uint64_t at)
{
	const struct number_format *format =
		&type_of(problem_part(trial->input->problem, PART_RESULT)->type)->format;
	return values_to_double(format, values_load(format, trial->input->out, at));
}

/* In any association: each edge may be rounded to f32, as part of a length that is larger. */
static bool is_length(const struct trial *trial, double out, double length, uint64_t edges)
{
	double largest = fmax(fabs(length), trial->largest_left);
	return out == length ||
		   (isfinite(length) && fabs(out - length) <= 0x1p-23 * (double)edges * largest);
}

static void add_edge(const struct trial *trial, struct paths_row *row)
{
	row->grew = false;
	for (uint64_t j = 0; j < trial->n; j++)
		row->next[j] = row->lengths[j];
	for (uint64_t k = 0; k < trial->n; k++)
		for (uint64_t j = 0; isfinite(row->lengths[k]) && j < trial->n; j++)
			row->next[j] = fmin(row->next[j], row->lengths[k] + trial->left[k * trial->n + j]);
	for (uint64_t j = 0; j < trial->n; j++) {
		row->grew = row->grew || row->next[j] < row->lengths[j];
		row->lengths[j] = row->next[j];
	}
}

static bool is_wrong(const uint8_t *marks, const struct trial *trial, const struct paths_row *row,
					 uint64_t j)
{
	return marks[row->from * trial->n + j] == CHECK_WRONG;
}

static void compare(const struct trial *trial, const uint8_t *marks, const struct paths_row *row,
					uint64_t edges, struct finding *finding)
{
	for (uint64_t j = 0; j < trial->n; j++)
		if (is_wrong(marks, trial, row, j) &&
			!is_length(trial, out_at(trial, row->from * trial->n + j), row->lengths[j], edges))
			finding->fits[edges] = false;
}

/* Edge by edge, until no path becomes shorter. */
static void walk_row(const struct trial *trial, const uint8_t *marks, struct paths_row *row,
					 struct finding *finding)
{
	uint64_t edges = 1;
	for (uint64_t j = 0; j < trial->n; j++)
		row->lengths[j] = trial->left[row->from * trial->n + j];
	for (row->grew = true; row->grew && edges < trial->n + 1; edges++) {
		if (edges < EDGES_MOST)
			compare(trial, marks, row, edges, finding);
		add_edge(trial, row);
	}
	for (; edges < EDGES_MOST; edges++) /* those would be right */
		compare(trial, marks, row, edges, finding);
	for (uint64_t j = 0; j < trial->n; j++) {
		finding->compared += is_wrong(marks, trial, row, j);
		finding->longer += is_wrong(marks, trial, row, j) &&
						   out_at(trial, row->from * trial->n + j) > row->lengths[j];
	}
}

static bool has_wrong(const struct trial *trial, const uint8_t *marks, uint64_t from)
{
	for (uint64_t j = 0; j < trial->n; j++)
		if (marks[from * trial->n + j] == CHECK_WRONG)
			return true;
	return false;
}

/* Rows with wrong elements, from all over the graph. */
static void walk_rows(const struct trial *trial, const uint8_t *marks, struct paths_row *row,
					  struct finding *finding)
{
	double most = TERMS_MOST / ((double)trial->n * (double)trial->n * (double)trial->n);
	uint64_t rows = most < 1 ? 1 : most > ROWS_MOST ? ROWS_MOST : (uint64_t)most;
	uint64_t step = (trial->n + rows - 1) / rows;
	for (uint64_t first = 0; first < trial->n; first += step)
		for (row->from = first; row->from < first + step && row->from < trial->n; row->from++)
			if (has_wrong(trial, marks, row->from)) {
				walk_row(trial, marks, row, finding);
				break;
			}
}

void variant_paths(const struct trial *trial, const uint8_t *marks, struct wrong_pattern *facts)
{
	struct paths_row row = {.lengths = malloc(trial->n * sizeof(double)),
							.next = malloc(trial->n * sizeof(double))};
	struct finding finding = {.compared = 0};
	for (int edges = 1; edges < EDGES_MOST; edges++)
		finding.fits[edges] = true;
	if (row.lengths != NULL && row.next != NULL)
		walk_rows(trial, marks, &row, &finding);
	free(row.lengths);
	free(row.next);
	facts->compared = finding.compared;
	facts->longer = finding.longer;
	for (int edges = 1; edges < EDGES_MOST && finding.compared > 0; edges++) {
		if (!finding.fits[edges])
			continue;
		facts->path_edges_most = edges;
		if (facts->path_edges == 0)
			facts->path_edges = edges;
	}
}
