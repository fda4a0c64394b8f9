#include "cli/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool new_file_ending(char path[PATHS_MAX], const char *ending, struct error *err)
{
	size_t length = strlen(path), tail = strlen(ending);
	if (length > tail && strcmp(path + length - tail, ending) == 0)
		return true;
	if (length + tail + 1 > PATHS_MAX)
		return error_set(err, "path too long: %.80s...", path);
	strcpy(path + length, ending);
	return true;
}

bool new_file_save(const char *path, void (*write)(FILE *out, const void *what), const void *what,
				   struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_set(err, "cannot write %s: %s", path,
						 errno == EEXIST ? "it exists already, and is left as it is"
										 : strerror(errno));
	FILE *file = fdopen(fd, "w");
	errno = 0;
	if (file == NULL) {
		close(fd);
	} else {
		write(file, what);
		bool good = fflush(file) == 0 && !ferror(file);
		if (fclose(file) == 0 && good)
			return true;
	}
	error_set(err, "cannot write %s: %s", path, strerror(errno));
	unlink(path);
	return false;
}
