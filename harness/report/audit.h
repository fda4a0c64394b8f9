/* An audit of libraries as text, JSON and a page. README.md has the JSON. */
#ifndef GEMMJUDGE_REPORT_AUDIT_H
#define GEMMJUDGE_REPORT_AUDIT_H

#include <stdio.h>

#include "judgement/audit.h"
#include "report/report.h"

#define AUDIT_JSON_SCHEMA_VERSION 1

/* For people: a table of libraries, what is wrong with its cause, what changed between versions,
 * what was not audited. */
void report_audit_text(const struct audit *audit, const struct report_style *style, FILE *out);

/* `what` is a struct audit: report_save_any(). */
void report_audit_json(const void *what, FILE *out);
void report_audit_html(const void *what, FILE *out);

/* ---- words that all three share ----------------------------------------------------------------
 */

#define AUDIT_TEXT 1024
/* "gemm-f16 2850x2899x3316, alpha 1, beta 0" */
void audit_words_case(const struct audit *audit, const struct audit_row *row, char out[AUDIT_TEXT]);
/* "cuBLASLt 13.1.0, own choice, accurate mode" */
void audit_words_who(const struct audit *audit, const struct audit_row *row, char out[AUDIT_TEXT]);
/* "id 24, tile 20, split-K 4, reduction 1 (in place); kernel gemm, 12.3 us"; "" where nothing is
 * known */
void audit_words_how(const struct audit_row *row, char out[AUDIT_TEXT]);
/* "3.2 times the bound, 5 of 100 elements (5%), the last 64 rows"; of another fault its detail */
void audit_words_wrong(const struct audit_row *row, char out[AUDIT_TEXT]);
/* "the same bits in 3 calls"; "2 of 3 calls have the first one's bits, and call 2 is wrong" */
void audit_words_again(const struct audit_row *row, char out[AUDIT_TEXT]);
/* The cause and the hint; "" where nothing is wrong. */
void audit_words_cause(const struct audit_row *row, char out[AUDIT_TEXT]);
/* "wrong with 13.0.0 and right with 13.9.0; another algorithm; other bits" */
void audit_words_change(const struct audit *audit, const struct audit_change *change,
						char out[AUDIT_TEXT]);
/* What of a unit was not audited; false: nothing. */
bool audit_words_left(const struct audit_unit *unit, char out[AUDIT_TEXT]);
/* "2 of 12 results that libraries choose by themselves are wrong; ..." */
void audit_words_all(const struct audit *audit, char out[AUDIT_TEXT]);

#endif
