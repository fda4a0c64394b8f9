/* What the code of a submission tried and the jail denied, for people: calls that are alike are
 * counted together, and of different ones a bounded number is kept. */
#ifndef GEMMJUDGE_JUDGEMENT_DENIED_H
#define GEMMJUDGE_JUDGEMENT_DENIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DENIED_MAX 16
#define DENIED_CALL 24
#define DENIED_WHAT 96

struct denied_call {
#define RECORD_DENIED
#include "judgement/record_fields.h"
};

struct denied_list {
	bool recorded;        /* somebody looked on; where nobody did, the list says nothing */
	char unrecorded[160]; /* why nobody looked on in some process whose calls were closed; "" */
	size_t count;
	struct denied_call calls[DENIED_MAX]; /* in the order of their first times */
	uint64_t more;                        /* calls beyond, that are like none of these */
};

/* Counts a call `times` times. Of both texts, which may be a stranger's, the first bytes are kept,
 * '?' in place of what is not printable ASCII. */
void denied_add(struct denied_list *list, const char *call, const char *what, uint64_t times);

/* Adds all that `from` holds. */
void denied_add_all(struct denied_list *list, const struct denied_list *from);

#endif
