// expect: accepted
// family: files
// without: files,calls
// then: made pipe
// Makes a named pipe, by which two processes could speak. Stopped by the jail.
#include <sys/stat.h>

#include "effect.cuh"

static void cheat()
{
	mkfifo(cheat_path("pipe"), 0600);
}
