/* What would the result be of a solution with a known fault, or with two? Computed at wrong
 * elements only, and held against what they are by the same bound as everything else. */
#include <math.h>
#include <stdlib.h>

#include "process/buffers.h"
#include "referee/diagnosis.h"
#include "referee/reference.h"
#include "referee/variant.h"

/* ---- trying ------------------------------------------------------------------------ */

/* Integers that are off by 1 may come of much that would spoil others, too: of right elements a
 * fault has to leave nearly all right. */
static bool spares_right_ones(const struct trial *trial, const struct variant *variant)
{
	uint64_t spared = 0;
	for (uint64_t i = 0; i < trial->right_count; i++)
		spared += variant_fits(trial, variant, trial->right_ones[i]);
	return spared * 10 >= trial->right_count * 9;
}

/* Whether all elements that are looked at are what the variant makes of them. */
static bool fits(const struct trial *trial, const struct variant *variant)
{
	for (uint64_t i = 0; i < trial->count; i++)
		if (!variant_fits(trial, variant, trial->chosen[i]))
			return false;
	return trial->count > 0 && spares_right_ones(trial, variant);
}

/* A part of the elements tells, where as many are not what it makes of them by chance. */
#define SAMPLE 128
#define SAMPLE_LEAST 16
#define PART_LEAST 20 /* one in so many */

static bool rounds(const struct variant *variant)
{
	return variant->narrow != NULL || variant->round_sum != NULL || variant->round_step != NULL ||
		   variant->round_product != NULL || variant->codes_block > 0;
}

/* Whether elements that it makes are unlikely to come of anything else: not so of small integers,
 * of minima, of roundings, of constants, of what pads a tile, where results have few bits, and
 * where an epilogue may cut them off. */
static bool tells_in_part(const struct trial *trial, const struct variant *variant)
{
	return !variant->rule.type->format.is_integer && variant->rule.type->unit_roundoff <= 0x1p-20 &&
		   variant->from <= 1 && !rounds(variant) && variant->padding == 0 &&
		   variant->shift_tile == 0 && variant->k_flipped == 0 && !variant->quarters &&
		   trial->input->chain == NULL && trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

static bool fits_partly(const struct trial *trial, const struct variant *variant)
{
	uint64_t step = trial->count / SAMPLE + 1, looked_at = 0, fitting = 0;
	if (!tells_in_part(trial, variant))
		return false;
	for (uint64_t i = 0; i < trial->count; i += step, looked_at++)
		fitting += variant_has_products(trial, variant, trial->chosen[i]) &&
				   variant_fits(trial, variant, trial->chosen[i]);
	return looked_at >= SAMPLE_LEAST && fitting >= 4 && fitting * PART_LEAST >= looked_at;
}

static void try_fault(const struct trial *trial, enum wrong_fault fault,
					  struct wrong_pattern *facts)
{
	for (int choice = 0; choice < variant_choices(fault); choice++) {
		struct variant variant = variant_right(trial);
		int32_t number = 0;
		if (!variant_add(trial, fault, choice, &variant, &number))
			continue;
		variant_finish(trial, &variant);
		bool all = fits(trial, &variant), first = (facts->partly >> fault & 1) == 0;
		if (!all && (!first || !fits_partly(trial, &variant)))
			continue;
		*(all ? &facts->fits : &facts->partly) |= (uint64_t)1 << fault;
		facts->number[fault] = number;
		if (all)
			return;
	}
}

/* Whether some versions of both fit at once. */
static bool try_pair(const struct trial *trial, enum wrong_fault one, enum wrong_fault other,
					 struct wrong_pattern *facts)
{
	for (int i = 0; i < variant_choices(one) * variant_choices(other); i++) {
		struct variant variant = variant_right(trial);
		int32_t numbers[2] = {0, 0};
		if (!variant_add(trial, one, i % variant_choices(one), &variant, &numbers[0]) ||
			!variant_add(trial, other, i / variant_choices(one), &variant, &numbers[1]))
			continue;
		variant_finish(trial, &variant);
		if (!fits(trial, &variant))
			continue;
		facts->number[one] = numbers[0];
		facts->number[other] = numbers[1];
		return true;
	}
	return false;
}

static void try_pairs(const struct trial *trial, struct wrong_pattern *facts)
{
	for (enum wrong_fault one = 0; one < FAULT_COUNT; one++)
		for (enum wrong_fault other = one + 1; other < FAULT_COUNT; other++)
			if (facts->pair_count < WRONG_PAIRS && variant_go_together(one, other) &&
				try_pair(trial, one, other, facts))
				facts->pairs[facts->pair_count++] =
					(struct wrong_pair){(uint8_t)one, (uint8_t)other};
}

/* Of an epilogue: what its stages make where one of them is another, or elsewhere. */
static void try_stages(const struct trial *trial, struct wrong_pattern *facts)
{
	uint32_t stages = trial->input->chain->count;
	for (uint32_t fault = 0; fault < STAGE_FAULTS; fault++) {
		bool has_other =
			fault == STAGE_MOVED || fault == STAGE_LOOKALIKE || fault == STAGE_BETA_BEHIND;
		uint32_t others = has_other ? fault == STAGE_LOOKALIKE ? FUNCTION_COUNT : stages : 1;
		for (uint32_t i = 0; i < stages * others && facts->stage_count < WRONG_STAGES; i++) {
			struct variant variant = variant_right(trial);
			struct wrong_stage one = {(uint8_t)fault, (uint8_t)(i / others), (uint8_t)(i % others)};
			if (!variant_add_stage(trial, &one, &variant))
				continue;
			variant_finish(trial, &variant);
			if (fits(trial, &variant))
				facts->stages[facts->stage_count++] = one;
		}
	}
}

/* ---- all of it --------------------------------------------------------------------- */

static double *drawn(const struct device_matrix *matrix)
{
	const struct values *values = &matrix->values;
	double *out = malloc(values->elements * sizeof *out);
	for (uint64_t i = 0; out != NULL && i < values->elements; i += VALUES_BLOCK) {
		uint32_t block[VALUES_BLOCK];
		values_block(values, i / VALUES_BLOCK, block);
		for (uint64_t j = i; j < i + VALUES_BLOCK && j < values->elements; j++)
			out[j] = device_matrix_number(matrix, j, block[j - i]);
	}
	return out;
}

/* Codes of less than a byte as they are, with their scales; NULL where it is no such type. */
static double *codes_of(const struct device_matrix *matrix)
{
	struct device_matrix plain = *matrix;
	if (matrix->values.format.bits >= 8 || matrix->values.format.zero == 0)
		return NULL;
	plain.zero -= matrix->values.format.zero;
	return drawn(&plain);
}

static void find_extra(struct trial *trial)
{
	const struct check_input *input = trial->input;
	struct buffers buffers;
	uint32_t operands = (uint32_t)problem_operands(input->problem);
	buffers_of_case(input->problem, input->test, input->chain, &buffers);
	for (uint32_t i = operands; i < buffers.count; i++)
		trial->extra[i - operands] = buffer_values(&buffers.at[i], input->seed);
}

/* Both are there, or neither is. */
static void draw_groups(struct trial *trial)
{
	struct device_matrix plain = trial->request.right;
	struct device_matrix scales = {.values = plain.scales};
	if (plain.group == 0)
		return;
	plain.group = 0;
	trial->unscaled = drawn(&plain);
	trial->scales = trial->unscaled != NULL ? drawn(&scales) : NULL;
}

/* Whether an integer has been cut off at the type's end, and is so whatever the fault. */
static bool is_cut_off(const struct check_input *input, uint64_t at)
{
	const struct operand *result = problem_part(input->problem, PART_RESULT);
	const struct number_format *format = &type_of(result->type)->format;
	double out = values_to_double(format, values_load(format, input->out, at));
	return format->is_integer && (out == format->lowest || out == format->highest);
}

/* Wrong elements that were written, from all over the result, as many as the sums have room for;
 * those that tell something where there are any. */
static void choose(struct trial *trial, const uint8_t *marks, const struct wrong_pattern *facts)
{
	uint64_t most = EXPLAIN_TERMS / trial->k + 1;
	most = most < CHOSEN_MAX ? most : CHOSEN_MAX;
	uint64_t step = (facts->wrong - facts->unwritten) / most + 1;
	for (int cut_off = 0; cut_off < 2 && trial->count == 0; cut_off++)
		for (uint64_t i = 0, wrong = 0; i < facts->elements; i++)
			if (marks[i] == CHECK_WRONG && (cut_off || !is_cut_off(trial->input, i)) &&
				wrong++ % step == 0)
				trial->chosen[trial->count++] = i;
	if (!type_of(problem_part(trial->input->problem, PART_RESULT)->type)->format.is_integer &&
		trial->input->chain == NULL)
		return;
	step = (facts->elements - facts->wrong) / RIGHT_MAX + 1;
	for (uint64_t i = 0, right = 0; i < facts->elements; i++)
		if (marks[i] == 0 && right++ % step == 0)
			trial->right_ones[trial->right_count++] = i;
}

static void try_all(const struct trial *trial, struct wrong_pattern *facts)
{
	facts->compared = (uint32_t)trial->count;
	struct variant right = variant_right(trial);
	variant_finish(trial, &right);
	for (uint64_t i = 0; i < trial->count; i++) {
		facts->flushed += variant_is_flushed(trial, &right, trial->chosen[i]);
		facts->ties += variant_is_tie(trial, &right, trial->chosen[i]);
	}
	for (enum wrong_fault fault = 0; fault < FAULT_COUNT; fault++)
		try_fault(trial, fault, facts);
	if (trial->input->chain != NULL)
		try_stages(trial, facts);
	if (facts->fits == 0 && facts->stage_count == 0)
		try_pairs(trial, facts);
	facts->summed = facts->number[FAULT_PRODUCTS_MISSING];
	variant_narrow_sums(trial, facts);
}

/* The largest magnitude of an operand, but for what is no number. */
static double largest_of(const double *numbers, uint64_t count)
{
	double largest = 0;
	for (uint64_t i = 0; i < count; i++)
		largest = isfinite(numbers[i]) ? fmax(largest, fabs(numbers[i])) : largest;
	return largest;
}

static bool can_be_tried(const struct device_request *request)
{
	return request->left.values.elements <= EXPLAIN_TERMS &&
		   request->right.values.elements <= EXPLAIN_TERMS;
}

/* Draws the operands, and tries at them what there is to try. */
static void draw_and_try(struct trial *trial, const uint8_t *marks, bool outputs_wrong,
						 struct wrong_pattern *facts)
{
	trial->left = drawn(&trial->request.left);
	if (trial->left == NULL)
		return;
	trial->largest_left = largest_of(trial->left, trial->request.left.values.elements);
	if (trial->request.algebra == ALGEBRA_SHORTEST_PATHS) {
		variant_paths(trial, marks, facts);
		return;
	}
	trial->right = drawn(&trial->request.right);
	trial->codes = codes_of(&trial->request.right);
	draw_groups(trial);
	find_extra(trial);
	if (trial->right == NULL)
		return;
	trial->largest_right = largest_of(trial->right, trial->request.right.values.elements);
	if (facts->unwritten < facts->wrong) {
		choose(trial, marks, facts);
		try_all(trial, facts);
	}
	if (outputs_wrong)
		variant_try_gated(trial, &facts->gated);
}

void diagnosis_faults(const struct check_input *input, const uint8_t *marks, bool outputs_wrong,
					  struct wrong_pattern *facts)
{
	_Static_assert(FAULT_COUNT <= 64, "a bit for each fault");
	const struct shape *shape = &input->test->shape;
	struct trial *trial = malloc(sizeof *trial);
	if (trial == NULL)
		return;
	*trial = (struct trial){
		.input = input,
		.request = reference_request(input->problem, input->test, input->seed),
		.before = values_of_operand(input->problem, input->test, input->seed,
									problem_part_index(input->problem, PART_RESULT)),
		.m = (uint64_t)shape->size[SIZE_M],
		.n = (uint64_t)shape->size[SIZE_N],
		.k = (uint64_t)shape->size[SIZE_K],
	};
	if ((facts->unwritten < facts->wrong || outputs_wrong) && can_be_tried(&trial->request))
		draw_and_try(trial, marks, outputs_wrong, facts);
	free(trial->left);
	free(trial->right);
	free(trial->codes);
	free(trial->unscaled);
	free(trial->scales);
	free(trial);
}
