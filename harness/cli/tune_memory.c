#include "cli/tune_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/schedules.h"
#include "store/place.h"
#include "store/store.h"

static void tell(struct tune_memory *memory, const struct error *why)
{
	if (!memory->failed)
		fprintf(stderr, "gemmjudge: not remembered: %s\n", why->message);
	memory->failed = true;
}

void tune_memory_open(struct tune_memory *memory, const struct tuned *tuned)
{
	const struct options *options = tuned->options;
	struct error why;
	*memory = (struct tune_memory){0};
	schedules_join_flags(&options->judge, memory->flags, sizeof memory->flags);
	if (options->no_store)
		return;
	if (!store_place(options->store, memory->path, &why) ||
		(memory->path[0] != '\0' && !store_probe(memory->path, &why))) {
		tell(memory, &why);
		memory->path[0] = '\0';
	}
}

void tune_memory_begin(struct tune_memory *memory, const struct tuned *tuned,
					   const struct test_case *test, const struct device_facts *facts)
{
	struct error why;
	const char *epilogue = tuned->options->judge.epilogue;
	memory->key = (struct tuned_key){.device = tuned->gpu.name,
									 .clock_mhz = facts->sm_clock_khz / 1000.0,
									 .driver = facts->driver,
									 .problem = tuned->plan.problem,
									 .content = tuned->plan.content,
									 .epilogue = epilogue != NULL ? epilogue : "",
									 .flags = memory->flags,
									 .test = test};
	tuned_trials_free(&memory->known);
	if (memory->path[0] != '\0' && !tuned_trials(memory->path, &memory->key, &memory->known, &why))
		tell(memory, &why);
}

struct search_result tune_result_of(const struct tuned_trial *trial)
{
	struct search_result result = {.median = trial->median,
								   .low = trial->low,
								   .high = trial->high,
								   .samples = (uint32_t)trial->samples};
	for (size_t i = 0; i < SEARCH_OUTCOMES; i++)
		if (strcmp(trial->outcome, search_outcome_names[i]) == 0)
			result.outcome = (enum search_outcome)i;
	if (result.outcome == SEARCH_MEASURED && !(result.median > 0))
		result.outcome = SEARCH_NOT_TRIED;
	snprintf(result.detail, sizeof result.detail, "%s", trial->detail);
	return result;
}

void tune_trial_of(const char *constants, const struct search_result *result,
				   struct tuned_trial *out)
{
	*out = (struct tuned_trial){.median = result->median,
								.low = result->low,
								.high = result->high,
								.samples = result->samples};
	snprintf(out->constants, sizeof out->constants, "%s", constants);
	snprintf(out->outcome, sizeof out->outcome, "%s", search_outcome_names[result->outcome]);
	snprintf(out->detail, sizeof out->detail, "%s", result->detail);
}

static int compare_constants(const void *a, const void *b)
{
	return strcmp(a, ((const struct tuned_trial *)b)->constants);
}

bool tune_memory_known(const struct tune_memory *memory, const char *constants,
					   struct search_result *out)
{
	const struct tuned_trial *trial =
		memory->known.count == 0 ? NULL
								 : bsearch(constants, memory->known.items, memory->known.count,
										   sizeof *trial, compare_constants);
	if (trial == NULL)
		return false;
	*out = tune_result_of(trial);
	return out->outcome != SEARCH_NOT_TRIED;
}

void tune_memory_keep(struct tune_memory *memory, const char *constants,
					  const struct search_result *result)
{
	if (memory->path[0] == '\0')
		return;
	if (memory->count == SEARCH_TOGETHER)
		tune_memory_write(memory);
	tune_trial_of(constants, result, &memory->waiting[memory->count++]);
}

void tune_memory_write(struct tune_memory *memory)
{
	struct error why;
	if (memory->count > 0 && !memory->failed &&
		!tuned_keep(memory->path, &memory->key, memory->waiting, memory->count, &why))
		tell(memory, &why);
	memory->count = 0;
}

void tune_memory_choose(struct tune_memory *memory, const struct tuned_choice *choice)
{
	struct error why;
	if (memory->path[0] != '\0' && !tuned_choose(memory->path, &memory->key, choice, &why))
		tell(memory, &why);
}

void tune_memory_close(struct tune_memory *memory)
{
	tune_memory_write(memory);
	tuned_trials_free(&memory->known);
}
