#include "process/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/environment.h"

static bool write_all(int fd, char *const *variables, bool counts)
{
	size_t end = 0;
	for (; *variables != NULL; variables++) {
		const size_t length = strlen(*variables) + 1;
		if (pwrite(fd, *variables, length, (off_t)end) != (ssize_t)length)
			return false;
		end += length;
	}
	end++;
	if (counts && end < SETTINGS_COUNTERS_BYTES)
		end = SETTINGS_COUNTERS_BYTES;
	return ftruncate(fd, (off_t)end) == 0 &&
		   fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

int settings_make(const char *const *variables, bool counts, struct error *err)
{
	char **all = environment_make(ENVIRONMENT_EMULATED, variables);
	int fd = memfd_create("gemmjudge-settings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (all == NULL || fd < 0 || !write_all(fd, all, counts)) {
		error_set(err, "no shared memory for the settings of the emulated GPU: %s",
				  strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	free(all);
	return fd;
}

char *settings_counters(int fd)
{
	const size_t most = SETTINGS_COUNTERS_BYTES;
	char *text = malloc(most + 1);
	ssize_t got = text != NULL ? pread(fd, text, most, 0) : -1;
	if (got <= 0 || text[0] == '\0') {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	return text;
}
