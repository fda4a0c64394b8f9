/* The times of those that were measured side by side at one shape. */
#ifndef GEMMJUDGE_JUDGEMENT_TIMING_H
#define GEMMJUDGE_JUDGEMENT_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judgement/denied.h"
#include "judgement/names.h"
#include "testcases/case.h"

#define JUDGE_SCHEDULE_TEXT 1200 /* the values of a file's constants, for people */

#define LIBRARY_FASTEST (-1) /* of its algorithms, by trying */
#define LIBRARY_UNKNOWN (-1) /* the id of an algorithm that nobody tells */

/* One of its algorithms, in cuBLASLt's numbers. */
struct library_algorithm {
#define RECORD_ALGORITHM
#include "judgement/record_fields.h"
};

/* A kernel as it was launched. */
#define KERNEL_NAME_BYTES 120
struct kernel_launch {
#define RECORD_KERNEL
#include "judgement/record_fields.h"
};

/* The kernels of one call; copies and sets are none. */
#define KERNELS_SHOWN 8
struct kernel_list {
	uint32_t run;   /* how many there were */
	uint32_t shown; /* how many of first[] are filled, in the order of their start */
	struct kernel_launch first[KERNELS_SHOWN];
};

/* Times of one entrant (the solution or a baseline) at one shape. Microseconds. */
struct timing_stats {
#define RECORD_STATS
#include "judgement/record_fields.h"
};

/* What each pass says of a call, in the order that they were made: the median of its calls (a
 * sealed pass: the mean). Calls of one pass have the clock and the caches of one moment; passes are
 * what two runs can be compared by. */
#define PASSES_KEPT 256 /* those after them are not kept */
struct timing_passes {
	uint32_t count;
	float microseconds[PASSES_KEPT];
};

struct timing_seal {
#define RECORD_SEAL
#include "judgement/record_fields.h"
};

/* Of back-to-back calls, in blocks of about a second; no samples where there were none. */
struct timing_steady {
#define RECORD_STEADY
#include "judgement/record_fields.h"
};

struct timing_entry {
#define RECORD_ENTRY
#include "judgement/record_fields.h"
};

/* compare: the least times of a call, in microseconds, of what the chain adds to the product and of
 * the product; what a GPU's units and its memory can do at most, one apart from the other. */
struct timing_floor {
	bool known;
	double special;      /* its special functions */
	double instructions; /* all of its instructions */
	double bytes;        /* of its operands, through the device's memory */
	double product;      /* floor_of() */
	bool branches;       /* instructions of all branches are counted: fewer may run */
	char uncounted[32];  /* a stage whose instructions nobody counted; "": none */
};

struct timing_result {
#define RECORD_TIMING
#include "judgement/record_fields.h"
};

/* Whether the times that count are of a steady stream, and not of bursts. */
bool timing_is_steady(const struct timing_result *timing);

/* Whether a compared result was wrong: an element of it, or all together. */
bool timing_leaves_bound(const struct timing_entry *entry);

/* Whether it is one of the files that the run is about, with its epilogue or without. */
bool timing_is_file(const struct timing_entry *entry);

/* What the process itself says: device spans, or times between events where there are none. */
const struct timing_stats *timing_own(const struct timing_entry *entry);

/* The times that count, and rank: of a steady stream where there was one; of sealed calls where the
 * host-side time is more; the process's own, moved up to the least that the host-side time allows,
 * where that confirms them; else the process's own as they are, of device spans or between events.
 */
const struct timing_stats *timing_shown(const struct timing_entry *entry, bool span);

/* A time that counts and is below seal.floor is an error of measurement, a file's as a library's:
 * the entry then has no times, and says so; its verdict stays. So have passes that are below it. */
void timing_keep_possible(struct timing_entry *entry);

#endif
