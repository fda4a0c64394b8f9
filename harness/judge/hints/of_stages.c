/* Which stage of an epilogue makes the wrong elements. */
#include <stdio.h>

#include "judge/hints/explanation.h"

/* "stage 2 (bias)" */
#define STAGE_TEXT 48
static const char *stage_name(const struct hint_facts *facts, uint32_t stage, char out[STAGE_TEXT])
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

static void say_index(const struct hint_facts *facts, uint32_t stage, char *out, size_t size)
{
	const struct chain_member *member = indexed(&facts->chain->stages[stage]);
	char name[STAGE_TEXT];
	bool by_row = member->columns == 0;
	snprintf(out, size, "%.31s[%s] in place of %.31s[%s] in %s", member->name,
			 by_row ? "column" : "row", member->name, by_row ? "row" : "column",
			 stage_name(facts, stage, name));
}

static void say_moved(const struct hint_facts *facts, const struct wrong_stage *stage, char *out,
					  size_t size)
{
	char name[STAGE_TEXT], other[STAGE_TEXT];
	bool before = stage->other < stage->stage;
	snprintf(out, size, "applying %s %s %s", stage_name(facts, stage->stage, name),
			 before ? "before" : "behind", stage_name(facts, stage->other, other));
}

static bool made_by_stage(const struct hint_facts *facts, char out[HINT_TEXT])
{
	struct wrong_stage stage;
	size_t cases, used;
	char in[64], name[STAGE_TEXT], other[STAGE_TEXT];
	if (facts->chain == NULL || !explanation_of_stage(facts, &stage, &cases))
		return false;
	used = (size_t)snprintf(out, HINT_TEXT, "%s the wrong elements of %.20s are what comes of ",
							hint_in_cases(cases, hint_explained_cases(facts), in),
							hint_operand(facts, PART_RESULT));
	stage_name(facts, stage.stage, name);
	out += used;
	used = HINT_TEXT - used;
	switch ((enum wrong_stage_fault)stage.fault) {
	case STAGE_LEFT_OUT: snprintf(out, used, "leaving out %s of the epilogue", name); break;
	case STAGE_TWICE: snprintf(out, used, "applying %s of the epilogue twice", name); break;
	case STAGE_MOVED: say_moved(facts, &stage, out, used); break;
	case STAGE_OTHER_INDEX: say_index(facts, stage.stage, out, used); break;
	case STAGE_LOOKALIKE:
		snprintf(out, used, "%s where %s of the epilogue belongs", functions[stage.other], name);
		break;
	default:
		snprintf(out, used, "adding beta * %.20s behind %s: %s of the epilogue has it",
				 hint_operand(facts, PART_RESULT), stage_name(facts, stage.other, other), name);
		break;
	}
	return true;
}

const struct hint_row hints_of_stages[] = {
	{"made-by-stage", HINT_CAUSE, made_by_stage},
	{0},
};
