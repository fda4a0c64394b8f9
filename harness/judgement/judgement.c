#include "judgement/judgement.h"

#include <stdlib.h>

#include "judgement/layers.h"

void judgement_take_layers(struct judgement *judgement, bool enclosed, unsigned layers)
{
	if (!enclosed)
		return;
	if (!judgement->was_run) /* the compiler's layer was there before */
		judgement->layers |= layers & LAYER_SOLUTION;
	judgement->layers &= layers | LAYER_COMPILER | LAYER_SEALED;
	judgement->was_run = true;
}

void judgement_free_kernels(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->kernel_count; i++) {
		free(judgement->kernels[i].name);
		free(judgement->kernels[i].shown);
		free(judgement->kernels[i].counters);
		free(judgement->kernels[i].lines);
	}
	free(judgement->kernels);
	judgement->kernels = NULL;
	judgement->kernel_count = 0;
}

void judgement_free(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->count; i++) {
		free(judgement->cases[i].output);
		free(judgement->cases[i].wrong);
	}
	free(judgement->cases);
	free(judgement->compile_log);
	free(judgement->uses);
	free(judgement->tool_report);
	free(judgement->timing.entries);
	free(judgement->larger.entries);
	judgement_free_kernels(judgement);
	*judgement = (struct judgement){0};
}

void judgement_list_free(struct judgement_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		judgement_free(&list->items[i]);
	for (size_t i = 0; i < list->bench_count; i++)
		free(list->bench[i].entries);
	free(list->items);
	free(list->bench);
	*list = (struct judgement_list){0};
}
