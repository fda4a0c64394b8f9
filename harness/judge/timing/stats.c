#include "judge/timing/stats.h"

#include <math.h>
#include <stdlib.h>

bool samples_add(struct samples *samples, const float *values, size_t count)
{
	if (samples->count + count > samples->capacity) {
		size_t capacity = 2 * (samples->count + count);
		double *at = realloc(samples->at, capacity * sizeof *at);
		if (at == NULL)
			return false;
		samples->at = at;
		samples->capacity = capacity;
	}
	for (size_t i = 0; i < count; i++)
		samples->at[samples->count++] = values[i];
	return true;
}

void samples_free(struct samples *samples)
{
	free(samples->at);
	*samples = (struct samples){0};
}

void samples_drop_below(struct samples *samples, double least)
{
	size_t below = 0, kept = 0;
	for (size_t i = 0; i < samples->count; i++)
		below += samples->at[i] < least;
	for (size_t i = 0; i < samples->count && 2 * below < samples->count; i++)
		if (!(samples->at[i] < least))
			samples->at[kept++] = samples->at[i];
	samples->count = kept > 0 ? kept : samples->count;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double samples_quantile(struct samples *samples, double share)
{
	if (samples->count == 0)
		return 0;
	qsort(samples->at, samples->count, sizeof *samples->at, compare);
	return samples->at[(size_t)(share * (double)(samples->count - 1) + 0.5)];
}

static void interval(const double *x, size_t n, double share, double *low, double *high)
{
	double middle = (double)n * share, half = 1.96 * sqrt(middle * (1 - share));
	double first = floor(middle - half), last = ceil(middle + half);
	*low = x[first < 1.0 ? 0 : (size_t)first - 1];
	*high = x[last > (double)n - 1.0 ? n - 1 : (size_t)last];
}

struct samples_interval samples_interval(struct samples *samples, double share)
{
	struct samples_interval out = {.value = samples_quantile(samples, share)};
	if (samples->count > 0)
		interval(samples->at, samples->count, share, &out.low, &out.high);
	return out;
}

double stats_middle(const float *values, size_t count)
{
	struct samples samples = {0};
	double middle = 0.0;
	if (count > 0 && samples_add(&samples, values, count))
		middle = stats_of(&samples).median;
	samples_free(&samples);
	return middle;
}

void stats_add_pass(struct timing_passes *passes, const float *values, size_t count)
{
	if (passes->count < PASSES_KEPT && count > 0)
		passes->microseconds[passes->count++] = (float)stats_middle(values, count);
}

struct timing_stats stats_of(struct samples *samples)
{
	struct timing_stats stats = {0};
	size_t n = samples->count;
	if (n == 0)
		return stats;
	qsort(samples->at, n, sizeof *samples->at, compare);

	const double *x = samples->at;
	stats.samples = (uint32_t)n;
	stats.median = n % 2 == 1 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
	stats.min = x[0];
	stats.p95 = x[(size_t)ceil(0.95 * (double)n) - 1];
	if (n < 6) {
		stats.low = x[0];
		stats.high = x[n - 1];
		return stats;
	}
	interval(x, n, 0.5, &stats.low, &stats.high);
	return stats;
}

double stats_relative_width(const struct timing_stats *stats)
{
	if (stats->samples == 0 || !(stats->median > 0.0))
		return INFINITY;
	return (stats->high - stats->low) / stats->median;
}
