/* The schedules of a space that meet its constraints on one GPU at one shape. */
#ifndef GEMMJUDGE_SCHEDULES_SCHEDULE_H
#define GEMMJUDGE_SCHEDULES_SCHEDULE_H

#include "schedules/space.h"

#define SCHEDULES_MAX (1u << 20)

struct schedule {
	const int64_t *values; /* by space->constants; the list's */
	struct roles roles;
};

struct schedule_list {
	size_t count, constants;
	struct schedule *items;            /* in the order of candidates; owned */
	int64_t *storage;                  /* of their values; owned */
	size_t standard;                   /* the file's defaults; == count: they do not meet it all, */
	int standard_line;                 /* but not this constraint; 0: they do, or are not known */
	double combinations;               /* of all candidates */
	double refused[SPACE_RULES_MAX];   /* of these, by the rule that refused first */
	double undefined[SPACE_RULES_MAX]; /* of these, as the rule had no value */
};

/* Tries all combinations, each constraint as soon as its names are known. A role that is out of its
 * range, or has no value, refuses a schedule as a constraint does. False with err where none is
 * left (which constraint refused most), or too many are; *out is then empty. */
bool schedules_enumerate(const struct space *space, const struct tune_gpu *gpu,
						 const struct test_case *test, struct schedule_list *out,
						 struct error *err);
void schedules_free(struct schedule_list *list);

/* "BLOCK_M=64 BLOCK_N=128", cut off where it does not fit. */
#define SCHEDULE_TEXT 1024
void schedule_print(const struct space *space, const int64_t *values, char out[SCHEDULE_TEXT]);

/* The flags that nvcc gets for it: "-DBLOCK_M=64", ... */
struct schedule_flags {
	size_t count;
	char text[SPACE_CONSTANTS_MAX][SPACE_NAME_MAX + 24];
};
void schedule_flags(const struct space *space, const int64_t *values, struct schedule_flags *out);

#endif
