#include "store/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "store.db"

/* FOLDER/store.db, where the folder can be written. */
static bool place_in(const char *parent, const char *name, char out[PATHS_MAX])
{
	char folder[PATHS_MAX];
	struct error ignored;
	return parent != NULL && parent[0] == '/' && paths_join(folder, parent, name, &ignored) &&
		   paths_make_folders(folder) && paths_join(out, folder, FILE_NAME, &ignored);
}

/* Everybody writes to TMPDIR: the folder must be ours alone, and no link to elsewhere. */
static bool place_in_temporary(char out[PATHS_MAX])
{
	char folder[PATHS_MAX];
	const char *parent = getenv("TMPDIR");
	struct stat facts;
	struct error ignored;
	if (parent == NULL || parent[0] != '/')
		parent = "/tmp";
	if (snprintf(folder, sizeof folder, "%s/gemmjudge-%u", parent, (unsigned)geteuid()) >=
		(int)sizeof folder)
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
	if (place_in(getenv("XDG_DATA_HOME"), "gemmjudge", out) ||
		place_in(getenv("HOME"), ".local/share/gemmjudge", out) || place_in_temporary(out))
		return true;
	return error_set(err, "no folder to remember judgements in can be written; name a file with "
						  "--store or GEMMJUDGE_STORE");
}
