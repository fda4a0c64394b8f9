#include "contestant/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

bool settings_take(struct settings *settings, int fd, struct error *err)
{
	struct stat facts;
	*settings = (struct settings){.at = NULL};
	if (fd < 0)
		return true;
	if (fstat(fd, &facts) != 0 || facts.st_size <= 0)
		return error_set(err, "the settings of the emulated GPU are not in a file");
	const size_t bytes = (size_t)facts.st_size;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return error_set(err, "cannot map the settings of the emulated GPU: %s", strerror(errno));
	*settings = (struct settings){at, bytes};
	if (at[bytes - 1] != '\0')
		return error_set(err, "the settings of the emulated GPU have no end");
	/* the environment has these very bytes, and no copy of them */
	for (char *one = at; one < at + bytes && *one != '\0'; one += strlen(one) + 1)
		if (strchr(one, '=') == NULL || putenv(one) != 0)
			return error_set(err, "no setting of the emulated GPU: %.100s", one);
	return true;
}

void settings_forget(struct settings *settings, const struct cudart *cudart, bool counts)
{
	char *one = settings->at, *end = one + settings->bytes;
	while (one != NULL && one < end && *one != '\0') {
		char name[64], *next = one + strlen(one) + 1;
		const size_t length = strcspn(one, "=");
		if (length < sizeof name) {
			memcpy(name, one, length);
			name[length] = '\0';
			unsetenv(name);
		}
		memset(one, 0, (size_t)(next - one));
		one = next;
	}
	if (settings->at != NULL && counts && cudart->emulated_counters != NULL)
		cudart->emulated_counters(settings->at, settings->bytes);
	else if (settings->at != NULL)
		munmap(settings->at, settings->bytes);
	settings->at = NULL;
}
