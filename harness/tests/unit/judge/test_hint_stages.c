/* links: judge */
/* Hints of epilogues: what is said of a stage whose fault fits. */
#include "hints_fixture.h"

static struct made_up *of_chain(struct chain *chain)
{
	static const char *const names[] = {"alpha_beta", "bias", "gelu"};
	*chain = (struct chain){.count = 3};
	for (int i = 0; i < 3; i++)
		snprintf(chain->stages[i].name, CHAIN_NAME_MAX, "%s", names[i]);
	chain->stages[1].count = 1;
	chain->stages[1].members[0] =
		(struct chain_member){.name = "bias", .kind = CHAIN_INPUT, .columns = 1};
	return made_up(6, 4);
}

static void each_has(struct made_up *made, size_t cases, enum wrong_stage_fault fault,
					 uint8_t stage, uint8_t other)
{
	for (size_t i = 0; i < CASES; i++) {
		made->wrong[i].stage_count = i < cases ? 1 : 0;
		made->wrong[i].stages[0] = (struct wrong_stage){(uint8_t)fault, stage, other};
	}
}

static void says(struct made_up *made, const struct chain *chain, const char *part)
{
	hints_find(&(struct hint_context){.judgement = &made->judgement,
									  .source = "",
									  .problem = problem_find(made->problem),
									  .chain = chain},
			   &made->judgement);
	const char *said = made->judgement.hint_count > 0 ? made->judgement.hints[0] : "";
	if (part[0] == '\0')
		cr_expect_str_eq(said, "");
	else
		cr_expect(strstr(said, part) != NULL, "no \"%s\" in: %s", part, said);
}

Test(hint_stages, what_each_fault_is_called)
{
	struct chain chain;
	struct made_up *made = of_chain(&chain);
	each_has(made, 4, STAGE_LEFT_OUT, 1, 0);
	says(made, &chain,
		 "in all of the first 4 failing cases the wrong elements of C are what comes of leaving "
		 "out stage 2 (bias) of the epilogue");
	each_has(made, 4, STAGE_TWICE, 1, 0);
	says(made, &chain, "applying stage 2 (bias) of the epilogue twice");
	each_has(made, 4, STAGE_MOVED, 2, 0);
	says(made, &chain, "applying stage 3 (gelu) before stage 1 (alpha_beta)");
	each_has(made, 4, STAGE_OTHER_INDEX, 1, 0);
	says(made, &chain, "bias[row] in place of bias[column] in stage 2 (bias)");
	each_has(made, 4, STAGE_LOOKALIKE, 2, FUNCTION_GELU_ERF);
	says(made, &chain, "with erf (stage gelu_erf) where stage 3 (gelu) of the epilogue belongs");
	each_has(made, 4, STAGE_BETA_BEHIND, 0, 2);
	says(made, &chain, "adding beta * C behind stage 3 (gelu): stage 1 (alpha_beta)");
	free(made);
}

Test(hint_stages, only_where_it_explains_half_and_most)
{
	struct chain chain;
	struct made_up *made = of_chain(&chain);
	each_has(made, 1, STAGE_LEFT_OUT, 1, 0);
	says(made, &chain, "");
	each_has(made, 2, STAGE_LEFT_OUT, 1, 0);
	says(made, &chain, "in 2 of the first 4 failing cases");
	each_fits(made, FAULT_RIGHT_TRANSPOSED); /* explains all */
	says(made, &chain, "B is read the other way around");
	for (size_t i = 0; i < CASES; i++)
		made->wrong[i].fits = 0;
	says(made, NULL, ""); /* there is no epilogue */
	free(made);
}

/* What a gated stage wrote is wrong in the first two cases, by this fault. */
static void each_gated(struct made_up *made, enum wrong_gated_fault fault, uint8_t other)
{
	for (size_t i = 0; i < 2; i++) {
		made->cases[i].gated = (struct wrong_gated){.compared = 40, .stage = 1, .count = 1};
		made->cases[i].gated.fits[0].fault = (uint8_t)fault;
		made->cases[i].gated.fits[0].other = other;
	}
}

Test(hint_stages, what_a_gated_stage_wrote)
{
	struct chain chain;
	struct made_up *made = of_chain(&chain);
	snprintf(chain.stages[1].name, CHAIN_NAME_MAX, "swiglu");
	each_gated(made, GATED_EXCHANGED, 0);
	says(made, &chain, "that stage 2 (swiglu) stored are what comes of silu(up) * gate");
	each_gated(made, GATED_HALVES, 0);
	says(made, &chain, "taking gate and up for the two halves of a row");
	each_gated(made, GATED_UP_PLUS_ONE, 0);
	says(made, &chain, "silu(gate) * (up + 1); it stores silu(gate) * up");
	each_gated(made, GATED_PLAIN, 0);
	says(made, &chain, "gate * up, without silu");
	each_gated(made, GATED_LOOKALIKE, FUNCTION_SIGMOID);
	says(made, &chain, "sigmoid of gate where silu belongs");
	snprintf(chain.stages[1].name, CHAIN_NAME_MAX, "geglu");
	says(made, &chain, "sigmoid of gate where gelu belongs; it stores gelu(gate) * up");
	made->cases[1].gated.count = 0; /* nothing explains the other case */
	says(made, &chain, "");
	free(made);
}
