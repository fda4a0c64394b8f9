#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

bool random_draw(uint64_t *out, struct error *err)
{
	ssize_t got;
	do
		got = getrandom(out, sizeof *out, 0);
	while ((got < 0 && errno == EINTR) || (got == sizeof *out && *out == 0));
	return got == sizeof *out ||
		   error_set(err, "the system gives no random numbers: %s", strerror(errno));
}
