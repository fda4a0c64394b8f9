/* Schedules in the store: what was measured of each (trials), and those that were chosen. Constants
 * are a text, "BLOCK_M=64 BLOCK_N=128", in the order of the file's declaration. */
#ifndef GEMMJUDGE_STORE_TUNED_H
#define GEMMJUDGE_STORE_TUNED_H

#include "base/content.h"
#include "base/paths.h"
#include "testcases/case.h"

#define TUNED_CONSTANTS 1024

/* What a schedule is for. Texts are borrowed. */
struct tuned_key {
	const char *device; /* the GPU's name */
	double clock_mhz;   /* its highest; of trials only */
	const char *driver; /* the same; "": of trials of other programs, which were imported */
	const char *nvcc;   /* version of the compiler; of trials only; "" with no driver */
	const struct problem *problem;
	const char *content;          /* the file's hash; flags are not in it */
	const char *epilogue;         /* a chain, "" without */
	const char *flags;            /* further ones of nvcc, "" without */
	const struct test_case *test; /* sizes and scalars */
};

struct tuned_trial {
	char constants[TUNED_CONSTANTS];
	char outcome[32]; /* a name of search_outcome_names */
	char detail[256];
	double median, low, high; /* microseconds; 0 where it was not measured */
	int64_t samples;
	char when[32];
};

struct tuned_trials {
	size_t count;
	struct tuned_trial *items; /* owned */
};

/* Keeps these, each in place of an earlier one of the same constants; all or none. */
bool tuned_keep(const char *path, const struct tuned_key *key, const struct tuned_trial *trials,
				size_t count, struct error *err);

/* All of a key in the order of their constants, each once, and imported ones. With driver NULL the
 * newest at any clock and driver. A store that is not there holds none. False with err when it
 * cannot be read. */
bool tuned_trials(const char *path, const struct tuned_key *key, struct tuned_trials *out,
				  struct error *err);
void tuned_trials_free(struct tuned_trials *trials);

struct tuned_choice {
	struct shape shape; /* that it was chosen at */
	bool beta_is_0;
	char constants[TUNED_CONSTANTS];
	double median;                    /* microseconds; 0: unknown */
	double gain, gain_low, gain_high; /* time of the file's defaults over its own; 0: unknown */
	char library[64];                 /* the fastest beside it; "" without */
	double library_ratio;             /* that one's time over its own */
	int64_t tried;                    /* schedules that it was chosen from */
	bool judged;                      /* its results, and they were right; false: imported */
	char when[32];
};

struct tuned_choices {
	size_t count;
	struct tuned_choice *items; /* owned; the newest last */
};

/* Keeps it in place of an earlier one of the key. */
bool tuned_choose(const char *path, const struct tuned_key *key, const struct tuned_choice *choice,
				  struct error *err);

/* Those of the key's device, problem, content, epilogue and flags at any shape. */
bool tuned_choices(const char *path, const struct tuned_key *key, struct tuned_choices *out,
				   struct error *err);
void tuned_choices_free(struct tuned_choices *choices);

/* The one for a shape: that of the same sizes; else, of the same class (each size divisible by the
 * same power of two up to 16, and beta 0 or not as here), the nearest by the logarithms of the
 * sizes, where none differs by more than a factor of 4. NULL: none. */
const struct tuned_choice *tuned_nearest(const struct tuned_choices *choices,
										 const struct test_case *test, bool *exact);

#endif
