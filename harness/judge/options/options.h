/* What is asked of the judge, whom it tells how far it is, and how that may end: plain data. */
#ifndef GEMMJUDGE_JUDGE_OPTIONS_OPTIONS_H
#define GEMMJUDGE_JUDGE_OPTIONS_OPTIONS_H

#include <assert.h>

#include "judge/options/device_list.h"
#include "judge/options/schedules.h"
#include "judge/options/sweep.h"
#include "judge/options/tolerance.h"
#include "judgement/judgement.h"

#define JUDGE_FLAGS_MAX 64 /* for nvcc, of one run */
#define JUDGE_BASELINES_MAX 4

/* The name of a file that is no file. */
#define JUDGE_STDIN "-"
#define JUDGE_STDIN_SHOWN "stdin" /* as judgements have it */

/* Alpha or beta of timed calls. */
struct judge_scalar {
	bool given;
	double value;
};

enum judge_mode {
	JUDGE_CHECKS,   /* on many cases, and times an accepted file on one */
	JUDGE_TIMES,    /* side by side; only outputs of timed calls are checked */
	JUDGE_COMPARES, /* times each file with its epilogue and without any */
};

/* A process that a batch lends to its judges, one after the other. */
struct judge_loan {
	int channel; /* 0: none is lent */
	int program; /* its process */
};

/* How the files are compiled. */
struct judge_compile {
	/* More flags for nvcc, when it compiles the files; NULL behind the last. */
	const char *const *nvcc_flags;
	size_t nvcc_flag_count;
	const struct judge_schedules *schedules; /* of the files' constants; NULL: their defaults */
	const char *keep; /* a folder for the PTX and the machine code of each file; or NULL */
	double timeout;   /* seconds of nvcc a file; 0: COMPILE_SECONDS */
};

/* What the emulated GPU is, looks for and counts. */
struct judge_emulation {
	const char *gpu;   /* one of gpu_emulated_ids */
	const char *check; /* one of checks_of_emulated */
	bool large_cases;  /* also those that take it minutes */
	uint64_t steps;    /* warp instructions that a launch may take; 0: by the case */
	bool counters;     /* what kernels did, into each judgement */
	bool by_line;      /* counters also by line of the source */
	bool uses;         /* says what kernels take of a GPU, too, for which ptxas has to run */
	uint32_t sample;   /* > 0: no more clusters of a launch are run; results are then wrong, and
						  counters are estimates (judge/count.h) */
};

/* A tool that solutions run under: one of these at most. */
struct judge_tool {
	const char *sanitize; /* one of checks_of_sanitizer */
	const char *under;    /* another command, words and blanks */
};

/* Which cases a file is judged on, or timed on where there are no shapes. */
struct judge_cases {
	size_t count; /* generated ones; ignored with a suite */
	uint64_t seed;
	const char *const *suites; /* names or files, in order, NULL behind the last; none: generate */
	size_t suite_count;
	const char *const *only; /* names of cases: no others; none: all */
	size_t only_count;
	const char *first;     /* the name of a case that is judged before all others; or NULL */
	bool fail_fast;        /* nothing is judged after the first case that is not accepted */
	enum case_sizes sizes; /* of generated cases */
	int max_dim;           /* 0: the problem's own */
	int multiple;          /* every size is one of this; 0 or 1: any */
};

/* JUDGE_CHECKS: cases are generated of each of these, and the first is timed; none: they are of all
 * sizes, and the problem's large case is timed. Else: to be timed; none: that case, or what a
 * comparison shows. */
struct judge_shapes {
	const struct shape_text *items;
	size_t count;
	const char *file;      /* that they are from; NULL: from the command line */
	const uint32_t *lines; /* its lines that they are on */
};

struct judge_timing {
	bool untimed;                 /* JUDGE_CHECKS: does not time */
	struct shape_text shape;      /* JUDGE_CHECKS: timed instead; count 0: none was named */
	struct sweep over;            /* JUDGE_COMPARES: each shape at each of these values */
	const char *const *baselines; /* JUDGE_COMPARES: files, and commands with {m}, {n} and {k} */
	size_t baseline_count;
	/* Where neither is given: the problem's own for its large case, else 1 and 0. */
	struct judge_scalar alpha, beta;
	double budget; /* seconds of measuring per shape; 0: 3 */
	bool sealed;   /* seals the times of JUDGE_TIMES and JUDGE_COMPARES too */
	bool thorough; /* of a library all algorithms are tried, not just those that it suggests */
	bool steady;   /* JUDGE_TIMES and JUDGE_COMPARES: also in a steady stream, which then counts */
};

/* What a file may take, and what it is closed in. */
struct judge_limits {
	double timeout;      /* seconds per case; 0: 10 on a GPU, 60 on the emulated one */
	double file_timeout; /* seconds of all cases of a file; 0: check.c says how many */
	size_t memory_mib;   /* resident; 0: 8192 */
	unsigned without;    /* layers of the jail that are left open, for tests */
	unsigned required;   /* layers without which nothing is judged */
};

/* The options of a run. 0 and NULL are defaults; strings and lists are borrowed, so that a copy of
 * it with a few members changed is cheap. What a run has in use (its device, referee, limits) is in
 * struct run (judge/run/run.h). */
struct judge_options {
	enum judge_mode mode;
	const char *const *files; /* solution files */
	size_t file_count;
	const char *input;             /* JUDGE_STDIN among the files: the file with what it held */
	const struct problem *problem; /* NULL: from each file's folder */
	const char *problem_file; /* the folder that it was read from, as the user names it; or NULL */
	const char *epilogue;     /* a chain of stages, fused into the solutions */
	struct device_list device;
	int beside;  /* a descriptor that a batch left us, whose judges share a device
					(run/timing_lock.h): the first file is compiled before the device is taken; 0:
					none */
	int referee; /* the channel of a referee that a batch lends us (run/referee_link.h); 0: none */
	struct judge_loan
		calibration;     /* the calibration kernel's process, for when we have the device alone */
	size_t jobs;         /* JUDGE_CHECKS: so many files at once; 0: as many as the machine bears */
	const char *profile; /* a file, behind whose lines go the steps of the run and their seconds
							(run/timeline.h); or NULL */
	struct tolerance_request tolerance;
	struct judge_compile compile;
	struct judge_emulation emulation; /* where the device is emulated */
	struct judge_tool tool;
	struct judge_cases cases;
	struct judge_shapes shapes;
	struct judge_timing timing;
	struct judge_limits limits;
};
static_assert(sizeof(struct judge_options) <= 1024, "it is copied: lists belong elsewhere");

/* Progress, for a terminal. May be called often; must return fast. With several devices, by several
 * threads: one at a time, but for stop(), which may be called at any time. */
struct judge_progress {
	void (*step)(void *context, const char *file, const char *what, size_t done, size_t total);
	/* JUDGE_CHECKS: a file was compiled, or refused: its log is there. May be NULL, as is the next.
	 */
	void (*compiled)(void *context, const struct judgement *item);
	/* JUDGE_CHECKS: the i-th case of a file was judged for the first time; what follows (a
	 * repetition, another order) may still change the verdict. */
	void (*judged_case)(void *context, const struct judgement *item, size_t i);
	/* JUDGE_CHECKS: the file of list->items[i] has its verdict, `list->facts` are there. In the
	 * order in which files end, not for those that are not run. May be NULL. */
	void (*verdict)(void *context, const struct judgement_list *list, size_t i);
	/* What is there by now, once in a while during a run, with every file that has had its turn;
	 * `facts.interrupted` is set. May be NULL. */
	void (*judged)(void *context, struct judgement_list *list);
	/* A line about why nothing goes on; may be NULL. */
	void (*note)(void *context, const char *line);
	/* Whether to stop before the next case, with what there is by then; may be NULL. */
	bool (*stop)(void *context);
	void *context;
};

/* What kept the whole run from starting, for the exit status. */
enum judge_status {
	JUDGE_DONE,       /* *out is filled: verdicts are inside */
	JUDGE_BAD_INPUT,  /* options that suit no file, bad suite, ...: err (exit 2) */
	JUDGE_CANNOT_RUN, /* no compiler, no such device: err (exit 3) */
	JUDGE_CUT_SHORT,  /* the run could not go on: *out is filled with what was judged before, the
						 rest is NOT_RUN, and err says why (exit 3) */
};

#endif
