/* What tune remembers: times of schedules, so that an interrupted search goes on, and which were
 * chosen. That the store cannot be used is told in a line, once: a search finds the same
 * without. */
#ifndef GEMMJUDGE_TUNING_MEMORY_H
#define GEMMJUDGE_TUNING_MEMORY_H

#include "schedules/search.h"
#include "store/tuned.h"
#include "tuning/tuning.h"

struct tuning_memory {
	const struct tuning *tuning;
	const char *path;          /* "": nothing is remembered */
	struct tuned_key key;      /* of the shape at hand */
	struct tuned_trials known; /* at the beginning of its search */
	size_t count;              /* that wait to be written */
	struct tuned_trial waiting[SEARCH_TOGETHER];
	bool failed;
};

/* In the store at `path`, which is borrowed; "": nothing is remembered. */
void tuning_memory_open(struct tuning_memory *memory, const struct tuning *tuning,
						const char *path);

/* Trials are of this shape from now on, on the device with these facts. */
void tuning_memory_begin(struct tuning_memory *memory, const struct test_case *test,
						 const struct device_properties *facts);

bool tuning_memory_known(const struct tuning_memory *memory, const char *constants,
						 struct search_result *out);
void tuning_memory_keep(struct tuning_memory *memory, const char *constants,
						const struct search_result *result);
void tuning_memory_write(struct tuning_memory *memory); /* what waits */
void tuning_memory_choose(struct tuning_memory *memory, const struct tuned_choice *choice);
void tuning_memory_close(struct tuning_memory *memory);

#endif
