#include "starter/starter_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool starter_path(const char *name, const char *ending, char out[PATHS_MAX], struct error *err)
{
	const size_t length = strlen(name), tail = strlen(ending);
	if (length == 0 || name[length - 1] == '/' || strcmp(name, ending) == 0)
		return error_set(err, "'%s' is no name for a file", name);
	const bool ends = length > tail && strcmp(name + length - tail, ending) == 0;
	return snprintf(out, PATHS_MAX, "%s%s", name, ends ? "" : ending) < PATHS_MAX ||
		   error_set(err, "path too long: %.80s...", name);
}

FILE *starter_create(const char *path, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error_set(err, "cannot write %s: %s", path,
				  errno == EEXIST ? "it exists already, and is left as it is" : strerror(errno));
		return NULL;
	}
	FILE *file = fdopen(fd, "w");
	if (file == NULL) {
		error_set(err, "cannot write %s: %s", path, strerror(errno));
		close(fd);
		unlink(path);
	}
	errno = 0;
	return file;
}

bool starter_close(FILE *file, const char *path, struct error *err)
{
	const bool good = fflush(file) == 0 && !ferror(file);
	if (fclose(file) == 0 && good)
		return true;
	error_set(err, "cannot write %s: %s", path, strerror(errno));
	unlink(path);
	return false;
}

void starter_code(FILE *out, const char *text)
{
	int below = (int)strcspn(text, "(") + 1, column = 0;
	while (*text != '\0') {
		int length = (int)strcspn(text, ",");
		length += text[length] == ',';
		if (column > 0 && column + 1 + length > CODE_COLUMNS)
			column = fprintf(out, "\n%*s", below, "") - 1;
		else if (column > 0)
			column += fprintf(out, " ");
		column += fprintf(out, "%.*s", length, text);
		text += strcspn(text, ",");
		text += strspn(text, ", ");
	}
	fputc('\n', out);
}
