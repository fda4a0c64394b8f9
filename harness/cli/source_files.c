#include "cli/source_files.h"

#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "report/clean.h"
#include "starter/starter.h"

#define UP "../"
#define DOWN "d/" /* a folder for each UP */

/* A store may come from somebody else: nothing is written outside of the folder. */
static bool is_below(const char *name)
{
	if (name[0] == '/' || name[0] == '\0')
		return false;
	for (const char *part = name; part != NULL; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
			return false;
	}
	return true;
}

static bool write_file(const char *folder, const char *name, const struct source_file *file,
					   struct error *err)
{
	char path[PATHS_MAX], above[PATHS_MAX];
	if (!is_below(name))
		return error_set(err, "'%.200s' lies outside of its file's folder, and is not written",
						 file->name);
	if (!paths_join(path, folder, name, err))
		return false;
	snprintf(above, sizeof above, "%s", path);
	*strrchr(above, '/') = '\0';
	if (!paths_make_folders(above))
		return error_set(err, "cannot make the folder %s", above);
	FILE *out = starter_create(path, err);
	if (out == NULL)
		return false;
	fwrite(file->text, 1, file->length, out);
	return starter_close(out, path, err);
}

bool source_files_tell(const char *folder, const struct sources *sources, struct error *err)
{
	for (size_t i = 0; i < sources->count; i++) {
		if (!write_file(folder, sources->files[i].name, &sources->files[i], err))
			return false;
		fputs("wrote ", stdout);
		clean_print_line(stdout, folder);
		putchar('/');
		clean_print_line(stdout, sources->files[i].name);
		putchar('\n');
	}
	return true;
}

/* How often a name goes up before it goes down. */
static size_t ups_of(const char *name)
{
	size_t count = 0;
	while (strncmp(name + count * strlen(UP), UP, strlen(UP)) == 0)
		count++;
	return count;
}

/* Compilers read what is around a file where that is a repository (compile/jail_rules.h). */
static bool mark_repository(const char *folder, struct error *err)
{
	char mark[PATHS_MAX];
	return paths_join(mark, folder, ".git", err) &&
		   (paths_make_folders(mark) || error_set(err, "cannot make the folder %s", mark));
}

bool source_files_write(const char *folder, const struct sources *sources, char path[PATHS_MAX],
						struct error *err)
{
	char name[PATHS_MAX];
	size_t deepest = 0;
	for (size_t i = 0; i < sources->count; i++)
		if (ups_of(sources->files[i].name) > deepest)
			deepest = ups_of(sources->files[i].name);
	if (deepest > 0 && !mark_repository(folder, err))
		return false;
	for (size_t i = 0; i < sources->count; i++) {
		const struct source_file *file = &sources->files[i];
		const size_t ups = ups_of(file->name);
		name[0] = '\0';
		if ((deepest - ups) * strlen(DOWN) + strlen(file->name) >= sizeof name)
			return error_set(err, "the name '%.200s' is too long", file->name);
		for (size_t k = ups; k < deepest; k++)
			strcat(name, DOWN);
		strcat(name, file->name + ups * strlen(UP));
		if (!write_file(folder, name, file, err) ||
			(i == 0 && !paths_join(path, folder, name, err)))
			return false;
	}
	return true;
}
