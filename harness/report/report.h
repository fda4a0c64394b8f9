/* Shows judgements. Every writer gets the whole list and a stream; errors of
 * the stream are the caller's to check (report_save does). */
#ifndef GEMMJUDGE_REPORT_REPORT_H
#define GEMMJUDGE_REPORT_REPORT_H

#include <stdio.h>

#include "base/error.h"
#include "judgement/judgement.h"

#define REPORT_JSON_SCHEMA_VERSION 1

struct report_style {
	bool color;   /* ANSI colours that read on dark and light grounds */
	int width;    /* columns; 0 means 80 */
	bool verbose; /* every case, not only the first that failed; which kernels ran */
	bool quiet;   /* the line of each verdict and nothing else */
};

typedef void (*report_writer)(const struct judgement_list *list, FILE *out);

void report_text(const struct judgement_list *list, const struct report_style *style, FILE *out);

/* The text report in pieces, for who shows verdicts as they come: files in any order, then what was
 * not shown of them, and the end. Zero-initialise what was written. */
struct report_written {
	size_t files;
	bool *shown; /* of each file; owned until the end */
	bool apart;  /* a blank line comes before the next verdict */
};
void report_text_file(const struct judgement_list *list, size_t i, const struct report_style *style,
					  struct report_written *written, FILE *out);
void report_text_end(const struct judgement_list *list, const struct report_style *style,
					 struct report_written *written, FILE *out);

void report_json(const struct judgement_list *list, FILE *out);  /* README.md has the schema */
void report_junit(const struct judgement_list *list, FILE *out); /* a suite a file */
void report_markdown(const struct judgement_list *list, FILE *out);
void report_csv(const struct judgement_list *list, FILE *out); /* a row a file, ranked */
void report_markdown_verbose(const struct judgement_list *list, FILE *out); /* with the kernels */

void report_html(const struct judgement_list *list, FILE *out); /* a page; html/run.c */

/* Writes through a temporary file in the same folder and renames it, so that
 * the old file stays whole when the disk is full; "-" is stdout. Devices and
 * pipes are written in place. */
bool report_save(const char *path, report_writer writer, const struct judgement_list *list,
				 struct error *err);

/* As report_save() of anything else that a function writes. */
typedef void (*report_any_writer)(const void *what, FILE *out);
bool report_save_any(const char *path, report_any_writer writer, const void *what,
					 struct error *err);

/* Whether report_save could write there now: asked before a long run, so that a
 * wrong path costs nothing. Leaves nothing behind. */
bool report_probe(const char *path, struct error *err);

#endif
