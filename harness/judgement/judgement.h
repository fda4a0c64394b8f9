/* What the judge found: plain data, made by judge/, shown by report/. */
#ifndef GEMMJUDGE_JUDGEMENT_JUDGEMENT_H
#define GEMMJUDGE_JUDGEMENT_JUDGEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/content.h"
#include "judgement/bits.h"
#include "judgement/check.h"
#include "judgement/denied.h"
#include "judgement/device.h"
#include "judgement/names.h"
#include "judgement/timing.h"
#include "judgement/wrong.h"
#include "testcases/case.h"
#include "testcases/entry.h"

struct case_result {
#define RECORD_CASE
#include "judgement/record_fields.h"
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
#define RECORD_USE
#include "judgement/record_fields.h"
};

/* What the first case with a wrong result gave when it was run again: by itself in a new process,
 * twice. */
struct case_repeat {
	bool made;
	bool right_first, right_second; /* calls */
	bool same_first;                /* as in its turn, to the bit */
	bool same_second;               /* as in the call before */
};

/* Lines for the user that say what to do, each true of this very run; judge/hints/ makes them. */
#define HINTS_MAX 3
#define HINT_TEXT 1024
#define EXPLAINED_MAX 6

#define DEVICE_LABEL 24 /* "cuda:1", and its NUL */

struct judgement {
#define RECORD_RESULT
#include "judgement/record_fields.h"
#define RECORD_COMPILE
#include "judgement/record_fields.h"
};

/* One run of the program: facts that all judgements share. */
struct run_description {
#define RECORD_RUN
#include "judgement/record_fields.h"
};

struct judgement_list {
	struct run_description facts;
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
