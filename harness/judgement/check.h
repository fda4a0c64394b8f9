/* What one call came to: what its process says of it, and what comparing its result has found. */
#ifndef GEMMJUDGE_JUDGEMENT_CHECK_H
#define GEMMJUDGE_JUDGEMENT_CHECK_H

#include <stdint.h>

#include "base/digest.h"
#include "chain/chain.h"
#include "testcases/case.h"
#include "testcases/problem.h"

#define RUN_NAME_BYTES 64
#define RUN_TEXT_BYTES 512

/* What the solution's own process says of a call, and how it ended. It may be wrong: it is for
 * details and hints, and decides nothing. */
struct call_report {
	char error[RUN_NAME_BYTES];  /* "cudaErrorInvalidValue": the call's, or left behind by it */
	char failed[RUN_TEXT_BYTES]; /* the first CUDA call that failed; "": not known, or none */
	char advice[RUN_TEXT_BYTES]; /* what the device says to do; "": nothing */
	int64_t kept_bytes;          /* of device memory, that it allocated and did not free */
	int64_t peak_bytes;          /* that it had allocated at once; on a GPU: that it kept */
	int signal;                  /* that ended the process; 0: none */
};

/* Of a case: the problem's operands, then what the chain's stages read and write. */
#define BUFFERS_MAX (OPERANDS_MAX + CHAIN_BUFFERS_MAX)

#define CHECK_SHOWN 4
struct wrong_element {
#define RECORD_ELEMENT
#include "judgement/record_fields.h"
};
/* The errors of all elements beyond the rounding of each, over their deviation. */
struct check_spread {
	double squares; /* the sum of their squares */
	double expected,
		fourth; /* of their second and fourth powers: the sum of what they are at most */
};

/* The comparison of a result, and of guards and inputs, with what they should be. */
struct check_summary {
#define RECORD_CHECK
#include "judgement/record_fields.h"
};

/* What is said of elements that hold what they held before, of check_summary.untouched. Where beta
 * is 1, one that was stored with nothing added to it holds that, too. */
static inline const char *check_untouched_text(const struct problem *problem,
											   const struct test_case *test)
{
	return problem_takes(problem, SCALAR_BETA) && test->scalar[SCALAR_BETA] == 1.0f
			   ? "unchanged"
			   : "never written";
}

/* "C is read ...", of check_summary.read. */
static inline const char *check_read_text(const struct problem *problem)
{
	return problem_takes(problem, SCALAR_BETA) ? "although beta is 0" : "before it is written";
}

/* Whether an element is beyond its bound, or all together are. */
bool check_is_wrong(const struct check_summary *check);

/* "5 of 100 elements wrong, 3 of them never written; C is read although beta is 0" */
struct strbuf;
void check_say_wrong(const struct problem *problem, const struct test_case *test,
					 const struct check_summary *check, struct strbuf *out);

#endif
