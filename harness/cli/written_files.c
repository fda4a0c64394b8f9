#include "cli/written_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/files.h"
#include "report/report.h"
#include "store/place.h"

#define OUTPUTS_MAX 16 /* options of one subcommand that name an output */

/* One that was asked for. */
struct output {
	struct option_file asked;
	char absolute[PATHS_MAX];
	struct stat facts; /* if it exists */
	bool exists, is_stdout;
};

struct outputs {
	size_t count;
	struct output items[OUTPUTS_MAX];
};

static void outputs_find(const struct options *options, struct outputs *out)
{
	struct option_file asked;
	out->count = 0;
	for (size_t i = 0; out->count < OUTPUTS_MAX; i++) {
		if (!options_file(options, VALUE_WRITTEN, i, &asked))
			return;
		struct output *one = &out->items[out->count++];
		*one = (struct output){.asked = asked, .is_stdout = strcmp(asked.path, "-") == 0};
		one->exists = one->is_stdout ? fstat(STDOUT_FILENO, &one->facts) == 0
									 : stat(asked.path, &one->facts) == 0;
		if (one->is_stdout)
			strcpy(one->absolute, "-");
		else
			paths_absolute(asked.path, one->absolute);
	}
}

/* Nothing is lost where two write to the null device. */
static bool same_file(const struct stat *a, const struct stat *b)
{
	return !S_ISCHR(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool overwrites(const struct output *output, const char *what, struct error *err)
{
	return error_set(err, "--%s %s would overwrite %s: name another file", output->asked.option,
					 output->asked.path, what);
}

/* ---- what is read ----------------------------------------------------------------------- */

static bool spares_input(const struct outputs *outputs, const char *path, const char *what,
						 struct error *err)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return true;
	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = &outputs->items[i];
		if (!output->is_stdout && output->exists && same_file(&output->facts, &facts))
			return overwrites(output, what, err);
	}
	return true;
}

/* Of folders what they hold; what cannot be found is told by who reads it. */
static bool spare_arguments(const struct outputs *outputs, const struct options *options,
							struct error *err)
{
	struct files files;
	struct error ignored;
	if (!files_find(options->arguments, options->argument_count, &files, &ignored))
		return true;
	bool ok = true;
	for (size_t i = 0; i < files.count && ok; i++)
		ok = spares_input(outputs, files.paths[i], "a solution of this run", err);
	files_free(&files);
	return ok;
}

static bool spare_inputs(const struct outputs *outputs, const struct options *options,
						 struct error *err)
{
	struct option_file input;
	char what[64];
	for (size_t i = 0; options_file(options, VALUE_READ, i, &input); i++) {
		snprintf(what, sizeof what, "a file that --%s reads", input.option);
		if (!spares_input(outputs, input.path, what, err))
			return false;
	}
	return spare_arguments(outputs, options, err);
}

/* ---- the store -------------------------------------------------------------------------- */

/* "b.db" of "b.db-wal": SQLite's files beside a database. */
static void cut_companion(char path[PATHS_MAX])
{
	static const char *const endings[] = {"-wal", "-shm", "-journal"};
	size_t length = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t tail = strlen(endings[i]);
		if (length > tail && strcmp(path + length - tail, endings[i]) == 0)
			path[length - tail] = '\0';
	}
}

/* Also the store of another run: whatever is a database. */
static bool holds_database(const char *path)
{
	static const char begin[] = "SQLite format 3"; /* and its NUL */
	char bytes[sizeof begin] = "";
	struct stat facts;
	FILE *file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? fopen(path, "re") : NULL;
	bool is = file != NULL && fread(bytes, sizeof begin, 1, file) == 1 &&
			  memcmp(bytes, begin, sizeof begin) == 0;
	if (file != NULL)
		fclose(file);
	return is;
}

/* The store need not be there yet, nor be used by this run. */
static bool spares_store(const struct output *output, const struct options *options,
						 struct error *err)
{
	char path[PATHS_MAX], store[PATHS_MAX], absolute[PATHS_MAX];
	struct option_file named = {0};
	const char *own = options_file(options, VALUE_STORE, 0, &named) ? named.path : NULL;
	snprintf(path, sizeof path, "%s", output->absolute);
	cut_companion(path);
	for (size_t i = 0; store_candidate(own, i, store); i++) {
		paths_absolute(store, absolute);
		if (strcmp(path, absolute) == 0)
			return overwrites(output, "the store of judgements", err);
	}
	if (holds_database(output->absolute) || holds_database(path))
		return overwrites(output, "a database", err);
	return true;
}

/* ---- sources ---------------------------------------------------------------------------- */

const char *written_files_source_ending(const char *path)
{
	static const char *const endings[] = {".cu",  ".cuh", ".ini", ".c",   ".h", ".cpp",
										  ".hpp", ".cc",  ".hh",  ".inl", ".py"};
	const char *slash = strrchr(path, '/');
	const char *ending = strrchr(slash != NULL ? slash + 1 : path, '.');
	for (size_t i = 0; ending != NULL && i < sizeof endings / sizeof *endings; i++)
		if (strcmp(ending, endings[i]) == 0)
			return ending;
	return NULL;
}

static bool begins_with(const char *path, const char *mark)
{
	char bytes[64] = "";
	size_t length = strlen(mark);
	FILE *file = fopen(path, "re");
	bool is = file != NULL && length <= sizeof bytes && fread(bytes, length, 1, file) == 1 &&
			  memcmp(bytes, mark, length) == 0;
	if (file != NULL)
		fclose(file);
	return is;
}

/* An option with a mark writes sources itself: it replaces those, and nobody else's. */
static bool spares_source(const struct output *output, struct error *err)
{
	const struct option_file *asked = &output->asked;
	const char *ending = written_files_source_ending(output->absolute);
	if (ending == NULL)
		return true;
	if (asked->mark == NULL)
		return error_set(err,
						 "--%s %s: a report is not written to a file that ends in %s, as "
						 "sources do: name another one",
						 asked->option, asked->path, ending);
	if (!output->exists || output->facts.st_size == 0 || begins_with(asked->path, asked->mark))
		return true;
	return error_set(err,
					 "--%s %s: the file is there, and gemmjudge did not write it: name another one",
					 asked->option, asked->path);
}

/* ---- the rules -------------------------------------------------------------------------- */

static bool differ(const struct output *a, const struct output *b, struct error *err)
{
	if (strcmp(a->absolute, b->absolute) != 0 &&
		!(a->exists && b->exists && same_file(&a->facts, &b->facts)))
		return true;
	return error_set(err, "--%s and --%s cannot both go to '%s'", a->asked.option, b->asked.option,
					 b->asked.path);
}

static bool output_holds(const struct output *output, const struct options *options,
						 struct error *err)
{
	return output->is_stdout || (spares_source(output, err) && spares_store(output, options, err) &&
								 report_probe(output->asked.path, err));
}

/* What may lie in it is known to who writes the pages (site/folder.h). */
static bool folders_hold(const struct options *options, struct error *err)
{
	struct output folder = {0};
	for (size_t i = 0; options_file(options, VALUE_FOLDER, i, &folder.asked); i++) {
		paths_absolute(folder.asked.path, folder.absolute);
		if (stat(folder.asked.path, &folder.facts) == 0 && !S_ISDIR(folder.facts.st_mode))
			return error_set(err, "cannot write into %s: it is a file, and a folder is needed",
							 folder.asked.path);
		if (!spares_store(&folder, options, err))
			return false;
	}
	return true;
}

bool written_files_hold(const struct options *options, struct error *err)
{
	struct outputs outputs;
	outputs_find(options, &outputs);
	if (!folders_hold(options, err) || (outputs.count > 0 && !spare_inputs(&outputs, options, err)))
		return false;
	for (size_t i = 0; i < outputs.count; i++) {
		for (size_t j = 0; j < i; j++)
			if (!differ(&outputs.items[j], &outputs.items[i], err))
				return false;
		if (!output_holds(&outputs.items[i], options, err))
			return false;
	}
	return true;
}

bool written_files_take_stdout(const struct options *options)
{
	struct option_file output;
	for (size_t i = 0; options_file(options, VALUE_WRITTEN, i, &output); i++)
		if (strcmp(output.path, "-") == 0)
			return true;
	return false;
}
