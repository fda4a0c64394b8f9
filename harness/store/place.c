#include "store/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "store.db"

/* Folders of a user's, by the variable that has their parent: the first that can be written. */
static const struct {
	const char *variable, *name;
} folders[] = {{"XDG_DATA_HOME", "gemmjudge"}, {"HOME", ".local/share/gemmjudge"}};
#define FOLDERS (sizeof folders / sizeof *folders)

static bool folder_at(size_t i, char out[PATHS_MAX])
{
	struct error ignored;
	const char *parent = getenv(folders[i].variable);
	return parent != NULL && parent[0] == '/' && paths_join(out, parent, folders[i].name, &ignored);
}

static bool folder_in_temporary(char out[PATHS_MAX])
{
	const char *parent = getenv("TMPDIR");
	if (parent == NULL || parent[0] != '/')
		parent = "/tmp";
	return snprintf(out, PATHS_MAX, "%s/gemmjudge-%u", parent, (unsigned)geteuid()) < PATHS_MAX;
}

/* Everybody writes to TMPDIR: the folder must be ours alone, and no link to elsewhere. */
static bool place_in_temporary(char out[PATHS_MAX])
{
	char folder[PATHS_MAX];
	struct stat facts;
	struct error ignored;
	if (!folder_in_temporary(folder))
		return false;
	mkdir(folder, 0700);
	return lstat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
		   (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(folder, W_OK | X_OK) == 0 &&
		   paths_join(out, folder, FILE_NAME, &ignored);
}

bool store_place(const char *asked, char out[PATHS_MAX], struct error *err)
{
	const char *own = asked != NULL ? asked : getenv("GEMMJUDGE_STORE");
	out[0] = '\0';
	if (asked == NULL && own != NULL && strcmp(own, "none") == 0)
		return true;
	if (own != NULL && own[0] != '\0')
		return snprintf(out, PATHS_MAX, "%s", own) < PATHS_MAX ||
			   error_set(err, "path too long: %.200s...", own);
	char folder[PATHS_MAX];
	for (size_t i = 0; i < FOLDERS; i++)
		if (folder_at(i, folder) && paths_make_folders(folder) &&
			paths_join(out, folder, FILE_NAME, err))
			return true;
	if (place_in_temporary(out))
		return true;
	return error_set(err, "no folder to remember judgements in can be written; name a file with "
						  "--store or GEMMJUDGE_STORE");
}

bool store_needed(const char *asked, char out[PATHS_MAX], struct error *err)
{
	return store_place(asked, out, err) &&
		   (out[0] != '\0' || error_set(err, "GEMMJUDGE_STORE is none: name a store with --store"));
}

bool store_candidate(const char *asked, size_t i, char out[PATHS_MAX])
{
	const char *own = getenv("GEMMJUDGE_STORE");
	const char *const named[] = {asked, own != NULL && strcmp(own, "none") != 0 ? own : NULL};
	const size_t names = sizeof named / sizeof *named;
	char folder[PATHS_MAX];
	struct error ignored;
	out[0] = '\0';
	if (i < names) {
		snprintf(out, PATHS_MAX, "%s", named[i] != NULL ? named[i] : "");
		return true;
	}
	bool found = i < names + FOLDERS ? folder_at(i - names, folder) : folder_in_temporary(folder);
	if (found && !paths_join(out, folder, FILE_NAME, &ignored))
		out[0] = '\0';
	return i <= names + FOLDERS;
}
