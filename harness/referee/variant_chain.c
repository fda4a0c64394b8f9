/* Faults of an epilogue: what its stages make of an element where one is left out, moved, or
 * another function. */
#include <math.h>
#include <string.h>

#include "process/buffers.h"
#include "referee/rule.h"
#include "referee/variant.h"

/* ---- look-alikes ------------------------------------------------------------------------- */

static double apply_gelu_quick(double x, const double *members,
							   const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return isinf(x) && x < 0 ? -0.0 : x / (1 + exp(-1.702 * x));
}

static double apply_leaky(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return x < 0 ? 0.01 * x : x;
}

/* As silu's, whose argument is 1.702 times smaller. */
static const struct stage_form form_gelu_quick = {
	.relative = 12, .of_x = 4, .approximate = 0x1p-12, .largest = 1, .nan_at_end = true};

static const struct stage_reference of_no_stage[] = {
	{.name = "gelu_quick",
	 .accuracy = STAGE_FUNCTION,
	 .form = &form_gelu_quick,
	 .apply = apply_gelu_quick},
	{.name = "leaky_relu", .accuracy = STAGE_ROUNDS, .apply = apply_leaky},
};

const struct stage_reference *variant_function(enum wrong_function function)
{
	static const char *const names[] = {
		[FUNCTION_RELU] = "relu",          [FUNCTION_SIGMOID] = "sigmoid",
		[FUNCTION_TANH] = "tanh",          [FUNCTION_GELU] = "gelu",
		[FUNCTION_GELU_ERF] = "gelu_erf",  [FUNCTION_SILU] = "silu",
		[FUNCTION_HARDSWISH] = "hardswish"};
	struct chain_stage stage = {.shipped = 1};
	if (function == FUNCTION_GELU_QUICK || function == FUNCTION_LEAKY_RELU)
		return &of_no_stage[function == FUNCTION_LEAKY_RELU];
	memcpy(stage.name, names[function], strlen(names[function]) + 1);
	return stage_find(&stage);
}

/* Whether the stage is one of these functions itself. */
static bool is_function(const struct variant_step *step)
{
	for (int i = 0; i < FUNCTION_COUNT; i++)
		if (strcmp(variant_function((enum wrong_function)i)->name, step->reference->name) == 0)
			return true;
	return false;
}

static bool replace(struct variant_step *step, enum wrong_function function)
{
	const struct stage_reference *other = variant_function(function);
	bool changes = is_function(step) && strcmp(other->name, step->reference->name) != 0;
	step->reference = other;
	return changes;
}

/* ---- faults -------------------------------------------------------------------------------- */

void variant_set_steps(const struct trial *trial, struct variant *variant)
{
	const struct chain *chain = trial->input->chain;
	variant->step_count = chain != NULL ? chain->count : 0;
	for (uint32_t i = 0; i < variant->step_count; i++)
		variant->steps[i] = (struct variant_step){.stage = &chain->stages[i],
												  .reference = stage_find(&chain->stages[i])};
}

static void leave_out(struct variant *variant, uint32_t at)
{
	variant->step_count--;
	memmove(&variant->steps[at], &variant->steps[at + 1],
			(variant->step_count - at) * sizeof *variant->steps);
}

static void insert(struct variant *variant, uint32_t at, struct variant_step step)
{
	memmove(&variant->steps[at + 1], &variant->steps[at],
			(variant->step_count - at) * sizeof *variant->steps);
	variant->steps[at] = step;
	variant->step_count++;
}

/* Of neighbours only the first one is moved: that of the second is the same. */
static bool move(struct variant *variant, uint32_t from, uint32_t to)
{
	struct variant_step step = variant->steps[from];
	leave_out(variant, from);
	insert(variant, to, step);
	return from != to && from != to + 1;
}

static bool exchange_index(struct variant_step *step)
{
	bool exchanged = false;
	for (uint32_t i = 0; i < step->stage->count; i++) {
		const struct chain_member *member = &step->stage->members[i];
		exchanged |= member->kind == CHAIN_INPUT && (member->rows == 0) != (member->columns == 0);
	}
	step->other_index = true;
	return exchanged;
}

static bool put_beta_behind(const struct trial *trial, uint32_t at, uint32_t behind,
							struct variant *variant)
{
	struct variant_step *step = &variant->steps[at];
	if (strcmp(step->reference->name, "alpha_beta") != 0 || behind <= at ||
		trial->input->test->scalar[SCALAR_BETA] == 0.0f)
		return false;
	struct variant_step beta = *step;
	step->no_beta = beta.no_alpha = true;
	insert(variant, behind + 1, beta);
	return true;
}

bool variant_add_stage(const struct trial *trial, const struct wrong_stage *fault,
					   struct variant *variant)
{
	uint32_t at = fault->stage, count = variant->step_count;
	switch ((enum wrong_stage_fault)fault->fault) {
	case STAGE_LEFT_OUT: leave_out(variant, at); return true;
	case STAGE_TWICE: insert(variant, at, variant->steps[at]); return true;
	case STAGE_MOVED: return fault->other < count && move(variant, at, fault->other);
	case STAGE_OTHER_INDEX: return exchange_index(&variant->steps[at]);
	case STAGE_LOOKALIKE:
		return fault->other < FUNCTION_COUNT &&
			   replace(&variant->steps[at], (enum wrong_function)fault->other);
	case STAGE_BETA_BEHIND:
		return fault->other < count && put_beta_behind(trial, at, fault->other, variant);
	default: return false;
	}
}

/* ---- one element ---------------------------------------------------------------------------- */

/* An index beyond the member's end comes around, as that of a kernel that takes it modulo the
 * member's length. */
static double member_at(const struct trial *trial, const struct variant_step *step,
						const struct chain_member *member, uint64_t row, uint64_t column)
{
	struct chain_member other = *member;
	const struct values *values = &trial->extra[member->buffer];
	if (member->kind != CHAIN_INPUT)
		return member->kind == CHAIN_ARGUMENT ? (double)member->value : 0;
	if (step->other_index) {
		other.rows = member->columns;
		other.columns = member->rows;
	}
	return values_number_at(values, chain_index(&other, trial->n, row, column) % values->elements);
}

struct carried variant_carry(const struct trial *trial, const struct variant *variant,
							 const struct check_element *element, uint64_t row, uint64_t column,
							 uint32_t steps)
{
	const struct check_rule *rule = &variant->rule;
	struct carried value = rule_begin(rule, *element);
	for (uint32_t i = 0; i < steps; i++) {
		const struct variant_step *step = &variant->steps[i];
		double members[CHAIN_MEMBERS_MAX] = {0};
		for (uint32_t m = 0; m < step->stage->count; m++)
			members[m] = member_at(trial, step, &step->stage->members[m], row, column);
		struct stage_coordinate place = {
			.type = rule->type,
			.alpha = step->no_alpha ? 1 : (double)variant->test.scalar[SCALAR_ALPHA],
			.beta = step->no_beta ? 0 : rule->beta,
			.c = element->c,
			.accumulation = rule->accumulation,
			.row = (uint32_t)row,
			.column = (uint32_t)column};
		stage_carry(step->reference, members, &place, &value);
	}
	return value;
}
