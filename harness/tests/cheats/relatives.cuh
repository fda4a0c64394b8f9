// The processes of the judge, for tricks that are after them.
#ifndef RELATIVES_CUH
#define RELATIVES_CUH

#include <dirent.h>

#include "cheat.cuh"

// The process whose program has this name and descends from the judge; 0: none to be seen.
static inline int relative_called(const char *name)
{
	char path[300], program[256];
	int found = 0;
	DIR *all = opendir("/proc");
	const char *mark = getenv("GEMMJUDGE_TEST_MARK");
	for (struct dirent *entry; all != nullptr && (entry = readdir(all)) != nullptr;) {
		snprintf(path, sizeof path, "/proc/%s/exe", entry->d_name);
		ssize_t length = readlink(path, program, sizeof program - 1);
		program[length > 0 ? length : 0] = '\0';
		const char *slash = strrchr(program, '/');
		if (slash == nullptr || strcmp(slash + 1, name) != 0 || mark == nullptr)
			continue;
		static char environment[1 << 20];
		snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
		int file = open(path, O_RDONLY);
		ssize_t got = file >= 0 ? read(file, environment, sizeof environment) : 0;
		if (got > 0 && memmem(environment, (size_t)got, mark, strlen(mark)) != nullptr)
			found = atoi(entry->d_name);
		close(file);
	}
	if (all != nullptr)
		closedir(all);
	return found;
}

// Where that process keeps what it may write: the first such line of its map; 0: not to be seen.
static inline unsigned long memory_of(int process)
{
	char path[64], line[512];
	unsigned long from = 0, begin, end;
	snprintf(path, sizeof path, "/proc/%d/maps", process);
	FILE *maps = fopen(path, "r");
	while (maps != nullptr && from == 0 && fgets(line, sizeof line, maps) != nullptr)
		if (sscanf(line, "%lx-%lx rw", &begin, &end) == 2 && strstr(line, " rw-p") != nullptr)
			from = begin;
	if (maps != nullptr)
		fclose(maps);
	return from;
}

#endif
