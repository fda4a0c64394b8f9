/* The pipeline: compile, check on every case, time, verdict. */
#ifndef GEMMJUDGE_JUDGE_JUDGE_H
#define GEMMJUDGE_JUDGE_JUDGE_H

#include "base/error.h"
#include "judge/judgement.h"

struct judge_options {
	const char *const *files; /* solution files */
	size_t file_count;
	const char *problem;  /* NULL: from each file's folder */
	const char *epilogue; /* a chain of stages, fused into the solutions; NULL: none */
	const char *device;   /* "auto", "cuda", "cuda:N", "emu", "emu:DIR" */
	const char *emulate;  /* the GPU to emulate: "h200", "a100", "t4"; NULL: the default */
	bool check_race;      /* emulated: look for races in shared memory */
	bool counters;        /* emulated: what kernels did, into each judgement */
	const char *sanitize; /* the check of compute-sanitizer that it runs under; NULL: none */
	const char *under;    /* another command that it runs under, words and blanks; NULL: none */
	size_t cases;         /* generated ones; ignored with a suite */
	uint64_t seed;
	const char *const *suites; /* names or files, in order; count 0: generate */
	size_t suite_count;
	enum case_sizes sizes;           /* of generated cases */
	int max_dim;                     /* 0: the problem's own */
	int multiple;                    /* every size is one of this; 0 or 1: any */
	bool time;                       /* judge: also time; bench: only time */
	bool check;                      /* judge: true; bench: only outputs of timed calls */
	bool compare;                    /* bench: each file without the epilogue, too */
	const struct shape *time_shapes; /* as shape_parse() has them; empty: the problem's large
										case */
	size_t time_shape_count;
	bool time_scalars; /* use alpha and beta below when timing; else the problem's own
						  for its large case, and 1 and 0 for other shapes */
	float time_alpha, time_beta;
	const char *tolerance; /* "bound", "leetgpu", "ATOL,RTOL" */
	double timeout;        /* seconds per case; 0: 10 on a GPU, 60 on the emulated one */
	double time_budget;    /* seconds of measuring per shape; 0: 3 */
	size_t memory_limit;   /* bytes, resident; 0: 8 GiB */
	bool baselines;        /* measure cuBLAS and cuBLASLt beside the solution */
};

/* Progress, for a terminal. May be called often; must return fast. */
struct judge_progress {
	void (*step)(void *context, const char *file, const char *what, size_t done, size_t total);
	/* Whether to stop before the next case, with what there is by then; may be NULL. */
	bool (*stop)(void *context);
	void *context;
};

/* What kept the whole run from starting, for the exit status. */
enum judge_status {
	JUDGE_DONE,       /* *out is filled: verdicts are inside */
	JUDGE_BAD_INPUT,  /* unknown problem, unreadable file, bad suite, ...: err (exit 2) */
	JUDGE_CANNOT_RUN, /* no compiler, no such device: err (exit 3) */
};

enum judge_status judge_run(const struct judge_options *options,
							const struct judge_progress *progress, struct judgement_list *out,
							struct error *err);

#endif
