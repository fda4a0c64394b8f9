/* What tune remembers: times of schedules, so that an interrupted search goes on, and which were
 * chosen. That the store cannot be used is a line on stderr, once: a search finds the same
 * without. */
#ifndef GEMMJUDGE_CLI_TUNE_MEMORY_H
#define GEMMJUDGE_CLI_TUNE_MEMORY_H

#include "cli/tune.h"
#include "store/tuned.h"
#include "tune/search.h"

struct tune_memory {
	char path[PATHS_MAX]; /* "": nothing is remembered */
	struct tuned_key key; /* of the shape at hand */
	char flags[4096];
	struct tuned_trials known; /* at the beginning of its search */
	size_t count;              /* that wait to be written */
	struct tuned_trial waiting[SEARCH_TOGETHER];
	bool failed;
};

/* Finds the store; that there is none to be had is a warning. */
void tune_memory_open(struct tune_memory *memory, const struct tuned *tuned);

/* Trials are of this shape from now on, on the device with these facts. */
void tune_memory_begin(struct tune_memory *memory, const struct tuned *tuned,
					   const struct test_case *test, const struct device_facts *facts);

bool tune_memory_known(const struct tune_memory *memory, const char *constants,
					   struct search_result *out);
void tune_memory_keep(struct tune_memory *memory, const char *constants,
					  const struct search_result *result);
void tune_memory_write(struct tune_memory *memory); /* what waits */
void tune_memory_choose(struct tune_memory *memory, const struct tuned_choice *choice);
void tune_memory_close(struct tune_memory *memory);

/* Between the store's and the search's. */
void tune_trial_of(const char *constants, const struct search_result *result,
				   struct tuned_trial *out);
struct search_result tune_result_of(const struct tuned_trial *trial);

#endif
