#include "base/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool paths_join(char out[PATHS_MAX], const char *a, const char *b, struct error *err)
{
	int length = snprintf(out, PATHS_MAX, "%s/%s", a, b);
	if (length < 0 || length >= PATHS_MAX)
		return error_set(err, "path too long: %s/%s", a, b);
	return true;
}

/* The folder may be there where the file is not. */
void paths_absolute(const char *file, char out[PATHS_MAX])
{
	char real[PATH_MAX], folder[PATH_MAX];
	if (realpath(file, real) != NULL) {
		snprintf(out, PATHS_MAX, "%s", real);
		return;
	}
	const char *slash = strrchr(file, '/');
	snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - file) + 1 : 1,
			 slash != NULL ? file : ".");
	if (realpath(folder, real) == NULL ||
		snprintf(out, PATHS_MAX, "%s/%s", real, slash != NULL ? slash + 1 : file) >= PATHS_MAX)
		snprintf(out, PATHS_MAX, "%s", file);
}

static bool is_folder(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool paths_build(char out[PATHS_MAX], struct error *err)
{
	ssize_t length = readlink("/proc/self/exe", out, PATHS_MAX - 1);
	if (length < 0)
		return error_set(err, "cannot find the running program: %s", strerror(errno));
	out[length] = '\0';

	/* BUILD/gemmjudge, or BUILD/<folder>/<child or test> */
	for (int level = 0; level < 3; level++) {
		char *slash = strrchr(out, '/');
		if (slash == NULL || slash == out)
			break;
		*slash = '\0';
		char libexec[PATHS_MAX];
		if (!paths_join(libexec, out, "libexec", err))
			return false;
		if (is_folder(libexec))
			return true;
	}
	return error_set(err, "the program has been moved out of its build folder: "
						  "no libexec/ beside or above it");
}

bool paths_installed(void)
{
	char build[PATHS_MAX], marker[PATHS_MAX];
	struct error ignored;
	return paths_build(build, &ignored) && paths_join(marker, build, "installed", &ignored) &&
		   access(marker, F_OK) == 0;
}

bool paths_source(char out[PATHS_MAX], struct error *err)
{
	char build[PATHS_MAX], marker[PATHS_MAX];
	if (!paths_build(build, err))
		return false;

	/* The build folder as it was configured lies at this place relative to the
	 * source; a tree copied as a whole keeps the relation. An installed one has
	 * its own (CMakeLists.txt). */
	const char *relation = paths_installed() ? ".." : GEMMJUDGE_BUILD_TO_SOURCE;
	if (!paths_join(out, build, relation, err) || !paths_join(marker, out, "testcases/suites", err))
		return false;
	if (!is_folder(marker))
		return error_set(err,
						 "no source tree at %s: copy testcases/, solutions/ and epilogues/ "
						 "along with the build folder",
						 out);
	char real[PATH_MAX];
	if (realpath(out, real) == NULL)
		return error_set(err, "%s: %s", out, strerror(errno));
	snprintf(out, PATHS_MAX, "%s", real);
	return true;
}

bool paths_make_folders(char *path)
{
	for (char *p = path + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0777);
		*p = '/';
	}
	mkdir(path, 0777);
	return is_folder(path) && access(path, W_OK | X_OK) == 0;
}

/* A folder of our own among everybody's: nobody else may have made it, or write to it. */
static bool make_private(char out[PATHS_MAX], const char *among)
{
	struct stat facts;
	if (snprintf(out, PATHS_MAX, "%s/gemmjudge-%u", among, (unsigned)getuid()) >= PATHS_MAX)
		return false;
	mkdir(out, 0700);
	return lstat(out, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == getuid() &&
		   (facts.st_mode & 0022) == 0 && access(out, W_OK | X_OK) == 0;
}

bool paths_cache(char out[PATHS_MAX], struct error *err)
{
	const char *own = getenv("GEMMJUDGE_CACHE");
	if (own != NULL && own[0] != '\0') {
		if (snprintf(out, PATHS_MAX, "%s", own) < PATHS_MAX && paths_make_folders(out))
			return true;
		return error_set(err, "GEMMJUDGE_CACHE=%s: cannot be written", own);
	}

	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (xdg != NULL && xdg[0] == '/' && paths_join(out, xdg, "gemmjudge", err) &&
		paths_make_folders(out))
		return true;
	if (home != NULL && home[0] == '/' && paths_join(out, home, ".cache/gemmjudge", err) &&
		paths_make_folders(out))
		return true;

	const char *temporary = getenv("TMPDIR");
	if (home == NULL && temporary != NULL && temporary[0] == '/' && make_private(out, temporary))
		return true;

	char build[PATHS_MAX];
	if (!paths_build(build, err) || !paths_join(out, build, "cache", err))
		return false;
	if (paths_make_folders(out) || make_private(out, "/tmp"))
		return true;
	return error_set(err, "no folder for compiled solutions can be written: set GEMMJUDGE_CACHE");
}

bool paths_is_program(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

bool paths_program(const char *name, char out[PATHS_MAX])
{
	const char *path = getenv("PATH");
	while (path != NULL && *path != '\0') {
		size_t length = strcspn(path, ":");
		int printed = snprintf(out, PATHS_MAX, "%.*s/%s", (int)length, path, name);
		if (length > 0 && printed < PATHS_MAX && paths_is_program(out))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}
