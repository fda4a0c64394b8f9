#include "judge/hints/explanation.h"

#define CASES_OF_RACE 3 /* fewer tell little where there is a race */

/* Fewer could be what a fault makes of them by chance. */
#define COMPARED_LEAST 16
#define FEW_LEAST 16 /* products */

static bool is_pair(const struct wrong_pair *pair, const struct explanation *explanation)
{
	return pair->first == (uint8_t)explanation->faults[0] &&
		   pair->second == (uint8_t)explanation->faults[1];
}

/* Whether both faults at once are what the case has. */
static bool fit_together(const struct wrong_pattern *wrong, const struct explanation *explanation)
{
	for (uint32_t i = 0; explanation->count == 2 && i < wrong->pair_count; i++)
		if (is_pair(&wrong->pairs[i], explanation))
			return true;
	return false;
}

static bool fits_alone(const struct wrong_pattern *wrong, const struct explanation *explanation,
					   enum wrong_fault fault)
{
	uint64_t fits = explanation->partly ? wrong->partly : wrong->fits;
	return (fits >> fault & 1) != 0;
}

bool explanation_has(const struct case_result *result, const struct explanation *explanation,
					 enum wrong_fault fault)
{
	return result->wrong != NULL && (fits_alone(result->wrong, explanation, fault) ||
									 fit_together(result->wrong, explanation));
}

bool explanation_holds(const struct case_result *result, const struct explanation *explanation)
{
	for (int i = 0; i < explanation->count; i++)
		if (explanation_has(result, explanation, explanation->faults[i]))
			return true;
	return false;
}

/* The few cases that faults were tried at, of what may be very many. */
struct compared_cases {
	const struct case_result *cases[EXPLAINED_MAX];
	size_t count;
};

static struct compared_cases explained_of(const struct hint_context *facts)
{
	struct compared_cases out = {.count = 0};
	for (size_t i = 0; i < facts->judgement->count && out.count < EXPLAINED_MAX; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		if (result->wrong != NULL && result->wrong->compared > 0)
			out.cases[out.count++] = result;
	}
	return out;
}

static void count_cases(const struct compared_cases *explained, struct explanation *explanation)
{
	explanation->cases = 0;
	explanation->longest = 0;
	explanation->of = explained->count;
	explanation->compared = 0;
	for (size_t i = 0; i < explained->count; i++) {
		const struct case_result *result = explained->cases[i];
		if (!explanation_holds(result, explanation))
			continue;
		explanation->cases++;
		int32_t k = result->test.shape.size[SIZE_K];
		explanation->longest = k > explanation->longest ? k : explanation->longest;
		explanation->compared += result->wrong->compared;
	}
}

/* Sums of nothing at all may come of many a fault; sums that end early less so where a product is
 * right elsewhere. */
static bool has_sums(const struct hint_context *facts, const struct explanation *explanation,
					 enum wrong_fault fault)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		int32_t k = result->test.shape.size[SIZE_K];
		if (fault == FAULT_PRODUCTS_MISSING && hint_case_right(result))
			return true;
		if (explanation_has(result, explanation, fault) &&
			(fault == FAULT_LAST_ONLY ? result->wrong->number[fault] < k
									  : result->wrong->summed > 0))
			return true;
	}
	return false;
}

/* Whether a few cases are enough: where a race explains the others, and it is no sum of nothing,
 * and no minimum, which may come of either. */
static bool few_are_enough(const struct hint_context *facts, const struct explanation *candidate)
{
	return facts->judgement->race[0] != '\0' && candidate->faults[0] != FAULT_LAST_ONLY &&
		   candidate->longest >= FEW_LEAST && facts->problem->algebra == ALGEBRA_PLUS_TIMES;
}

/* Whether what is cut off leaves something somewhere: numbers below 1 leave nothing, as many a
 * fault does. */
static bool leaves_some(const struct hint_context *facts, const struct explanation *candidate)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		if (explanation_has(&facts->judgement->cases[i], candidate, FAULT_CUT) &&
			(wrong->fits >> FAULT_LAST_ONLY & 1) == 0 &&
			((wrong->fits >> FAULT_PRODUCTS_MISSING & 1) == 0 || wrong->summed > 0))
			return true;
	}
	return false;
}

/* Whether each of its faults about sums has some, and both show at once somewhere. */
static bool is_sound(const struct hint_context *facts, const struct explanation *candidate)
{
	bool together = candidate->count == 1;
	for (int i = 0; i < candidate->count; i++) {
		enum wrong_fault fault = candidate->faults[i];
		if ((fault == FAULT_PRODUCTS_MISSING || fault == FAULT_LAST_ONLY) &&
			!has_sums(facts, candidate, fault))
			return false;
		if (fault == FAULT_CUT && !leaves_some(facts, candidate))
			return false;
	}
	for (size_t i = 0; i < facts->judgement->count && !together; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		together = wrong != NULL && fit_together(wrong, candidate);
	}
	return together;
}

/* What a race leaves may look like exchanged fragments in one case or another, but not in all of
 * several. */
static bool is_of_the_race(const struct hint_context *facts, const struct explanation *candidate)
{
	bool exchanged = false;
	for (int i = 0; i < candidate->count; i++)
		exchanged = exchanged || candidate->faults[i] == FAULT_K_EXCHANGED ||
					candidate->faults[i] == FAULT_K_SHIFTED ||
					candidate->faults[i] == FAULT_QUARTERS;
	return exchanged && facts->judgement->race[0] != '\0' &&
		   (candidate->cases < candidate->of || candidate->of < CASES_OF_RACE);
}

/* Takes it where it explains more than the best one so far, and enough cases. */
static void consider(const struct hint_context *facts, const struct compared_cases *explained,
					 struct explanation candidate, struct explanation *best)
{
	count_cases(explained, &candidate);
	if (candidate.longest > 1 && candidate.compared >= COMPARED_LEAST &&
		candidate.cases > best->cases &&
		(candidate.cases * 2 >= candidate.of || few_are_enough(facts, &candidate)) &&
		is_sound(facts, &candidate) && !is_of_the_race(facts, &candidate))
		*best = candidate;
}

bool explanation_zeros(const struct hint_context *facts)
{
	size_t explained = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		explained += wrong != NULL;
		if (wrong != NULL && wrong->zero < wrong->wrong)
			return false;
	}
	return explained > 0 && facts->problem->algebra == ALGEBRA_PLUS_TIMES;
}

struct explanation explanation_of(const struct hint_context *facts)
{
	struct explanation best = {.count = 0};
	if (explanation_zeros(facts) || facts->problem->algebra == ALGEBRA_SHORTEST_PATHS)
		return best;
	struct compared_cases explained = explained_of(facts);
	if (explained.count == 0)
		return best;
	for (enum wrong_fault one = 0; one < FAULT_COUNT; one++)
		consider(facts, &explained, (struct explanation){.count = 1, .faults = {one}}, &best);
	if (best.count == 1 && best.cases == best.of)
		return best;
	for (enum wrong_fault one = 0; one < FAULT_COUNT; one++)
		for (enum wrong_fault other = one + 1; other < FAULT_COUNT; other++)
			consider(facts, &explained, (struct explanation){.count = 2, .faults = {one, other}},
					 &best);
	return best;
}

/* ---- epilogues ------------------------------------------------------------------------- */

static bool has_stage(const struct wrong_pattern *wrong, const struct wrong_stage *stage)
{
	for (uint32_t i = 0; i < wrong->stage_count; i++)
		if (wrong->stages[i].fault == stage->fault && wrong->stages[i].stage == stage->stage &&
			wrong->stages[i].other == stage->other)
			return true;
	return false;
}

/* The cases that it explains, and the wrong elements that were compared in them. */
static size_t count_stage(const struct compared_cases *explained, const struct wrong_stage *stage,
						  uint64_t *compared)
{
	size_t cases = 0;
	*compared = 0;
	for (size_t i = 0; i < explained->count; i++) {
		const struct wrong_pattern *wrong = explained->cases[i]->wrong;
		if (!has_stage(wrong, stage))
			continue;
		*compared += wrong->compared;
		cases++;
	}
	return cases;
}

bool explanation_of_stage(const struct hint_context *facts, struct wrong_stage *stage,
						  size_t *cases)
{
	struct compared_cases explained = explained_of(facts);
	*cases = explanation_of(facts).cases;
	bool found = false;
	for (size_t i = 0; i < explained.count; i++) {
		const struct wrong_pattern *wrong = explained.cases[i]->wrong;
		for (uint32_t j = 0; j < wrong->stage_count; j++) {
			uint64_t compared;
			size_t count = count_stage(&explained, &wrong->stages[j], &compared);
			if (count <= *cases || count * 2 < explained.count || compared < COMPARED_LEAST)
				continue;
			*cases = count;
			*stage = wrong->stages[j];
			found = true;
		}
	}
	return found;
}
