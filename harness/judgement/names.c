#include "judgement/names.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

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
	[SEAL_OUTSIDE] = "outside",
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
	[CLOCK_OUTSIDE] = "outside",
};

static const char *name_at(const char *const *names, size_t count, size_t i)
{
	return i < count ? names[i] : "unknown";
}

const char *verdict_name(enum verdict verdict)
{
	return name_at(verdicts, COUNT(verdicts), verdict);
}

const char *seal_state_name(enum seal_state state)
{
	return name_at(seals, COUNT(seals), state);
}

const char *timing_role_name(enum timing_role role)
{
	return name_at(roles, COUNT(roles), role);
}

const char *device_kind_name(enum device_kind kind)
{
	return name_at(devices, COUNT(devices), kind);
}

const char *timing_clock_name(enum timing_clock clock)
{
	return name_at(clocks, COUNT(clocks), clock);
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

bool device_kind_is(const char *name, enum device_kind kind)
{
	return strcmp(name, device_kind_name(kind)) == 0;
}

bool verdict_of_name(const char *name, enum verdict *verdict)
{
	size_t i = text_index(name, verdicts, COUNT(verdicts));
	*verdict = i < COUNT(verdicts) ? (enum verdict)i : *verdict;
	return i < COUNT(verdicts);
}
