/* The table of problems: the rows of problem.c, and those of files, which are read when somebody
 * asks for what is no row. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "testcases/derive.h"
#include "testcases/draw.h"
#include "testcases/problem_file_inside.h"
#include "testcases/shape.h"

#define FOLDER "testcases/problems"
#define PROBLEMS_MAX 256
#define NAME_MOST 31 /* characters of a problem's name: cases and replies have no room for more */

/* Never freed, and so that pointers into it stay. */
static struct problem table[PROBLEMS_MAX];
static size_t count;
static pthread_once_t rows_once = PTHREAD_ONCE_INIT, files_once = PTHREAD_ONCE_INIT;

static void take_rows(void)
{
	const struct problem *rows = problem_rows(&count);
	memcpy(table, rows, count * sizeof *rows);
}

/* ---- one file ----------------------------------------------------------------------------------
 */

static int whole_sizes(struct problem_loader *loader)
{
	const struct problem *problem = &loader->made->problem;
	size_t legend = 0;
	for (size_t i = 0; problem->sizes[i].name != NULL; i++) {
		const char *name = problem->sizes[i].name;
		if (loader->made->rules.sizes[i].nonzeros_of >= 0)
			continue;
		if (problem->sizes[i].max == 0)
			return problem_file_wrong(loader, name,
									  "this int is neither in [sizes] nor in [scalars]");
		int32_t large = problem->large.size[SIZE_NAMED + i];
		if (large == 0)
			return problem_file_wrong(loader, name, "'large' does not say this size");
		if (large < problem->sizes[i].min || large > problem->sizes[i].max)
			return problem_file_wrong(loader, name,
									  "'large' has it outside of its limits in [sizes]");
		legend += strlen(name) + strlen(" x ");
		if (legend >= SHAPE_TEXT)
			return problem_file_wrong(loader, name, "the names of all sizes are too long together");
	}
	return 1;
}

/* Outputs are steps too, the last ones. */
static void add_output(struct problem_loader *loader, size_t index)
{
	struct problem_rules *rules = &loader->made->rules;
	const struct operand *operand = &loader->made->problem.operands[index];
	struct step_rules *step = &rules->steps[rules->step_count++];
	step->name = problem_file_keep(loader->made, strdup(operand->name));
	step->element = type_of(operand->type)->element;
	step->shape = *operand->rules;
	step->is_output = true;
}

static int whole_buffers(struct problem_loader *loader)
{
	const struct problem *problem = &loader->made->problem;
	size_t outputs = 0, output = 0;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const struct operand *operand = &problem->operands[i];
		if (operand->rules->rank == 0)
			return problem_file_wrong(loader, operand->name, "[buffers] does not have it");
		if (operand->role == ROLE_OUTPUT)
			output = i, outputs++;
	}
	if (outputs != 1)
		return problem_file_wrong(loader, "prototype",
								  "it has to have one output, a pointer without const");
	add_output(loader, output);
	return 1;
}

/* What the runner's own code calls so, beside the arguments. */
static bool is_word_of_ours(const char *name)
{
	return strcmp(name, "R") == 0 || strcmp(name, "p") == 0 || strcmp(name, "to") == 0 ||
		   strcmp(name, "shape") == 0;
}

/* A word of references is no name. */
static int whole_names(struct problem_loader *loader)
{
	static const char *const words[] = {
		"dot",     "sum",   "mean",    "largest", "abs",     "max",   "min",    "exp",       "log",
		"sqrt",    "rsqrt", "tanh",    "sigmoid", "silu",    "shift", "either", "summed_as", "keep",
		"bounded", "sums",  "operand", "matrix",  "problem", "lane",  "lanes",  "x"};
	const struct problem_made *made = loader->made;
	for (size_t i = 0; made->problem.sizes[i].name != NULL; i++)
		if (is_word_of_ours(made->problem.sizes[i].name))
			return problem_file_wrong(loader, made->problem.sizes[i].name,
									  "no name of a size: the judge's own code has it");
	for (size_t i = 0; made->problem.scalars[i].name != NULL; i++)
		if (is_word_of_ours(made->problem.scalars[i].name))
			return problem_file_wrong(loader, made->problem.scalars[i].name,
									  "no name of a scalar: the judge's own code has it");
	for (size_t i = 0; i + 1 < made->rules.step_count; i++)
		for (size_t k = i + 1; k < made->rules.step_count; k++)
			if (strcmp(made->rules.steps[i].name, made->rules.steps[k].name) == 0)
				return problem_file_wrong(loader, made->rules.steps[i].name,
										  "a step has the name of the output: rename it");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		bool taken = false;
		for (size_t k = 0; k < made->rules.step_count; k++)
			taken = taken || strcmp(made->rules.steps[k].name, words[i]) == 0;
		for (size_t k = 0;
			 made->problem.operands[k].name != NULL && i + 1 < sizeof words / sizeof *words; k++)
			taken = taken || strcmp(made->problem.operands[k].name, words[i]) == 0;
		if (taken)
			return problem_file_wrong(loader, words[i],
									  "a word of references, and so no name of a buffer or step");
	}
	return 1;
}

static int whole_steps(struct problem_loader *loader)
{
	struct problem_rules *rules = &loader->made->rules;
	bool any = loader->blocks == NULL;
	for (size_t i = 0; i < rules->step_count && loader->blocks != NULL; i++) {
		rules->steps[i].blocked = strcmp(rules->steps[i].shape.text[0], loader->blocks) == 0;
		any = any || rules->steps[i].blocked;
	}
	return any || problem_file_wrong(loader, "blocks", "no step has this for its first extent");
}

/* The file has been read: what it has to say, and what follows. */
static int finish(struct problem_loader *loader)
{
	struct problem *problem = &loader->made->problem;
	const char *const needed[][2] = {
		{problem->summary, "title"}, {problem->formula, "formula"}, {problem->call, "prototype"}};
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (needed[i][0] == NULL)
			return problem_file_wrong(loader, needed[i][1], "[problem] does not say it");
	if (loader->made->rules.work.count == 0)
		return problem_file_wrong(loader, "work", "[problem] does not say it");
	if (!whole_sizes(loader) || !whole_buffers(loader) || !whole_names(loader) ||
		!whole_steps(loader))
		return 0;
	if (rules_value(&loader->made->rules.work, &problem->large) == 0)
		return problem_file_wrong(loader, "work", "it is no number above 0 at the large case");
	struct error err;
	struct shape least = SHAPE_OF_ONES;
	shape_derive(problem, &problem->large);
	for (size_t i = 0; problem->sizes[i].name != NULL; i++)
		least.size[SIZE_NAMED + i] = problem->sizes[i].min;
	draw_settle(problem, &least);
	return (shape_holds(problem, &problem->large, &err) ||
			problem_file_wrong(loader, "large", err.message)) &&
		   (shape_holds(problem, &least, &err) ||
			problem_file_wrong(loader, "the smallest sizes", err.message));
}

/* "my-problem" of ".../my-problem/"; '-' becomes '_' where it is to be a folder of solutions. */
static char *name_of(struct problem_made *made, const char *folder, char dash)
{
	char *name = strdup(strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder);
	for (char *at = name; at != NULL && *at != '\0'; at++)
		*at = *at == '-' ? dash : *at;
	return problem_file_keep(made, name);
}

static bool read_file(const char *folder, struct problem_made *made, struct error *err)
{
	char path[PATHS_MAX];
	struct problem_loader loader = {.made = made};
	if (!paths_join(path, folder, "problem.ini", err) ||
		!paths_join(made->rules.reference, folder, "reference.cuh", err))
		return false;
	loader.stream = fopen(path, "re");
	if (loader.stream == NULL)
		return error_set(err, "%s: %s (a problem is a folder with problem.ini and reference.cuh)",
						 path, strerror(errno));
	made->problem.algebra = ALGEBRA_REFERENCE;
	made->problem.rules = &made->rules;
	made->problem.file = problem_file_keep(made, strdup(folder));
	made->problem.name = name_of(made, folder, '-');
	made->problem.folder = name_of(made, folder, '_');
	bool good = problem_file_read(&loader) && finish(&loader);
	fclose(loader.stream);
	problem_file_keep(made, loader.call);
	free(loader.blocks);
	free(loader.seen);
	if (good && access(made->rules.reference, R_OK) != 0)
		return error_set(err, "%s: %s (a problem is a folder with problem.ini and reference.cuh)",
						 made->rules.reference, strerror(errno));
	if (!good && loader.wrong_line > 0)
		error_set(err, "%s:%d: %s", path, loader.wrong_line, loader.wrong);
	else if (!good)
		error_set(err, "%s: %s", path, loader.wrong);
	return good;
}

static const struct problem *row_called(const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

/* Whether another folder than this one is shipped with this name, read or not. */
static bool is_shipped_elsewhere(const char *name, const char *folder)
{
	char source[PATHS_MAX], path[PATHS_MAX], shipped[PATHS_MAX];
	struct error err;
	if (!paths_source(source, &err) || !paths_join(path, source, FOLDER, &err) ||
		!paths_join(shipped, path, name, &err) || access(shipped, F_OK) != 0)
		return false;
	paths_absolute(shipped, path);
	return strcmp(path, folder) != 0;
}

static bool name_is_free(const char *folder, struct error *err)
{
	const char *name = strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder;
	size_t length = strlen(name);
	bool good = length > 0;
	for (size_t i = 0; i < length; i++)
		good = good && (isalnum((unsigned char)name[i]) || name[i] == '-' || name[i] == '_');
	if (!good || length > NAME_MOST)
		return error_set(err,
						 "%s: a problem has its folder's name, of letters, digits, '-' and '_', "
						 "%d at most: rename the folder",
						 folder, NAME_MOST);
	if (row_called(name) != NULL || problem_inner(name) != NULL ||
		is_shipped_elsewhere(name, folder))
		return error_set(err, "%s: there is a problem of this name already: rename the folder",
						 folder);
	return true;
}

/* Expressions of steps are theirs, but for the output's, which are its operand's. */
static void made_free(struct problem_made *made)
{
	struct problem_rules *rules = &made->rules;
	for (size_t i = 0; i < OPERANDS_MAX * EXTENTS_MAX; i++)
		expression_free(&rules->operands[i / EXTENTS_MAX].extent[i % EXTENTS_MAX]);
	for (size_t i = 0; i < rules->step_count; i++)
		for (size_t k = 0; k < EXTENTS_MAX && !rules->steps[i].is_output; k++)
			expression_free(&rules->steps[i].shape.extent[k]);
	expression_free(&rules->work);
	for (size_t i = 0; i < made->text_count; i++)
		free(made->texts[i]);
	free(made->texts);
	free(made);
}

bool problem_add(const char *folder, const struct problem **out, struct error *err)
{
	char absolute[PATHS_MAX];
	paths_absolute(folder, absolute);
	pthread_once(&rows_once, take_rows);
	for (size_t i = 0; i < count; i++)
		if (table[i].file != NULL && strcmp(table[i].file, absolute) == 0) {
			*out = &table[i];
			return true;
		}
	if (strpbrk(absolute, "\"\\\n") != NULL) /* compilers read its path between quotes */
		return error_set(err, "%s: a path with a quote or a backslash: move the folder", absolute);
	if (!name_is_free(absolute, err))
		return false;
	if (count == PROBLEMS_MAX)
		return error_set(err, "more than %d problems", PROBLEMS_MAX);
	struct problem_made *made = calloc(1, sizeof *made);
	if (made == NULL)
		return error_set(err, "out of memory");
	if (!read_file(absolute, made, err)) {
		made_free(made);
		return false;
	}
	table[count] = made->problem;
	*out = &table[count++];
	return true;
}

bool problem_know(const char *folder, struct error *err)
{
	const struct problem *problem;
	return folder[0] == '\0' || problem_add(folder, &problem, err);
}

/* ---- the table ------------------------------------------------------------------------------ */

static int is_folder_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strchr(entry->d_name, '.') == NULL;
}

static void take_files(void)
{
	char source[PATHS_MAX], folder[PATHS_MAX], path[PATHS_MAX];
	struct error err = {{0}};
	const struct problem *added;
	struct dirent **entries = NULL;
	if (!paths_source(source, &err) || !paths_join(folder, source, FOLDER, &err))
		return;
	int found = scandir(folder, &entries, is_folder_name, alphasort);
	for (int i = 0; i < found; i++) {
		if (row_called(entries[i]->d_name) == NULL &&
			!(paths_join(path, folder, entries[i]->d_name, &err) &&
			  problem_add(path, &added, &err)))
			fprintf(stderr, "gemmjudge: %s\n", err.message);
		free(entries[i]);
	}
	free(entries);
}

const struct problem *problem_table(size_t *out)
{
	pthread_once(&rows_once, take_rows);
	pthread_once(&files_once, take_files);
	*out = count;
	return table;
}

const struct problem *problem_find(const char *name)
{
	size_t all;
	pthread_once(&rows_once, take_rows);
	const struct problem *found = row_called(name);
	if (found == NULL)
		found = problem_inner(name);
	if (found == NULL && problem_table(&all) != NULL)
		found = row_called(name);
	return found;
}
