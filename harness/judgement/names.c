#include "judgement/names.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "judgement/bits.h"

#define COUNT(names) (sizeof(names) / sizeof *(names))

static const char *const verdicts[] = {
	[VERDICT_ACCEPTED] = "accepted",
	[VERDICT_WRONG_ANSWER] = "wrong_answer",
	[VERDICT_COMPILE_ERROR] = "compile_error",
	[VERDICT_RUNTIME_ERROR] = "runtime_error",
	[VERDICT_TIME_LIMIT] = "time_limit",
	[VERDICT_MEMORY_LIMIT] = "memory_limit",
	[VERDICT_RULE_VIOLATION] = "rule_violation",
	[VERDICT_UNSUPPORTED] = "unsupported",
	[VERDICT_NOT_RUN] = "not_run",
	[VERDICT_BAD_FILE] = "bad_file",
};

static const char *const seals[] = {
	[SEAL_NONE] = "none",
	[SEAL_CONFIRMED] = "confirmed",
	[SEAL_HOST_SIDE] = "host_side",
	[SEAL_UNCERTAIN] = "not_confirmed",
};

static const char *const roles[] = {
	[TIMING_FILE] = "file",       [TIMING_FILE_PLAIN] = "file without epilogue",
	[TIMING_LIBRARY] = "library", [TIMING_BASELINE] = "baseline",
	[TIMING_PROGRAM] = "program",
};

static const char *const devices[] = {
	[DEVICE_CUDA] = "cuda",
	[DEVICE_EMULATED] = "emulated",
};

static const char *const clocks[] = {
	[CLOCK_EVENT] = "event",
	[CLOCK_SPAN] = "span",
	[CLOCK_HOST_SIDE] = "host_side",
	[CLOCK_STEADY] = "steady",
};

static const char *const modes[] = {[LIBRARY_DEFAULT] = "default", [LIBRARY_ACCURATE] = "accurate"};

static const char *const bits_words[] = {
	[BITS_NOT_ASKED] = "not_asked",
	[BITS_YES] = "yes",
	[BITS_NO] = "no",
};

static const char *const bits_betweens[] = {
	[BITS_BETWEEN_NONE] = "none",
	[BITS_BETWEEN_CALLS] = "calls",
	[BITS_BETWEEN_SIZES] = "sizes",
	[BITS_BETWEEN_PLACES] = "places",
};

const struct names names_of_verdict = {"verdict", COUNT(verdicts), verdicts};
static const struct names names_of_device = {"device", COUNT(devices), devices};
static const struct names names_of_clock = {"clock", COUNT(clocks), clocks};
const struct names names_of_seal_state = {"state of sealed calls", COUNT(seals), seals};
const struct names names_of_bits_word = {"word about bits", COUNT(bits_words), bits_words};
const struct names names_of_bits_between = {"difference of calls", COUNT(bits_betweens),
											bits_betweens};
const struct names names_of_timing_role = {"role", COUNT(roles), roles};
const struct names names_of_library_mode = {"mode", COUNT(modes), modes};

bool names_find(const struct names *names, const char *name, uint32_t *number)
{
	const size_t i = text_index(name, names->list, names->count);
	*number = i < names->count ? (uint32_t)i : *number;
	return i < names->count;
}

const char *names_at(const struct names *names, size_t number)
{
	return number < names->count ? names->list[number] : "unknown";
}

const char *verdict_name(enum verdict verdict)
{
	return names_at(&names_of_verdict, verdict);
}

const char *seal_state_name(enum seal_state state)
{
	return names_at(&names_of_seal_state, state);
}

const char *library_mode_name(enum library_mode mode)
{
	return names_at(&names_of_library_mode, mode);
}

const char *timing_role_name(enum timing_role role)
{
	return names_at(&names_of_timing_role, role);
}

const char *device_kind_name(enum device_kind kind)
{
	return names_at(&names_of_device, kind);
}

const char *timing_clock_name(enum timing_clock clock)
{
	return names_at(&names_of_clock, clock);
}

bool verdict_is(const char *name, enum verdict verdict)
{
	return strcmp(name, verdict_name(verdict)) == 0;
}

bool seal_state_is(const char *name, enum seal_state state)
{
	return strcmp(name, seal_state_name(state)) == 0;
}

bool timing_role_is(const char *name, enum timing_role role)
{
	return strcmp(name, timing_role_name(role)) == 0;
}

bool timing_clock_is(const char *name, enum timing_clock clock)
{
	return strcmp(name, timing_clock_name(clock)) == 0;
}

bool device_kind_is(const char *name, enum device_kind kind)
{
	return strcmp(name, device_kind_name(kind)) == 0;
}

bool verdict_of_name(const char *name, enum verdict *verdict)
{
	uint32_t number = (uint32_t)*verdict;
	const bool known = names_find(&names_of_verdict, name, &number);
	*verdict = (enum verdict)number;
	return known;
}
