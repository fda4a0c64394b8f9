#include "judge/submission.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "testcases/suite.h"

#define COMPILE_SECONDS 300.0

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

static bool file_readable(const char *file, struct error *err)
{
	struct stat facts;
	if (strlen(file) >= sizeof((struct judgement *)0)->file)
		return error_set(err, "path too long: %.80s...", file);
	if (stat(file, &facts) != 0)
		return error_set(err, "%s: %s", file, strerror(errno));
	if (S_ISDIR(facts.st_mode))
		return error_set(err, "%s: is a folder; name the solution file in it", file);
	if (access(file, R_OK) != 0)
		return error_set(err, "%s: %s", file, strerror(errno));
	if (S_ISREG(facts.st_mode) && facts.st_size == 0)
		return error_set(err, "%s: the file is empty", file);
	return true;
}

/* The rule is about where the file lies, links resolved. */
static bool lies_in_baselines(const char *file)
{
	struct error ignored;
	char source[PATHS_MAX], folder[PATHS_MAX], real[PATH_MAX];
	if (!paths_source(source, &ignored) ||
		!paths_join(folder, source, "solutions/baselines/", &ignored) ||
		realpath(file, real) == NULL)
		return false;
	return strncmp(real, folder, strlen(folder)) == 0;
}

bool submission_take(const struct judge_options *options, const char *file, struct submission *out,
					 struct error *err)
{
	*out = (struct submission){
		.file = file, .fused = options->epilogue != NULL, .is_baseline = lies_in_baselines(file)};
	if (!file_readable(file, err))
		return false;
	if (options->problem != NULL) {
		out->problem = problem_find(options->problem);
		if (out->problem == NULL)
			return error_set(err, "unknown problem '%s' (gemmjudge list shows them)",
							 options->problem);
		return true;
	}
	char real[PATH_MAX];
	out->problem = problem_of_path(realpath(file, real) != NULL ? real : file);
	if (out->problem == NULL)
		return error_set(err,
						 "%s: its folder names no problem; say which with --problem "
						 "(gemmjudge list shows them)",
						 file);
	return true;
}

static bool cases_generate(const struct judge_options *options, const struct problem *problem,
						   struct test_case **cases, size_t *count, struct error *err)
{
	int max_dim = options->max_dim > 0 ? options->max_dim : problem->max_dim;
	if (max_dim < problem->min_dim)
		return error_set(err, "--max-dim %d: %s has sizes from %d on", max_dim, problem->name,
						 problem->min_dim);
	int multiple = options->multiple > 1 ? options->multiple : 1;
	if (!case_has_multiple(problem, max_dim, multiple))
		return error_set(err, "--multiple-of %d: no size of %s from %d to %d is one", multiple,
						 problem->name, problem->min_dim,
						 max_dim < problem->max_dim ? max_dim : problem->max_dim);
	*count = options->cases;
	*cases = calloc(*count > 0 ? *count : 1, sizeof **cases);
	if (*cases == NULL)
		return error_set(err, "out of memory for %zu cases", *count);
	for (size_t i = 0; i < *count; i++)
		(*cases)[i] = case_generate(problem, options->seed, i, options->sizes, max_dim, multiple);
	return true;
}

static bool is_multiple(const struct problem *problem, const struct shape *shape, int multiple)
{
	return multiple <= 1 || (shape->m % multiple == 0 && shape->k % multiple == 0 &&
							 (problem_has_vectors(problem) || shape->n % multiple == 0));
}

static bool suite_append(const struct judge_options *options, const char *name,
						 const struct problem *problem, struct test_case **cases, size_t *count,
						 struct error *err)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct suite suite;
	if (!paths_source(source, err) || !paths_join(folder, source, "testcases/suites", err) ||
		!suite_load(name, folder, problem, options->seed, options->max_dim, &suite, err))
		return false;
	struct test_case *more = realloc(*cases, (*count + suite.count + 1) * sizeof *more);
	if (more != NULL) {
		*cases = more;
		for (size_t i = 0; i < suite.count; i++)
			if (is_multiple(problem, &suite.cases[i].shape, options->multiple))
				more[(*count)++] = suite.cases[i];
	}
	suite_free(&suite);
	return more != NULL || error_set(err, "out of memory for the suite %s", name);
}

bool cases_make(const struct judge_options *options, const struct problem *problem,
				struct test_case **cases, size_t *count, struct error *err)
{
	*cases = NULL;
	*count = 0;
	if (options->suite_count == 0)
		return cases_generate(options, problem, cases, count, err);
	for (size_t i = 0; i < options->suite_count; i++)
		if (!suite_append(options, options->suites[i], problem, cases, count, err)) {
			free(*cases);
			*cases = NULL;
			return false;
		}
	if (*count == 0) {
		free(*cases);
		*cases = NULL;
		return error_set(err, "%s leaves no case of the suite",
						 options->multiple <= 1  ? "--max-dim"
						 : options->max_dim == 0 ? "--multiple-of"
												 : "--max-dim with --multiple-of");
	}
	return true;
}

bool submission_compile(const struct run *run, struct submission *s, enum judge_status *status,
						struct error *err)
{
	run_progress(run, s->file, "compile", 0, 1);
	struct error why = {{0}};
	const char *blamed;
	struct compile_options options = {.source = s->file,
									  .architecture = run->referee.facts.architecture,
									  .epilogue = s->fused ? run->epilogue->header : NULL,
									  .libraries = s->is_baseline,
									  .seconds = COMPILE_SECONDS};
	switch (compile_solution(&options, &s->compiled, &why)) {
	case COMPILE_OK: return true;
	case COMPILE_ERROR:
		blamed = s->fused ? epilogue_blamed(run->epilogue, s->compiled.log) : NULL;
		snprintf(s->compile_detail, sizeof s->compile_detail, "nvcc refused the %s%.900s",
				 blamed != NULL ? "epilogue stage " : "file", blamed != NULL ? blamed : "");
		return true;
	case COMPILE_TIMED_OUT:
		snprintf(s->compile_detail, sizeof s->compile_detail, "nvcc took more than %g s",
				 COMPILE_SECONDS);
		return true;
	case COMPILE_NO_COMPILER: break;
	case COMPILE_FAILED: break;
	}
	*err = why;
	*status = JUDGE_CANNOT_RUN;
	return false;
}

struct entrant submission_entrant(const struct submission *s, const char *label)
{
	bool compiled = s->compiled.status == COMPILE_OK;
	return (struct entrant){.label = label,
							.file = s->file,
							.library = compiled ? s->compiled.library : NULL,
							.problem_detail = s->compile_detail,
							.libraries_allowed = s->is_baseline,
							.fused = s->fused};
}

void judgement_take_compile(const struct submission *s, struct judgement *out)
{
	out->compile_log = s->compiled.log != NULL ? strdup(s->compiled.log) : NULL;
	out->compile_seconds = s->compiled.seconds;
	out->compile_cached = s->compiled.cached;
	if (s->compiled.status == COMPILE_OK)
		return;
	out->verdict = VERDICT_COMPILE_ERROR;
	snprintf(out->detail, sizeof out->detail, "%s", s->compile_detail);
}
