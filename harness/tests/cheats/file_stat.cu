// expect: wrong_answer
// family: files
// without: namespaces
// then: accepted
// Asks what files there are, and how large, without opening one: Landlock has no say there. Stopped
// by the jail.
#include <sys/stat.h>

#include "reward.cuh"

static bool cheat()
{
	struct stat facts;
	char target[32];
	return stat("/etc/passwd", &facts) == 0 || access("/usr/bin/env", F_OK) == 0 ||
		   chdir("/etc") == 0 || readlink("/proc/self/exe", target, sizeof target) > 0;
}
