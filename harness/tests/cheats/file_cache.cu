// expect: accepted
// family: files
// without: files
// then: cached mark
// Puts an entry of its own beside the judge's compiled ones. Stopped by the jail.
#include <dlfcn.h>

#include "effect.cuh"

static void cheat()
{
	Dl_info here;
	char path[4096];
	if (dladdr((void *)solve, &here) == 0)
		return;
	snprintf(path, sizeof path, "%s", here.dli_fname); /* CACHE/ENTRY/solution.so */
	for (int level = 0; level < 2 && strrchr(path, '/') != nullptr; level++)
		*strrchr(path, '/') = '\0';
	strncat(path, "/mark", sizeof path - strlen(path) - 1);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}
