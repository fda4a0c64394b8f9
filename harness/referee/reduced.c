#include "referee/reduced.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "referee/check.h"

bool reduced_begin(const struct chain *chain, const struct shape *shape, struct reduced **memory,
				   uint64_t *capacity, struct reduced *of[CHAIN_BUFFERS_MAX], struct error *err)
{
	uint64_t first[CHAIN_BUFFERS_MAX], count = 0;
	bool reduces[CHAIN_BUFFERS_MAX] = {false};
	for (uint32_t i = 0; chain != NULL && i < chain->buffers; i++) {
		const struct chain_stage *stage;
		const struct chain_member *member = chain_buffer(chain, i, &stage);
		reduces[i] = chain_is_reduction(member);
		first[i] = count;
		if (reduces[i])
			count += chain_elements(member, shape_rows(shape), shape_columns(shape));
	}
	if (count > *capacity) {
		free(*memory);
		*memory = calloc(count, sizeof **memory);
		*capacity = *memory != NULL ? count : 0;
		if (*memory == NULL)
			return error_set(err, "no memory for what the epilogue reduces");
	}
	if (count > 0)
		memset(*memory, 0, count * sizeof **memory);
	for (uint32_t i = 0; i < CHAIN_BUFFERS_MAX; i++)
		of[i] = reduces[i] ? *memory + first[i] : NULL;
	return true;
}

void reduced_add(struct reduced *reduced, const struct carried *value)
{
	double magnitude = fabs(value->x), error = value->exact ? 0 : (double)value->error;
	reduced->unknown = reduced->unknown || value->or_nan || isinf(error);
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
