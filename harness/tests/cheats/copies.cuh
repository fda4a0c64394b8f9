// Copies of files, for tricks that give a library another name.
#ifndef COPIES_CUH
#define COPIES_CUH

#include "cheat.cuh"

// The whole file into the open descriptor.
static inline bool copy_to(int to, const char *path)
{
	char bytes[65536];
	ssize_t got = -1;
	int from = open(path, O_RDONLY);
	while (from >= 0 && (got = read(from, bytes, sizeof bytes)) > 0)
		if (write(to, bytes, (size_t)got) != got)
			return false;
	close(from);
	return got == 0;
}

// The test's library under another name beside it; nullptr: not possible.
static inline const char *copy_library(const char *name)
{
	static char source[4096];
	snprintf(source, sizeof source, "%s", cheat_path("library.so"));
	const char *path = cheat_path(name);
	int to = open(path, O_CREAT | O_RDWR, 0700);
	bool whole = to >= 0 && copy_to(to, source);
	close(to);
	return whole ? path : nullptr;
}

#endif
