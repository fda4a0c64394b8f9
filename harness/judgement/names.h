/* Verdicts, seals, roles and clocks, and what each is called in reports and in the store. */
#ifndef GEMMJUDGE_JUDGEMENT_NAMES_H
#define GEMMJUDGE_JUDGEMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judgement/device.h"

enum verdict {
	VERDICT_ACCEPTED,
	VERDICT_WRONG_ANSWER,
	VERDICT_COMPILE_ERROR,
	VERDICT_RUNTIME_ERROR, /* crash, exit(), device fault */
	VERDICT_TIME_LIMIT,
	VERDICT_MEMORY_LIMIT,
	VERDICT_RULE_VIOLATION, /* wrote to A, B or outside C; used a GEMM library */
	VERDICT_UNSUPPORTED,    /* this device cannot run it (instruction not emulated, ...) */
	VERDICT_NOT_RUN,        /* never got a chance: the judge stopped before it */
	VERDICT_BAD_FILE,       /* there is nothing to judge: missing, empty, of no problem, ... */
};

/* What sealed calls said of a time (judge/timing/README.md, "Sealed timing"). */
enum seal_state {
	SEAL_NONE,      /* there were none */
	SEAL_CONFIRMED, /* the host-side time agrees with what the process says */
	SEAL_HOST_SIDE, /* the host-side time is more: it counts */
	SEAL_UNCERTAIN, /* the host-side time cannot tell: too short, or an unsteady machine */
};

enum timing_role {
	TIMING_FILE,       /* a solution, with the run's epilogue if there is one */
	TIMING_FILE_PLAIN, /* compare: the same without it */
	TIMING_LIBRARY,    /* a baseline of ours */
	TIMING_BASELINE,   /* compare: a file that the user names to be compared with */
	TIMING_PROGRAM,    /* compare: a program that measured itself */
};

/* How a library computes. */
enum library_mode {
	LIBRARY_DEFAULT,  /* as a program gets it that asks for nothing */
	LIBRARY_ACCURATE, /* partial sums in f32, and one rounding of a 16-bit result */
};

/* What a time is by. */
enum timing_clock {
	CLOCK_EVENT,     /* of the process, with the launch */
	CLOCK_SPAN,      /* of the process: work on the device */
	CLOCK_HOST_SIDE, /* of sealed calls */
	CLOCK_STEADY,    /* of blocks of back-to-back calls, by the process */
};

/* What is said of the bits of a file's results (bits.h). */
enum bits_word { BITS_NOT_ASKED, BITS_YES, BITS_NO };

/* Names of an enumeration, in its order. */
struct names {
	const char *what; /* "verdict" */
	size_t count;
	const char *const *list;
};
extern const struct names names_of_verdict, names_of_seal_state, names_of_timing_role,
	names_of_library_mode, names_of_bits_word, names_of_bits_between;

/* "unknown" of a number that it has not. */
const char *names_at(const struct names *names, size_t number);

const char *verdict_name(enum verdict verdict);         /* "wrong_answer" */
const char *seal_state_name(enum seal_state state);     /* "not_confirmed" */
const char *timing_role_name(enum timing_role role);    /* "file without epilogue" */
const char *library_mode_name(enum library_mode mode);  /* "accurate" */
const char *device_kind_name(enum device_kind kind);    /* "emulated" */
const char *timing_clock_name(enum timing_clock clock); /* "span" */

/* Whether this is its name, as a report or a store has it. */
bool verdict_is(const char *name, enum verdict verdict);
bool seal_state_is(const char *name, enum seal_state state);
bool timing_role_is(const char *name, enum timing_role role);
bool device_kind_is(const char *name, enum device_kind kind);
bool timing_clock_is(const char *name, enum timing_clock clock);

/* Which one has this name, as a number of the enumeration; false where none has: a later version
 * may have written it. */
bool names_find(const struct names *names, const char *name, uint32_t *number);
bool verdict_of_name(const char *name, enum verdict *verdict);

#endif
