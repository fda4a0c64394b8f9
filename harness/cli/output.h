/* Where judge and bench write: the terminal, the progress line, report files. */
#ifndef GEMMJUDGE_CLI_OUTPUT_H
#define GEMMJUDGE_CLI_OUTPUT_H

#include "cli/options.h"
#include "judge/judge.h"
#include "report/report.h"

/* The text for people: on stdout, or on stderr when stdout carries a report. */
struct output_text {
	FILE *stream;
	struct report_style style;
	struct report_written written;
	int failed; /* the errno of the first write that failed, or 0 */
};
void output_text_open(struct output_text *text, const struct options *options);

/* Shows a verdict at once, if there are more to come. */
void output_text_file(struct output_text *text, const struct judgement_list *list, size_t i);

/* The rest of the text, then each report file. All files are tried; err tells of the first that
 * failed. */
bool output_write(const struct options *options, struct output_text *text,
				  const struct judgement_list *list, struct error *err);

/* Writes the report files, not those that go to stdout, devices or pipes, with what is there by
 * now. That one cannot be written is told at the end, if it is still so. */
void output_save(const struct options *options, const struct judgement_list *list);

/* A line on stderr that is rewritten in place; nothing where stderr is no
 * terminal, or with --quiet. Of several files, it says how many are done and when to expect all; of
 * a single one, when to expect the end of its cases. */
struct output_progress {
	bool on, drawn;
	int width;
	double begun, last;       /* seconds of the monotonic clock; at the last drawing */
	size_t files, files_done; /* the caller counts */
	char last_file[64], last_what[32];
	double what_begun; /* when steps of last_what began, */
	size_t what_done;  /* and how many were done then */
};
void output_progress_open(struct output_progress *progress, const struct options *options);
void output_progress_step(void *progress, const char *file, const char *what, size_t done,
						  size_t total);
/* Draws any text in the place of a step. */
void output_progress_line(void *progress, const char *text);
void output_progress_close(struct output_progress *progress);

/* Whether colours suit the stream. */
bool output_color(const struct options *options, FILE *stream);

#endif
