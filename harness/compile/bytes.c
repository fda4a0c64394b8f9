#include "compile/bytes.h"

#include <errno.h>
#include <fcntl.h>
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

bool bytes_hash_file(struct hash *hash, const char *path, struct error *err)
{
	size_t size;
	struct stat facts;
	/* An input's name is the compiler's word: no pipe, no device. */
	if (stat(path, &facts) == 0 && (!S_ISREG(facts.st_mode) || facts.st_size > INPUT_BYTES))
		return error_set(err, "%s: is no regular file of a bearable size", path);
	char *text = bytes_read_file(path, &size);
	if (text == NULL)
		return error_set(err, "%s: %s", path, strerror(errno));
	hash_add(hash, text, size);
	free(text);
	return true;
}
