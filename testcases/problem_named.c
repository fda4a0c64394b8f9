/* What a problem is found by besides its name: the folder of a file, a word of another tool. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "testcases/problem.h"

#define NAMES_MAX 64

/* ---- by a folder ----------------------------------------------------------------------- */

static const struct problem *find_folder(const char *name, size_t length)
{
	size_t count;
	const struct problem *problems = problem_table(&count);
	for (size_t i = 0; i < count; i++)
		if (strlen(problems[i].folder) == length && memcmp(problems[i].folder, name, length) == 0)
			return &problems[i];
	return NULL;
}

/* The last folder of `path` (its last component left out) that names a problem. */
static const struct problem *find_in_text(const char *path)
{
	const char *end = strrchr(path, '/');
	while (end != NULL && end > path) {
		const char *start = end;
		while (start > path && start[-1] != '/')
			start--;
		const struct problem *found = find_folder(start, (size_t)(end - start));
		if (found != NULL)
			return found;
		end = start > path ? start - 1 : NULL;
	}
	return NULL;
}

const struct problem *problem_of_path(const char *path)
{
	const struct problem *found = find_in_text(path);
	if (found != NULL)
		return found;

	/* "01_naive.cu", typed inside the folder: only the absolute path says it. */
	char *absolute = realpath(path, NULL);
	if (absolute != NULL)
		found = find_in_text(absolute);
	free(absolute);
	return found;
}

/* ---- by a word ------------------------------------------------------------------------- */

/* Words that a row's own `also` cannot have: they say more than its other words, or no problem is
 * theirs. */
static const struct meaning words[] = {
	{"tf32 gemm-tf32 tgemm", "sgemm", "with f32's accuracy, which TF32 has not"},
	{"dgemm zgemm cgemm f64 fp64 double gemm-f64 gemm-fp64 gemm-double", NULL,
	 "no problem is in double, and sgemm is the one in float"},
	{NULL, NULL, NULL},
};

const char *problem_suggest(char out[SUGGEST_TEXT], const char *word)
{
	size_t count;
	const struct problem *problems = problem_table(&count);
	const char *names[NAMES_MAX];
	for (size_t i = 0; i < count && i < NAMES_MAX; i++) {
		if (suggest_means(problems[i].also, word))
			return suggest_meant(out, problems[i].name, problems[i].also_says);
		names[i] = problems[i].name;
	}
	if (suggest_meaning(out, words, word)[0] != '\0')
		return out;
	return suggest_phrase(out, word, names, count < NAMES_MAX ? count : NAMES_MAX);
}
