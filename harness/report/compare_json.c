#include "report/compare_json.h"

#include "report/compare.h"
#include "report/document.h"
#include "report/facts.h"

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

void compare_json_set(json_t *json, const struct timing_result *timing,
					  const struct timing_entry *fused, bool span)
{
	const struct timing_entry *plain = compare_plain(timing, fused);
	if (plain == NULL)
		return;
	json_t *speed_ups = json_object();
	for (size_t i = 0; i < timing->count; i++)
		if (!timing_is_file(&timing->entries[i]))
			json_object_set_new(speed_ups, timing->entries[i].label,
								ratio(compare_speed_up(fused, &timing->entries[i], span)));
	json_object_set_new(json, "speed_up_over", speed_ups);
	json_object_set_new(json, "fusion_cost_percent", ratio(compare_cost(fused, plain, span)));
	json_object_set_new(json, "fusion_cost_us",
						fused->ran && plain->ran ? document_real(facts_stats(fused, span)->median -
																 facts_stats(plain, span)->median)
												 : json_null());
}

json_t *compare_json_floor(const struct timing_floor *floor)
{
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
