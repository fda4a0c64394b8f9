/* Whether a file's solve() takes as many arguments as its problem calls it with. extern "C" hides
 * that from the linker: one more, and the last holds what happens to lie there. The file's text
 * tells where it is plain; where solve() comes of a macro or from a header, the compiler does. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_ARITY_H
#define GEMMJUDGE_JUDGE_SUBMISSION_ARITY_H

#include "base/error.h"
#include "testcases/problem.h"

/* False only where the file's text leaves no doubt that it does not; then err says what it takes.
 */
bool arity_fits(const struct problem *problem, const char *source, struct error *err);

/* Where the text leaves it open: what is to be compiled behind the file, so that the compiler
 * refuses another number. Types are free, and a default argument need not be passed. False: nothing
 * is. */
#define ARITY_TEXT 8192
bool arity_question(const struct problem *problem, const char *source, char out[ARITY_TEXT]);

/* What the compiler's messages say of the question. */
enum arity_answer {
	ARITY_NO_ANSWER, /* nothing; whatever it refused is the file's own */
	ARITY_UNKNOWN,   /* it cannot tell, as of a solve() that is overloaded, or beside errors of the
						file's own: to be compiled without */
	ARITY_DIFFERS,   /* err says what solve() takes */
};
enum arity_answer arity_answer_of(const struct problem *problem, const char *log,
								  struct error *err);

#endif
