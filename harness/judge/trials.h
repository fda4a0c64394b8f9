/* One file in many variants, each compiled with flags of its own: they are compiled ahead, timed in
 * alternation as often as the caller wants, beside the libraries, and judged. What `tune` searches
 * with; the device stays locked and open from trials_open() to trials_close(). */
#ifndef GEMMJUDGE_JUDGE_TRIALS_H
#define GEMMJUDGE_JUDGE_TRIALS_H

#include "judge/options/options.h"

#define TRIALS_TOGETHER 8 /* in alternation, at most */

struct trials; /* opaque */

/* The device of the options, and what all variants of options->files[0] share. Options and progress
 * are borrowed. NULL with err and *status (JUDGE_BAD_INPUT, JUDGE_CANNOT_RUN). */
struct trials *trials_open(const struct judge_options *options,
						   const struct judge_progress *progress, enum judge_status *status,
						   struct error *err);
const struct device_properties *trials_device(const struct trials *trials, enum device_kind *kind);
/* The version of nvcc that compiles them; "" where there is none. */
const char *trials_nvcc(const struct trials *trials);
void trials_close(struct trials *trials);

/* From here on these are the variants, 0 to count - 1, and compiled in this order, beside whatever
 * else happens but timing. Those before them are gone. `flags` of each, NULL-ended, are borrowed.
 */
bool trials_compile(struct trials *trials, const char *const *const *flags, size_t count,
					struct error *err);

/* Compiles no more of them; those that are compiled stay. */
void trials_settle(struct trials *trials);

/* Compiles all that the libraries need, so that it takes no time later. */
bool trials_prepare_libraries(struct trials *trials, struct error *err);

/* How many variants from `first` on are compiled (or refused by the compiler), at most `most`;
 * waits for the first of them until `deadline` (of clock_seconds()). False with err where nothing
 * can be compiled at all. */
bool trials_ready(struct trials *trials, size_t first, size_t most, double deadline, size_t *ready,
				  struct error *err);

struct trials_round {
	const struct test_case *test;
	const size_t *variants; /* TRIALS_TOGETHER at most */
	size_t count;
	size_t passes;   /* of each; 0: until times are certain */
	double deadline; /* no pass is begun after it, but for the first two; variants that are not
						compiled by then take no part */
	bool libraries;  /* beside them */
};
/* An entry says so, with VERDICT_NOT_RUN, of a variant that the deadline overtook. */

/* Times variants in alternation; out->entries[i] belongs to variants[i], libraries come behind
 * them. Processes live on while rounds have the same variants or some of them. False with
 * err when the device cannot go on. The caller frees out->entries. */
bool trials_time(struct trials *trials, const struct trials_round *round, struct timing_result *out,
				 struct error *err);

/* Generated ones. */
struct trials_cases {
	size_t count;
	int max_dim; /* their sizes are at most this, where options->max_dim is 0 */
};

/* Judges a variant on such cases, until the deadline; *out is a judgement like that of
 * `judge`, the caller's to free. False with err when the device cannot go on. */
bool trials_check(struct trials *trials, size_t variant, struct trials_cases cases, double deadline,
				  struct judgement *out, struct error *err);

#endif
