/* Calls solve() by the problem's table: its arguments in their order, whatever they are. */
#ifndef GEMMJUDGE_CONTESTANT_CALL_H
#define GEMMJUDGE_CONTESTANT_CALL_H

#include <ffi.h>
#include <stdbool.h>

#include "base/error.h"
#include "process/protocol.h"

#define CALL_ARGUMENTS_MAX (OPERANDS_MAX + SIZES_MAX + SCALARS_MAX)

/* What a call works on, in device memory: the buffers of a case, in the order of their table. */
struct call_operands {
	void *at[BUFFERS_MAX];
};

/* Prepared once for a problem; not to be moved. */
struct call {
	const struct problem *problem;
	bool wide; /* sizes are size_t; an int is the low half of one, in a register or on the stack */
	size_t count;
	struct argument arguments[CALL_ARGUMENTS_MAX];
	ffi_type *types[CALL_ARGUMENTS_MAX];
	ffi_cif interface;
};

/* For solve(), or, where `entry` says so, for solution() with its sizes in this order. */
bool call_prepare(struct call *call, const struct problem *problem, enum entry_kind entry,
				  enum entry_order order, struct error *err);

void call_run(struct call *call, void (*solve)(void), const struct test_case *test,
			  const struct call_operands *operands);
/* Calls a function with these parameters that returns an int. */
int call_asked(const struct call *call, void (*function)(void), const struct test_case *test,
			   const struct call_operands *operands);

#endif
