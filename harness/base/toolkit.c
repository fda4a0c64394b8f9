#include "base/toolkit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define ON_PATH "the PATH"
#define FETCHED ".toolchain/cuda"
#define BUILT_WITH "the one that gemmjudge was built with"

static const char *const places[TOOLKIT_PLACES] = {
	"$GEMMJUDGE_NVCC",    "$CUDA_HOME", "$CUDA_PATH", ON_PATH,   "/usr/local/cuda",
	"/usr/local/cuda-13", "/opt/cuda",  FETCHED,      BUILT_WITH};

const char *const toolkit_library_folders[] = {"lib64", "lib", TOOLKIT_LIBRARIES,
											   "extras/CUPTI/lib64", NULL};

void toolkit_root(const char *nvcc, char out[PATHS_MAX])
{
	paths_absolute(nvcc, out);
	for (int level = 0; level < 2; level++)
		if (strrchr(out, '/') != NULL)
			*strrchr(out, '/') = '\0';
}

static bool of_nvcc(const char *nvcc, struct toolkit *out)
{
	snprintf(out->nvcc, sizeof out->nvcc, "%s", nvcc);
	toolkit_root(nvcc, out->root);
	return true;
}

static bool of_root(const char *root, struct toolkit *out)
{
	struct error ignored;
	snprintf(out->root, sizeof out->root, "%s", root);
	return paths_join(out->nvcc, root, "bin/nvcc", &ignored);
}

bool toolkit_built_with(char out[PATHS_MAX])
{
	char build[PATHS_MAX], path[PATHS_MAX];
	struct error ignored;
	if (!paths_build(build, &ignored) || !paths_join(path, build, "toolkit", &ignored))
		return false;
	FILE *file = fopen(path, "re");
	bool named = file != NULL && fgets(out, PATHS_MAX, file) != NULL && out[0] == '/';
	if (file != NULL)
		fclose(file);
	if (named)
		out[strcspn(out, "\n")] = '\0';
	return named;
}

bool toolkit_is_untried(const char *version)
{
	unsigned major = 0, minor = 0, newest_major = 0, newest_minor = 0;
	sscanf(version, "%u.%u", &major, &minor);
	sscanf(TOOLKIT_NEWEST_TRIED, "%u.%u", &newest_major, &newest_minor);
	return major > newest_major || (major == newest_major && minor > newest_minor);
}

bool toolkit_at(size_t index, struct toolkit *out)
{
	char path[PATHS_MAX], source[PATHS_MAX];
	struct error ignored;
	const char *place = places[index], *named = place[0] == '$' ? getenv(place + 1) : NULL;
	*out = (struct toolkit){.place = place};
	if (place[0] == '$')
		return named != NULL && named[0] != '\0' &&
			   (index == 0 ? of_nvcc(named, out) : of_root(named, out));
	if (strcmp(place, ON_PATH) == 0)
		return paths_program("nvcc", path) && of_nvcc(path, out);
	if (strcmp(place, FETCHED) == 0)
		return paths_source(source, &ignored) && paths_join(path, source, FETCHED, &ignored) &&
			   of_root(path, out);
	if (strcmp(place, BUILT_WITH) == 0)
		return toolkit_built_with(path) && of_root(path, out);
	return of_root(place, out);
}

const char *toolkit_places(char out[TOOLKIT_TEXT])
{
	return text_names(out, TOOLKIT_TEXT, places, TOOLKIT_PLACES, " and ");
}

bool toolkit_find_program(const char *name, char out[PATHS_MAX])
{
	struct toolkit toolkit;
	const char *const folders[] = {"bin", name}; /* compute-sanitizer has a folder of its own */
	if (paths_program(name, out))
		return true;
	for (size_t i = 0; i < TOOLKIT_PLACES; i++) {
		bool named = toolkit_at(i, &toolkit);
		for (size_t k = 0; named && k < 2; k++)
			if (snprintf(out, PATHS_MAX, "%s/%s/%s", toolkit.root, folders[k], name) < PATHS_MAX &&
				paths_is_program(out))
				return true;
		if (named && i == 0)
			return false;
	}
	return false;
}

/* ---- libraries ------------------------------------------------------------------ */

/* What is done with a file that may be the library: true ends the search. */
typedef bool trial(const char *path, void *context);

/* `list`: folders with ':' between them. */
static bool try_list(const char *list, const char *file, trial *try, void *context)
{
	char path[PATHS_MAX];
	for (size_t length; list != NULL && *list != '\0'; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (length > 0 &&
			snprintf(path, sizeof path, "%.*s/%s", (int)length, list, file) < PATHS_MAX &&
			try(path, context))
			return true;
	}
	return false;
}

static bool try_toolkits(const char *file, trial *try, void *context)
{
	char path[PATHS_MAX];
	struct toolkit toolkit;
	for (size_t i = 0; i < TOOLKIT_PLACES; i++) {
		bool named = toolkit_at(i, &toolkit);
		for (const char *const *folder = toolkit_library_folders; named && *folder != NULL;
			 folder++)
			if (snprintf(path, sizeof path, "%s/%s/%s", toolkit.root, *folder, file) < PATHS_MAX &&
				try(path, context))
				return true;
	}
	return false;
}

static bool is_there(const char *path, void *context)
{
	return access(path, R_OK) == 0 && snprintf(context, PATHS_MAX, "%s", path) > 0;
}

bool toolkit_find_library(const char *file, char out[PATHS_MAX])
{
	return try_list(getenv("LD_LIBRARY_PATH"), file, is_there, out) ||
		   try_toolkits(file, is_there, out) ||
		   try_list("/usr/lib/" MULTIARCH ":/lib/" MULTIARCH ":/usr/lib64:/usr/lib:"
					"/usr/lib/wsl/lib",
					file, is_there, out);
}

struct opening {
	int flags;
	void *library;
};

static bool opens(const char *path, void *context)
{
	struct opening *opening = context;
	if (access(path, R_OK) == 0)
		opening->library = dlopen(path, opening->flags);
	return opening->library != NULL;
}

void *toolkit_open_library(const char *file, int flags, struct error *err)
{
	struct opening opening = {flags, dlopen(file, flags | RTLD_NOLOAD)};
	if (opening.library != NULL || try_list(getenv("LD_LIBRARY_PATH"), file, opens, &opening) ||
		try_toolkits(file, opens, &opening))
		return opening.library;
	opening.library = dlopen(file, flags);
	if (opening.library == NULL) {
		const char *why = dlerror();
		error_set(err, "%s: cannot be loaded", why != NULL ? why : file);
	}
	return opening.library;
}
