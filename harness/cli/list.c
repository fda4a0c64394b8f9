/* gemmjudge list: problems, suites and solutions. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/file_summary.h"
#include "cli/list_epilogues.h"
#include "report/clean.h"
#include "report/wrap.h"
#include "starter/exercise.h"
#include "testcases/suite.h"

#define COLUMNS 80

#define NAME_COLUMNS 15 /* of problems and suites */

static void print_named(const char *name, const char *text)
{
	int column = printf("  %-*s ", NAME_COLUMNS, name);
	wrap_print(stdout, COLUMNS, column, column, text);
}

/* "M, N, K 16 to 4096, G 2 to 256": sizes of the same limits together. */
static void describe_sizes(const struct problem *problem, char *out, size_t capacity)
{
	size_t used = 0;
	for (const struct problem_size *row = problem->sizes; row->name != NULL && used < capacity;
		 row++) {
		if (row->max == INT32_MAX) { /* counted */
			snprintf(out + used, capacity - used, "%s counted", row->shown);
			return;
		}
		bool same = row[1].name != NULL && row[1].min == row->min && row[1].max == row->max;
		used += (size_t)snprintf(out + used, capacity - used, "%s", row->shown);
		if (!same)
			used += (size_t)snprintf(out + used, capacity - used, " %d to %d", row->min, row->max);
		if (row[1].name != NULL)
			used += (size_t)snprintf(out + used, capacity - used, ", ");
	}
}

static void list_problems(void)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	puts("problems");
	for (size_t i = 0; i < count; i++) {
		const struct problem *problem = &table[i];
		char prototype[PROTOTYPE_TEXT], explanation[EXPLANATION_TEXT];
		char large[SHAPE_TEXT], legend[SHAPE_TEXT], sizes[512], facts[1024];
		problem_prototype(problem, prototype);
		problem_explain(problem, explanation);
		shape_print(problem, &problem->large, large);
		describe_sizes(problem, sizes, sizeof sizes);
		print_named(problem->name, problem->summary);
		wrap_print(stdout, COLUMNS, 0, 4, prototype);
		wrap_print(stdout, COLUMNS, 0, 4, explanation);
		snprintf(facts, sizeof facts, "sizes %s; timed at %s (%s); solutions/%s/", sizes, large,
				 shape_legend(problem, legend), problem->folder);
		wrap_print(stdout, COLUMNS, 0, 4, facts);
	}
}

/* ---- names in folders ----------------------------------------------------- */

static int has_ending(const char *name, const char *ending)
{
	size_t length = strlen(name), tail = strlen(ending);
	return name[0] != '.' && length > tail && strcmp(name + length - tail, ending) == 0;
}

static int is_suite(const struct dirent *entry)
{
	return has_ending(entry->d_name, ".ini");
}

static int is_solution(const struct dirent *entry)
{
	return has_ending(entry->d_name, ".cu");
}

static int is_shown_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

static void names_free(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	if (count >= 0)
		free(names);
}

/* ---- suites --------------------------------------------------------------- */

/* A suite says which problem it is for only while it is read: the first problem
 * that it takes reads it. */
static bool load_for_any(const char *path, struct suite *suite, struct error *err)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	for (size_t i = 0; i < count; i++) {
		struct error later;
		if (suite_load(path, "", &table[i], 0, 0, suite, i == 0 ? err : &later))
			return true;
	}
	return false;
}

static bool list_suites(struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX], path[PATHS_MAX];
	if (!paths_source(source, err) || !paths_join(folder, source, "testcases/suites", err))
		return false;
	struct dirent **names;
	int count = scandir(folder, &names, is_suite, alphasort);
	puts("suites");
	for (int i = 0; i < count; i++) {
		struct suite suite;
		struct error why;
		char name[256];
		snprintf(name, sizeof name, "%.*s", (int)strlen(names[i]->d_name) - 4, names[i]->d_name);
		if (!paths_join(path, folder, names[i]->d_name, err))
			continue;
		if (!load_for_any(path, &suite, &why)) {
			print_named(name, why.message);
			continue;
		}
		char line[256];
		int used = snprintf(line, sizeof line, "%s (%zu case%s", suite.summary, suite.count,
							text_plural(suite.count));
		if (suite.problem[0] != '\0')
			used += snprintf(line + used, sizeof line - (size_t)used, ", for %s", suite.problem);
		snprintf(line + used, sizeof line - (size_t)used, ")");
		print_named(name, line);
		suite_free(&suite);
	}
	names_free(names, count);
	return true;
}

/* ---- solutions ------------------------------------------------------------ */

/* The solutions of solutions/<below>; true when there was one. */
static bool list_folder(const char *source, const char *below)
{
	char folder[2 * PATHS_MAX], path[3 * PATHS_MAX];
	struct dirent **names;
	snprintf(folder, sizeof folder, "%s/solutions/%s", source, below);
	int count = scandir(folder, &names, is_solution, alphasort);
	if (count > 0) {
		snprintf(path, sizeof path, "%s/x", folder);
		const struct problem *problem = problem_of_path(path);
		printf("  solutions/%s (%s)\n", below, problem != NULL ? problem->name : "no problem");
	}
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		char summary[FILE_SUMMARY_MAX];
		file_summary(path, summary);
		char *name = clean_line(names[i]->d_name);
		int column = printf("    %-22s ", name != NULL ? name : "?");
		wrap_print(stdout, COLUMNS, column, 27, summary);
		free(name);
	}
	names_free(names, count);
	return count > 0;
}

static bool list_solutions(struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	if (!paths_source(source, err) || !paths_join(folder, source, "solutions", err))
		return false;
	struct dirent **names, **inner;
	int count = scandir(folder, &names, is_shown_folder, alphasort);
	bool any = false;
	puts("solutions");
	for (int i = 0; i < count; i++) {
		char below[PATHS_MAX], deeper[2 * PATHS_MAX];
		any |= list_folder(source, names[i]->d_name);
		if (!paths_join(below, folder, names[i]->d_name, err))
			continue;
		int inner_count = scandir(below, &inner, is_shown_folder, alphasort);
		for (int j = 0; j < inner_count; j++) {
			snprintf(deeper, sizeof deeper, "%s/%s", names[i]->d_name, inner[j]->d_name);
			any |= list_folder(source, deeper);
		}
		names_free(inner, inner_count);
	}
	names_free(names, count);
	if (!any)
		puts("  none yet: 'gemmjudge new NAME --problem P' writes a starter");
	return true;
}

static bool list_exercises(struct error *err)
{
	(void)err;
	puts("exercises ('gemmjudge new --exercise NAME' writes one)");
	for (size_t i = 0; i < exercise_count; i++)
		print_named(exercises[i].name, exercises[i].idea);
	return true;
}

static bool list_problems_too(struct error *err)
{
	(void)err;
	list_problems();
	return true;
}

static const struct {
	const char *name;
	bool (*list)(struct error *err);
} kinds[] = {
	{"problems", list_problems_too}, {"suites", list_suites},       {"epilogues", list_epilogues},
	{"exercises", list_exercises},   {"solutions", list_solutions},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* Which kinds were asked for; all when none was. */
static bool kinds_wanted(const struct options *options, bool wanted[KIND_COUNT], struct error *err)
{
	const char *names[KIND_COUNT];
	for (size_t k = 0; k < KIND_COUNT; k++) {
		names[k] = kinds[k].name;
		wanted[k] = options->argument_count == 0;
	}
	for (size_t i = 0; i < options->argument_count; i++) {
		char phrase[160], known[160];
		size_t kind = text_index(options->arguments[i], names, KIND_COUNT);
		if (kind == KIND_COUNT)
			return error_set(err, "cannot list '%s'%s (%s)", options->arguments[i],
							 suggest_phrase(phrase, options->arguments[i], names, KIND_COUNT),
							 text_names(known, sizeof known, names, KIND_COUNT, ", "));
		wanted[kind] = true;
	}
	return true;
}

static int list(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	bool wanted[KIND_COUNT], ok = true, any = false;
	if (!kinds_wanted(options, wanted, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	for (size_t k = 0; k < KIND_COUNT && ok; k++) {
		if (!wanted[k])
			continue;
		if (any)
			putchar('\n');
		any = true;
		ok = kinds[k].list(&err);
	}
	return ok ? EXIT_ACCEPTED : cli_fail(EXIT_CANNOT_RUN, &err);
}

const struct subcommand subcommand_list = {
	.name = "list",
	.also = "problems problem suites epilogues stages solutions ls",
	.summary = "the problems, suites and solutions that there are",
	.usage = "usage: gemmjudge list [problems|suites|epilogues|exercises|solutions]\n"
			 "\n"
			 "Lists the problems with the signature of solve(), the suites of cases, the "
			 "stages of epilogues, exercises, and the solutions in the source tree.\n",
	.run = list,
};
