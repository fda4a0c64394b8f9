/* What the steps 01 and 02 of both batched folders, and 03_wgmma, cannot compute: they say so
 * before they launch anything. Rows, columns and steps along K are ints in their kernels, and the
 * epilogue numbers the rows of all products by one. C, so that a unit test can include it. */
#ifndef GEMMJUDGE_BATCHED_LIMITS_H
#define GEMMJUDGE_BATCHED_LIMITS_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* A size of up to this many is an int also when it is rounded up to whole tiles. */
#define BATCHED_MOST (INT_MAX - 1023)

/* What is too large for blocks of `block_rows` rows; NULL where all fits. */
static inline const char *batched_too_large(int batch, int M, int N, int K, int block_rows)
{
	if ((long long)batch * M > BATCHED_MOST)
		return "BATCH * M is above 2^31 - 1024: multiply a part of the batch at a time";
	if (N > BATCHED_MOST || K > BATCHED_MOST)
		return "N or K is above 2^31 - 1024";
	if (M > 65535LL * block_rows) /* along a grid's y */
		return "M has more than 65535 blocks of rows";
	return NULL;
}

/* Of a kernel whose copies have 32-bit offsets from the corner of a tile, which has `block_rows`
 * rows of A and `block_k` rows of B (../sgemm/async.cuh). */
static inline const char *batched_too_far(int M, int N, int K, int block_rows, int block_k)
{
	long long rows = M < block_rows ? M : block_rows, depth = K < block_k ? K : block_k;
	if (rows * K > UINT_MAX)
		return "a tile's rows of A are more than 2^32 elements: K is too large";
	if (depth * N > UINT_MAX)
		return "a tile's rows of B are more than 2^32 elements: N is too large";
	return NULL;
}

/* Ends the process with the message, if there is one. */
static inline void batched_check(const char *too_large)
{
	if (too_large != NULL) {
		fprintf(stderr, "batched: %s\n", too_large);
		abort();
	}
}

#endif
