/* What the process of the solution, its device and its end say: launches that were refused, faults,
 * kernels that do not end. They may be lies, which no verdict rests on. */
#include "judge/hints/explanation.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/hints/signature.h"
#include "process/protocol.h"

/* The case that decides the verdict; NULL: no case does. */
static const struct case_result *first_failing(const struct hint_context *facts)
{
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		if (result->verdict != VERDICT_ACCEPTED && result->verdict != VERDICT_NOT_RUN)
			return result;
	}
	return NULL;
}

/* Whether the process printed `words`. */
static bool printed(const struct case_result *result, const char *words)
{
	return result != NULL && result->output != NULL && strstr(result->output, words) != NULL;
}

/* ---- calls that failed ------------------------------------------------------------- */

static bool out_of_memory(const struct case_result *result)
{
	return strcmp(result->facts.error, "cudaErrorMemoryAllocation") == 0 ||
		   strncmp(result->facts.failed, "cudaMalloc", strlen("cudaMalloc")) == 0;
}

/* How many calls before the first failing case kept device memory, and how much; 0 where one of
 * them kept none, as a workspace that is allocated once does. */
static size_t calls_that_kept(const struct hint_context *facts, uint64_t *bytes)
{
	const struct judgement *judgement = facts->judgement;
	size_t kept = 0;
	*bytes = 0;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct case_result *result = &judgement->cases[i];
		if (result->verdict == VERDICT_NOT_RUN)
			continue;
		if (result->verdict != VERDICT_ACCEPTED)
			break;
		if (result->facts.kept_bytes <= 0)
			return 0;
		*bytes += (uint64_t)result->facts.kept_bytes;
		kept++;
	}
	return kept;
}

/* A GPU tells what is free for all of its processes together, which change it by some hundred MiB:
 * what fills it is more. */
static bool keeps_memory(const struct hint_context *facts, struct strbuf *out)
{
	uint64_t bytes, least = facts->device == DEVICE_EMULATED ? 0 : facts->memory_bytes / 4;
	size_t calls = calls_that_kept(facts, &bytes);
	if (calls < 2 || bytes < least)
		return false;
	strbuf_setf(
		out,
		"each call of solve() allocates device memory that it never frees, %llu bytes in %zu "
		"calls: cudaFree() what the call allocates, or allocate it once and keep it",
		(unsigned long long)bytes, calls);
	return true;
}

static bool memory_ran_out(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	return failing != NULL && out_of_memory(failing) && keeps_memory(facts, out);
}

static bool device_says(const struct hint_context *facts, struct strbuf *out);

/* Whether it is known which index leads past the end of an operand, or that none does where the
 * case is run by itself. */
static bool index_known(const struct hint_context *facts, const struct case_result *failing)
{
	return strcmp(failing->facts.error, "cudaErrorIllegalAddress") == 0 &&
		   (explanation_of(facts).count > 0 || hint_sizes_differ(facts) ||
			hint_rows_overlap(facts) || hint_is_kept(facts));
}

/* Of a call that was refused, what follows from it needs no advice, nor do barriers that look
 * wrong where it is known what is. */
static bool device_advises(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || failing->facts.advice[0] == '\0' || facts->judgement->order_proved ||
		index_known(facts, failing) || device_says(facts, out) ||
		(failing->facts.error[0] == '\0' && failing->facts.failed[0] == '\0' &&
		 hint_fault_known(facts)))
		return false;
	strbuf_setf(out, "%s", failing->facts.advice);
	return true;
}

/* What a GPU, which says no more than a code, may mean by it. */
static const struct {
	const char *error, *hint;
} codes[] = {
	{"cudaErrorInvalidValue",
	 "a launch or a call was refused for its arguments: a block has 1024 threads at most, a grid "
	 "at "
	 "least 1 block and 65535 in y and z, and dynamic shared memory above 48 KiB needs "
	 "cudaFuncSetAttribute; --device emu says which call it is"},
	{"cudaErrorInvalidConfiguration",
	 "a launch was refused: a block has 1024 threads at most, a grid at least 1 block and 65535 in "
	 "y and z; --device emu says which kernel it is"},
	{"cudaErrorLaunchOutOfResources",
	 "a launch was refused: the registers of its threads are more than a multiprocessor has, "
	 "65536; "
	 "launch smaller blocks, or give the kernel __launch_bounds__(threads of a block)"},
	{"cudaErrorIllegalAddress",
	 "a kernel reached memory that is not its own: --device emu names the access, its line in the "
	 "source and the operand that it missed (as --sanitize memcheck does, less exactly)"},
	{"cudaErrorMisalignedAddress",
	 "a kernel reached an address that is no multiple of the access's size: rows of an odd length "
	 "begin anywhere; --device emu names the line"},
	{"cudaErrorMemoryAllocation", "cudaMalloc found no room: ask for less, and free what each call "
								  "allocates"},
};

static bool code_means(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || facts->device == DEVICE_EMULATED)
		return false;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (strcmp(failing->facts.error, codes[i].error) == 0)
			strbuf_setf(out, "%s", codes[i].hint);
	return out->length > 0;
}

/* A result was compared although a call had failed. */
static bool went_on(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || !failing->checked || failing->facts.error[0] == '\0' ||
		failing->verdict == VERDICT_UNSUPPORTED) /* of the device, not of the file */
		return false;
	strbuf_setf(out,
				"solve() goes on after %s: look at what CUDA's functions return, and at "
				"cudaGetLastError() after each launch",
				failing->facts.error);
	return true;
}

/* The driver's functions leave nothing behind for cudaGetLastError(). */
static bool call_failed(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || failing->facts.failed[0] == '\0' ||
		(failing->verdict != VERDICT_WRONG_ANSWER && failing->verdict != VERDICT_RUNTIME_ERROR) ||
		strncmp(failing->facts.failed, "kernel ", strlen("kernel ")) == 0)
		return false;
	strbuf_setf(out, "a call failed in the failing case, and solve() went on: %s",
				failing->facts.failed);
	return true;
}

/* ---- what the emulated GPU says ------------------------------------------------------------ */

/* Words of its messages, and what to do about them where it does not say so itself. */
static const struct {
	const char *words, *hint;
} said[] = {
	{"is still to write: a wait is missing", "a copy brings that memory meanwhile: wait for it in "
											 "the thread that began it, then a barrier, "
											 "before others read what it brings; and another "
											 "barrier before the next copy to the same place"},
};

#define EMULATED_SAYS "emulated GPU: "

/* A call of the driver that was refused: "cuTensorMapEncodeTiled: why". */
static bool driver_refused(const char *output, struct strbuf *out)
{
	for (const char *line = output; line != NULL; line = strstr(line + 1, EMULATED_SAYS)) {
		const char *call = line + strlen(EMULATED_SAYS);
		if (strncmp(line, EMULATED_SAYS "cu", strlen(EMULATED_SAYS "cu")) != 0 ||
			!isupper((unsigned char)call[2]))
			continue;
		strbuf_setf(out, "the driver refused a call, and solve() went on: %.*s",
					(int)strcspn(call, "\n"), call);
		return true;
	}
	return false;
}

static bool device_says(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || failing->verdict == VERDICT_TIME_LIMIT)
		return false;
	if (failing->output != NULL && driver_refused(failing->output, out))
		return true;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (printed(failing, said[i].words)) {
			strbuf_setf(out, "%s", said[i].hint);
			return true;
		}
	return false;
}

/* grid.sync() of a launch whose blocks need not all run at once. */
static bool grid_waits(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	const char *file = facts->source;
	if (failing == NULL || failing->verdict == VERDICT_ACCEPTED ||
		!signature_has(file, "this_grid(") || signature_has(file, "cudaLaunchCooperativeKernel") ||
		signature_has(file, "cudaLaunchAttributeCooperative"))
		return false;
	strbuf_setf(out, "grid.sync() needs a cooperative launch, and the file has none: launch with "
					 "cudaLaunchCooperativeKernel(), and no more blocks than the GPU runs at once");
	return true;
}

/* ---- host code ------------------------------------------------------------------------ */

static bool touches_device(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || failing->facts.signal == 0 || !printed(failing, FAULT_TOUCHED) ||
		!printed(failing, FAULT_OF_DEVICE))
		return false;
	strbuf_setf(out,
				"host code cannot read or write device memory: do it in a kernel, or copy with "
				"cudaMemcpy first");
	return true;
}

static bool touches_null(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (failing == NULL || failing->facts.signal == 0 || !printed(failing, FAULT_OF_NULL))
		return false;
	strbuf_setf(
		out, "host code went through a null pointer: look at what malloc, cudaMalloc and the like "
			 "returned, and whether a pointer was ever set");
	return true;
}

/* ---- what does not end ------------------------------------------------------------------ */

/* Before `words`: "emulated GPU: kernel NAME, block (0,0,0), thread (0,0,0): INSTRUCTION at
 * FILE:LINE" */
static bool find_running(const char *output, const char *words, struct strbuf *kernel,
						 struct strbuf *place)
{
	const char *end = strstr(output, words), *line = end;
	while (line != NULL && line > output && line[-1] != '\n')
		line--;
	const char *name = line != NULL ? strstr(line, "kernel ") : NULL;
	const char *behind = name != NULL && name < end ? strstr(name, ", block (") : NULL;
	const char *at = NULL;
	for (const char *next = name; next != NULL && next < end; next = strstr(next + 1, " at "))
		at = next; /* the last one before the end */
	if (behind == NULL || at <= behind || behind >= end || at + strlen(" at ") > end)
		return false;
	name += strlen("kernel ");
	at += strlen(" at ");
	strbuf_add_bytes(kernel, name, (size_t)(behind - name));
	strbuf_add_bytes(place, at, (size_t)(end - at));
	return true;
}

static bool lacks_on_mbarrier(const struct case_result *failing, const char *kernel,
							  const char *place, struct strbuf *out)
{
	const char *waits = strstr(failing->output, FAULT_MBARRIER);
	unsigned arrivals;
	int bytes;
	if (waits == NULL ||
		sscanf(waits, FAULT_MBARRIER "%u arrivals and %d bytes", &arrivals, &bytes) != 2)
		return false;
	strbuf_setf(
		out,
		"kernel %s waits at %s for an mbarrier that lacks %u arrivals and has got %d "
		"bytes too %s: its count of arrivals, or the bytes of expect_tx, are not what comes "
		"(copies bring the bytes of their whole box)",
		kernel, place, arrivals, abs(bytes), bytes < 0 ? "many" : "few");
	return true;
}

/* One call; a file whose cases take long together need not have one that does not end. */
static bool call_takes_long(const struct case_result *failing)
{
	return failing != NULL && failing->verdict == VERDICT_TIME_LIMIT &&
		   strstr(failing->detail, "--file-timeout") == NULL;
}

/* Where the kernel was when its time was over. */
static void say_where(const struct case_result *failing, bool stopped, const char *kernel,
					  const char *place, struct strbuf *out)
{
	if (lacks_on_mbarrier(failing, kernel, place, out))
		return;
	if (stopped && !printed(failing, FAULT_OVER_STEPS))
		strbuf_setf(out,
					"kernel %s waits at %s for what never comes: every thread that is left only "
					"waits, and more time or instructions change nothing",
					kernel, place);
	else
		strbuf_setf(out,
					"kernel %s is at %s when %s: it waits there for what never comes, or its "
					"loop does not end, or there is too much to do (%s gives it more)",
					kernel, place,
					stopped ? "it has taken all its instructions" : "its time is over",
					stopped ? "--steps N" : "--timeout SECONDS");
}

static bool kernel_runs(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	struct strbuf kernel = {0}, place = {0};
	if (!call_takes_long(failing))
		return false;
	const bool stopped = printed(failing, FAULT_NEVER_ENDS);
	const char *words = stopped ? FAULT_NEVER_ENDS : FAULT_STILL_RUNS;
	const bool found =
		printed(failing, words) && find_running(failing->output, words, &kernel, &place);
	if (found)
		say_where(failing, stopped, strbuf_text(&kernel), strbuf_text(&place), out);
	strbuf_release(&kernel);
	strbuf_release(&place);
	return found;
}

static bool device_runs(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (!call_takes_long(failing) || facts->device == DEVICE_EMULATED ||
		!printed(failing, FAULT_ON_DEVICE))
		return false;
	strbuf_setf(
		out, "solve() has returned, and a kernel does not end: --device emu names it, and the line "
			 "that it is at");
	return true;
}

/* On the emulated GPU a kernel runs inside of the call that launches it, and says where it is. */
static bool host_runs(const struct hint_context *facts, struct strbuf *out)
{
	const struct case_result *failing = first_failing(facts);
	if (!call_takes_long(failing) || printed(failing, FAULT_STILL_RUNS) ||
		printed(failing, FAULT_NEVER_ENDS) || !printed(failing, FAULT_IN_SOLVE))
		return false;
	strbuf_setf(
		out, "%s",
		facts->device == DEVICE_EMULATED
			? "no kernel is at work when the time is over: host code of solve() does not end"
			: "solve() does not return: its host code does not end, or waits for a kernel that "
			  "does not; --device emu tells which");
	return true;
}

const struct hint_row hints_of_calls[] = {
	{"memory-ran-out", HINT_CAUSE, memory_ran_out},
	{"grid-waits", HINT_CAUSE, grid_waits},
	{"call-failed", HINT_CAUSE, call_failed},
	{"device-says", HINT_CAUSE, device_says},
	{"device-advises", HINT_CAUSE, device_advises},
	{"code-means", HINT_CAUSE, code_means},
	{"touches-device", HINT_CAUSE, touches_device},
	{"touches-null", HINT_CAUSE, touches_null},
	{"kernel-runs", HINT_PLACE, kernel_runs},
	{"device-runs", HINT_PLACE, device_runs},
	{"host-runs", HINT_PLACE, host_runs},
	{"went-on", HINT_KIND, went_on},
	{0},
};
