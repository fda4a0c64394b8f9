#include "compile/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_BYTES ((off_t)1 << 30) /* of one file that a compilation read */

char *bytes_read_file(const char *path, size_t *size)
{
	size_t capacity = 65536;
	char *text = malloc(capacity);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*size = 0;
	while (fd >= 0 && text != NULL) {
		ssize_t got = read(fd, text + *size, capacity - *size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		*size += (size_t)got;
		if (got == 0) {
			close(fd);
			text[*size] = '\0';
			return text;
		}
		if (capacity - *size > 1)
			continue;
		char *more = realloc(text, capacity *= 2);
		if (more == NULL)
			break;
		text = more;
	}
	int saved = errno;
	if (fd >= 0)
		close(fd);
	free(text);
	errno = saved;
	return NULL;
}

/* By parts, as the hundreds of files that a compilation read would otherwise each take memory that
 * is new to the process. False: it has another size by now, or cannot be read. */
static bool hash_parts(struct hash *hash, int fd, size_t size)
{
	char part[32768];
	ssize_t got;
	hash_add_length(hash, size);
	while ((got = read(fd, part, sizeof part)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (size_t)got > size)
			return false;
		hash_add_part(hash, part, (size_t)got);
		size -= (size_t)got;
	}
	return size == 0;
}

bool bytes_hash_file(struct hash *hash, const char *path, struct error *err)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	/* An input's name is the compiler's word: no pipe, no device. */
	if (!S_ISREG(facts.st_mode) || facts.st_size > INPUT_BYTES)
		return error_set(err, "%s: is no regular file of a bearable size", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	bool hashed = hash_parts(hash, fd, (size_t)facts.st_size) ||
				  error_set(err, "%s: cannot be read as a whole", path);
	close(fd);
	return hashed;
}

bool bytes_write_file(const char *path, const char *text, struct error *err)
{
	FILE *file = fopen(path, "we");
	bool good = file != NULL && fputs(text, file) >= 0;
	if (file != NULL && fclose(file) != 0)
		good = false;
	return good || error_set(err, "%s: %s", path, strerror(errno));
}

bool bytes_copy(int from, const char *path, struct error *err)
{
	char bytes[65536];
	ssize_t got = 0;
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool good = to >= 0;
	while (good && (got = read(from, bytes, sizeof bytes)) > 0)
		good = write(to, bytes, (size_t)got) == got;
	good = good && got == 0;
	int saved = errno;
	if (to >= 0 && close(to) != 0 && good) {
		saved = errno;
		good = false;
	}
	return good || error_set(err, "%s: %s", path, strerror(saved));
}

bool bytes_copy_file(const char *from, const char *path, struct error *err)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, "%s: %s", from, strerror(errno));
	bool copied = bytes_copy(fd, path, err);
	close(fd);
	return copied;
}
