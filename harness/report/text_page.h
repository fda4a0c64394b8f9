/* What the files behind report_text() share: a page of text, and its parts.
 *   text.c         files, and what frames them
 *   text_page.c    colours, paragraphs, blocks
 *   text_cases.c   cases of a file
 *   text_timing.c  a table of times
 *   text_bench.c   many tables */
#ifndef GEMMJUDGE_REPORT_TEXT_PAGE_H
#define GEMMJUDGE_REPORT_TEXT_PAGE_H

#include "report/report.h"

struct text_page {
	FILE *out;
	int width;
	bool color, verbose;
};

/* Colours of the basic palette in bold or plain: they read on dark and light
 * grounds alike. */
#define TEXT_GOOD "\033[1;32m"
#define TEXT_BAD "\033[1;31m"
#define TEXT_WARNING "\033[35m"

/* Text of others, in one of these colours. */
void text_paint(const struct text_page *page, const char *color, const char *text);
/* A paragraph that is wrapped at the page's width; `indent`: of all its lines. */
void text_paragraph(const struct text_page *page, int indent, const char *text);
/* Lines as they are, each behind `lead`; at most `limit` from the end (0: all). */
void text_block(const struct text_page *page, const char *lead, const char *text, int limit);

/* The cases that failed, or all where the page is verbose. */
void text_cases(const struct text_page *page, const struct judgement *item);

/* The times of one shape, and what is to be known of them. */
void text_timing(const struct text_page *page, const struct timing_result *timing);
/* With --tuned: the schedule of a file. Nothing where it is "". `label` may be "". */
void text_schedule(const struct text_page *page, const char *label, const char *schedule);

/* What `bench` and `compare` found over their shapes. */
void text_bench(const struct text_page *page, const struct judgement_list *list);

#endif
