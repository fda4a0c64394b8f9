#include "compile/movable.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"
#include "compile/bytes.h"

#define FILE_BYTES ((off_t)16 << 20)

/* By which a text sees, without being refused, where it lies or what lies beside it. */
static const char *const sees[] = {"__has_include", "__has_embed", "__BASE_FILE__", "__TIMESTAMP__",
								   NULL};

/* Flags that name no place, or one that does not depend on the file. */
static const char *const plain[] = {"-D",
									"-U",
									"-O",
									"-std=",
									"--std=",
									"-I/",
									"-use_fast_math",
									"--use_fast_math",
									"-maxrregcount=",
									"--maxrregcount=",
									"--extended-lambda",
									"-extended-lambda",
									NULL};

/* They add flags and folders. */
static const char *const variables[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH",
										"CPLUS_INCLUDE_PATH", NULL};

static bool begins_with_one(const char *word, const char *const *beginnings)
{
	while (*beginnings != NULL && strncmp(word, *beginnings, strlen(*beginnings)) != 0)
		beginnings++;
	return *beginnings != NULL;
}

static bool ends_as_source(const char *name)
{
	static const char *const endings[] = {".cu", ".cuh", ".h", ".hpp", ".inc", ".inl", NULL};
	const char *dot = strrchr(name, '.');
	size_t i = 0;
	while (dot != NULL && dot != name && endings[i] != NULL && strcmp(dot, endings[i]) != 0)
		i++;
	return dot != NULL && dot != name && endings[i] != NULL;
}

/* The text of a regular file that the jail would let the compiler read, too; NULL for others. */
static char *read_beside(const char *path, size_t *size)
{
	char itself[64];
	struct stat facts;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool plain_file =
		fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= FILE_BYTES;
	snprintf(itself, sizeof itself, "/proc/self/fd/%d", fd);
	char *text = plain_file ? bytes_read_file(itself, size) : NULL;
	if (fd >= 0)
		close(fd);
	return text;
}

static bool take_file(struct movable *out, const char *name, const char *path)
{
	for (size_t i = 0; i < out->count; i++)
		if (strcmp(out->beside[i].name, name) == 0)
			return true;
	if (out->count == MOVABLE_FILES || !ends_as_source(name) || stand_in_is_needed(name) ||
		strcmp(name, STAND_IN_NAME) == 0)
		return false;
	struct stand_in_file *file = &out->beside[out->count];
	file->text.at = read_beside(path, &file->text.size);
	file->name = strdup(name);
	out->count++;
	return file->name != NULL && file->text.at != NULL && strlen(file->text.at) == file->text.size;
}

/* Takes what is included, if it lies beside the file; `at` is behind "#include". A line that hides
 * from this, behind a comment or a backslash, finds nothing when it is compiled under another name.
 */
static bool take_included(struct movable *out, const char *at, const char *folder)
{
	static const char chain[] = "EPILOGUE_CHAIN"; /* an absolute path, given by a flag */
	char name[PATHS_MAX], path[PATHS_MAX];
	struct error ignored;
	at += strspn(at, " \t");
	if (*at == '<')
		return true;
	if (*at != '"')
		return strncmp(at, chain, sizeof chain - 1) == 0;
	size_t length = strcspn(at + 1, "\"\n");
	if (length >= sizeof name)
		return false;
	memcpy(name, at + 1, length);
	name[length] = '\0';
	if (name[0] == '/' || !paths_join(path, folder, name, &ignored))
		return false;
	if (access(path, F_OK) != 0)
		return true;
	return strchr(name, '/') == NULL && take_file(out, name, path);
}

static bool take_all(struct movable *out, const char *text, const char *folder)
{
	for (size_t i = 0; sees[i] != NULL; i++)
		if (strstr(text, sees[i]) != NULL)
			return false;
	for (const char *at = text; (at = strchr(at, '#')) != NULL;) {
		at += 1 + strspn(at + 1, " \t");
		if (strncmp(at, "include", 7) == 0 && !take_included(out, at + 7, folder))
			return false;
	}
	return true;
}

bool movable_find(const char *text, const char *folder, const char *const *flags,
				  struct movable *out)
{
	*out = (struct movable){0};
	for (size_t i = 0; variables[i] != NULL; i++)
		if (getenv(variables[i]) != NULL)
			return false;
	for (; flags != NULL && *flags != NULL; flags++)
		if (!begins_with_one(*flags, plain))
			return false;
	bool moves = take_all(out, text, folder);
	for (size_t i = 0; i < out->count && moves; i++) /* they become more meanwhile */
		moves = take_all(out, out->beside[i].text.at, folder);
	return moves;
}

void movable_free(struct movable *movable)
{
	for (size_t i = 0; i < movable->count; i++) {
		free(movable->beside[i].name);
		free(movable->beside[i].text.at);
	}
	movable->count = 0;
}

bool movable_misses_file(const char *log)
{
	return log != NULL &&
		   (strstr(log, "No such file") != NULL || strstr(log, "cannot open source file") != NULL ||
			strstr(log, "Permission denied") != NULL);
}
