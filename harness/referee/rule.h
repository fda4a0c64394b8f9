/* The rule for one number: what it should be, and how far from that it may lie. check.h has the
 * verdict on an element of a plain product; here is what a chain adds. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_RULE_H
#define GEMMJUDGE_REFEREE_RULE_H

#include "referee/check.h"

/* The accumulator as the first stage gets it. */
struct carried rule_begin(const struct check_rule *rule, struct check_element element);

/* An element of the result, made of the last stage's value. */
struct check_finding rule_finish(const struct check_rule *rule, double out,
								 const struct carried *value);

/* An element that a stage has written, of this type: integers and numbers without infinity are
 * saturated. */
struct check_finding rule_written(const struct check_rule *rule, const struct type *type,
								  double out, const struct carried *value);

#endif
