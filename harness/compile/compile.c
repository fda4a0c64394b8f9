#include "compile/compile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "compile/cache.h"
#include "compile/lease.h"
#include "compile/nvcc.h"
#include "compile/prune.h"

/* Part of every key: to be changed when what is stored means something else. */
#define CACHE_FORMAT "gemmjudge compile 1"

/* The clock that stamps files. */
static double file_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME_COARSE, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The file's absolute path, and its folder, where nvcc runs: so #include "..."
 * and messages do not depend on where the judge was started. */
static bool locate_source(const char *source, char path[PATHS_MAX], char folder[PATHS_MAX],
						  struct error *err)
{
	struct stat facts;
	char real[PATH_MAX], parent[PATHS_MAX];
	if (stat(source, &facts) != 0)
		return error_set(err, "%s: %s", source, strerror(errno));
	if (!S_ISREG(facts.st_mode))
		return error_set(err, "%s: is no regular file", source);
	if (snprintf(parent, sizeof parent, "%s", source) >= PATHS_MAX)
		return error_set(err, "path too long: %s", source);
	char *slash = strrchr(parent, '/');
	const char *name = slash != NULL ? source + (slash - parent) + 1 : source;
	if (slash == NULL)
		strcpy(parent, ".");
	else
		slash[slash == parent] = '\0';
	if (realpath(parent, real) == NULL)
		return error_set(err, "%s: %s", parent, strerror(errno));
	snprintf(folder, PATHS_MAX, "%s", real);
	return paths_join(path, folder, name, err);
}

/* The cache's absolute path, as nvcc runs elsewhere. */
static bool locate_cache(char cache[PATHS_MAX], struct error *err)
{
	char real[PATH_MAX];
	if (!paths_cache(cache, err))
		return false;
	if (realpath(cache, real) == NULL)
		return error_set(err, "%s: %s", cache, strerror(errno));
	snprintf(cache, PATHS_MAX, "%s", real);
	return true;
}

/* KEY of cache.h. */
static bool make_key(const struct words *arguments, const char *version, const char *source,
					 struct cache_key *key, struct error *err)
{
	static const char *const variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN",
											"CPATH", "CPLUS_INCLUDE_PATH"};
	struct cache_hash *hash = cache_hash_begin();
	if (hash == NULL)
		return error_set(err, "out of memory");
	cache_hash_add_text(hash, CACHE_FORMAT);
	cache_hash_add_text(hash, version);
	for (size_t i = 0; i < arguments->count; i++)
		cache_hash_add_text(hash, arguments->at[i]);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);
		cache_hash_add_text(hash, value != NULL ? value : "");
	}
	bool read = cache_hash_add_file(hash, source, err);
	*key = cache_hash_end(hash);
	return read;
}

/* Compiles and stores. `key_time`: when the key was made, on the real-time clock. */
static enum compile_status compile_now(const struct words *arguments, const struct cache_key *key,
									   const char *cache, const char *source_folder,
									   double key_time, double seconds, struct compiled *out,
									   struct error *err)
{
	char folder[PATHS_MAX];
	prune_cache(cache, &(struct prune_limits){.bytes = PRUNE_BYTES, .seconds = PRUNE_SECONDS});
	if (!cache_begin(cache, folder, err))
		return COMPILE_FAILED;
	enum compile_status status =
		nvcc_run(arguments, folder, source_folder, seconds, &out->log, err);
	if (status != COMPILE_OK || out->log == NULL) {
		cache_drop(folder);
		if (status == COMPILE_FAILED)
			error_prefix(err, "%s", cache);
		return status == COMPILE_OK ? COMPILE_FAILED : status;
	}
	bool reusable = !cache_inputs_changed(folder, key_time);
	return cache_store(cache, key, folder, out->log, reusable, out->library, &out->lease, err)
			   ? COMPILE_OK
			   : COMPILE_FAILED;
}

static enum compile_status compile_or_find(const struct compile_options *options,
										   struct words *arguments, struct compiled *out,
										   struct error *err)
{
	char nvcc[PATHS_MAX], version[64], source[PATHS_MAX], folder[PATHS_MAX], cache[PATHS_MAX];
	char epilogue[PATHS_MAX];
	struct cache_key key;

	if (!locate_source(options->source, source, folder, err))
		return COMPILE_FAILED;
	if (!compile_find_nvcc(nvcc, version, err))
		return COMPILE_NO_COMPILER;
	if (!locate_cache(cache, err) ||
		(options->epilogue != NULL &&
		 !cache_generate(cache, ".cuh", options->epilogue, epilogue, err)))
		return COMPILE_FAILED;
	nvcc_arguments(arguments, nvcc, options, source, options->epilogue != NULL ? epilogue : NULL);
	if (arguments->failed) {
		error_set(err, "out of memory for nvcc's command line");
		return COMPILE_FAILED;
	}
	double key_time = file_time();
	if (!make_key(arguments, version, source, &key, err))
		return COMPILE_FAILED;
	if (cache_find(cache, &key, out->library, &out->log, &out->lease)) {
		out->cached = true;
		return COMPILE_OK;
	}
	if (!nvcc_has_host_compiler(arguments, err))
		return COMPILE_NO_COMPILER;
	return compile_now(arguments, &key, cache, folder, key_time, options->seconds, out, err);
}

enum compile_status compile_solution(const struct compile_options *options, struct compiled *out,
									 struct error *err)
{
	double started = clock_seconds();
	struct words arguments = {0};

	*out = (struct compiled){.status = COMPILE_FAILED};
	out->status = compile_or_find(options, &arguments, out, err);
	words_free(&arguments);
	if (out->status != COMPILE_OK)
		out->library[0] = '\0';
	if (out->log == NULL)
		out->log = strdup("");
	out->seconds = clock_seconds() - started;
	return out->status;
}

void compiled_free(struct compiled *compiled)
{
	free(compiled->log);
	lease_end(&compiled->lease);
	compiled->log = NULL;
}
