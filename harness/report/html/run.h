/* The parts of the page of a run, of which serve/ makes that of a submission. */
#ifndef GEMMJUDGE_REPORT_HTML_RUN_H
#define GEMMJUDGE_REPORT_HTML_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "judgement/judgement.h"

/* What was found in a file: its verdict, cases that failed, times, counters. `number` counts the
 * files of the run from 1: links lead to #file-<number>. Of more than three files each is a line
 * that opens. `guarantees`: says which layers of the jail held, as they are not those of all files.
 */
void html_judged(FILE *out, const struct judgement_list *list, size_t number, bool guarantees);

/* Parts of it: lines that say what to do; problem, device, cases and content; what the verdict
 * rests on, from the cases that failed to the table of all cases, and the times. */
void html_hints(FILE *out, const struct judgement *item);
void html_summary(FILE *out, const struct judgement *item, bool guarantees);
void html_evidence(FILE *out, const struct judgement_list *list, const struct judgement *item);

/* What its kernels and its calls take of a GPU; nothing where nobody knows. */
void html_kernels(FILE *out, const struct judgement *item, enum device_kind kind);

/* The files that were timed on the same shape as the first of them, beside the libraries; nothing
 * for fewer than two. */
void html_side_by_side(FILE *out, const struct judgement_list *list);

/* Entries of one shape beside each other: the plot, and its table with what there is to say of
 * their accuracy. */
void html_timing_figure(FILE *out, const char *title, const struct timing_result *timing);
void html_timing_data(FILE *out, const struct timing_result *timing);

/* The colour and mark of an entry beside others. */
unsigned html_series(enum timing_role role);

/* All shapes of `bench` and `compare`, problem by problem. */
void html_shapes(FILE *out, const struct judgement_list *list);

/* Timings of one problem below the peaks of the GPU: files, and the fastest library of each shape.
 * Where a peak is unknown, a line that says so. */
void html_roofline(FILE *out, const struct run_description *facts,
				   const struct timing_result *const *timings, size_t count);

#endif
