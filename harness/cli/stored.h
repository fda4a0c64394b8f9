/* What history, diff and leaderboard share: finding judgements, and showing them. */
#ifndef GEMMJUDGE_CLI_STORED_H
#define GEMMJUDGE_CLI_STORED_H

#include "cli/options.h"
#include "report/report.h"
#include "store/query.h"

/* Asks the store that the options name. */
bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err);

/* Shows what was found: as text, on stdout, or on stderr where --json - takes that; and as JSON
 * where the options ask for it. Both writers are given `found`. EXIT_ACCEPTED, or after a line on
 * stderr the exit status of a file that cannot be written. */
int stored_show(const struct options *options, report_any_writer text, report_any_writer json,
				const void *found);

#endif
