#include "compile/movable.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"

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

/* Whether what is included does not lie beside the file; `at` is behind "#include". A line that
 * hides from this, behind a comment or a backslash, finds nothing when it is compiled under another
 * name.
 */
static bool includes_elsewhere(const char *at, const char *folder)
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
	return name[0] != '/' && paths_join(path, folder, name, &ignored) && access(path, F_OK) != 0;
}

static bool includes_nothing_beside(const char *text, const char *folder)
{
	for (const char *at = text; (at = strchr(at, '#')) != NULL;) {
		at += 1 + strspn(at + 1, " \t");
		if (strncmp(at, "include", 7) == 0 && !includes_elsewhere(at + 7, folder))
			return false;
	}
	return true;
}

bool movable(const char *text, const char *folder, const char *const *flags)
{
	for (size_t i = 0; variables[i] != NULL; i++)
		if (getenv(variables[i]) != NULL)
			return false;
	for (; flags != NULL && *flags != NULL; flags++)
		if (!begins_with_one(*flags, plain))
			return false;
	for (size_t i = 0; sees[i] != NULL; i++)
		if (strstr(text, sees[i]) != NULL)
			return false;
	return includes_nothing_beside(text, folder);
}

bool movable_misses_file(const char *log)
{
	return log != NULL &&
		   (strstr(log, "No such file") != NULL || strstr(log, "cannot open source file") != NULL ||
			strstr(log, "Permission denied") != NULL);
}
