/* Which faults explain what is wrong: of those that the referee tried at each case, the one or two
 * that explain most cases. */
#ifndef GEMMJUDGE_JUDGE_HINTS_EXPLANATION_H
#define GEMMJUDGE_JUDGE_HINTS_EXPLANATION_H

#include "judge/hints/hints.h"

struct explanation {
	int count; /* of faults; 0: there is no explanation */
	enum wrong_fault faults[2];
	bool partly;       /* it is enough that it explains some wrong elements of a case */
	size_t cases, of;  /* it explains so many, of so many in which faults were tried */
	int32_t longest;   /* the most products of a sum in these cases */
	uint64_t compared; /* wrong elements in them */
};

/* One fault, or two where these explain more cases; none where neither explains half of them. */
struct explanation explanation_of(const struct hint_context *facts);

/* A fault of the epilogue that explains more cases than any of the operands' does, and at least
 * half: the first such one. False: there is none. */
bool explanation_of_stage(const struct hint_context *facts, struct wrong_stage *stage,
						  size_t *cases);

/* Whether it explains the case. */
bool explanation_holds(const struct case_result *result, const struct explanation *explanation);

/* Whether the fault, which is one of the explanation's, has a part in what is wrong there. */
bool explanation_has(const struct case_result *result, const struct explanation *explanation,
					 enum wrong_fault fault);

/* Whether all wrong elements are 0: many a fault would give that. */
bool explanation_zeros(const struct hint_context *facts);

#endif
