#include "base/commit.h"

#include "commit_of_build.h" /* made by commit.cmake */

const char *commit_of_build(void)
{
	return COMMIT_OF_BUILD;
}
