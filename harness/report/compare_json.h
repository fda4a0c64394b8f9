/* What a comparison says, in JSON; README.md has the members. */
#ifndef GEMMJUDGE_REPORT_COMPARE_JSON_H
#define GEMMJUDGE_REPORT_COMPARE_JSON_H

#include <jansson.h>

#include "judgement/judgement.h"

/* Of a file with its epilogue: what it is beside everything else, into the object of its entry.
 * Nothing where it was not measured without the epilogue, as in `bench`. */
void compare_json_set(json_t *json, const struct timing_result *timing,
					  const struct timing_entry *fused, bool span);

/* `floor_us` of a timing: null where it is unknown. */
json_t *compare_json_floor(const struct timing_floor *floor);

#endif
