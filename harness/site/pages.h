/* What the pages of a leaderboard share: who is on them, and the addresses of the others. Internal
 * to site/. */
#ifndef GEMMJUDGE_SITE_PAGES_H
#define GEMMJUDGE_SITE_PAGES_H

#include "report/html/table.h"
#include "site/folder.h"
#include "store/leaderboard.h"

/* One content, under whatever names it was judged. */
struct page_submission {
	const char *content; /* borrowed */
	char page[FOLDER_NAME];
	size_t count;
	const struct measured **runs; /* the oldest first; owned */
};

/* The boards of one problem, epilogue and device: neighbours in the leaderboard. */
struct field {
	const struct board *boards; /* borrowed */
	size_t count;
	const struct board *main;
	char page[FOLDER_NAME]; /* with all of its shapes */
};

struct site {
	const struct leaderboard *all;
	const char *version;
	size_t submission_count;
	struct page_submission *submissions; /* in the order of the store; owned */
	size_t field_count;
	struct field *fields; /* owned */
};

/* False where memory runs out. Borrows `all`. */
bool site_make(const struct leaderboard *all, const char *version, struct site *out);
void site_free(struct site *site);

/* NULL: a run of no known content has no page. */
const struct page_submission *site_submission(const struct site *site, const struct measured *run);

#define SITE_ANCHOR 32
/* Of a board on its field's page: "shape-3". */
void site_anchor(const struct field *field, const struct board *board, char out[SITE_ANCHOR]);

#define SITE_TITLE 512
/* "gemm-f16 on NVIDIA H200, epilogue ..." */
void site_title(const struct field *field, char out[SITE_TITLE]);

/* ---- cells of tables ------------------------------------------------------------------ */

/* The file of a run, with a link to its content's page. */
void site_file_cell(struct html_table *table, const struct site *site, const struct measured *run);
/* The first digits of its hash, with the same link. */
void site_content_cell(struct html_table *table, const struct site *site,
					   const struct measured *run);
void site_verdict_cell(struct html_table *table, const struct measured *run);
/* "2026-11-23 05:19" */
void site_date_cell(struct html_table *table, const struct measured *run);
void site_time_cell(struct html_table *table, double microseconds);
/* Of the fastest library; empty without one. */
void site_ratio_cell(struct html_table *table, double ratio);

/* Seconds since 1970; NaN for what is no date. */
double site_seconds(const struct measured *run);

/* ---- the pages ------------------------------------------------------------------------- */

/* A board: a heading, its table, its times beside each other. */
void board_print(FILE *out, const struct site *site, const struct board *board);

/* The first at each shape beside the fastest library: a plot, of three shapes or more. */
void ratios_print(FILE *out, const struct field *field);

void pages_index_print(FILE *out, const struct site *site);
void field_print(FILE *out, const struct site *site, const struct field *field);
/* False where memory runs out. */
bool submission_print(FILE *out, const struct site *site, const struct page_submission *submission);

#endif
