/* links: judge */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "judge/run/epilogue.h"
#include "judgement/judgement.h"
#include "judgement/layers.h"

/* What a stage lacks that ran by itself lacks the judgement, until another file's turn. */
Test(epilogue, stages_that_ran_by_themselves_count)
{
	struct judgement judgement = {.layers = LAYER_COMPILER};
	struct epilogue *epilogue = calloc(1, sizeof *epilogue);
	epilogue->runners[1].link.jail.layers = LAYER_CALLS | LAYER_NAMESPACES;
	judgement_take_layers(&judgement, true, LAYER_SOLUTION);
	epilogue_take_layers(epilogue, &judgement); /* none has run */
	epilogue_take_layers(NULL, &judgement);
	cr_expect_eq(judgement.layers, LAYER_ALL);
	epilogue->runners[1].link.jail.enclosed = true;
	epilogue->runners[1].compiled.jailed = true;
	epilogue_take_layers(epilogue, &judgement);
	cr_expect_eq(judgement.layers, LAYER_CALLS | LAYER_NAMESPACES | LAYER_COMPILER);
	epilogue->runners[1].compiled.jailed = false;
	epilogue_take_layers(epilogue, &judgement);
	cr_expect_eq(judgement.layers, LAYER_CALLS | LAYER_NAMESPACES);
	judgement = (struct judgement){.layers = LAYER_COMPILER};
	epilogue_renew(epilogue);
	judgement_take_layers(&judgement, true, LAYER_SOLUTION);
	epilogue_take_layers(epilogue, &judgement);
	cr_expect_eq(judgement.layers, LAYER_ALL);
	epilogue_close(epilogue);
}
