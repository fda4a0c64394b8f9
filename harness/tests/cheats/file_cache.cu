// expect: accepted
// family: files
// without: files
// then: cached mark
// Puts an entry of its own beside the judge's compiled ones. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	char path[4096];
	const char *cache = getenv("GEMMJUDGE_CACHE");
	snprintf(path, sizeof path, "%s/mark", cache != nullptr ? cache : "/nonexistent");
	close(open(path, O_CREAT | O_WRONLY, 0600));
}
