/* What timings of many shapes come to: each file beside the fastest library. */
#ifndef GEMMJUDGE_REPORT_OVERALL_H
#define GEMMJUDGE_REPORT_OVERALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "judgement/judgement.h"

/* A file below this ratio is notably slower than the library. */
#define OVERALL_SLOW 0.9

struct overall {
	const char *problem, *label;
	size_t shapes;       /* where the file and a library were measured */
	size_t not_measured; /* where the file was not */
	double mean;         /* geometric, of the ratios; 0 without shapes */
	double worst;        /* the smallest ratio, */
	const struct timing_result *worst_at;
	size_t slow; /* shapes below OVERALL_SLOW */
};

/* The library that took the least time, by medians, of those whose results keep the error bound:
 * what files are compared with. NULL when there is none. */
const struct timing_entry *overall_library(const struct timing_result *timing);

/* That of all of them, whatever their results are. */
const struct timing_entry *overall_library_of_all(const struct timing_result *timing);

/* How far an entry's results leave the error bound and why, "0.93% of its results ..."; empty where
 * they keep it. */
void overall_wrong(const struct timing_entry *entry, struct strbuf *out);

/* Which library files are compared with, where that is not the fastest of all; else empty. */
void overall_chosen(const struct timing_result *timing, struct strbuf *out);

/* Whether libraries got elements of exact cases wrong, and what that says of the whole
 * run, in a sentence: where there is nothing to round, it is the GPU that computes
 * wrongly. Not told of runs with an epilogue, which rounds in its own ways. */
bool overall_gpu_wrong(char *out, size_t capacity, const struct judgement_list *list);

/* Its time over that of the entry; 0 when either was not measured. 1 when neither runs
 * anything on the device. */
double overall_ratio(const struct timing_result *timing, const struct timing_entry *entry);

/* The files of all problems one after the other: start with *at = 0; false after
 * the last one. */
bool overall_next(const struct judgement_list *list, size_t *at, struct overall *out);

/* "x.cu: 2.71 times as fast as the fastest library (geometric mean of 200 shapes),
 * worst 0.93 at 16x17x4096 (MxNxK), alpha 1, beta 0; none below 0.9" */
void overall_sentence(struct strbuf *out, const struct overall *overall);

/* A line for every shape and file, for people. */
void overall_table(const struct judgement_list *list, int width, FILE *out);

#endif
