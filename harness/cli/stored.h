/* What history, diff and leaderboard share: finding judgements, and showing them. */
#ifndef GEMMJUDGE_CLI_STORED_H
#define GEMMJUDGE_CLI_STORED_H

#include "base/content.h"
#include "cli/options.h"
#include "report/report.h"
#include "store/query.h"

#define STORED_HASH_LEAST 4 /* digits */

/* Whether a text may be the beginning of a content's hash: then as the store has it. */
bool stored_hash(const char *text, char out[CONTENT_TEXT]);

/* Asks the store that the options name. */
bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err);

/* Shows what was found: as text, on stdout, or on stderr where --json - takes that; and as JSON
 * where the options ask for it. Both writers are given `found`. EXIT_ACCEPTED, or after a line on
 * stderr the exit status of a file that cannot be written. */
int stored_show(const struct options *options, report_any_writer text, report_any_writer json,
				const void *found);

#endif
