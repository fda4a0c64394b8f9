/* The pipeline. Everything that the user can get wrong is found before the
 * first compilation, so that a long run does not end in a usage error. */
#include "judge/judge.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"
#include "compile/compile.h"
#include "judge/run.h"
#include "testcases/suite.h"

#define COMPILE_SECONDS 300.0
#define BASELINES_MAX 2

/* A solution file on its way through the run. */
struct submission {
	const char *file;
	const struct problem *problem;
	bool is_baseline; /* lies in solutions/baselines/: may use libraries */
	struct compiled compiled;
	char compile_detail[1024]; /* why there is no library */
};

static const char *const baseline_names[BASELINES_MAX][2] = {
	{"cublas.cu", "cuBLAS"},
	{"cublaslt.cu", "cuBLASLt"},
};

void run_progress(const struct run *run, const char *file, const char *what, size_t done,
				  size_t total)
{
	if (run->progress != NULL && run->progress->step != NULL)
		run->progress->step(run->progress->context, file, what, done, total);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* ---- what the user gave ------------------------------------------------- */

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

static bool submission_take(const struct judge_options *options, const char *file,
							struct submission *out, struct error *err)
{
	*out = (struct submission){.file = file, .is_baseline = lies_in_baselines(file)};
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
	*count = options->cases;
	*cases = calloc(*count > 0 ? *count : 1, sizeof **cases);
	if (*cases == NULL)
		return error_set(err, "out of memory for %zu cases", *count);
	for (size_t i = 0; i < *count; i++)
		(*cases)[i] = case_generate(problem, options->seed, i, max_dim);
	return true;
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
		memcpy(more + *count, suite.cases, suite.count * sizeof *more);
		*count += suite.count;
	}
	suite_free(&suite);
	return more != NULL || error_set(err, "out of memory for the suite %s", name);
}

/* The cases of a problem; owned by the caller. None is an error. */
static bool cases_make(const struct judge_options *options, const struct problem *problem,
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
		return error_set(err, "--max-dim %d leaves no case of the suite", options->max_dim);
	}
	return true;
}

/* ---- compile ------------------------------------------------------------- */

/* False only when nothing can be compiled at all. */
static bool submission_compile(const struct run *run, struct submission *s,
							   enum judge_status *status, struct error *err)
{
	run_progress(run, s->file, "compile", 0, 1);
	struct error why = {{0}};
	struct compile_options options = {.source = s->file,
									  .architecture = run->referee.facts.architecture,
									  .libraries = s->is_baseline,
									  .seconds = COMPILE_SECONDS};
	switch (compile_solution(&options, &s->compiled, &why)) {
	case COMPILE_OK: return true;
	case COMPILE_ERROR:
		snprintf(s->compile_detail, sizeof s->compile_detail, "nvcc refused the file");
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

/* The baselines of a problem that exist as files. */
static size_t baselines_find(const struct problem *problem, char files[BASELINES_MAX][PATHS_MAX],
							 struct submission out[BASELINES_MAX],
							 const char *labels[BASELINES_MAX])
{
	struct error ignored;
	char source[PATHS_MAX];
	size_t count = 0;
	if (!paths_source(source, &ignored))
		return 0;
	for (size_t i = 0; i < BASELINES_MAX; i++) {
		int length = snprintf(files[count], PATHS_MAX, "%s/solutions/baselines/%s/%s", source,
							  problem->folder, baseline_names[i][0]);
		if (length >= PATHS_MAX || access(files[count], R_OK) != 0)
			continue;
		out[count] =
			(struct submission){.file = files[count], .problem = problem, .is_baseline = true};
		labels[count++] = baseline_names[i][1];
	}
	return count;
}

static struct entrant entrant_of(const struct submission *s, const char *label)
{
	bool compiled = s->compiled.status == COMPILE_OK;
	return (struct entrant){.label = label,
							.file = s->file,
							.library = compiled ? s->compiled.library : NULL,
							.problem_detail = s->compile_detail,
							.libraries_allowed = s->is_baseline};
}

/* ---- time ---------------------------------------------------------------- */

static struct test_case time_case(const struct judge_options *options,
								  const struct problem *problem, const struct shape *shape)
{
	struct shape large = problem->large;
	float alpha = 1.0f, beta = 0.0f;
	if (shape == NULL) {
		shape = &large;
		alpha = problem->large_alpha;
		beta = problem->large_beta;
	}
	if (options->time_scalars && problem_has_scalars(problem)) {
		alpha = options->time_alpha;
		beta = options->time_beta;
	}
	return case_of_shape(problem, *shape, alpha, beta, options->seed);
}

/* Files of one problem side by side, then the baselines, on one case. */
static bool time_side_by_side(struct run *run, const struct problem *problem,
							  const struct test_case *test, struct submission *const *files,
							  size_t file_count, struct timing_result *out,
							  enum judge_status *status, struct error *err)
{
	/* static: paths of 4 KiB each; the supervisor times one case at a time */
	static char baseline_files[BASELINES_MAX][PATHS_MAX];
	static struct submission baselines[BASELINES_MAX];
	const char *labels[BASELINES_MAX];
	size_t baseline_count =
		run->options->baselines ? baselines_find(problem, baseline_files, baselines, labels) : 0;
	bool ok = true;
	for (size_t i = 0; i < baseline_count && ok; i++)
		ok = submission_compile(run, &baselines[i], status, err);

	struct entrant *entrants = calloc(file_count + baseline_count, sizeof *entrants);
	if (entrants == NULL)
		ok = error_set(err, "out of memory");
	for (size_t i = 0; i < file_count && ok; i++)
		entrants[i] = entrant_of(files[i], base_name(files[i]->file));
	for (size_t i = 0; i < baseline_count && ok; i++)
		entrants[file_count + i] = entrant_of(&baselines[i], labels[i]);
	if (ok)
		ok = time_entrants(run, problem, test, entrants, file_count + baseline_count, out, err);

	free(entrants);
	for (size_t i = 0; i < baseline_count; i++)
		compiled_free(&baselines[i].compiled);
	return ok;
}

/* ---- judge --------------------------------------------------------------- */

static void take_compile_result(const struct submission *s, struct judgement *out)
{
	out->compile_log = s->compiled.log != NULL ? strdup(s->compiled.log) : NULL;
	out->compile_seconds = s->compiled.seconds;
	out->compile_cached = s->compiled.cached;
	if (s->compiled.status == COMPILE_OK)
		return;
	out->verdict = VERDICT_COMPILE_ERROR;
	snprintf(out->detail, sizeof out->detail, "%s", s->compile_detail);
}

static bool judge_time(struct run *run, struct submission *s, struct judgement *out,
					   enum judge_status *status, struct error *err)
{
	if (!run->options->time)
		return true;
	if (run->referee.device.kind == DEVICE_EMULATED) {
		snprintf(out->timing_note, sizeof out->timing_note,
				 "no time is shown: the emulated GPU computes results, not speed");
		return true;
	}
	if (out->verdict != VERDICT_ACCEPTED) {
		snprintf(out->timing_note, sizeof out->timing_note,
				 "not timed: only accepted solutions are");
		return true;
	}
	struct test_case test =
		time_case(run->options, s->problem,
				  run->options->time_shape_count > 0 ? &run->options->time_shapes[0] : NULL);
	if (!time_side_by_side(run, s->problem, &test, &s, 1, &out->timing, status, err))
		return false;
	out->has_timing = true;
	if (!out->timing.entries[0].ran) {
		out->verdict =
			out->timing.entries[0].wrong > 0 ? VERDICT_WRONG_ANSWER : VERDICT_RUNTIME_ERROR;
		snprintf(out->detail, sizeof out->detail, "while timing: %s",
				 out->timing.entries[0].detail);
	}
	return true;
}

static bool judge_file(struct run *run, struct submission *s, struct judgement *out,
					   enum judge_status *status, struct error *err)
{
	snprintf(out->file, sizeof out->file, "%s", s->file);
	snprintf(out->problem, sizeof out->problem, "%s", s->problem->name);
	if (!submission_compile(run, s, status, err))
		return false;
	take_compile_result(s, out);
	if (out->verdict != VERDICT_ACCEPTED || !run->options->check)
		return true;

	struct test_case *cases;
	size_t count;
	if (!cases_make(run->options, s->problem, &cases, &count, err)) {
		*status = JUDGE_BAD_INPUT;
		return false;
	}
	out->cases = calloc(count > 0 ? count : 1, sizeof *out->cases);
	if (out->cases == NULL) {
		free(cases);
		return error_set(err, "out of memory for %zu results", count);
	}
	out->count = count;
	for (size_t i = 0; i < count; i++)
		out->cases[i].test = cases[i];
	free(cases);

	struct entrant entrant = entrant_of(s, base_name(s->file));
	return check_cases(run, s->problem, &entrant, out, err) && judge_time(run, s, out, status, err);
}

/* bench: the files of each problem side by side over the shapes or the suites. */
static bool bench_problem(struct run *run, const struct problem *problem,
						  struct submission *submissions, size_t count, struct judgement_list *list,
						  enum judge_status *status, struct error *err)
{
	const struct judge_options *options = run->options;
	struct test_case *cases = NULL;
	size_t case_count = options->time_shape_count > 0 ? options->time_shape_count : 1;
	if (options->suite_count > 0) {
		if (!cases_make(options, problem, &cases, &case_count, err))
			return false;
	} else {
		cases = calloc(case_count, sizeof *cases);
		for (size_t i = 0; cases != NULL && i < case_count; i++)
			cases[i] = time_case(options, problem,
								 options->time_shape_count > 0 ? &options->time_shapes[i] : NULL);
	}
	struct submission **group = calloc(count, sizeof *group);
	struct timing_result *bench =
		realloc(list->bench, (list->bench_count + case_count) * sizeof *bench);
	if (bench != NULL)
		list->bench = bench;
	bool ok = cases != NULL && group != NULL && bench != NULL;
	if (!ok)
		error_set(err, "out of memory for %zu timings", case_count);

	size_t members = 0;
	for (size_t i = 0; i < count && ok; i++)
		if (submissions[i].problem == problem)
			group[members++] = &submissions[i];
	for (size_t i = 0; i < case_count && ok; i++) {
		struct timing_result *result = &list->bench[list->bench_count++];
		*result = (struct timing_result){0};
		ok = time_side_by_side(run, problem, &cases[i], group, members, result, status, err);
	}
	free(group);
	free(cases);
	return ok;
}

/* A file's verdict in bench is that of its worst timing. */
static void bench_verdicts(struct judgement_list *list)
{
	for (size_t b = 0; b < list->bench_count; b++) {
		size_t member = 0;
		for (size_t i = 0; i < list->count; i++) {
			struct judgement *item = &list->items[i];
			if (strcmp(item->problem, list->bench[b].problem) != 0)
				continue;
			const struct timing_entry *entry = &list->bench[b].entries[member++];
			if (entry->ran || item->verdict != VERDICT_ACCEPTED)
				continue;
			item->verdict = entry->wrong > 0 ? VERDICT_WRONG_ANSWER : VERDICT_RUNTIME_ERROR;
			snprintf(item->detail, sizeof item->detail, "%s", entry->detail);
		}
	}
}

static bool bench_all(struct run *run, struct submission *submissions, size_t count,
					  struct judgement_list *list, enum judge_status *status, struct error *err)
{
	if (run->referee.device.kind == DEVICE_EMULATED) {
		*status = JUDGE_CANNOT_RUN;
		return error_set(err, "bench needs a GPU: the emulated one computes results, not speed");
	}
	for (size_t i = 0; i < count; i++) {
		struct judgement *item = &list->items[i];
		snprintf(item->file, sizeof item->file, "%s", submissions[i].file);
		snprintf(item->problem, sizeof item->problem, "%s", submissions[i].problem->name);
		if (!submission_compile(run, &submissions[i], status, err))
			return false;
		take_compile_result(&submissions[i], item);
	}
	for (size_t i = 0; i < count; i++) {
		bool first = true;
		for (size_t j = 0; j < i; j++)
			first = first && submissions[j].problem != submissions[i].problem;
		if (first &&
			!bench_problem(run, submissions[i].problem, submissions, count, list, status, err))
			return false;
	}
	bench_verdicts(list);
	return true;
}

/* ---- the run ------------------------------------------------------------- */

static void facts_fill(const struct run *run, struct run_facts *facts)
{
	const struct judge_options *options = run->options;
	*facts = (struct run_facts){.device = run->referee.facts,
								.device_kind = run->referee.device.kind,
								.seed = options->seed,
								.max_dim = options->max_dim};
	snprintf(facts->version, sizeof facts->version, "%s", GEMMJUDGE_VERSION);
	time_t now = time(NULL);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(facts->started, sizeof facts->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(facts->tolerance, sizeof facts->tolerance, "%.60s",
			 options->tolerance != NULL ? options->tolerance : "bound");
	size_t used = 0;
	for (size_t i = 0; i < options->suite_count && used < sizeof facts->suite; i++)
		used += (size_t)snprintf(facts->suite + used, sizeof facts->suite - used, "%s%s",
								 i > 0 ? "," : "", options->suites[i]);
}

/* Finds what is wrong with the arguments before anything is started. */
static bool arguments_hold(const struct judge_options *options, struct submission *submissions,
						   struct error *err)
{
	for (size_t i = 0; i < options->file_count; i++) {
		struct tolerance tolerance;
		struct test_case *cases;
		size_t count;
		if (!submission_take(options, options->files[i], &submissions[i], err) ||
			!tolerance_parse(options->tolerance, submissions[i].problem, &tolerance, err))
			return false;
		if (!options->check && options->suite_count == 0)
			continue;
		if (!cases_make(options, submissions[i].problem, &cases, &count, err))
			return false;
		free(cases);
	}
	return true;
}

static enum judge_status run_all(struct run *run, struct submission *submissions,
								 struct judgement_list *out, struct error *err)
{
	const struct judge_options *options = run->options;
	enum judge_status status = device_open(options->device, &run->referee, err);
	if (status != JUDGE_DONE)
		return status;
	bool emulated = run->referee.device.kind == DEVICE_EMULATED;
	run->timeout = options->timeout > 0.0 ? options->timeout : emulated ? 60.0 : 10.0;
	run->time_budget = options->time_budget > 0.0 ? options->time_budget : 3.0;
	run->memory_limit = options->memory_limit > 0 ? options->memory_limit : (size_t)8 << 30;
	facts_fill(run, &out->facts);

	status = JUDGE_CANNOT_RUN; /* what a failure below means, unless it says otherwise */
	bool ok = true;
	if (!options->check)
		ok = bench_all(run, submissions, options->file_count, out, &status, err);
	else
		for (size_t i = 0; i < options->file_count && ok; i++)
			ok = judge_file(run, &submissions[i], &out->items[i], &status, err);
	referee_link_close(&run->referee);
	return ok ? JUDGE_DONE : status;
}

enum judge_status judge_run(const struct judge_options *options,
							const struct judge_progress *progress, struct judgement_list *out,
							struct error *err)
{
	*out = (struct judgement_list){.count = options->file_count};
	struct submission *submissions = calloc(options->file_count + 1, sizeof *submissions);
	out->items = calloc(options->file_count + 1, sizeof *out->items);
	enum judge_status status = JUDGE_CANNOT_RUN;
	if (submissions == NULL || out->items == NULL) {
		error_set(err, "out of memory");
	} else if (!arguments_hold(options, submissions, err)) {
		status = JUDGE_BAD_INPUT;
	} else {
		struct run run = {.options = options, .progress = progress};
		status = run_all(&run, submissions, out, err);
	}
	for (size_t i = 0; submissions != NULL && i < options->file_count; i++)
		compiled_free(&submissions[i].compiled);
	free(submissions);
	if (status != JUDGE_DONE)
		judgement_list_free(out);
	return status;
}
