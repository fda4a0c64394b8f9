/* What the first failing case gave when it was run again, by itself and twice. */
#include "judge/hints/hints.h"

#include <stdio.h>
#include <string.h>

#include "judge/hints/signature.h"

/* Tickets, and the like. */
static bool raises_counters(const struct hint_context *facts)
{
	static const char *const words[] = {"atomicAdd", "atomicInc", "fetch_add", "atom.", "red."};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (signature_has(facts->source, words[i]))
			return true;
	return false;
}

static bool first_call_only(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_repeat *repeat = &facts->judgement->repeat;
	if (!hint_is_kept(facts) || repeat->right_second)
		return false;
	strbuf_setf(
		out,
		"the first failing case is right in the first call of a new process, and wrong in the "
		"second one on the same input: solve() keeps something between calls (%s)",
		raises_counters(facts) ? "most likely counters that atomics raise keep their value from "
								 "the call before: set them to 0 in each call, before the "
								 "kernel or by the block that is last"
							   : "a static variable, memory that it expects to be 0");
	return true;
}

static bool right_alone(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_repeat *repeat = &facts->judgement->repeat;
	if (!hint_is_kept(facts) || !repeat->right_second)
		return false;
	if (facts->judgement->verdict == VERDICT_RUNTIME_ERROR)
		strbuf_setf(
			out, "the first failing case is right when it is run by itself: something is left over "
				 "from calls with other sizes, as a static buffer that was allocated for a smaller "
				 "one is; allocate it anew where it is too small");
	else
		strbuf_setf(
			out,
			"the first failing case is right when it is run by itself: something is left over from "
			"calls with other sizes (a static buffer, a size or a pointer that is kept), or a race "
			"goes well at times");
	return true;
}

/* The emulated GPU makes the second call in another order (judge/run/emulated.h). */
static bool right_in_order(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_repeat *repeat = &facts->judgement->repeat;
	if (!repeat->made || repeat->right_first || !repeat->right_second ||
		facts->device != DEVICE_EMULATED)
		return false;
	strbuf_setf(
		out, "%s",
		"the first failing case is right when its blocks and kernels run in another order: "
		"CUDA orders neither the blocks of a kernel, nor kernels of several streams without "
		"an event between, nor nodes of a graph without an edge, nor a dependent launch "
		"without cudaGridDependencySynchronize()");
	return true;
}

static bool differs(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_repeat *repeat = &facts->judgement->repeat;
	if (!repeat->made || repeat->right_first || (repeat->same_first && repeat->same_second) ||
		facts->judgement->race[0] != '\0') /* then it is known why */
		return false;
	strbuf_setf(
		out,
		"the first failing case gives other results when it is run again: a race, memory that "
		"is read before it is written, or atomics in another order; %s looks for the first two",
		facts->device == DEVICE_EMULATED ? "--check race on the emulated GPU"
										 : "--sanitize racecheck (or initcheck)");
	return true;
}

static bool swizzled_otherwise(const struct hint_context *facts, struct strbuf *out)
{
	const char *swizzle = facts->judgement->swizzle;
	if (swizzle[0] == '\0')
		return false;
	if (strcmp(swizzle, "flat") == 0)
		strbuf_setf(
			out, "%s",
			"the first failing case is right where wgmma reads its rows without a swizzle: the "
			"descriptor names one, and what was stored lacks it (for 128 bytes the unit of 16 "
			"bytes at address a belongs at a ^ (a >> 7 & 7) << 4; a tensor map with the same "
			"swizzle does it by itself)");
	else
		strbuf_setf(
			out,
			"the first failing case is right where wgmma's descriptors name another swizzle, "
			"%s%s: bits 62 and 63 are 0 for none, 1 for 128 bytes, 2 for 64 and 3 for 32",
			swizzle, strcmp(swizzle, "none") == 0 ? "" : " bytes");
	return true;
}

/* It was looked for after the verdict, and names both sides. */
static bool has_race(const struct hint_context *facts, struct strbuf *out)
{
	if (facts->judgement->race[0] == '\0' || hint_rows_overlap(facts) || hint_stored_beyond(facts))
		return false; /* it follows from what is stored where */
	strbuf_setf(out, "--check race finds one in the first failing case: %s",
				facts->judgement->race);
	return true;
}

/* No fault where all are right. */
static bool results_vary(const struct hint_context *facts, struct strbuf *out)
{
	if (facts->judgement->bits.repeatable != BITS_NO || !raises_counters(facts))
		return false;
	strbuf_setf(out, "%s",
				"calls on the same input give results that differ, though all cases are right: so "
				"do sums by atomics, whose order is another one each time");
	return true;
}

const struct hint_row hints_of_repeats[] = {
	{"results-vary", HINT_NOTE, results_vary},
	{"swizzled-otherwise", HINT_CAUSE, swizzled_otherwise},
	{"has-race", HINT_CAUSE, has_race},
	{"first-call-only", HINT_CAUSE, first_call_only},
	{"right-alone", HINT_CAUSE, right_alone},
	{"right-in-another-order", HINT_CAUSE, right_in_order},
	{"differs", HINT_CAUSE, differs},
	{0},
};
