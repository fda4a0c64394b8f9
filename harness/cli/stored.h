/* What history, diff and leaderboard share: finding judgements. */
#ifndef GEMMJUDGE_CLI_STORED_H
#define GEMMJUDGE_CLI_STORED_H

#include "cli/options.h"
#include "store/query.h"

/* Asks the store that the options name. */
bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err);

#endif
