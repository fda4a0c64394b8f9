#include "judge/judgement.h"

#include <stdlib.h>

#include "judge/counters.h"
#include "process/jail.h"

const char *verdict_name(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_ACCEPTED: return "accepted";
	case VERDICT_WRONG_ANSWER: return "wrong_answer";
	case VERDICT_COMPILE_ERROR: return "compile_error";
	case VERDICT_RUNTIME_ERROR: return "runtime_error";
	case VERDICT_TIME_LIMIT: return "time_limit";
	case VERDICT_MEMORY_LIMIT: return "memory_limit";
	case VERDICT_RULE_VIOLATION: return "rule_violation";
	case VERDICT_UNSUPPORTED: return "unsupported";
	case VERDICT_NOT_RUN: return "not_run";
	case VERDICT_BAD_FILE: return "bad_file";
	}
	return "unknown";
}

const struct timing_stats *timing_own(const struct timing_entry *entry)
{
	return entry->span.samples > 0 ? &entry->span : &entry->event;
}

const struct timing_stats *timing_shown(const struct timing_entry *entry, bool span)
{
	if (entry->seal.state == SEAL_OUTSIDE)
		return &entry->seal.shown;
	return span ? &entry->span : &entry->event;
}

void judgement_take_layers(struct judgement *judgement, bool enclosed, unsigned layers)
{
	if (!enclosed)
		return;
	if (!judgement->was_run) /* the compiler's layer was there before */
		judgement->layers |= layers & JAIL_SOLUTION;
	judgement->layers &= layers | JAIL_COMPILER | JAIL_SEALED;
	judgement->was_run = true;
}

void judgement_free(struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->count; i++) {
		free(judgement->cases[i].output);
		free(judgement->cases[i].wrong);
	}
	free(judgement->cases);
	free(judgement->compile_log);
	free(judgement->tool_report);
	free(judgement->timing.entries);
	free(judgement->larger.entries);
	counters_free(judgement);
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
