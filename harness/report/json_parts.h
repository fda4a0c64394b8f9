/* Parts of the JSON report that stand alone, too (README.md has their members). The caller lets go
 * of them; memory running out leaves members out. */
#ifndef GEMMJUDGE_REPORT_JSON_PARTS_H
#define GEMMJUDGE_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "judgement/judgement.h"

json_t *json_parts_run(const struct run_facts *facts); /* what stands before the results */
json_t *json_parts_result(const struct judgement *judgement);
json_t *json_parts_case(const struct problem *problem, const struct case_result *result);
json_t *json_parts_bench(const struct judgement_list *list); /* the times of each shape */

#endif
