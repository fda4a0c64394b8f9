/* What the judge found: plain data, made by judge/, shown by report/. */
#ifndef GEMMJUDGE_JUDGEMENT_JUDGEMENT_H
#define GEMMJUDGE_JUDGEMENT_JUDGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/content.h"
#include "judgement/check.h"
#include "judgement/denied.h"
#include "judgement/device.h"
#include "judgement/names.h"
#include "judgement/timing.h"
#include "judgement/wrong.h"
#include "testcases/case.h"
#include "testcases/entry.h"

struct case_result {
	struct test_case test;
	enum verdict verdict;
	char detail[1024]; /* one line for people; empty when accepted */
	bool too_large;    /* NOT_RUN: not for this device, and no fault of the solution */
	bool checked;      /* `check` is filled */
	struct check_facts check;
	struct call_facts facts;
	/* Of the first EXPLAINED_MAX cases with wrong elements; owned, else NULL. `map` is there where
	 * it has rows. */
	struct wrong_facts *wrong;
	struct wrong_gated gated; /* of the first cases in which what a gated stage wrote is wrong */
	double seconds;           /* wall time of solve() */
	uint64_t steps; /* emulated: warp instructions that each of its launches may take; 0: a GPU */
	char *output;   /* what the solution (or the emulator) printed during
					   the case; owned, NULL when nothing */
};

/* What a kernel did, as an emulated GPU counted it, summed over launches. */
struct counter {
	char name[96]; /* Nsight Compute's name where there is one; "launches" */
	uint64_t value;
};

/* What a line of the source cost there, where that was asked for. */
struct line_counters {
	char source[128]; /* "gemm.cu:42" */
	uint64_t instructions, shared_wavefronts, shared_conflicts, global_sectors, global_lines;
};

struct kernel_counters {
	char *name;  /* mangled; owned */
	char *shown; /* demangled, or the same as name; owned */
	size_t count;
	struct counter *counters; /* owned */
	size_t line_count;
	struct line_counters *lines; /* of one process; owned */
};

/* What a compiled kernel takes of a GPU, as ptxas says. */
#define KERNEL_USE_NAME 96
struct kernel_use {
	char name[KERNEL_USE_NAME];                     /* demangled, without parameters */
	int registers;                                  /* a thread */
	int64_t shared_bytes;                           /* static, a block */
	int64_t stack_bytes, spill_stores, spill_loads; /* bytes a thread */
};

/* What the first case with a wrong result gave when it was run again: by itself in a new process,
 * twice. */
struct case_repeat {
	bool made;
	bool right_first, right_second; /* calls */
	bool same_first;                /* as in its turn, to the bit */
	bool same_second;               /* as in the call before */
};

/* What two calls of an accepted file on the same input gave, where it has atomics. */
struct case_spread {
	bool differs;       /* not the same to the bit, though right */
	char name[64];      /* of the case */
	double worst_ratio; /* of both: the largest error, over its bound */
};

/* Lines for the user that say what to do, each true of this very run; judge/hints/ makes them. */
#define HINTS_MAX 3
#define HINT_TEXT 1024
#define EXPLAINED_MAX 6

#define DEVICE_LABEL 24 /* "cuda:1", and its NUL */

struct judgement {
	char file[4096];
	char problem[32];           /* "" where nobody knows it: a bad file */
	char content[CONTENT_TEXT]; /* the hash of what was compiled, or would have been; "" where it
								   could not be read */
	enum verdict verdict;
	char detail[1024]; /* one line; empty when accepted */
	char
		schedule[JUDGE_SCHEDULE_TEXT]; /* that it was compiled with; "" where none was looked for */
	struct case_repeat repeat;
	struct case_spread spread;
	bool order_proved; /* the first failing case is right with solve()'s arguments in the order of
						  its parameters' names */
	/* Two sizes with whose values exchanged the first failing case is right; the same one twice:
	 * none are. */
	enum size exchanged[2];
	/* How operands of wgmma have to be read in shared memory for that case to be right
	 * (EMULATED_GPU_SWIZZLE of emulator/README.md); "": in no other way, or nobody asked */
	char swizzle[8];
	char race[320]; /* that the emulated GPU, asked afterwards, finds in that case; "": none */
	size_t hint_count;
	char hints[HINTS_MAX][HINT_TEXT]; /* what is most certain and useful first */
	char device[DEVICE_LABEL];        /* that it was judged on, of several; else "" */
	char *compile_log;                /* owned; "" when silent */
	size_t use_count;                 /* 0: nobody knows, or there are none */
	struct kernel_use *uses;          /* of the machine code; owned */
	char uses_of[24];                 /* "sm_90a": whose machine code it is */
	double compile_seconds;
	bool compile_cached;
	bool cxx20;                /* it was compiled as C++20, which nobody had asked for */
	enum entry_kind entry;     /* what was called, as its process says */
	enum entry_order order;    /* of solution() */
	bool was_run;              /* its code; then: */
	unsigned layers;           /* of the jail that held in all of its processes (layers.h) */
	struct denied_list denied; /* what its code tried and the jail denied */
	size_t count;              /* cases */
	size_t accepted;
	size_t too_large;          /* cases that were left out for their size */
	struct case_result *cases; /* owned */
	bool has_timing;
	struct timing_result timing;
	bool has_larger; /* where the timed shape was too short to be confirmed: */
	struct timing_result larger;
	char timing_note[256]; /* why there is none ("the emulated GPU has no time") */
	char *tool_report;     /* of the tool that the solution ran under; owned, NULL when none */
	bool has_counters;     /* asked for, and written */
	size_t kernel_count;
	struct kernel_counters *kernels; /* owned */
};

/* One run of the program: facts that all judgements share. */
struct run_facts {
	char version[32];
	char started[CLOCK_DATE];   /* ISO 8601, UTC */
	struct device_facts device; /* its name is "" where there was no file to judge */
	enum device_kind device_kind;
	size_t devices; /* such ones that files were judged on at once */
	char nvcc[64];  /* version of the compiler: "13.0.88"; "" where there is none */
	uint64_t seed;
	const char *const *suites; /* names or files, in order; NULL-ended, or NULL when the cases were
								  generated; borrowed */
	char sizes[16]; /* of generated cases: one of case_sizes_names, or "given"; "" when there were
					   none */
	char shapes[SHAPE_TEXT];             /* those that were given: "512x512x64", "12 shapes" */
	int max_dim;                         /* 0: the problem's own */
	int multiple;                        /* that all sizes are of; 0: any */
	char tolerance[64];                  /* "bound", "leetgpu", "0.05,0.05" */
	char epilogue[1024];                 /* the chain that was fused; "" when none */
	char epilogue_content[CONTENT_TEXT]; /* a hash of its stages' files; "" when none */
	char tool[1100];                     /* that the solutions ran under; "" when none */
	const char *const *nvcc_flags;       /* that were asked for; NULL-ended, or NULL; borrowed */
	bool interrupted;                    /* by the user: less was done than was asked for */
	char command[1024];                  /* that reproduces this run */
};

struct judgement_list {
	struct run_facts facts;
	size_t count;
	struct judgement *items; /* owned */
	/* bench: every shape, the files of one problem side by side; empty in `judge` */
	size_t bench_count;
	struct timing_result *bench; /* owned */
	bool compare;                /* they are comparisons of fused with unfused epilogues */
};

/* A process of the file, closed by these layers. They hold for the file where they hold for every
 * one of its processes. Nothing where it never came so far. */
void judgement_take_layers(struct judgement *judgement, bool enclosed, unsigned layers);

/* Only what its kernels did; the rest stays. */
void judgement_free_kernels(struct judgement *judgement);
void judgement_free(struct judgement *judgement);
void judgement_list_free(struct judgement_list *list);

#endif
