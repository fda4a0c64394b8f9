#include "tuning/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/trials.h"
#include "store/store.h"

static void tell(struct tuning_memory *memory, const struct error *why)
{
	const struct judge_progress *steps = &memory->tuning->watch.steps;
	char line[sizeof why->message + 32];
	snprintf(line, sizeof line, "not remembered: %s", why->message);
	if (!memory->failed)
		steps->note(steps->context, line);
	memory->failed = true;
}

void tuning_memory_open(struct tuning_memory *memory, const struct tuning *tuning, const char *path)
{
	struct error why;
	*memory = (struct tuning_memory){.tuning = tuning, .path = path};
	if (path[0] != '\0' && !store_probe(path, &why)) {
		tell(memory, &why);
		memory->path = "";
	}
}

void tuning_memory_begin(struct tuning_memory *memory, const struct test_case *test,
						 const struct device_properties *facts)
{
	struct error why;
	memory->key = tuning_key(memory->tuning, test);
	memory->key.clock_mhz = facts->sm_clock_khz / 1000.0;
	memory->key.driver = facts->driver;
	memory->key.nvcc = trials_nvcc(memory->tuning->trials);
	tuned_trials_free(&memory->known);
	if (memory->path[0] != '\0' && !tuned_trials(memory->path, &memory->key, &memory->known, &why))
		tell(memory, &why);
}

static struct search_result result_of(const struct tuned_trial *trial)
{
	struct search_result result = {.median = trial->median,
								   .low = trial->low,
								   .high = trial->high,
								   .samples = (uint32_t)trial->samples};
	result.outcome =
		(enum search_outcome)text_index(trial->outcome, search_outcome_names, SEARCH_OUTCOMES);
	if (result.outcome == SEARCH_OUTCOMES ||
		(result.outcome == SEARCH_MEASURED && !(result.median > 0)))
		result.outcome = SEARCH_NOT_TRIED;
	snprintf(result.detail, sizeof result.detail, "%s", trial->detail);
	return result;
}

static void trial_of(const char *constants, const struct search_result *result,
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

bool tuning_memory_known(const struct tuning_memory *memory, const char *constants,
						 struct search_result *out)
{
	const struct tuned_trial *trial =
		memory->known.count == 0 ? NULL
								 : bsearch(constants, memory->known.items, memory->known.count,
										   sizeof *trial, compare_constants);
	if (trial == NULL)
		return false;
	*out = result_of(trial);
	return out->outcome != SEARCH_NOT_TRIED;
}

void tuning_memory_keep(struct tuning_memory *memory, const char *constants,
						const struct search_result *result)
{
	if (memory->path[0] == '\0')
		return;
	if (memory->count == SEARCH_TOGETHER)
		tuning_memory_write(memory);
	trial_of(constants, result, &memory->waiting[memory->count++]);
}

void tuning_memory_write(struct tuning_memory *memory)
{
	struct error why;
	if (memory->count > 0 && !memory->failed &&
		!tuned_keep(memory->path, &memory->key, memory->waiting, memory->count, &why))
		tell(memory, &why);
	memory->count = 0;
}

void tuning_memory_choose(struct tuning_memory *memory, const struct tuned_choice *choice)
{
	struct error why;
	if (memory->path[0] != '\0' && !tuned_choose(memory->path, &memory->key, choice, &why))
		tell(memory, &why);
}

void tuning_memory_close(struct tuning_memory *memory)
{
	tuning_memory_write(memory);
	tuned_trials_free(&memory->known);
}
