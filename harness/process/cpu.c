#include "process/cpu.h"

#include <dirent.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

#define LEAST 2
#define ROUNDS 8 /* a thread may be started between the list of all and its turn */

int cpu_draw(void)
{
	cpu_set_t set;
	uint64_t drawn;
	struct error unused;
	if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < LEAST ||
		!random_draw(&drawn, &unused))
		return CPU_NONE;
	int own = sched_getcpu();
	if (own >= 0 && own < CPU_SETSIZE)
		CPU_CLR(own, &set);
	int left = (int)(drawn % (uint64_t)CPU_COUNT(&set));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && left-- == 0)
			return cpu;
	return CPU_NONE;
}

static bool is_there(pid_t thread, int cpu)
{
	cpu_set_t set;
	return sched_getaffinity(thread, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 &&
		   CPU_ISSET(cpu, &set);
}

/* Whether all threads are on the CPU; those that are not are moved there first, where `move`. */
static bool all_threads(pid_t pid, int cpu, bool move)
{
	char path[64];
	cpu_set_t set;
	bool all = true, some = false;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *tasks = cpu >= 0 && cpu < CPU_SETSIZE ? opendir(path) : NULL;
	if (tasks == NULL)
		return false;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
		pid_t thread = (pid_t)strtol(task->d_name, NULL, 10);
		if (thread <= 0 || is_there(thread, cpu)) {
			some = some || thread > 0;
			continue;
		}
		all = false;
		if (move)
			sched_setaffinity(thread, sizeof set, &set);
	}
	closedir(tasks);
	return all && some;
}

bool cpu_hold(pid_t pid, int cpu)
{
	for (int round = 0; round < ROUNDS; round++)
		if (all_threads(pid, cpu, true))
			return true;
	return false;
}

bool cpu_is_held(pid_t pid, int cpu)
{
	return all_threads(pid, cpu, false);
}
