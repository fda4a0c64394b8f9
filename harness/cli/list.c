/* gemmjudge list: problems, suites and solutions. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/suggest.h"
#include "report/clean.h"
#include "testcases/suite.h"

#define COLUMNS 80

/* Text in lines of at most 80 columns, each indented. */
static void print_wrapped(int indent, const char *text)
{
	int column = 0;
	for (const char *word = text; *word != '\0';) {
		int length = (int)strcspn(word, " ");
		if (column > 0 && column + 1 + length > COLUMNS) {
			putchar('\n');
			column = 0;
		}
		column += column == 0 ? printf("%*s%.*s", indent, "", length, word)
							  : printf(" %.*s", length, word);
		word += length;
		word += strspn(word, " ");
	}
	putchar('\n');
}

static void list_problems(void)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	puts("problems");
	for (size_t i = 0; i < count; i++) {
		const struct problem *problem = &table[i];
		printf("  %-14s %s\n", problem->name, problem->summary);
		print_wrapped(4, problem->solve);
		print_wrapped(4, problem->arguments);
		printf("    sizes %d to %d; timed at %dx%dx%d (MxNxK); solutions/%s/\n", problem->min_dim,
			   problem->max_dim, problem->large.m, problem->large.n, problem->large.k,
			   problem->folder);
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
			printf("  %-14s cannot be read: %s\n", name, why.message);
			continue;
		}
		printf("  %-14s ", name);
		clean_print(stdout, suite.summary[0] != '\0' ? suite.summary : "no summary");
		printf("\n    %zu case%s%s%s\n", suite.count, suite.count == 1 ? "" : "s",
			   suite.problem[0] != '\0' ? ", for " : "", suite.problem);
		suite_free(&suite);
	}
	names_free(names, count);
	return true;
}

/* ---- solutions ------------------------------------------------------------ */

/* The first sentence of a file's opening comment, "" when there is none. */
static void read_summary(const char *path, char out[160])
{
	char line[512] = "";
	out[0] = '\0';
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return;
	if (fgets(line, sizeof line, file) != NULL && line[0] == '/' &&
		(line[1] == '*' || line[1] == '/')) {
		char *text = line + 2 + strspn(line + 2, " *\t");
		text[strcspn(text, "\r\n")] = '\0';
		char *end = strstr(text, "*/");
		if (end != NULL)
			*end = '\0';
		snprintf(out, 160, "%.159s", text);
	}
	fclose(file);
}

/* The solutions of solutions/<below>; true when there was one. */
static bool list_folder(const char *source, const char *below)
{
	char folder[2 * PATHS_MAX], path[3 * PATHS_MAX];
	struct dirent **names;
	snprintf(folder, sizeof folder, "%s/solutions/%s", source, below);
	int count = scandir(folder, &names, is_solution, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		const struct problem *problem = problem_of_path(path);
		char shown[PATHS_MAX], summary[160];
		snprintf(shown, sizeof shown, "solutions/%s/%s", below, names[i]->d_name);
		read_summary(path, summary);
		printf("  ");
		clean_print(stdout, shown);
		puts(problem == NULL ? "  (its folder names no problem: --problem is needed)" : "");
		if (summary[0] != '\0') {
			printf("    ");
			clean_print(stdout, summary);
			putchar('\n');
		}
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

int command_list(const char *program, int argc, char **argv)
{
	(void)program;
	static const char *const kinds[] = {"problems", "suites", "solutions"};
	struct error err = {{0}};
	struct options options;
	if (!options_parse(COMMAND_LIST, argc, argv, &options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options.help) {
		help_command(COMMAND_LIST, stdout);
		return EXIT_ACCEPTED;
	}
	bool wanted[3] = {false, false, false};
	for (size_t i = 0; i < options.argument_count; i++) {
		bool known = false;
		for (int k = 0; k < 3; k++)
			if (strcmp(options.arguments[i], kinds[k]) == 0)
				known = wanted[k] = true;
		if (known)
			continue;
		char phrase[160];
		error_set(&err, "cannot list '%s'%s (problems, suites, solutions)", options.arguments[i],
				  suggest_phrase(phrase, options.arguments[i], kinds, 3));
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	bool all = options.argument_count == 0, ok = true;
	if (all || wanted[0])
		list_problems();
	if (ok && (all || wanted[1])) {
		if (all || wanted[0])
			putchar('\n');
		ok = list_suites(&err);
	}
	if (ok && (all || wanted[2])) {
		if (all || wanted[0] || wanted[1])
			putchar('\n');
		ok = list_solutions(&err);
	}
	return ok ? EXIT_ACCEPTED : cli_fail(EXIT_CANNOT_RUN, &err);
}
