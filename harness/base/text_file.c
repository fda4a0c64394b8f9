#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

char *text_read(const char *path, size_t most, struct error *err)
{
	struct stat facts;
	char *text = NULL;
	FILE *file = NULL;
	bool ok = stat(path, &facts) == 0 || error_set(err, "%s: %s", path, strerror(errno));
	if (ok && !S_ISREG(facts.st_mode)) /* opening a pipe would wait for ever */
		ok = error_set(err, "%s: is no regular file", path);
	if (ok && (size_t)facts.st_size > most)
		ok = error_set(err, "%s: is larger than %zu bytes", path, most);
	if (ok &&
		((file = fopen(path, "re")) == NULL || (text = malloc((size_t)facts.st_size + 1)) == NULL))
		ok = error_set(err, "%s: %s", path, strerror(errno));
	if (ok) {
		text[fread(text, 1, (size_t)facts.st_size, file)] = '\0';
		ok = ferror(file) == 0 || error_set(err, "%s: %s", path, strerror(errno));
	}
	if (file != NULL)
		fclose(file);
	if (!ok) {
		free(text);
		text = NULL;
	}
	return text;
}

bool text_write(int fd, const char *text, size_t length)
{
	for (size_t done = 0; done < length;) {
		const ssize_t got = write(fd, text + done, length - done);
		if (got < 0 && errno != EINTR)
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}
