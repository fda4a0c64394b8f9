/* What several report formats derive from a judgement in the same way. */
#ifndef GEMMJUDGE_REPORT_FACTS_H
#define GEMMJUDGE_REPORT_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "judgement/judgement.h"

/* "M 17, N 33, K 64, alpha 1, beta 0.5"; what a problem has not is left out. */
void facts_case_sizes(char *out, size_t capacity, const struct problem *problem,
					  const struct test_case *test);

/* "A uniform +-1, B normal 2, C zero": of what is read. */
void facts_case_values(char *out, size_t capacity, const struct problem *problem,
					   const struct test_case *test);

/* "row 3, column 5", "batch 1, row 3, column 5": of an element of the result. */
void facts_place(char *out, size_t capacity, const struct problem *problem,
				 const struct shape *shape, int row, int column);

/* "1024x1024x1024 (MxNxK), alpha 1, beta 0": what was timed. */
void facts_timed_shape(char *out, size_t capacity, const struct timing_result *timing);

/* The checked case whose worst element came nearest to (or farthest beyond) its
 * bound; NULL when no case was checked. One that the emulated GPU could not run says nothing. */
const struct case_result *facts_worst_case(const struct judgement *judgement);

/* Whether nvcc refused it, or a stage of the epilogue that it was to be judged with: then the
 * compiler's messages say why. */
bool facts_refused(const struct judgement *item);

/* What a table says of a file, in a line: its detail, and of what nvcc refused the first error,
 * without folders ("nvcc refused the file: a.cu(3): error: ..."). Gives out. */
#define FACTS_REASON 1536
const char *facts_reason(const struct judgement *item, char out[FACTS_REASON]);

/* It never had its turn: there is nothing to show but why. */
bool facts_never_run(const struct judgement *judgement);

size_t facts_failed_cases(const struct judgement *judgement);

/* Whether a file stands twice in it: with its epilogue and without. */
bool facts_is_comparison(const struct timing_result *timing);

/* One clock for a whole table, so that its rows can be compared: the device
 * span when every entry that ran has it, the events otherwise. */
bool facts_use_span(const struct timing_result *timing);
const struct timing_stats *facts_stats(const struct timing_entry *entry, bool span);

/* The time of an entry that counts, as tables, the JSON report and the store have it. */
struct facts_counted {
	const char *clock; /* timing_clock_name() of it */
	const struct timing_stats *stats;
	bool passes; /* its passes are of the same clock */
};
struct facts_counted facts_counted(const struct timing_result *timing,
								   const struct timing_entry *entry);

/* "of device span", "between events" or "in a steady stream": what a table's times are. */
const char *facts_times_are(const struct timing_result *timing);

/* At the beginning of a sentence: "Device span of a call". */
const char *facts_times_title(const struct timing_result *timing);

/* TFLOP/s that go with a time in microseconds; 0 when the time is 0. */
double facts_tflops(const struct shape *shape, double microseconds);

/* GB/s of the same, with operands read once and results written once, and read where
 * beta is not 0. */
double facts_gbytes(const struct timing_result *timing, double microseconds);

/* The one of both that says how good a time is, and its unit. */
double facts_rate(const struct timing_result *timing, double microseconds);
const char *facts_rate_unit(const struct timing_result *timing);

/* Speed of an entry in percent of the entry with this label ("cuBLAS"), by
 * medians; 0 when either did not run. */
double facts_percent_of(const struct timing_result *timing, const struct timing_entry *entry,
						const char *label, bool span);

/* The baselines that a table compares with, by label and for its head: cuBLAS and
 * cuBLASLt, or our own kernel where no library has the problem. */
#define FACTS_REFERENCES 2
struct facts_reference {
	const char *label, *name, *abbreviation; /* NULL: there is no such column */
};
void facts_references(const struct timing_result *timing,
					  struct facts_reference out[FACTS_REFERENCES]);

/* An entry of a comparison: "02_tiled.cu fused", "02_tiled.cu alone", "cuBLAS+kernel". */
#define FACTS_LABEL 80
void facts_label(const struct timing_entry *entry, char out[FACTS_LABEL]);
/* In a comparison as facts_label() has it, else the label as it is. */
void facts_label_of(const struct timing_result *timing, const struct timing_entry *entry,
					char out[FACTS_LABEL]);

/* "edges,my/own.ini": all suites of a run; "" where cases were generated. The caller frees it; NULL
 * where memory runs out. */
char *facts_suites(const struct run_description *facts);

/* "suite edges with sizes up to 512, all multiples of 8": which cases a run had. The same. */
char *facts_cases(const struct run_description *facts);

/* "SM clock 1980 MHz, lowest 1965, limit 1980; 24 input sets"; "" where nothing is known. */
void facts_clocks(char *out, size_t capacity, const struct timing_result *timing);

/* Half the width of the widest 95% interval among the entries, in percent of its median. */
double facts_widest_percent(const struct timing_result *timing);

/* What files ran on, and what compiled them: "2 x NVIDIA H200 (132 SMs, driver 580.159.04, CUDA
 * 13.0, cuBLAS 13.1.0, nvcc 13.0.88)", "emulated GPU, nvcc 13.0.88"; "" where there was no file to
 * judge. */
#define FACTS_DEVICE 400
const char *facts_device(const struct run_description *facts, char out[FACTS_DEVICE]);

/* What files that were judged on several devices at once had to share, in a sentence; "" where
 * there was one. */
#define FACTS_SHARED 200
const char *facts_shared(const struct run_description *facts, char out[FACTS_SHARED]);

/* The flags of nvcc that were asked for, blanks between them; "" without. */
const char *facts_nvcc_flags(const struct run_description *facts, char *out, size_t capacity);

/* Microseconds that keep three or more digits within seven columns: "3.14", "314.2". Gives out. */
#define FACTS_TIME 16
const char *facts_time(double microseconds, char out[FACTS_TIME]);

/* Half the width of the median's 95% interval, in percent of the median. */
double facts_half_width_percent(const struct timing_stats *stats);

#define FACTS_CUBLAS "cuBLAS"
#define FACTS_CUBLASLT "cuBLASLt"
#define FACTS_PLAIN "plain"

#endif
