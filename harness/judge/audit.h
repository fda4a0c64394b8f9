/* An audit of libraries: each of their algorithms, over shapes, held to the error bound of the
 * problems that they are baselines of. */
#ifndef GEMMJUDGE_JUDGE_AUDIT_H
#define GEMMJUDGE_JUDGE_AUDIT_H

#include "base/error.h"
#include "judge/options/options.h"
#include "judgement/audit.h"

/* All is borrowed. Of `options` the problem (NULL: all that the libraries have), the shapes or
 * cases, the seed, the device and the limits count. */
struct audit_request {
	const struct judge_options *options;
	const char *library;        /* "cublas", "cublaslt", or a file that defines solve() and what
								   solutions/baselines/library.cuh declares; NULL: the first two */
	const char *const *folders; /* of libraries of NVIDIA's names, one or two that are compared */
	size_t folder_count;
	bool thorough;  /* all algorithms that can be enumerated, and all of the accurate mode */
	double seconds; /* for all of it; 0: any */
};

/* Whether `library` is one of these words, or else may be such a file, by its name. */
bool audit_is_word(const char *library);
bool audit_is_file(const char *library);

/* Fills *out, which is the caller's to free whatever is returned. JUDGE_DONE also where time ran
 * out or the user stopped it: the units say what was not audited. */
enum judge_status audit_run(const struct audit_request *request,
							const struct judge_progress *progress, struct audit *out,
							struct error *err);

#endif
