#include "cli/limits.h"

#include <sys/resource.h>

/* nvcc's parts have some dozen files open, and a chain of stages some more; recursion in a compiler
 * wants stack. Usual are 1024 files and 8 MiB. */
#define FILES 256
#define STACK_KIB 1024

static bool suffices(int resource, rlim_t needed)
{
	struct rlimit limit;
	if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
		limit.rlim_cur >= needed)
		return true;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
		return false;
	limit.rlim_cur = needed;
	return setrlimit(resource, &limit) == 0;
}

bool limits_suffice(struct error *err)
{
	if (!suffices(RLIMIT_STACK, (rlim_t)STACK_KIB << 10))
		return error_set(err, "too little stack: %d KiB are needed (ulimit -s %d)", STACK_KIB,
						 STACK_KIB);
	if (!suffices(RLIMIT_NOFILE, FILES))
		return error_set(err, "too few files may be open: %d are needed (ulimit -n %d)", FILES,
						 FILES);
	return true;
}
