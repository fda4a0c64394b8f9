/* A judgement out of its JSON, so that what another machine's judge found is shown, drawn and
 * compared as one's own is. However wrong the JSON is: a stranger may have written it. */
#ifndef GEMMJUDGE_REPORT_READ_H
#define GEMMJUDGE_REPORT_READ_H

#include <jansson.h>

#include "base/error.h"
#include "judgement/judgement.h"

#define REPORT_READ_TEXTS 33 /* suites, and flags of nvcc, and a NULL */

struct report_read {
	struct judgement_list list;
	const char *suites[REPORT_READ_TEXTS]; /* what list.facts points to */
	const char *nvcc_flags[REPORT_READ_TEXTS];
	json_t *json; /* that these texts are of; owned, NULL where the caller has it */
};

/* `run` and `result` are what record_of_run() and record_of_result() made; members that are missing
 * are as if nothing was known. `run` lives as long as `out`. False with err where the result's
 * problem is none of this program's, or a name is no such name: another version made it. */
bool report_read_result(const json_t *run, const json_t *result, struct report_read *out,
						struct error *err);

/* All results and timings of a report's file. False with err, in a line that begins with the
 * path. */
bool report_read_file(const char *path, struct report_read *out, struct error *err);

void report_read_free(struct report_read *it);

#endif
