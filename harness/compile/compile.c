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
#include "base/toolkit.h"
#include "compile/bytes.h"
#include "compile/cache.h"
#include "compile/inputs.h"
#include "compile/jail_rules.h"
#include "compile/lease.h"
#include "compile/movable.h"
#include "compile/nvcc.h"
#include "compile/prune.h"
#include "compile/source_needs.h"
#include "compile/stand_in.h"
#include "process/environment.h"
#include "process/landlock.h"

/* Part of every key: to be changed when what is stored means something else. */
#define CACHE_FORMAT "gemmjudge compile 9 on " ARCHITECTURE

/* The clock that stamps files. */
static double file_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME_COARSE, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool measure_source(const char *source, off_t *bytes, struct error *err)
{
	struct stat facts;
	if (stat(source, &facts) != 0)
		return error_set(err, "%s: %s", source, strerror(errno));
	*bytes = facts.st_size;
	return S_ISREG(facts.st_mode) || error_set(err, "%s: is no regular file", source);
}

/* The file's absolute path, and its folder, where nvcc runs: so #include "..."
 * and messages do not depend on where the judge was started. */
static bool locate_source(const char *source, char path[PATHS_MAX], char folder[PATHS_MAX],
						  struct error *err)
{
	char real[PATH_MAX], parent[PATHS_MAX];
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

/* What is compiled, and how. */
struct job {
	const struct compile_options *options;
	struct words arguments;
	char nvcc[PATHS_MAX], version[VERSION_TEXT];
	char source[PATHS_MAX], source_folder[PATHS_MAX];
	const char *content;       /* the file that holds the source: that one, or what stands for it */
	struct stand_in_text text; /* of that, read once: the key is of what is compiled */
	char epilogue[PATHS_MAX];  /* the generated header, "" without */
	char exports[PATHS_MAX], headers[PATHS_MAX], repository[PATHS_MAX]; /* of nvcc.h; "" without */
	struct nvcc_ways ways;
	char cache[PATHS_MAX], tree[PATHS_MAX]; /* "": there is no source tree */
	unsigned named; /* the parts of headers that the file or a stage names (source_needs.h) */
	bool moves;     /* it may be compiled under STAND_IN_PATH, with what lies beside it */
	struct movable movable;
	bool jailed;
	struct cache_key key;
	double key_time; /* when the text was read, by the clock that stamps files */
	double deadline; /* of nvcc, by the monotonic clock */
};

/* Behind `beginning` and `folder`, where the word begins with both; else NULL. */
static const char *behind_folder(const char *word, const char *beginning, const char *folder)
{
	const size_t begins = strlen(beginning), length = strlen(folder);
	bool both = length > 0 && strncmp(word, beginning, begins) == 0 &&
				strncmp(word + begins, folder, length) == 0;
	return both ? word + begins + length : NULL;
}

/* The linker's list has the name of its content, and what is linked does not tell where it lay:
 * without the folder, a copy of the cache is as good as the cache. Nor does it matter where our
 * epilogues lie, whose content is looked at. */
static const char *key_word(const struct job *job, const char *argument)
{
	const char *list = behind_folder(argument, NVCC_EXPORTS, job->cache);
	const char *epilogues = behind_folder(argument, "-I", job->tree);
	return list != NULL ? list : epilogues != NULL ? epilogues : argument;
}

/* Who may read what is part of the key; what a movable file may read does not depend on it. */
static const char *key_jail(const struct job *job)
{
	if (!job->jailed)
		return "";
	if (!job->ways.in_place)
		return "moved";
	return job->options->isolated ? "alone" : "jailed";
}

/* KEY of cache.h. */
static void make_key(struct job *job)
{
	struct hash hash;
	hash_begin(&hash);
	hash_add_text(&hash, CACHE_FORMAT);
	hash_add_text(&hash, key_jail(job));
	hash_add_text(&hash, job->version);
	for (size_t i = 0; i < job->arguments.count; i++)
		hash_add_text(&hash, key_word(job, job->arguments.at[i]));
	for (size_t i = 0; environment_of_compiler(i) != NULL; i++) {
		const char *value = getenv(environment_of_compiler(i));
		hash_add_text(&hash, value != NULL ? value : "");
	}
	hash_add_text(&hash, job->options->appended != NULL ? job->options->appended : "");
	hash_add(&hash, job->text.at, job->text.size);
	hash_add_text(&hash, job->options->object ? "object" : "");
	for (size_t i = 0; job->options->objects != NULL && job->options->objects[i] != NULL; i++) {
		const char *entry = behind_folder(job->options->objects[i], "", job->cache);
		hash_add_text(&hash, entry != NULL ? entry : job->options->objects[i]);
	}
	for (size_t i = 0; !job->ways.in_place && i < job->movable.count; i++) {
		hash_add_text(&hash, job->movable.beside[i].name);
		hash_add_text(&hash, job->movable.beside[i].text.at);
	}
	hash_end(&hash, job->key.text);
}

static const char *path_or_null(const char *path)
{
	return path[0] != '\0' ? path : NULL;
}

/* Opens the rules of the jail into *rules. A movable file has nothing beside it. */
static bool job_jail(const struct job *job, const char *folder, const char *stand_in, int *rules,
					 struct error *err)
{
	const struct compile_options *options = job->options;
	const bool moved = !job->ways.in_place;
	const struct jail_rules jail = {.nvcc = job->nvcc,
									.source = moved ? stand_in : job->source,
									.source_folder = moved ? folder : job->source_folder,
									.epilogue = path_or_null(job->epilogue),
									.exports = job->exports,
									.headers = path_or_null(job->headers),
									.repository = moved ? NULL : path_or_null(job->repository),
									.stages = options->stages,
									.flags = options->flags,
									.folder = folder,
									.libraries = options->libraries,
									.isolated = moved || options->isolated,
									.copied = moved};
	*rules = job->jailed ? jail_rules_open(&jail, err) : 0;
	return *rules >= 0;
}

/* Makes the copy that is compiled, where one is; else *stand_in is "". */
static bool job_stand_in(const struct job *job, const char *folder, char stand_in[PATHS_MAX],
						 struct error *err)
{
	const struct compile_options *options = job->options;
	const bool moved = !job->ways.in_place;
	stand_in[0] = '\0';
	if (!moved && options->stands_for == NULL && options->appended == NULL &&
		!stand_in_is_needed(job->source))
		return true;
	bool made = stand_in_make(&job->text, options->appended, moved ? STAND_IN_PATH : job->source,
							  folder, stand_in, err);
	for (size_t i = 0; made && moved && i < job->movable.count; i++)
		made = stand_in_add(stand_in, &job->movable.beside[i], err);
	return made;
}

/* Copies what is only linked to where nvcc may read it; *count of them. It has read no other file.
 */
static bool job_objects(const struct job *job, const char *folder, size_t *count, struct error *err)
{
	char path[PATHS_MAX];
	const char *const *objects = job->options->objects;
	for (*count = 0; objects != NULL && objects[*count] != NULL; ++*count)
		if (snprintf(path, sizeof path, NVCC_OBJECT, folder, *count) >= PATHS_MAX ||
			!bytes_copy_file(objects[*count], path, err))
			return false;
	return *count == 0 || (paths_join(path, folder, "dependencies", err) &&
						   bytes_write_file(path, "solution:\n", err));
}

/* nvcc works in FOLDER/nvcc and reaches nothing else to write. */
static enum compile_status run_in(const struct job *job, const char *folder, struct compiled *out,
								  uint64_t *written, struct error *err)
{
	const bool moved = !job->ways.in_place;
	const char *shown = moved ? STAND_IN_PATH : job->source;
	char stand_in[PATHS_MAX];
	int rules = 0;
	size_t objects = 0;
	if (!job_objects(job, folder, &objects, err) || !job_stand_in(job, folder, stand_in, err) ||
		!job_jail(job, folder, stand_in, &rules, err))
		return COMPILE_FAILED;
	const struct nvcc_start start = {.source = shown,
									 .stand_in = path_or_null(stand_in),
									 .quoted = stand_in[0] != '\0' && !moved,
									 .object = job->options->object,
									 .objects = objects,
									 .folder = folder,
									 .working_folder = moved ? "/" : job->source_folder,
									 .rules = rules,
									 .hides_denied = rules > 0 && (moved || job->options->isolated),
									 .limit = job->options->seconds,
									 .deadline = job->deadline,
									 .control = job->options->control};
	enum compile_status status = nvcc_run(&job->arguments, &start, &out->log, written, err);
	if (rules > 0)
		close(rules);
	if (stand_in[0] != '\0')
		out->log = stand_in_unname(out->log, stand_in, shown);
	return status;
}

/* From the start of the compiler to a folder with all that an entry holds. */
static enum compile_status compile_in(const struct job *job, const char *folder,
									  struct compiled *out, uint64_t *written, struct error *err)
{
	char compiler[PATHS_MAX];
	if (!paths_join(compiler, folder, CACHE_COMPILER, err))
		return COMPILE_FAILED;
	if (mkdir(compiler, 0700) != 0) {
		error_set(err, "%s: %s", compiler, strerror(errno));
		return COMPILE_FAILED;
	}
	enum compile_status status = run_in(job, compiler, out, written, err);
	if (status == COMPILE_OK && out->log == NULL) {
		error_set(err, "out of memory for nvcc's messages");
		return COMPILE_FAILED;
	}
	if (status != COMPILE_OK)
		return status;
	switch (cache_collect(folder, err)) {
	case CACHE_COLLECTED: return COMPILE_OK;
	case CACHE_NOTHING_LEFT: return COMPILE_STOPPED;
	default: return COMPILE_FAILED;
	}
}

/* Compiles and stores. */
static enum compile_status compile_now(const struct job *job, struct compiled *out,
									   struct error *err)
{
	char folder[PATHS_MAX];
	struct error full;
	uint64_t written = 0;
	prune_cache(job->cache, &(struct prune_limits){.bytes = PRUNE_BYTES, .seconds = PRUNE_SECONDS});
	if (!cache_begin(job->cache, folder, err))
		return COMPILE_FAILED;
	enum compile_status status = compile_in(job, folder, out, &written, err);
	if (status == COMPILE_OK) {
		const struct cache_product product = {
			.folder = folder, .log = out->log, .reusable = !inputs_changed(folder, job->key_time)};
		bool stored = cache_store(job->cache, &job->key, &product, out->library, &out->lease, err);
		return stored ? COMPILE_OK : COMPILE_FAILED;
	}
	cache_drop(folder);
	/* A file can make nvcc say that the disk is full. Once what it wrote is gone, the disk tells,
	 * and how much it wrote tells whether the disk can have been too small for that. */
	if ((status == COMPILE_ERROR || status == COMPILE_STOPPED) &&
		!cache_has_room(job->cache, written, &full)) {
		*err = full;
		status = COMPILE_FAILED;
	}
	return status;
}

/* What a solution may be called by (contestant/solution.h), and a library (library.h). Patterns, as
 * some linkers refuse names that are not there. */
static const char exports[] = "{ global: [s]olve; [s]olution; [s]olution_part; [e]pilogue_bind; "
							  "[e]pilogue_after_solve; _Z5solve*; _Z8solution*; "
							  "library_*; local: *; };\n";

/* The files that the judge brings along. */
static bool job_generate(struct job *job, struct error *err)
{
	const struct compile_options *options = job->options;
	return cache_generate(job->cache, ".map", exports, job->exports, err) &&
		   (options->epilogue == NULL ||
			cache_generate(job->cache, ".cuh", options->epilogue, job->epilogue, err)) &&
		   (options->solve_header == NULL || !source_needs_solve_header(job->content) ||
			cache_generate_named(job->cache, SOURCE_NEEDS_HEADER, options->solve_header,
								 job->headers, err));
}

/* Everything that can be known before compiling. */
static enum compile_status job_prepare(struct job *job, struct error *err)
{
	const struct compile_options *options = job->options;
	off_t bytes = 0;
	struct error no_cache, ignored;
	const char *shown = options->stands_for != NULL ? options->stands_for : options->source;
	if (!measure_source(options->source, &bytes, err) ||
		!locate_source(shown, job->source, job->source_folder, err))
		return COMPILE_FAILED;
	job->content = options->stands_for != NULL ? options->source : job->source;
	if (bytes > COMPILE_SOURCE_BYTES) {
		error_set(err, "the file has more than %lld MiB", (long long)(COMPILE_SOURCE_BYTES >> 20));
		return COMPILE_STOPPED;
	}
	job->key_time = file_time();
	job->text.at = bytes_read_file(job->content, &job->text.size);
	if (job->text.at == NULL) {
		error_set(err, "%s: %s", job->content, strerror(errno));
		return COMPILE_FAILED;
	}
	bool located = locate_cache(job->cache, &no_cache);
	if (!nvcc_find(located ? job->cache : NULL, job->nvcc, job->version, err))
		return COMPILE_NO_COMPILER;
	if (!located)
		*err = no_cache;
	if (!located || !job_generate(job, err))
		return COMPILE_FAILED;
	if (!options->isolated && !jail_rules_repository(job->source_folder, job->repository))
		job->repository[0] = '\0';
	job->named = source_needs_parts(job->content);
	for (size_t i = 0; options->stages != NULL && options->stages[i] != NULL; i++)
		job->named |= source_needs_parts(options->stages[i]);
	if (!paths_source(job->tree, &ignored))
		job->tree[0] = '\0';
	job->moves = !options->in_place && !options->libraries &&
				 strlen(job->text.at) == job->text.size &&
				 movable_find(job->text.at, job->source_folder, options->flags, &job->movable) &&
				 !(options->isolated && job->movable.count > 0);
	job->jailed = !options->unjailed && landlock_abi() > 0;
	return COMPILE_OK;
}

/* The command line and the key. */
static bool job_choose(struct job *job, const struct nvcc_ways *ways, struct error *err)
{
	const struct nvcc_parts parts = {.source = ways->in_place ? job->source : STAND_IN_PATH,
									 .epilogue = path_or_null(job->epilogue),
									 .exports = job->exports,
									 .headers = path_or_null(job->headers),
									 .repository =
										 ways->in_place ? path_or_null(job->repository) : NULL,
									 .named = job->named,
									 .ways = *ways};
	words_free(&job->arguments);
	job->ways = *ways;
	nvcc_arguments(&job->arguments, job->nvcc, job->options, &parts);
	if (job->arguments.failed)
		return error_set(err, "out of memory for nvcc's command line");
	make_key(job);
	return true;
}

/* As C++20 only where nobody has chosen a standard. */
static bool may_be_cxx20(const struct job *job)
{
	return !nvcc_has_standard(job->options->flags);
}

/* What an earlier run compiled, whichever way nvcc took the file. */
static bool job_find(struct job *job, struct compiled *out, bool *failed, struct error *err)
{
	for (int way = 0; way < (may_be_cxx20(job) ? 16 : 8); way++) {
		const struct nvcc_ways ways = {.in_place = (way & 1) != 0,
									   .whole_headers = (way & 2) != 0,
									   .lambdas = (way & 4) != 0,
									   .cxx20 = (way & 8) != 0};
		if (!ways.in_place && (ways.whole_headers || !job->moves))
			continue;
		*failed = !job_choose(job, &ways, err);
		if (*failed)
			return false;
		out->cached = cache_find(job->cache, &job->key, out->library, &out->log, &out->lease);
		if (out->cached)
			return true;
	}
	return false;
}

/* The next way to compile a file that was refused: what nvcc's messages ask for, and in the end
 * all of the headers and in its own place, so that what is said of a file is what plain nvcc says
 * of it. False: none. */
static bool job_wants_more(const struct job *job, const char *log, struct nvcc_ways *ways)
{
	*ways = job->ways;
	ways->lambdas |= source_needs_lambdas(log);
	ways->cxx20 |= may_be_cxx20(job) && source_needs_cxx20(job->content, log);
	ways->in_place |= movable_misses_file(log);
	if (ways->lambdas != job->ways.lambdas || ways->cxx20 != job->ways.cxx20 ||
		ways->in_place != job->ways.in_place)
		return true;
	ways->in_place = true;
	ways->whole_headers = true;
	return !job->ways.whole_headers;
}

/* As C++17, without lambdas for the device and without parts of headers that are seldom needed, and
 * with these where the file is refused otherwise. Each way has an entry of its own. */
static enum compile_status compile_or_find(struct job *job, struct compiled *out, struct error *err)
{
	bool failed;
	enum compile_status status = job_prepare(job, err);
	struct nvcc_ways ways = {.in_place = !job->moves};
	if (status != COMPILE_OK)
		return status;
	out->jailed = job->jailed;
	if (job_find(job, out, &failed, err))
		return COMPILE_OK;
	if (failed)
		return COMPILE_FAILED;
	if (!nvcc_has_host_compiler(&job->arguments, err))
		return COMPILE_NO_COMPILER;
	do {
		free(out->log);
		out->log = NULL;
		if (!job_choose(job, &ways, err))
			return COMPILE_FAILED;
		status = compile_now(job, out, err);
	} while (status == COMPILE_ERROR && job_wants_more(job, out->log, &ways));
	return status;
}

/* The user's name in the messages, and for who reads the library. */
static void job_name(const struct job *job, struct compiled *out)
{
	char *told = !job->ways.in_place ? stand_in_tell(out->log, job->source) : NULL;
	if (told == NULL)
		return;
	free(out->log);
	out->log = told;
	snprintf(out->source, sizeof out->source, "%s", job->source);
}

enum compile_status compile_solution(const struct compile_options *options, struct compiled *out,
									 struct error *err)
{
	double started = clock_seconds();
	struct job *job = calloc(1, sizeof *job);

	*out = (struct compiled){.status = COMPILE_FAILED};
	if (job != NULL) {
		job->options = options;
		job->deadline = started + options->seconds;
		out->status = compile_or_find(job, out, err);
		out->cxx20 = out->status == COMPILE_OK && job->ways.cxx20;
		job_name(job, out);
		words_free(&job->arguments);
		free(job->text.at);
		movable_free(&job->movable);
		free(job);
	} else {
		error_set(err, "out of memory");
	}
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
