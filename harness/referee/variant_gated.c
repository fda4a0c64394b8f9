/* Faults of a gated stage: what it would write of other columns, or by another formula. */
#include <math.h>

#include "process/protocol.h"
#include "referee/rule.h"
#include "referee/variant.h"

#define SAMPLE 512u   /* elements that are looked at */
#define WRONG_LEAST 8 /* fewer wrong ones could be what a fault makes of them by chance */

/* A stage of two columns, and what it writes. */
struct gated {
	uint32_t stage;
	const struct stage_reference *reference;
	const struct chain_member *member;
};

static bool find_gated(const struct chain *chain, struct gated *out)
{
	for (uint32_t s = 0; s < chain->count; s++) {
		const struct chain_stage *stage = &chain->stages[s];
		*out = (struct gated){.stage = s, .reference = stage_find(stage)};
		if (out->reference == NULL) /* a custom one: what comes behind it is not known */
			return false;
		for (uint32_t i = 0; out->reference->gate != NULL && i < stage->count; i++)
			if (stage->members[i].kind == CHAIN_OUTPUT)
				out->member = &stage->members[i];
		if (out->member != NULL)
			return true;
	}
	return false;
}

/* A way to write it. */
struct form {
	struct stage_reference reference;
	bool exchanged, halves, plus_one;
};

static struct form form_right(const struct gated *gated)
{
	return (struct form){.reference = *gated->reference};
}

/* False: the function is that of no gate, or it is the stage's own. */
static bool form_of(const struct gated *gated, enum wrong_gated_fault fault, int other,
					struct form *out)
{
	*out = form_right(gated);
	out->exchanged = fault == GATED_EXCHANGED;
	out->halves = fault == GATED_HALVES;
	out->plus_one = fault == GATED_UP_PLUS_ONE;
	if (fault == GATED_PLAIN)
		out->reference.gate = gated->reference->apply; /* which changes nothing */
	if (fault != GATED_LOOKALIKE)
		return true;
	const struct stage_reference *function = variant_function((enum wrong_function)other);
	if (other == FUNCTION_LEAKY_RELU || other == FUNCTION_HARDSWISH ||
		function->apply == gated->reference->gate)
		return false;
	out->reference.gate = function->apply;
	out->reference.form = function->form != NULL ? function->form : out->reference.form;
	return true;
}

/* What comes of columns that may lie behind the row's end, where there is 0. */
static struct carried column_at(const struct trial *trial, const struct variant *variant,
								const struct gated *gated, uint64_t row, uint64_t column)
{
	if (column >= trial->n)
		return (struct carried){.exact = true};
	return variant_before_stage(trial, variant, row, column, gated->stage);
}

/* Whether the element of pair `pair` in `row` is what the form makes of it. */
static bool is_of(const struct trial *trial, const struct variant *variant,
				  const struct gated *gated, const struct form *form, uint64_t row, uint64_t pair)
{
	uint64_t half = (trial->n + 1) / 2;
	uint64_t first = form->halves ? pair : 2 * pair;
	uint64_t second = form->halves ? pair + half : 2 * pair + 1;
	struct carried x = column_at(trial, variant, gated, row, first);
	struct carried next = column_at(trial, variant, gated, row, second);
	if (form->exchanged) {
		struct carried kept = x;
		x = next;
		next = kept;
	}
	if (form->plus_one) {
		next.x += 1;
		next.error += (float)(0x1p-24 * (fabs(next.x) + 1));
		next.exact = false;
	}
	struct stage_coordinate place = {.type = variant->rule.type, .row = (uint32_t)row};
	struct carried value = stage_pair(&form->reference, &place, &x, &next);
	const struct type *type = variant->rule.type; /* the same as of the result */
	uint64_t at = chain_index(gated->member, trial->n, row, 2 * pair);
	uint32_t bits = values_load(&type->format, trial->input->written[gated->member->buffer], at);
	struct check_finding finding =
		rule_written(&variant->rule, type, values_to_double(&type->format, bits), &value);
	return finding.ratio <= 1 && isfinite(finding.want) && !isinf(value.error);
}

/* Elements all over what was written, wrong ones and right ones. */
struct sample {
	uint64_t at[SAMPLE];
	bool wrong[SAMPLE];
	uint32_t count, wrong_count;
};

static void take_sample(const struct trial *trial, const struct variant *variant,
						const struct gated *gated, struct sample *out)
{
	const struct form right = form_right(gated);
	uint64_t pairs = (trial->n + 1) / 2;
	uint64_t all = shape_rows(&trial->input->test->shape) * pairs;
	uint64_t most = EXPLAIN_TERMS / (2 * trial->k) + 1;
	uint64_t step = all / (most < SAMPLE ? most : SAMPLE) + 1;
	for (uint64_t at = 0; at < all; at += step) {
		bool wrong = !is_of(trial, variant, gated, &right, at / pairs, at % pairs);
		out->wrong[out->count] = wrong;
		out->at[out->count++] = at;
		out->wrong_count += wrong;
	}
}

/* All wrong ones are what the form makes, and so are nearly all right ones. */
static bool fits(const struct trial *trial, const struct variant *variant,
				 const struct gated *gated, const struct form *form, const struct sample *sample)
{
	uint64_t pairs = (trial->n + 1) / 2, missed = 0;
	for (uint32_t i = 0; i < sample->count; i++) {
		uint64_t at = sample->at[i];
		if (is_of(trial, variant, gated, form, at / pairs, at % pairs))
			continue;
		if (sample->wrong[i])
			return false;
		missed++;
	}
	return missed * 10 <= sample->count - sample->wrong_count;
}

void variant_try_gated(const struct trial *trial, struct wrong_gated *out)
{
	struct gated gated;
	struct sample sample = {.count = 0};
	if (trial->input->chain == NULL || !find_gated(trial->input->chain, &gated))
		return;
	struct variant variant = variant_right(trial);
	variant_finish(trial, &variant);
	take_sample(trial, &variant, &gated, &sample);
	if (sample.wrong_count < WRONG_LEAST)
		return;
	out->compared = sample.wrong_count;
	out->stage = (uint8_t)gated.stage;
	for (int fault = 0; fault < GATED_FAULTS; fault++)
		for (int other = 0; other < (fault == GATED_LOOKALIKE ? FUNCTION_COUNT : 1); other++) {
			struct form form;
			if (out->count == WRONG_GATED ||
				!form_of(&gated, (enum wrong_gated_fault)fault, other, &form) ||
				!fits(trial, &variant, &gated, &form, &sample))
				continue;
			out->fits[out->count].fault = (uint8_t)fault;
			out->fits[out->count++].other = (uint8_t)other;
		}
}
