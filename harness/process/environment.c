#include "process/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who finds a variable. `decides`: the compiler, and what it makes depends on it. */
struct environment_row {
	const char *name; /* all names that begin so, where its last character is '*' */
	bool program, compiler, decides;
};

static const struct environment_row rows[] = {
	/* decides what is compiled; the order is that of the cache's keys (compile/cache.h) */
	{"NVCC_PREPEND_FLAGS", false, true, true},
	{"NVCC_APPEND_FLAGS", false, true, true},
	{"NVCC_CCBIN", false, true, true},
	{"CPATH", false, true, true},
	{"CPLUS_INCLUDE_PATH", false, true, true},
	{"LIBRARY_PATH", false, true, true},
	/* where programs and libraries are found: base/toolkit.h, the loader */
	{"PATH", true, true, false},
	{"CUDA_HOME", true, true, false},
	{"LD_LIBRARY_PATH", true, true, false},
	{"LD_PRELOAD", true, false, false},
	{"GEMMJUDGE_NVCC", true, false, false},
	/* the driver and NVIDIA's libraries: devices, caches, logs. Not every NVIDIA_*: NVIDIA_API_KEY
	 * is a secret */
	{"CUDA_*", true, false, false},
	{"CUBLAS*", true, false, false},
	{"NVIDIA_VISIBLE_DEVICES", true, false, false},
	{"NVIDIA_DRIVER_CAPABILITIES", true, false, false},
	{"NVIDIA_TF32_OVERRIDE", true, false, false},
	/* the driver's cache, temporary files, the language of messages, the time zone */
	{"HOME", true, false, false},
	{"TMPDIR", true, false, false},
	{"LANG", true, false, false},
	{"LC_*", true, false, false},
	{"TZ", true, false, false},
	/* the tests of this program: builds with sanitizers, and what a trick aims at */
	{"ASAN_OPTIONS", true, false, false},
	{"LSAN_OPTIONS", true, false, false},
	{"UBSAN_OPTIONS", true, false, false},
	{"GEMMJUDGE_TEST_*", true, false, false},
};
#define EMULATED "EMULATED_GPU"
#define ROWS (sizeof rows / sizeof *rows)

static bool is_called(const struct environment_row *row, const char *variable)
{
	size_t length = strlen(row->name);
	if (row->name[length - 1] == '*')
		return strncmp(variable, row->name, length - 1) == 0;
	return strncmp(variable, row->name, length) == 0 &&
		   (variable[length] == '\0' || variable[length] == '=');
}

bool environment_hands_on(enum environment kind, const char *variable)
{
	if (kind == ENVIRONMENT_WHOLE)
		return true;
	if (kind == ENVIRONMENT_EMULATED)
		return strncmp(variable, EMULATED, sizeof EMULATED - 1) == 0;
	for (size_t i = 0; i < ROWS; i++)
		if (((kind == ENVIRONMENT_PROGRAM && rows[i].program) ||
			 (kind == ENVIRONMENT_COMPILER && rows[i].compiler)) &&
			is_called(&rows[i], variable))
			return true;
	return false;
}

const char *environment_of_compiler(size_t i)
{
	return i < ROWS && rows[i].decides ? rows[i].name : NULL; /* they are the first rows */
}

static bool same_name(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");
	return strncmp(a, b, length + 1) == 0;
}

char **environment_make(enum environment kind, const char *const *additions)
{
	size_t old = 0, added = 0, count = 0;
	while (environ != NULL && environ[old] != NULL)
		old++;
	while (additions != NULL && additions[added] != NULL)
		added++;
	char **out = calloc(old + added + 1, sizeof *out);
	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < old; i++) {
		bool taken = environment_hands_on(kind, environ[i]);
		for (size_t j = 0; j < added && taken; j++)
			taken = !same_name(additions[j], environ[i]);
		if (taken)
			out[count++] = environ[i];
	}
	for (size_t j = 0; j < added; j++)
		out[count++] = (char *)additions[j];
	return out;
}
