/* Which files stay in reach, and that each thread is under the rules: what landlock.h cannot do for
 * a process that has threads, before the kernel's ABI 8. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "process/jail_layers.h"
#include "process/landlock.h"

static bool allow_all(int rules, const char *const *paths, enum landlock_access access,
					  struct error *err)
{
	for (size_t i = 0; paths != NULL && paths[i] != NULL; i++)
		if (!landlock_allow_path(rules, paths[i], access, err))
			return false;
	return true;
}

static int restrict_thread(long rules)
{
	return landlock_restrict((int)rules) ? 0 : errno;
}

static bool restrict_all(int rules, const struct jail_threads *threads, struct error *err)
{
	int error_number = 0;
	return landlock_restrict_process(rules) ||
		   (jail_every_thread(threads, restrict_thread, rules, &error_number, err) &&
			(error_number == 0 || error_set(err, "Landlock refuses: %s", strerror(error_number))));
}

bool jail_files_close(const struct jail *what, const struct jail_threads *threads,
					  struct error *err)
{
	int rules = landlock_begin(err);
	if (rules < 0)
		return false;
	bool closed = allow_all(rules, what->readable, LANDLOCK_READS, err) &&
				  allow_all(rules, what->writable, LANDLOCK_WRITES, err) &&
				  restrict_all(rules, threads, err);
	close(rules);
	return closed;
}
