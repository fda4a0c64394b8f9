/* Members of a timing and of its entries that are made of others (record_functions.h). */
#include "judgement/names.h"
#include "report/compare.h"
#include "report/facts.h"
#include "report/overall.h"
#include "report/record_functions.h"

/* ---- times -------------------------------------------------------------------------------------
 */

static const struct timing_result *timing_of(const struct record_at *at)
{
	return within(at, &record_timing)->of;
}

static struct facts_counted counted(const struct record_at *at)
{
	return facts_counted(timing_of(at), at->of);
}

WRITE(entry, passes_us)
{
	const struct timing_passes *passes = &((const struct timing_entry *)at->of)->passes;
	json_t *json = json_array();
	for (uint32_t i = 0; counted(at).passes && i < passes->count; i++)
		json_array_append_new(json, document_real((double)passes->microseconds[i]));
	return json;
}

READ(entry, passes_us)
{
	struct timing_passes *passes = &((struct timing_entry *)at->of)->passes;
	const size_t count = json_array_size(value);
	for (size_t i = 0; i < count && i < PASSES_KEPT; i++) {
		const json_t *one = json_array_get(value, i);
		if (!json_is_number(one))
			return error_set(err, "passes_us of '%.40s' has what is no number",
							 ((const struct timing_entry *)at->of)->label);
		passes->microseconds[passes->count++] = (float)json_number_value(one);
	}
	return true;
}

WRITE(entry, clock)
{
	return json_string(counted(at).clock);
}

WRITE(entry, microseconds)
{
	return document_real(counted(at).stats->median);
}

WRITE(entry, low_us)
{
	return document_real(counted(at).stats->low);
}

WRITE(entry, high_us)
{
	return document_real(counted(at).stats->high);
}

/* Where other times count than what the process says, the entry's own microseconds are these: of
 * the host, or the process's, all of them moved as the median is (harness/README.md). */
READ(entry, high_us)
{
	struct timing_entry *entry = at->of;
	const struct timing_stats own = *timing_own(entry);
	const double median = record_real(json_object_get(at->json, "microseconds"));
	const double low = record_real(json_object_get(at->json, "low_us")), high = record_real(value);
	const bool host_side = entry->seal.state == SEAL_HOST_SIDE;
	(void)err;
	if (!host_side && !(entry->seal.state == SEAL_CONFIRMED && median != own.median))
		return true;
	entry->seal.shown =
		(struct timing_stats){.samples = host_side ? entry->seal.calls : own.samples,
							  .median = median,
							  .min = host_side ? low : own.min + median - own.median,
							  .p95 = host_side ? high : own.p95 + median - own.median,
							  .low = low,
							  .high = high};
	return true;
}

WRITE(entry, kernels_left_out)
{
	const struct timing_entry *entry = at->of;
	return entry->has_kernels ? json_integer(entry->kernels.run - entry->kernels.shown) : NULL;
}

READ(entry, kernels_left_out)
{
	struct kernel_list *list = &((struct timing_entry *)at->of)->kernels;
	(void)err;
	list->run = list->shown + (uint32_t)whole_of(value, 0);
	return true;
}

WRITE(entry, gbytes_per_s)
{
	return document_real(facts_gbytes(timing_of(at), counted(at).stats->median));
}

static json_t *percent_of(const struct record_at *at, const char *label)
{
	const struct timing_result *timing = timing_of(at);
	return document_positive(facts_percent_of(timing, at->of, label, facts_use_span(timing)));
}

WRITE(entry, percent_of_cublas)
{
	return percent_of(at, FACTS_CUBLAS);
}

WRITE(entry, percent_of_cublaslt)
{
	return percent_of(at, FACTS_CUBLASLT);
}

WRITE(entry, ratio_to_fastest_library)
{
	return document_positive(overall_ratio(timing_of(at), at->of));
}

/* ---- comparisons -------------------------------------------------------------------------------
 */

/* The entry of this file without its epilogue; NULL where there is none, or it is no file. */
static const struct timing_entry *plain_of(const struct record_at *at)
{
	const struct timing_entry *entry = at->of;
	return entry->role == TIMING_FILE ? compare_plain(timing_of(at), entry) : NULL;
}

static json_t *ratio(struct compare_ratio ratio)
{
	if (ratio.value == 0.0 && ratio.high == 0.0)
		return json_null();
	json_t *json = json_object();
	json_object_set_new(json, "value", document_real(ratio.value));
	json_object_set_new(json, "low", document_real(ratio.low));
	json_object_set_new(json, "high", document_real(ratio.high));
	return json;
}

WRITE(entry, speed_up_over)
{
	const struct timing_result *timing = timing_of(at);
	if (plain_of(at) == NULL)
		return NULL;
	json_t *json = json_object();
	for (size_t i = 0; i < timing->count; i++)
		if (!timing_is_file(&timing->entries[i]))
			json_object_set_new(
				json, timing->entries[i].label,
				ratio(compare_speed_up(at->of, &timing->entries[i], facts_use_span(timing))));
	return json;
}

WRITE(entry, fusion_cost_percent)
{
	const struct timing_entry *plain = plain_of(at);
	return plain != NULL ? ratio(compare_cost(at->of, plain, facts_use_span(timing_of(at)))) : NULL;
}

WRITE(entry, fusion_cost_us)
{
	const struct timing_entry *plain = plain_of(at), *fused = at->of;
	const bool span = facts_use_span(timing_of(at));
	if (plain == NULL || !plain->ran || !fused->ran)
		return plain == NULL ? NULL : json_null();
	return document_real(facts_stats(fused, span)->median - facts_stats(plain, span)->median);
}

WRITE(timing, clock)
{
	return json_string(timing_clock_name(timing_is_steady(at->of) ? CLOCK_STEADY
										 : facts_use_span(at->of) ? CLOCK_SPAN
																  : CLOCK_EVENT));
}

WRITE(timing, timing)
{
	return json_string(timing_is_steady(at->of) ? "steady" : "burst");
}

WRITE(timing, floor_us)
{
	const struct timing_floor *floor = &((const struct timing_result *)at->of)->floor;
	if (!floor->known)
		return json_null();
	json_t *json = json_object();
	json_object_set_new(json, "chain", document_real(compare_floor(floor)));
	json_object_set_new(json, "special_functions", document_real(floor->special));
	json_object_set_new(json, "instructions", document_real(floor->instructions));
	json_object_set_new(json, "branches", json_boolean(floor->branches));
	json_object_set_new(json, "operands", document_real(floor->bytes));
	json_object_set_new(json, "product", document_real(floor->product));
	json_object_set_new(json, "uncounted",
						floor->uncounted[0] != '\0' ? document_text(floor->uncounted)
													: json_null());
	return json;
}

static json_t *label_of(const struct timing_entry *library)
{
	return library != NULL ? document_text(library->label) : json_null();
}

WRITE(timing, fastest_library)
{
	return label_of(overall_library(at->of));
}

WRITE(timing, fastest_of_all_libraries)
{
	return label_of(overall_library_of_all(at->of));
}
