#include "referee/reduced.h"

#include <float.h>
#include <math.h>

#include "referee/check.h"

void reduced_add(struct reduced *reduced, const struct carried *value)
{
	double magnitude = fabs(value->x), error = value->exact ? 0 : (double)value->error;
	reduced->unknown = reduced->unknown || isinf(error);
	reduced->count++;
	reduced->sum += value->x;
	reduced->magnitude += magnitude + error;
	reduced->error += error;
	/* not fmax(), for which a NaN is no number */
	if (!(magnitude <= reduced->largest) && !isnan(reduced->largest))
		reduced->largest = magnitude;
	reduced->low = fmax(reduced->low, magnitude - error);
	reduced->high = fmax(reduced->high, magnitude + error);
}

/* Rounding errors of a sum in any order: those of the bound of a product, check.h. Where it may
 * overflow on its way, the order decides. */
static struct carried sum_of(const struct reduced *reduced)
{
	struct carried value = {.x = reduced->sum};
	double rounding = CHECK_CONSTANT * sqrt((double)reduced->count) * 0x1p-24;
	if (!isfinite(value.x))
		return value;
	value.error = (float)(reduced->error + rounding * reduced->magnitude) + FLT_TRUE_MIN;
	if (reduced->magnitude >= (double)FLT_MAX / 2)
		value.error = INFINITY;
	return value;
}

struct carried reduced_value(const struct reduced *reduced, uint32_t kind)
{
	if (reduced->unknown)
		return (struct carried){.x = reduced->sum, .error = INFINITY};
	if (kind != CHAIN_MAX)
		return sum_of(reduced);
	struct carried value = {.x = reduced->largest};
	if (isfinite(value.x))
		value.error = (float)fmax(reduced->high - value.x, value.x - reduced->low) * (1 + 0x1p-20f);
	return value;
}
