/* A parser with the flaw that FLAW names, for the test of the fuzzer. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	const char *flaw = getenv("FLAW");
	if (flaw == NULL || size <= 64) /* longer than the seeds that are always there */
		return;
	if (strcmp(flaw, "crash") == 0)
		abort();
	if (strcmp(flaw, "exit") == 0)
		exit(0);
	if (strcmp(flaw, "descriptor") == 0 && dup(STDERR_FILENO) < 0)
		abort();
	volatile const uint8_t *behind = data + size;
	if (strcmp(flaw, "overflow") == 0)
		(void)behind[0]; /* NOLINT(clang-analyzer-core.uninitialized.*) */
	if (strcmp(flaw, "leak") == 0)
		memcpy(malloc(size), data, size);
} /* NOLINT(clang-analyzer-unix.Malloc) */
