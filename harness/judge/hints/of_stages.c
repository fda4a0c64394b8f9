/* Which stage of an epilogue makes the wrong elements. */
#include <stdio.h>
#include <string.h>

#include "judge/hints/explanation.h"

/* "stage 2 (bias)" */
#define STAGE_TEXT 48
static const char *stage_name(const struct hint_context *facts, uint32_t stage,
							  char out[STAGE_TEXT])
{
	snprintf(out, STAGE_TEXT, "stage %u (%.31s)", stage + 1, facts->chain->stages[stage].name);
	return out;
}

static const char *const functions[FUNCTION_COUNT] = {
	[FUNCTION_RELU] = "relu",
	[FUNCTION_LEAKY_RELU] = "leaky_relu with a slope of 0.01",
	[FUNCTION_SIGMOID] = "sigmoid",
	[FUNCTION_TANH] = "tanh",
	[FUNCTION_GELU] = "gelu in its tanh form",
	[FUNCTION_GELU_ERF] = "gelu in its exact form, with erf (stage gelu_erf)",
	[FUNCTION_GELU_QUICK] = "the quick gelu, x * sigmoid(1.702 x),",
	[FUNCTION_SILU] = "silu",
	[FUNCTION_HARDSWISH] = "hardswish",
};

/* The member of which one element belongs to a row or to a column. */
static const struct chain_member *indexed(const struct chain_stage *stage)
{
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind == CHAIN_INPUT &&
			(stage->members[i].rows == 0) != (stage->members[i].columns == 0))
			return &stage->members[i];
	return &stage->members[0];
}

static void say_index(const struct hint_context *facts, uint32_t stage, struct strbuf *out)
{
	const struct chain_member *member = indexed(&facts->chain->stages[stage]);
	char name[STAGE_TEXT];
	bool by_row = member->columns == 0;
	strbuf_addf(out, "%s[%s] in place of %s[%s] in %s", member->name, by_row ? "column" : "row",
				member->name, by_row ? "row" : "column", stage_name(facts, stage, name));
}

static void say_moved(const struct hint_context *facts, const struct wrong_stage *stage,
					  struct strbuf *out)
{
	char name[STAGE_TEXT], other[STAGE_TEXT];
	bool before = stage->other < stage->stage;
	strbuf_addf(out, "applying %s %s %s", stage_name(facts, stage->stage, name),
				before ? "before" : "behind", stage_name(facts, stage->other, other));
}

static bool made_by_stage(const struct hint_context *facts, struct strbuf *out)
{
	struct wrong_stage stage;
	size_t cases;
	char in[64], name[STAGE_TEXT], other[STAGE_TEXT];
	if (facts->chain == NULL || !explanation_of_stage(facts, &stage, &cases))
		return false;
	strbuf_setf(out, "%s the wrong elements of %s are what comes of ",
				hint_in_cases(cases, hint_explained_cases(facts), in),
				hint_operand(facts, PART_RESULT));
	stage_name(facts, stage.stage, name);
	switch ((enum wrong_stage_fault)stage.fault) {
	case STAGE_LEFT_OUT: strbuf_addf(out, "leaving out %s of the epilogue", name); break;
	case STAGE_TWICE: strbuf_addf(out, "applying %s of the epilogue twice", name); break;
	case STAGE_MOVED: say_moved(facts, &stage, out); break;
	case STAGE_OTHER_INDEX: say_index(facts, stage.stage, out); break;
	case STAGE_LOOKALIKE:
		strbuf_addf(out, "%s where %s of the epilogue belongs", functions[stage.other], name);
		break;
	default:
		strbuf_addf(out, "adding beta * %s behind %s: %s of the epilogue has it",
					hint_operand(facts, PART_RESULT), stage_name(facts, stage.other, other), name);
		break;
	}
	return true;
}

/* ---- what a gated stage writes -------------------------------------------------------------- */

/* The fault at place `at` of these fits in so many cases. */
static size_t count_gated(const struct hint_context *facts, const struct wrong_gated *of,
						  uint8_t at)
{
	size_t cases = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_gated *gated = &facts->judgement->cases[i].gated;
		for (uint8_t j = 0; gated->compared > 0 && j < gated->count; j++)
			cases += gated->fits[j].fault == of->fits[at].fault &&
					 gated->fits[j].other == of->fits[at].other;
	}
	return cases;
}

static size_t gated_cases(const struct hint_context *facts)
{
	size_t cases = 0;
	for (size_t i = 0; i < facts->judgement->count; i++)
		cases += facts->judgement->cases[i].gated.compared > 0;
	return cases;
}

/* The fault that fits in all cases, the first such one. */
static bool find_gated(const struct hint_context *facts, struct wrong_gated *of, uint8_t *at)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		*of = facts->judgement->cases[i].gated;
		for (*at = 0; of->compared > 0 && *at < of->count; ++*at)
			if (count_gated(facts, of, *at) == gated_cases(facts))
				return true;
	}
	return false;
}

static void say_gated(const struct wrong_gated *of, uint8_t at, const char *activation,
					  struct strbuf *out)
{
	switch ((enum wrong_gated_fault)of->fits[at].fault) {
	case GATED_EXCHANGED:
		strbuf_addf(out, "%s(up) * gate: gate is column 2i of the product, up is 2i + 1",
					activation);
		break;
	case GATED_HALVES:
		strbuf_addf(
			out, "taking gate and up for the two halves of a row: they are columns 2i and 2i + 1");
		break;
	case GATED_UP_PLUS_ONE: strbuf_addf(out, "%s(gate) * (up + 1)", activation); break;
	case GATED_PLAIN: strbuf_addf(out, "gate * up, without %s", activation); break;
	default:
		strbuf_addf(out, "%s of gate where %s belongs", functions[of->fits[at].other], activation);
		break;
	}
}

static bool made_by_gated(const struct hint_context *facts, struct strbuf *out)
{
	struct wrong_gated of;
	uint8_t at;
	char name[STAGE_TEXT];
	if (facts->chain == NULL || !find_gated(facts, &of, &at))
		return false;
	const struct chain_stage *stage = &facts->chain->stages[of.stage];
	const char *activation = strcmp(stage->name, "geglu") == 0 ? "gelu" : "silu";
	strbuf_setf(out, "the wrong elements that %s stored are what comes of ",
				stage_name(facts, of.stage, name));
	say_gated(&of, at, activation, out);
	strbuf_addf(out, "; it stores %s(gate) * up", activation);
	return true;
}

const struct hint_row hints_of_stages[] = {
	{"made-by-gated", HINT_CAUSE, made_by_gated},
	{"made-by-stage", HINT_CAUSE, made_by_stage},
	{0},
};
