#include "compile/content.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "compile/bytes.h"

#define FILES_MAX 256

/* The files in the order that they are met, by their real paths. */
struct content {
	const struct content_visitor *visitor;
	size_t count;
	char *files[FILES_MAX]; /* owned */
};

/* Whether it is a new one; then it waits for its turn. */
static bool content_meet(struct content *content, const char *path)
{
	char real[PATH_MAX];
	struct stat facts;
	if (content->count == FILES_MAX || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
		return false;
	if (realpath(path, real) == NULL) /* what came on stdin lies in no folder */
		snprintf(real, sizeof real, "%s", path);
	for (size_t i = 0; i < content->count; i++)
		if (strcmp(content->files[i], real) == 0)
			return false;
	content->files[content->count] = strdup(real);
	content->count += content->files[content->count] != NULL;
	return true;
}

/* The name in a line `#include "name"`, ended in place; NULL in any other line. */
static char *included_name(char *line)
{
	char *p = line + strspn(line, " \t");
	if (*p != '#')
		return NULL;
	p += 1 + strspn(p + 1, " \t");
	if (strncmp(p, "include", 7) != 0)
		return NULL;
	p += 7 + strspn(p + 7, " \t");
	char *end = *p == '"' ? strchr(p + 1, '"') : NULL;
	if (end == NULL)
		return NULL;
	*end = '\0';
	return p + 1;
}

/* The included files of files[i] that lie beside it. */
static void content_includes(struct content *content, size_t i)
{
	char folder[PATH_MAX], path[PATHS_MAX], *line = NULL;
	size_t capacity = 0;
	struct error ignored;
	FILE *file = fopen(content->files[i], "re");
	snprintf(folder, sizeof folder, "%s", content->files[i]);
	*(strrchr(folder, '/') + 1) = '\0';
	while (file != NULL && getline(&line, &capacity, file) >= 0) {
		const char *name = included_name(line);
		if (name != NULL && paths_join(path, folder, name, &ignored) &&
			content_meet(content, path) && content->visitor->name != NULL)
			content->visitor->name(content->visitor->context, name);
	}
	free(line);
	if (file != NULL)
		fclose(file);
}

bool content_walk(const char *file, const struct content_visitor *visitor, struct error *err)
{
	struct content content = {.visitor = visitor};
	bool ok = access(file, R_OK) == 0 || error_set(err, "%s: %s", file, strerror(errno));
	if (ok && !content_meet(&content, file))
		ok = error_set(err, "%s: is no regular file", file);
	for (size_t i = 0; i < content.count && ok; i++) {
		ok = visitor->file(visitor->context, content.files[i], err);
		content_includes(&content, i);
	}
	for (size_t i = 0; i < content.count; i++)
		free(content.files[i]);
	return ok;
}

static bool hash_file(void *context, const char *path, struct error *err)
{
	hash_add_text(context, "file");
	return bytes_hash_file(context, path, err);
}

static void hash_name(void *context, const char *name)
{
	hash_add_text(context, "name");
	hash_add_text(context, name);
}

bool content_hash(const char *file, char out[CONTENT_TEXT], struct error *err)
{
	struct hash hash;
	hash_begin(&hash);
	const struct content_visitor visitor = {.file = hash_file, .name = hash_name, .context = &hash};
	bool ok = content_walk(file, &visitor, err);
	hash_end(&hash, out);
	return ok;
}
