/* What one call came to: what its process says of it, and what comparing its result has found. */
#ifndef GEMMJUDGE_JUDGEMENT_CHECK_H
#define GEMMJUDGE_JUDGEMENT_CHECK_H

#include <stdint.h>

#include "chain/chain.h"
#include "testcases/case.h"
#include "testcases/problem.h"

#define RUN_NAME_BYTES 64
#define RUN_TEXT_BYTES 512

/* What the solution's own process says of a call, and how it ended. It may be wrong: it is for
 * details and hints, and decides nothing. */
struct call_facts {
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
	int32_t row, column; /* rows of all batches are counted through */
	uint32_t unwritten;  /* holds what it held before the call */
	double got, want, bound;
};
/* The comparison of a result, and of guards and inputs, with what they should be. */
struct check_facts {
	uint64_t elements;  /* of the result */
	uint64_t wrong;     /* elements outside their bound */
	uint64_t untouched; /* wrong ones that were not written: they hold what they held before */
	uint64_t read;    /* wrong ones that are made of what the result held before the call, which is
						 not to be read */
	uint64_t mended;  /* of these: right in a second call, but for what the result held there. So
						 each has its own old value added; others may be made of another's */
	uint64_t suspect; /* wrong ones that may be one or the other: a call on another result tells
						 (protocol.h, RECHECK) */
	double worst_ratio; /* max |out - ref| / bound; inf for NaN; exact cases: 0 or inf */
	double worst_error; /* max |out - ref| over finite elements */
	int32_t worst_row, worst_column;
	uint32_t shown; /* how many of first[] are filled, in row-major order */
	struct wrong_element first[CHECK_SHOWN];
	uint64_t changed[BUFFERS_MAX]; /* elements of each input that changed */
	uint64_t guard_changed;        /* bytes of guard bands that changed */
	int64_t guard_nearest; /* signed distance in bytes of the nearest changed guard byte from
							  its buffer: -1 just before it, +0 just after its end */
	uint32_t guard_buffer; /* which buffer that is */
	uint64_t extra_wrong;  /* of what stages wrote, elements outside their bound; not in `wrong` */
	uint32_t extra_buffer; /* which holds the first of them */
	struct wrong_element extra_first;
	uint64_t altered; /* of a sealed case, bit i: output i is not what it was when the call ended */
	uint32_t reference_spot_checks;   /* elements of the reference that were computed once more, on
										 the CPU from values drawn again */
	uint32_t reference_disagreements; /* of those outside their bound: a library bug */
};

/* What is said of elements that hold what they held before, of check_facts.untouched. Where beta is
 * 1, one that was stored with nothing added to it holds that, too. */
static inline const char *check_untouched_text(const struct problem *problem,
											   const struct test_case *test)
{
	return problem_takes(problem, SCALAR_BETA) && test->scalar[SCALAR_BETA] == 1.0f
			   ? "unchanged"
			   : "never written";
}

/* "C is read ...", of check_facts.read. */
static inline const char *check_read_text(const struct problem *problem)
{
	return problem_takes(problem, SCALAR_BETA) ? "although beta is 0" : "before it is written";
}

/* "5 of 100 elements wrong, 3 of them never written; C is read although beta is 0" */
struct strbuf;
void check_say_wrong(const struct problem *problem, const struct test_case *test,
					 const struct check_facts *check, struct strbuf *out);

#endif
