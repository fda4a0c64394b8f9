/* The compiled solution: loading it, calling it, and looking at what it loads. */
#ifndef GEMMJUDGE_CONTESTANT_SOLUTION_H
#define GEMMJUDGE_CONTESTANT_SOLUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "contestant/call.h"
#include "process/protocol.h"
#include "testcases/problem.h"

struct solution {
	void *library; /* NULL: not loaded */
	void (*solve)(void);
	enum entry_kind entry; /* what that is */
	const struct problem *problem;
	struct call call; /* how solve() is called */
	/* Set by the header epilogue.cuh in a solution that includes it; else NULL. */
	int (*bind)(int stage, const void *bytes, size_t size);
	void (*after)(void); /* completes what the epilogue reduces */
	void (*part)(void);  /* of a solution in parts, solution_part(); else NULL */
	struct chain chain;  /* what to bind before each call */
};

/* Loads the library and finds solve(), or what is taken for it: one without extern "C" that has the
 * problem's parameters, or, with an order of sizes, solution(). On failure the status says why,
 * and err more. The runtime must have been loaded before. */
enum run_status solution_load(struct solution *out, const char *path, const struct problem *problem,
							  enum entry_order order, enum device_kind device, struct error *err);

/* Binds the arguments of the epilogue's stages, calls solve() once, in the
 * problem's form, and completes the epilogue. */
void solution_call(struct solution *solution, const struct test_case *test,
				   const struct call_operands *operands);

/* What solution_part() says of the case; -1 without one. */
int solution_part(const struct solution *solution, const struct test_case *test);

/* The libraries that do GEMMs and were in the process before the solution was: somebody else's. */
#define LIBRARIES_BEFORE 64
struct libraries {
	size_t count;
	uintptr_t base[LIBRARIES_BEFORE]; /* where they lie */
};
void libraries_note(struct libraries *out);

/* Whether another one is there now; its file name in err. */
bool libraries_came(const struct libraries *before, struct error *err);

#endif
