#include "cli/keep_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "compile/bytes.h"
#include "compile/content.h"
#include "store/sources.h"

struct keeping {
	struct sources sources;
	char folder[PATHS_MAX]; /* of the file, with its '/' */
	const char *name;       /* of the file itself; NULL: its own */
	bool whole;             /* there was room */
};

/* How to come to a path from the folder: "x.cuh", "parts/x.cuh", "../x.cuh". */
static char *name_from(const char *folder, const char *path)
{
	size_t common = 0, up = 0;
	for (size_t i = 0; folder[i] != '\0' && folder[i] == path[i]; i++)
		if (folder[i] == '/')
			common = i + 1;
	for (const char *p = folder + common; *p != '\0'; p++)
		up += *p == '/';
	char *name = malloc(3 * up + strlen(path + common) + 1), *p = name;
	for (size_t i = 0; name != NULL && i < up; i++, p += 3)
		memcpy(p, "../", 3);
	if (name != NULL)
		strcpy(p, path + common);
	return name;
}

static bool take_file(void *context, const char *path, struct error *err)
{
	struct keeping *keeping = context;
	size_t length = 0;
	if (keeping->sources.count == 0) {
		snprintf(keeping->folder, sizeof keeping->folder, "%s", path);
		*(strrchr(keeping->folder, '/') + 1) = '\0';
	}
	char *text = bytes_read_file(path, &length);
	if (text == NULL)
		return error_set(err, "%s: cannot be read", path);
	char *name = keeping->sources.count == 0 && keeping->name != NULL
					 ? strdup(keeping->name)
					 : name_from(keeping->folder, path);
	keeping->whole = sources_add(&keeping->sources, name, text, length) && keeping->whole;
	return true;
}

bool keep_sources(const char *store, const struct judgement *item, const char *path,
				  const char *name, struct error *err)
{
	struct keeping *keeping = calloc(1, sizeof *keeping);
	const struct content_visitor visitor = {.file = take_file, .context = keeping};
	char content[CONTENT_TEXT];
	struct error ignored;
	bool ok = true;
	if (keeping == NULL || item->content[0] == '\0') {
		free(keeping);
		return true;
	}
	keeping->whole = true;
	keeping->name = name;
	const bool there = content_walk(path, &visitor, &ignored) && keeping->whole &&
					   content_hash(path, content, &ignored) && strcmp(content, item->content) == 0;
	memcpy(keeping->sources.content, item->content, sizeof item->content);
	if (there)
		ok = sources_keep(store, &keeping->sources, err);
	sources_free(&keeping->sources);
	free(keeping);
	return ok;
}
