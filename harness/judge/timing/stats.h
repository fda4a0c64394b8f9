/* Order statistics of measured times. */
#ifndef GEMMJUDGE_JUDGE_TIMING_STATS_H
#define GEMMJUDGE_JUDGE_TIMING_STATS_H

#include <stddef.h>

#include "judgement/judgement.h"

/* A growing list of samples, in microseconds. Zero-initialise. */
struct samples {
	double *at; /* owned */
	size_t count, capacity;
};

/* False when memory runs out; the list is then as before. */
bool samples_add(struct samples *samples, const float *values, size_t count);
void samples_free(struct samples *samples);

/* Takes out what is below a time that nothing can be below, where that is less than half of them:
 * errors of measurement, and no claim. */
void samples_drop_below(struct samples *samples, double least);

/* The value that `share` of the samples do not exceed (nearest rank); sorts them. 0 without any. */
double samples_quantile(struct samples *samples, double share);

/* A quantile as samples_quantile() has it, with its distribution-free 95% confidence interval: the
 * samples at the ranks n p -+ 1.96 sqrt(n p (1 - p)) (Hahn and Meeker, Statistical Intervals,
 * section 5.2, normal approximation to the binomial), or the outermost ones. */
struct samples_interval {
	double value, low, high;
};
struct samples_interval samples_interval(struct samples *samples, double share);

/* The median of these; 0 where there are none, or memory is short. */
double stats_middle(const float *values, size_t count);

/* One more pass, of these calls; nothing where there is no room left. */
void stats_add_pass(struct timing_passes *passes, const float *values, size_t count);

/* Median, minimum, 95th percentile (nearest rank) and the distribution-free 95%
 * confidence interval of the median as above. Sorts the samples. With fewer than 6
 * samples no such interval exists and it is given as [minimum, maximum]. */
struct timing_stats stats_of(struct samples *samples);

/* (high - low) / median; infinite without samples. */
double stats_relative_width(const struct timing_stats *stats);

#endif
