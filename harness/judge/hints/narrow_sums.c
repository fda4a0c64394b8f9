#include "judge/hints/narrow_sums.h"

#include <stdio.h>

#include "judge/hints/explanation.h"
#include "judge/hints/signature.h"

/* Sums that are rounded after every product have the largest errors, those of mma's tiles the
 * smallest: another order, and what the last rounding hides, take them that far from these. */
#define RATIO_LEAST_OF_TILES 0.25
#define RATIO_MOST 2.5
#define SPREAD 20 /* and at least one element in so many is wrong */

/* Whether the case's sums are long enough to tell, and its result was compared with such ones. */
static bool tells(const struct wrong_pattern *wrong, enum wrong_sum sum)
{
	return wrong != NULL && wrong->errors_of[sum] != 0;
}

/* Whether a third of the lines has a wrong element, of those that may have one. */
static bool is_most(int32_t touched, int32_t lines, uint64_t wrong)
{
	uint64_t may = wrong < (uint64_t)lines ? wrong : (uint64_t)lines;
	return (uint64_t)touched * 3 >= may;
}

/* Roundings err all over the result. */
static bool is_spread(const struct case_result *result)
{
	const struct wrong_pattern *wrong = result->wrong;
	return wrong->wrong >= wrong->elements / SPREAD &&
		   is_most(wrong->places.rows, hint_case_size(result, SIZE_M), wrong->wrong) &&
		   is_most(wrong->places.columns, hint_case_size(result, SIZE_N), wrong->wrong);
}

static bool is_of(const struct case_result *result, enum wrong_sum sum)
{
	const struct wrong_pattern *wrong = result->wrong;
	return wrong->errors_of_tiles[sum] >= RATIO_LEAST_OF_TILES &&
		   wrong->errors_of[sum] <= RATIO_MOST && is_spread(result);
}

/* Whether errors are as large as those of such sums in at least half of the cases that tell: one
 * may have another fault too. */
static bool errors_are(const struct hint_context *facts, enum wrong_sum sum, size_t *cases)
{
	size_t telling = 0;
	*cases = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		if (!tells(wrong, sum))
			continue;
		telling++;
		*cases += is_of(&facts->judgement->cases[i], sum);
	}
	return *cases > 0 && *cases * 2 >= telling;
}

/* As sums of parts have that are each rounded. */
#define PARTS_LEAST 0.01

bool hint_narrow_atomics(const struct hint_context *facts, struct strbuf *out)
{
	const struct type *type = type_of(problem_part(facts->problem, PART_RESULT)->type);
	enum wrong_sum sum = type == type_of(DTYPE_F16) ? SUM_F16 : SUM_BF16;
	size_t cases = 0;
	char in[64];
	if ((type != type_of(DTYPE_F16) && type != type_of(DTYPE_BF16)) ||
		explanation_of(facts).count > 0 || !signature_has(facts->source, "atomicAdd"))
		return false;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_pattern *wrong = facts->judgement->cases[i].wrong;
		if (!tells(wrong, sum))
			continue;
		if (!(wrong->errors_of[sum] >= PARTS_LEAST && wrong->errors_of[sum] <= RATIO_MOST))
			return false;
		cases++;
	}
	strbuf_setf(
		out,
		"%s the errors are as small as those of sums whose parts are rounded to %s: "
		"atomicAdd() on %s rounds after each part; add the parts in f32, and round once at the "
		"end",
		hint_in_cases(cases, hint_explained_cases(facts), in), type->name,
		hint_operand(facts, PART_RESULT));
	return cases > 0;
}

static bool finds_atomics(const struct hint_context *facts)
{
	struct strbuf ignored = {0};
	const bool finds = hint_narrow_atomics(facts, &ignored);
	strbuf_release(&ignored);
	return finds;
}

bool hint_narrow_sums(const struct hint_context *facts, struct strbuf *out)
{
	static const char *const names[] = {[SUM_F16] = "f16", [SUM_BF16] = "bf16"};
	char in[64];
	size_t cases;
	if (explanation_of(facts).count > 0 || explanation_zeros(facts) || finds_atomics(facts))
		return false;
	for (enum wrong_sum sum = 0; sum < SUM_COUNT; sum++) {
		if (!errors_are(facts, sum, &cases))
			continue;
		strbuf_setf(
			out, "%s the errors are as large as those of sums in %s: %s",
			hint_in_cases(cases, hint_explained_cases(facts), in), names[sum],
			type_of(problem_part(facts->problem, PART_LEFT)->type)->cut > 0
				? "tensor cores keep 14 bits of a sum of fp8 products, which has to be added "
				  "to one in f32 after every 128 of them"
				: "accumulate in f32, and round once at the end");
		return true;
	}
	return false;
}

static bool fails_together(const struct case_result *result)
{
	return result->checked && result->check.wrong + result->check.extra_wrong == 0 &&
		   result->check.rms_ratio > 1;
}

bool hint_all_together(const struct hint_context *facts, struct strbuf *out)
{
	const struct type *inputs = type_of(facts->problem->operands[0].type);
	size_t together = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		if (hint_case_failed(result) && !fails_together(result))
			return false;
		together += hint_case_failed(result);
	}
	strbuf_setf(out,
				"no element is beyond its bound, but the errors of all of them are larger than "
				"sums in f32 explain (guide tolerance): %s",
				inputs->cut > 0
					? "sums of fp8 products, of which tensor cores keep 14 bits, have to be added "
					  "to one in f32 after every 128 of them"
					: "the sums are in a narrower type (TF32, f16, bf16), or a part of them is "
					  "made in one, or is rounded to one on the way; what a tensor core makes of "
					  "three TF32 "
					  "products has to be added to a sum in f32 at times");
	return together > 0;
}
