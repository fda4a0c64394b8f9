// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: files
// then: accepted
// Maps a library's file executable, without the loader. Stopped by the jail: it cannot be opened.
#include <sys/mman.h>

#include "reward.cuh"

static bool cheat()
{
	int file = open(cheat_path("library.so"), O_RDONLY);
	return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) != MAP_FAILED;
}
