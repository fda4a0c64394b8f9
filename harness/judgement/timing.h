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

/* A kernel as it was launched. */
#define KERNEL_NAME_BYTES 120
struct kernel_launch {
	char name[KERNEL_NAME_BYTES + 1]; /* demangled, without its parameters */
	uint32_t grid[3], block[3];       /* x, y, z, in blocks and in threads */
	uint32_t cluster[3];              /* in blocks; 1, 1, 1: none */
	uint32_t registers;               /* of a thread */
	uint32_t shared_bytes;            /* of a block, static and dynamic */
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
	uint32_t samples;
	double median, min, p95;
	double low, high; /* 95% confidence interval of the median (order statistics) */
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
	enum seal_state state;
	char why[400];      /* SEAL_NONE: why there were none; "" where nobody asked */
	double outside;     /* host-side time of a call, in microseconds */
	double uncertainty; /* of that, in microseconds */
	double idle;        /* what the process says of a call onto an idle GPU, with the host's
						   work before its kernels; no less than its claim */
	double least;       /* a file's time counts as no less: host-side time less what the passes
						   leave uncertain */
	bool slowed;        /* the process says more than the host saw: somebody slowed it down
						   while others were there */
	struct timing_stats shown; /* SEAL_OUTSIDE, and SEAL_CONFIRMED of a file whose claim is below
								  `least`: in place of what the process says; else no samples */
	double floor;              /* microseconds below which no time is believed; 0: unknown */
	uint32_t calls, passes;
};

struct timing_entry {
	char label[64]; /* "02_tiled.cu", "cuBLAS", "cuBLASLt" */
	enum timing_role role;
	char schedule[JUDGE_SCHEDULE_TEXT]; /* that it was compiled with; "" where none was looked for,
										   and in `judge`, where it is the judgement's */
	bool ran;
	enum verdict verdict;     /* ACCEPTED where it ran */
	char detail[512];         /* why it did not run */
	struct timing_stats span; /* device span (CUPTI); samples = 0 when unavailable */
	struct timing_stats event;
	struct timing_seal seal;
	struct timing_passes passes; /* of the times that count: timing_shown() */
	uint32_t activities;         /* device activities per call */
	bool enclosed;               /* `layers` is filled: what closed the entrant's process */
	unsigned layers;
	struct denied_list denied; /* what the entrant tried there and the jail denied */
	bool has_kernels;          /* `kernels` is filled: one call of the spans */
	struct kernel_list kernels;
	double tflops;      /* from the span when there, else from the events */
	uint64_t wrong;     /* elements found wrong in outputs of timed calls */
	double worst_ratio; /* of those: the largest error over its bound */
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
	char problem[32];
	struct test_case test;
	size_t count;                 /* entries[0] is the solution in `judge`; in `bench` the files
									 come first, in order, then the baselines */
	struct timing_entry *entries; /* owned */
	double sm_clock_mhz_min, sm_clock_mhz_median, sm_clock_mhz_limit; /* 0 unknown */
	bool throttled; /* NVML reported a slowdown while measuring */
	char throttle_reason[96];
	bool wide; /* the interval never got as narrow as asked */
	double seconds;
	uint32_t sets; /* input sets that were rotated */
	struct timing_floor floor;
};

/* Whether it is one of the files that the run is about, with its epilogue or without. */
bool timing_is_file(const struct timing_entry *entry);

/* What the process itself says: device spans, or times between events where there are none. */
const struct timing_stats *timing_own(const struct timing_entry *entry);

/* The times that count, and rank: of sealed calls where the host-side time is more; the process's
 * own, moved up to the least that the host-side time allows, where that confirms them; else the
 * process's own as they are, of device spans or between events. */
const struct timing_stats *timing_shown(const struct timing_entry *entry, bool span);

#endif
