/* Linked with unit tests under ThreadSanitizer. Criterion maps what its processes share at an
 * address that it draws by rand_r() from 0x200000000000 on, and gives up after three that it cannot
 * have. Of these ThreadSanitizer leaves to programs only 0x550000000000 to 0x568000000000 (x86-64),
 * where the end is free: programs and their heaps lie in front of it. */
#include <stdlib.h>

#define FIRST 0x366000 /* 0x566000000000, in units of 16 MiB from there on */
#define COUNT 0x1000u

int rand_r(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (int)(FIRST + (*seed >> 8) % COUNT);
}

/* As for AddressSanitizer: tests that make a signal happen want the signal. Criterion forks for
 * each test, and tests do. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:die_after_fork=0";
}
