#define _GNU_SOURCE /* CPU_COUNT */
#include "base/machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

#define CGROUPS "/sys/fs/cgroup"

/* The numbers in ROOT/GROUP/NAME, at most two; how many there are. "max" is none. */
static int read_numbers(const char *root, const char *group, const char *name, uint64_t out[2])
{
	char path[PATHS_MAX];
	int count = 0;
	if (snprintf(path, sizeof path, "%s%s/%s", root, group, name) >= PATHS_MAX)
		return 0;
	FILE *file = fopen(path, "re");
	while (file != NULL && count < 2 && fscanf(file, "%20lu", &out[count]) == 1)
		count++;
	if (file != NULL)
		fclose(file);
	return count;
}

/* The cores of one control group in hundredths, from the numbers in its file cpu.max. */
static uint64_t hundredths(const uint64_t numbers[2], int count)
{
	return count == 2 && numbers[1] > 0 ? numbers[0] * 100 / numbers[1] : UINT64_MAX;
}

static uint64_t first(const uint64_t numbers[2], int count)
{
	return count > 0 ? numbers[0] : UINT64_MAX;
}

static uint64_t least(const char *root, const char *group, const char *name,
					  uint64_t (*value)(const uint64_t numbers[2], int count))
{
	char here[PATHS_MAX];
	uint64_t found = UINT64_MAX;
	snprintf(here, sizeof here, "%s", group);
	for (;;) {
		uint64_t numbers[2] = {0};
		uint64_t said = value(numbers, read_numbers(root, here, name, numbers));
		found = said < found ? said : found;
		char *slash = strrchr(here, '/');
		if (slash == NULL)
			return found;
		*slash = '\0';
	}
}

uint64_t machine_group_cores(const char *root, const char *group)
{
	return least(root, group, "cpu.max", hundredths);
}

uint64_t machine_group_memory(const char *root, const char *group)
{
	return least(root, group, "memory.max", first);
}

/* "0::/a/b" in /proc/self/cgroup; "/" where it is not said. */
static void own_group(char out[PATHS_MAX])
{
	char line[PATHS_MAX];
	FILE *file = fopen("/proc/self/cgroup", "re");
	strcpy(out, "/");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "0::/", 4) == 0)
			snprintf(out, PATHS_MAX, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
	if (file != NULL)
		fclose(file);
}

size_t machine_cores(void)
{
	char group[PATHS_MAX];
	cpu_set_t set;
	own_group(group);
	uint64_t cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
	uint64_t given = machine_group_cores(CGROUPS, group) / 100;
	cores = given < cores ? given : cores;
	return cores > 0 ? (size_t)cores : 1;
}

uint64_t machine_memory(void)
{
	char group[PATHS_MAX];
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	own_group(group);
	uint64_t all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
	uint64_t given = machine_group_memory(CGROUPS, group);
	return given < all ? given : all;
}
