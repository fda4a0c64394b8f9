/* A judgement out of its JSON, so that what another machine's judge found is shown as one's own is.
 * Read are the members that text for people needs, however wrong they are: a stranger may have
 * written them. */
#ifndef GEMMJUDGE_REPORT_FROM_JSON_H
#define GEMMJUDGE_REPORT_FROM_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "judgement/judgement.h"

#define FROM_JSON_TEXTS 33

struct from_json {
	struct judgement_list list;          /* of one file */
	const char *suites[FROM_JSON_TEXTS]; /* what list.facts points to */
	const char *nvcc_flags[FROM_JSON_TEXTS];
};

/* `run` and `result` are what json_parts_run() and json_parts_result() made; members that are
 * missing are as if nothing was known. `run` lives as long as `out`. False with err where the
 * result's problem is none of this program's, or its verdict has no such name: another version made
 * it. */
bool from_json_read(const json_t *run, const json_t *result, struct from_json *out,
					struct error *err);
void from_json_free(struct from_json *it);

#endif
