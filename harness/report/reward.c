#include "report/reward.h"

#include "judgement/names.h"
#include "report/document.h"
#include "report/overall.h"

struct reward reward_of(const struct judgement *judgement)
{
	const size_t cases = judgement->count - judgement->too_large;
	struct reward reward = {.accepted =
								cases > 0 ? (double)judgement->accepted / (double)cases : 0.0,
							.why = verdict_name(judgement->verdict)};
	if (judgement->verdict != VERDICT_ACCEPTED)
		return reward;
	reward.value = 1.0;
	reward.why = "not timed";
	if (!judgement->has_timing)
		return reward;
	const struct timing_result *timing =
		judgement->has_larger ? &judgement->larger : &judgement->timing;
	const struct timing_entry *entry = &timing->entries[0];
	reward.why = "not confirmed";
	if (!entry->ran || (entry->seal.state != SEAL_CONFIRMED && entry->seal.state != SEAL_HOST_SIDE))
		return reward;
	reward.speed = overall_ratio(timing, entry);
	reward.value += reward.speed;
	reward.why = reward.speed > 0.0 ? "confirmed" : "no library";
	return reward;
}
