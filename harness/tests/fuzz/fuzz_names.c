/* links: process base */
/* Names that processes give themselves, as /proc shows them. */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fuzz.h"
#include "process/tree.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	char name[16] = "";
	long started = tree_started(getpid());
	memcpy(name, data, size < sizeof name - 1 ? size : sizeof name - 1);
	prctl(PR_SET_NAME, name);
	if (tree_started(getpid()) != started || tree_ends(getpid()))
		fuzz_found("a process misread for its name");
	prctl(PR_SET_NAME, "fuzz_names");
}
