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

/* Columns of the terminal; 80 where there is none. */
int output_width(FILE *stream);

/* Whether colours suit the stream. */
bool output_color(const struct options *options, FILE *stream);

#endif
