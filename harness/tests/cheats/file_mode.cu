// expect: accepted
// family: files
// without: calls,namespaces
// alone: calls
// then: mode 777
// Changes the mode of a file of somebody else. Stopped by the jail: Landlock has no right for that,
// so that the call itself must be refused.
#include <sys/stat.h>

#include "effect.cuh"

static void cheat()
{
	chmod(cheat_path("target"), 0777);
}
