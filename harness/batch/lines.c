#include "batch/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t)256 << 10)
#define LINE_MOST ((size_t)512 << 20)

bool lines_open(struct lines *lines, const char *path, struct error *err)
{
	*lines = (struct lines){.path = path};
	lines->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	return lines->fd >= 0 || error_set(err, "%s: %s", path, strerror(errno));
}

void lines_close(struct lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->text);
	*lines = (struct lines){.fd = -1};
}

static bool make_room(struct lines *lines, struct error *err)
{
	if (lines->begin > 0)
		memmove(lines->text, lines->text + lines->begin, lines->used - lines->begin);
	lines->used -= lines->begin;
	lines->begin = 0;
	if (lines->capacity - lines->used >= PIECE)
		return true;
	const size_t capacity = 2 * lines->capacity + PIECE;
	char *text = capacity <= LINE_MOST ? realloc(lines->text, capacity) : NULL;
	if (text == NULL)
		return error_set(err, "%s: a line is too long", lines->path);
	lines->text = text;
	lines->capacity = capacity;
	return true;
}

bool lines_fill(struct lines *lines, struct error *err)
{
	struct pollfd polled = {.fd = lines->fd, .events = POLLIN};
	if (lines->ended || poll(&polled, 1, 0) <= 0)
		return true;
	if (!make_room(lines, err))
		return false;
	const ssize_t got = read(lines->fd, lines->text + lines->used, lines->capacity - lines->used);
	if (got < 0 && errno != EINTR && errno != EAGAIN)
		return error_set(err, "%s: %s", lines->path, strerror(errno));
	lines->used += got > 0 ? (size_t)got : 0;
	lines->ended = got == 0;
	return true;
}

static const char *line_end(const struct lines *lines)
{
	return lines->used > lines->begin
			   ? memchr(lines->text + lines->begin, '\n', lines->used - lines->begin)
			   : NULL;
}

bool lines_has(const struct lines *lines)
{
	return lines->ended ? lines->used > lines->begin : line_end(lines) != NULL;
}

char *lines_take(struct lines *lines, bool *whole)
{
	const char *end = line_end(lines);
	*whole = end != NULL;
	if (end == NULL && (!lines->ended || lines->used == lines->begin))
		return NULL;
	const char *begin = lines->text + lines->begin;
	const size_t length = (size_t)((end != NULL ? end : lines->text + lines->used) - begin);
	char *line = malloc(length + 1);
	if (line == NULL)
		return NULL;
	memcpy(line, begin, length);
	line[length] = '\0';
	lines->begin += length + *whole;
	return line;
}
