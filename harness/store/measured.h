/* What is known of one judgement, from the store or from a JSON report: plain data. */
#ifndef GEMMJUDGE_STORE_MEASURED_H
#define GEMMJUDGE_STORE_MEASURED_H

#include <stdint.h>

#include "base/content.h"
#include "base/paths.h"
#include "judgement/names.h"
#include "testcases/case.h"

/* The file's time at one shape. Microseconds. */
struct measured_time {
	char problem[32];
	struct shape shape;
	char *scalars;  /* scalars.h; owned */
	char clock[16]; /* "span" or "event" of the process, "host_side" of sealed calls; what passes
					   hold is of the same clock */
	char seal[16];  /* seal_state_name() */
	double median, low, high;
	size_t pass_count;
	double *passes;              /* owned */
	char library[64];            /* the fastest of the same run; "" without any */
	double library_microseconds; /* its median */
	double sm_clock_mhz;         /* median while it was timed; 0: unknown */
	bool without_epilogue, throttled;
};

struct measured_counter {
	char *kernel, *name; /* owned */
	int64_t value;
};

struct measured_case {
	char name[48];
	struct shape shape;
};

struct measured {
	int64_t id;                 /* of the stored judgement; 0: of a report */
	char *file, *detail;        /* owned */
	char *path;                 /* absolute; "" of a report; owned */
	char content[CONTENT_TEXT]; /* compile/content.h; "" in old reports */
	char when[32];              /* ISO 8601, UTC */
	char mode[16], problem[32], verdict[32], commit[32], host[128];
	char device_kind[16], device[128], driver[32];
	char nvcc[64], library[64]; /* versions: "13.0.88", "cuBLAS 13.1.0"; "" unknown */
	char tolerance[64];
	char *epilogue;                      /* "" without; owned */
	char epilogue_content[CONTENT_TEXT]; /* "" without, and of a report */
	char *nvcc_flags, *suites;           /* JSON lists; owned */
	int64_t cases, accepted;
	/* how cases were drawn; 0 and "" of a report */
	char seed[24], sizes[16];
	bool seed_given; /* else it was drawn */
	int32_t max_dim, multiple;
	char *case_names; /* of all cases, with commas; "" where they were not asked for; owned */
	char tokens[CONTENT_TEXT]; /* of copies but for comments and white space the same; "" unknown */
	char repeatable[16], batch_invariant[16]; /* names of enum bits_word */
	bool tuned;                               /* compiled with constants that tune chose */
	bool has_source;                          /* the store keeps it */
	/* What was submitted to a server: its id, whose it is (an account's id, and its name), and
	 * whether it was judged with options of its own; else "". */
	char job[40], user_id[40], user[72];
	bool practice;
	size_t time_count;
	struct measured_time *times; /* owned */
	size_t counter_count;
	struct measured_counter *counters; /* owned; only where they were asked for */
	size_t case_count;
	struct measured_case *case_list; /* the same */
};

struct measured_list {
	size_t count;
	struct measured *items; /* owned */
};

/* One more at the end, all zero; NULL where memory runs out. */
struct measured *measured_add(struct measured_list *list);
struct measured_time *measured_add_time(struct measured *measured);
struct measured_counter *measured_add_counter(struct measured *measured);
struct measured_case *measured_add_case(struct measured *measured);
void measured_free(struct measured *measured);
void measured_list_free(struct measured_list *list);

/* "1024x1024x1024 (MxNxK), alpha 1, beta 0" */
#define MEASURED_SHAPE 192
void measured_shape(const struct measured_time *time, char out[MEASURED_SHAPE]);
/* "1024x1024x1024" */
void measured_sizes(const struct measured_time *time, char out[SHAPE_TEXT]);

/* Whether both have the same problem, sizes and scalars, with the epilogue or without. */
bool measured_same_shape(const struct measured_time *a, const struct measured_time *b);

/* The rate that goes with the time, in what its problem counts ("TFLOP/s", or "GB/s" where memory
 * bounds it); 0 where nobody knows. */
double measured_rate(const struct measured_time *time);
const char *measured_rate_unit(const struct measured_time *time);

/* The fastest library's time over the file's; 0 where one is missing. */
double measured_ratio(const struct measured_time *time);

/* Whether they are ranked on the same boards but for the shape: of one problem, device and
 * epilogue. */
bool measured_same_field(const struct measured *a, const struct measured *b);

/* Whether both are one entry of a board: of the same user, or else of the same tokens. */
bool measured_same_entry(const struct measured *a, const struct measured *b);

/* Whether both hold the same tokens: they differ in comments and white space at most. */
bool measured_same_tokens(const struct measured *a, const struct measured *b);

/* conditions.c: how the cases of a run were chosen, in words: "12 generated cases, sizes up to 192,
 * seed 0x1, only random-10". */
#define MEASURED_CONDITIONS 320
void measured_conditions(const struct measured *run, char out[MEASURED_CONDITIONS]);
/* A text that is the same for two runs whose cases were chosen alike: of the same suites, or drawn
 * by the same rules, as many, all of them or the same ones, by a seed that was drawn or the same
 * one. The runs have `case_names`. The caller's to free; NULL: memory is short. */
char *measured_conditions_key(const struct measured *run);

/* The library that its times stand beside, with its version; "" unknown, and on the emulated GPU,
 * which has no times. */
const char *measured_library(const struct measured *measured);

/* The ratio to that library over all shapes, as a geometric mean; 0 without any. */
double measured_mean_ratio(const struct measured *measured);

/* Takes a list of numbers in JSON; false where it is none. */
bool measured_take_passes(struct measured_time *time, const char *json);

/* All results of a JSON report (harness/report/README.md), each with what the whole run shares.
 * Reads the file once, so that it may be a pipe. False with err where it is no such report; *out is
 * then empty. */
bool measured_read_report(const char *path, struct measured_list *out, struct error *err);

#endif
