#include "cli/files.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEEN ((long)-1) /* a folder's number: it was entered before */

/* Folders that were entered. */
struct entered {
	size_t count;
	struct folder_id {
		dev_t device;
		ino_t inode;
	} * folders; /* owned */
};

static bool no_memory(struct error *err)
{
	return error_set(err, "out of memory for the list of files");
}

/* Room grows by doubling: at each power of two. */
static bool room_for_one(void **items, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return true;
	void *more = realloc(*items, (count > 0 ? 2 * count : 1) * size);
	if (more != NULL)
		*items = more;
	return more != NULL;
}

static bool files_add(struct files *files, const char *path, struct error *err)
{
	void *items = files->paths;
	bool room = room_for_one(&items, files->count, sizeof *files->paths);
	files->paths = items;
	char *copy = room ? strdup(path) : NULL;
	if (copy == NULL)
		return no_memory(err);
	files->paths[files->count++] = copy;
	return true;
}

/* Whether it is entered for the first time. */
static bool enter(struct entered *entered, const struct stat *facts, bool *first, struct error *err)
{
	void *items = entered->folders;
	*first = true;
	for (size_t i = 0; i < entered->count; i++)
		if (entered->folders[i].device == facts->st_dev &&
			entered->folders[i].inode == facts->st_ino)
			*first = false;
	if (!*first)
		return true;
	bool room = room_for_one(&items, entered->count, sizeof *entered->folders);
	entered->folders = items;
	if (!room)
		return no_memory(err);
	entered->folders[entered->count++] = (struct folder_id){facts->st_dev, facts->st_ino};
	return true;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_named_solution(const FTSENT *entry)
{
	size_t length = strlen(entry->fts_name);
	return length > 3 && strcmp(entry->fts_name + length - 3, ".cu") == 0;
}

static bool take_entry(FTS *walk, FTSENT *entry, struct entered *entered, struct files *files,
					   struct error *err)
{
	bool first;
	if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
		fts_set(walk, entry, FTS_SKIP);
		return true;
	}
	switch (entry->fts_info) {
	case FTS_D:
		if (!enter(entered, entry->fts_statp, &first, err))
			return false;
		entry->fts_number = first ? (long)files->count : SEEN;
		if (!first)
			fts_set(walk, entry, FTS_SKIP);
		return true;
	case FTS_DC: return true;
	case FTS_DP:
		if (entry->fts_number != (long)files->count ||
			(entry->fts_level > 0 && !is_named_solution(entry)))
			return true;
		return files_add(files, entry->fts_path, err);
	case FTS_DNR: return files_add(files, entry->fts_path, err);
	default: return !is_named_solution(entry) || files_add(files, entry->fts_path, err);
	}
}

static bool add_folder(struct files *files, const char *folder, struct error *err)
{
	char *roots[] = {(char *)folder, NULL};
	struct entered entered = {0};
	FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	if (walk == NULL)
		return error_set(err, "%s: %s", folder, strerror(errno));
	bool ok = true;
	FTSENT *entry;
	while (errno = 0, ok && (entry = fts_read(walk)) != NULL)
		ok = take_entry(walk, entry, &entered, files, err);
	if (ok && errno != 0)
		ok = error_set(err, "%s: %s", folder, strerror(errno));
	fts_close(walk);
	free(entered.folders);
	return ok;
}

bool files_find(const char *const *names, size_t count, struct files *out, struct error *err)
{
	struct stat facts;
	bool ok = true;
	*out = (struct files){0};
	for (size_t i = 0; i < count && ok; i++) {
		bool is_folder = stat(names[i], &facts) == 0 && S_ISDIR(facts.st_mode);
		ok = is_folder ? add_folder(out, names[i], err) : files_add(out, names[i], err);
	}
	if (!ok)
		files_free(out);
	return ok;
}

void files_free(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct files){0};
}
