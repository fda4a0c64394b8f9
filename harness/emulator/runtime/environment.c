/* The environment variables of the emulated GPU, read when the program first asks for the GPU: what
 * becomes of them later has no effect, so that the program cannot change its own check. A name or a
 * value that is not understood is said then, and has no effect. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator/runtime/runtime.h"

extern char **environ;

#define PREFIX "EMULATED_GPU_"

enum machine_swizzle environment_swizzle(const char *text)
{
	static const char *const names[] = MACHINE_SWIZZLE_NAMES;
	for (int i = MACHINE_SWIZZLE_SAID + 1; text != NULL && i < MACHINE_SWIZZLES; i++)
		if (strcmp(text, names[i]) == 0)
			return (enum machine_swizzle)i;
	return MACHINE_SWIZZLE_SAID;
}

static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	return digits > 0 && digits < 20 && text[digits] == '\0';
}

static bool is_count(const char *text)
{
	return is_number(text) && strtoull(text, NULL, 10) > 0;
}

static bool is_small_count(const char *text)
{
	return is_count(text) && strtoull(text, NULL, 10) <= UINT32_MAX;
}

static bool is_switch(const char *text)
{
	return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
}

static bool is_check(const char *text)
{
	return strcmp(text, "default") == 0 || strcmp(text, "race") == 0 || strcmp(text, "none") == 0;
}

static bool is_level(const char *text)
{
	return strcmp(text, "2") == 0 || strcmp(text, "3") == 0 || strcmp(text, "4") == 0;
}

static bool is_swizzle(const char *text)
{
	return environment_swizzle(text) != MACHINE_SWIZZLE_SAID;
}

static bool is_list(const char *text)
{
	return text[0] != '\0';
}

static bool is_file(const char *text)
{
	return text[0] != '\0';
}

/* The README has the same table. */
static const struct setting {
	const char *name, *allowed;
	bool (*accepts)(const char *text);
} settings[] = {
	{PREFIX "CHECK", "default, race or none", is_check},
	{PREFIX "COUNTERS", "a file's name", is_file},
	{PREFIX "LINES", "0 or 1", is_switch},
	{PREFIX "ORDER", "a number", is_number},
	{PREFIX "REGISTERS", "names of kernels with numbers", is_list},
	{PREFIX "SAMPLE", "a number from 1 on", is_small_count},
	{PREFIX "SEED", "a number", is_number},
	{PREFIX "SERIALISED", "names of kernels", is_list},
	{PREFIX "SIMD", "2, 3 or 4", is_level},
	{PREFIX "SWIZZLE", "none, 32, 64, 128 or flat", is_swizzle},
	{PREFIX "STEPS", "a number from 1 on", is_count},
	{PREFIX "THREADS", "a number from 1 on", is_count},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

static const struct setting *find(const char *name, size_t length)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (strlen(settings[i].name) == length && strncmp(settings[i].name, name, length) == 0)
			return &settings[i];
	return NULL;
}

static void say_unknown(const char *name, int length)
{
	char known[320] = "";
	for (size_t i = 0; i < SETTINGS; i++)
		snprintf(known + strlen(known), sizeof known - strlen(known), ", %s", settings[i].name);
	runtime_say("%.*s is no variable of it and has no effect; there are EMULATED_GPU%s", length,
				name, known);
}

void environment_check(void)
{
	for (char **at = environ; at != NULL && *at != NULL; at++) {
		const char *equals = strchr(*at, '=');
		if (equals == NULL || strncmp(*at, PREFIX, strlen(PREFIX)) != 0)
			continue;
		const struct setting *setting = find(*at, (size_t)(equals - *at));
		if (setting == NULL)
			say_unknown(*at, (int)(equals - *at));
		else if (!setting->accepts(equals + 1))
			runtime_say("%s has no effect: it is not %s", *at, setting->allowed);
	}
}

uint64_t environment_number(const char *name)
{
	const char *text = getenv(name);
	return text != NULL && is_number(text) ? strtoull(text, NULL, 10) : 0;
}

char *environment_text(const char *name)
{
	const char *text = getenv(name);
	return text != NULL && text[0] != '\0' ? strdup(text) : NULL;
}
