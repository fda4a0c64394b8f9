/* Device memory for scores: how many rows of them at a time, and where they lie. The first steps of
 * the attention problems share it, and the baselines. */
#ifndef GEMMJUDGE_ATTENTION_SCORES_CUH
#define GEMMJUDGE_ATTENTION_SCORES_CUH

#include <stdio.h>
#include <stdlib.h>

#include "../sgemm/workspace.cuh"

constexpr size_t SCORES_MOST = (size_t)1 << 29; // floats: 2 GiB

/* So many rows of `keys` scores each are computed at a time: all, or what fits into SCORES_MOST,
 * but `least` at least. */
static inline int scores_rows(int rows, int keys, int least)
{
	size_t fit = SCORES_MOST / (size_t)keys;
	fit = fit > (size_t)least ? fit / least * least : (size_t)least;
	return fit < (size_t)rows ? (int)fit : rows;
}

/* Kept from call to call. */
static inline float *scores_memory(size_t floats)
{
	float *memory = (float *)workspace_get(floats * sizeof(float));
	if (memory == NULL) {
		fprintf(stderr, "attention: no memory for %zu scores\n", floats);
		abort();
	}
	return memory;
}

#endif
