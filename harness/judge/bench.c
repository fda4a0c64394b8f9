#include "judge/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"

#define BASELINES_MAX 3

static const char *const baseline_names[BASELINES_MAX][2] = {
	{"cublas.cu", "cuBLAS"},
	{"cublaslt.cu", "cuBLASLt"},
	{"plain.cu", "plain"}, /* where no library has the problem: a kernel of ours */
};

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

struct test_case bench_case(const struct judge_options *options, const struct problem *problem,
							const struct shape *shape)
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
	struct shape fitting = *shape;
	struct error ignored; /* what does not fit was found before the run began */
	shape_fit(problem, &fitting, &ignored);
	return case_of_shape(problem, fitting, alpha, beta, options->seed);
}

bool bench_side_by_side(struct run *run, const struct problem *problem,
						const struct test_case *test, struct submission *const *files,
						size_t file_count, struct timing_result *out, enum judge_status *status,
						struct error *err)
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
		entrants[i] = submission_entrant(files[i], base_name(files[i]->file));
	for (size_t i = 0; i < baseline_count && ok; i++) {
		entrants[file_count + i] = submission_entrant(&baselines[i], labels[i]);
		entrants[file_count + i].is_yardstick = true;
	}
	if (ok)
		ok = time_entrants(run, problem, test, entrants, file_count + baseline_count, out, err);

	free(entrants);
	for (size_t i = 0; i < baseline_count; i++)
		compiled_free(&baselines[i].compiled);
	return ok;
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
			cases[i] = bench_case(options, problem,
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
		ok = bench_side_by_side(run, problem, &cases[i], group, members, result, status, err);
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

bool bench_all(struct run *run, struct submission *submissions, size_t count,
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
		judgement_take_compile(&submissions[i], item);
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
