/* What tune reads from files and writes to them: the table of chosen schedules for a solution to
 * include, the space (T1) and results (T4) in the formats of the auto-tuning community. */
#ifndef GEMMJUDGE_CLI_TUNE_FILES_H
#define GEMMJUDGE_CLI_TUNE_FILES_H

#include "cli/tune.h"
#include "store/tuned.h"

/* What the table of --export begins with. */
#define TUNE_TABLE_MARK "/* Schedules that gemmjudge tune chose"

/* Finds what contradicts itself, before anything is done. */
bool tune_files_hold(const struct options *options, struct error *err);

/* --import-results, into the store, for the only shape. Says how many there were, and chooses the
 * fastest where none was chosen at that shape before. */
bool tune_files_read(const struct tuned *tuned, FILE *out, struct error *err);

/* --export, --export-space, --export-results. */
bool tune_files_write(const struct tuned *tuned, FILE *out, struct error *err);

/* T4. Configurations are the constants by name, times milliseconds. */
json_t *tune_results_json(const struct space *space, const struct tuned_trials *trials);
/* One element of "results"; false with err, which does not say which. */
bool tune_result_read(const json_t *json, const struct space *space, struct tuned_trial *out,
					  struct error *err);

#endif
