/* What `submit` sends, and how it shows what comes back. */
#ifndef GEMMJUDGE_CLI_SUBMISSION_H
#define GEMMJUDGE_CLI_SUBMISSION_H

#include <jansson.h>

#include "cli/options.h"

/* The body of a submission of options->arguments[0], with the options that the user gave: the
 * caller's to let go of. A source that includes headers of its own is made one file. NULL with err:
 * the file cannot be read, or the server takes no such submission. */
json_t *submission_body(const struct options *options, struct error *err);

/* Prints the report of a submission that is done, as judge would, and writes --json. Returns the
 * exit status. */
int submission_show(const struct options *options, const char *program, const json_t *job);

#endif
