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
