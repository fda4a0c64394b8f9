#include "judge/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "judge/given_baselines.h"
#include "judge/run/floor.h"
#include "judge/submission/compiling.h"
#include "judge/timing/timer.h"
#include "judge/untimed.h"
#include "judgement/layers.h"

#define BASELINES_MAX 3 /* in one run */

/* Entrants point into it. */
struct bench {
	struct run *run;
	struct submission *const *files;
	size_t file_count;
	struct timer *timer;
	struct baselines {
		size_t count;
		char files[BASELINES_MAX][PATHS_MAX];
		struct submission at[BASELINES_MAX];
		const struct baseline *which[BASELINES_MAX]; /* of those known they are */
	} baselines;
	const struct baselines *compiled; /* whose they are; NULL: the bench's own */
	struct entrant entrants[];
};

/* Without an epilogue the libraries alone; with one, together with the kernel that
 * applies it, and what cuBLASLt can fuse itself. */
static const struct baseline {
	const char *file, *label;
	const char *accurate; /* the label in its accurate mode; NULL: it has none */
	bool fused;
	bool own_epilogue; /* takes only chains that the library has */
} baselines_known[] = {
	{"cublas.cu", "cuBLAS", "cuBLAS accurate", false, false},
	{"cublaslt.cu", "cuBLASLt", "cuBLASLt accurate", false, false},
	{"plain.cu", "plain", NULL, false,
	 false}, /* where no library has the problem: a kernel of ours */
	{"cublas_epilogue.cu", "cuBLAS+kernel", "cuBLAS accurate+kernel", true, false},
	{"cublaslt_epilogue.cu", "cuBLASLt+kernel", "cuBLASLt accurate+kernel", true, false},
	{"cublaslt_fused.cu", "cuBLASLt fused", "cuBLASLt accurate fused", true, true},
};

/* The baselines of a problem that exist as files and suit the run. They point into *out. */
static void baselines_find(const struct run *run, const struct problem *problem,
						   struct baselines *out)
{
	struct error ignored;
	char source[PATHS_MAX];
	size_t known = sizeof baselines_known / sizeof *baselines_known;
	out->count = 0;
	if (!paths_source(source, &ignored))
		return;
	for (size_t i = 0; i < known && out->count < BASELINES_MAX; i++) {
		const struct baseline *baseline = &baselines_known[i];
		char *file = out->files[out->count];
		if (baseline->fused != (run->epilogue != NULL))
			continue;
		int length = snprintf(file, PATHS_MAX, "%s/solutions/baselines/%s/%s", source,
							  problem->folder, baseline->file);
		if (length >= PATHS_MAX || access(file, R_OK) != 0)
			continue;
		out->at[out->count] = submission_baseline(problem, file, baseline->fused);
		out->which[out->count++] = baseline;
	}
}

/* What the library has no epilogue for does not compile: the baseline says which it has. */
static void baselines_explain(struct baselines *baselines)
{
	for (size_t i = 0; i < baselines->count; i++) {
		struct submission *s = &baselines->at[i];
		if (baselines->which[i]->own_epilogue && s->compiled.status == COMPILE_ERROR)
			snprintf(s->compile_detail, sizeof s->compile_detail,
					 "cuBLASLt has no epilogue for this chain");
	}
}

/* The files; in a comparison each of them a second time, without the epilogue; then
 * our baselines, by default and in their accurate modes, and the user's. */
static size_t entrants_fill(struct bench *bench)
{
	const struct run *run = bench->run;
	struct submission *const *files = bench->files;
	struct entrant *entrants = bench->entrants;
	size_t count = 0;
	for (size_t i = 0; i < bench->file_count; i++)
		entrants[count++] = submission_entrant(files[i], submission_name(files[i]->file));
	for (size_t i = 0; run->options->mode == JUDGE_COMPARES && i < bench->file_count; i++) {
		entrants[count] = submission_entrant(files[i]->plain, submission_name(files[i]->file));
		entrants[count++].role = TIMING_FILE_PLAIN;
	}
	struct entrant *libraries = entrants + count;
	for (size_t i = 0; i < bench->baselines.count; i++) {
		entrants[count] =
			submission_entrant(&bench->baselines.at[i], bench->baselines.which[i]->label);
		entrants[count].role = TIMING_LIBRARY;
		entrants[count++].is_reference = true;
	}
	for (size_t i = 0; i < bench->baselines.count; i++) {
		if (bench->baselines.which[i]->accurate == NULL)
			continue;
		entrants[count] = libraries[i];
		entrants[count].label = bench->baselines.which[i]->accurate;
		entrants[count].mode = LIBRARY_ACCURATE;
		entrants[count++].by_default = &libraries[i];
	}
	return count + given_baselines_entrants(run->baselines, entrants + count);
}

/* `compiled`: the libraries, which outlive the bench; NULL: it compiles them itself. */
static struct bench *open_with(struct run *run, const struct problem *problem,
							   struct submission *const *files, size_t file_count,
							   const struct baselines *compiled, struct error *err)
{
	size_t room = 2 * file_count + 2 * BASELINES_MAX + JUDGE_BASELINES_MAX;
	struct bench *bench = calloc(1, sizeof *bench + room * sizeof *bench->entrants);
	if (bench == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	bench->run = run;
	bench->files = files;
	bench->file_count = file_count;
	bench->compiled = compiled;
	if (compiled != NULL)
		bench->baselines = *compiled;
	else
		baselines_find(run, problem, &bench->baselines);
	bool ok = true;
	for (size_t i = 0; i < bench->baselines.count && ok && compiled == NULL; i++)
		ok = submission_compile(run, run->control, &bench->baselines.at[i], err);
	if (ok) {
		baselines_explain(&bench->baselines);
		size_t count = entrants_fill(bench);
		bench->timer = timer_open(run, problem, bench->entrants, count, err);
	}
	if (bench->timer != NULL)
		return bench;
	bench_close(bench);
	return NULL;
}

struct bench *bench_open(struct run *run, const struct problem *problem,
						 struct submission *const *files, size_t file_count, struct error *err)
{
	return open_with(run, problem, files, file_count, NULL, err);
}

void bench_prepare(struct bench *bench)
{
	timer_prepare(bench->timer);
}

bool bench_time(struct bench *bench, const struct test_case *test, struct timing_result *out,
				struct error *err)
{
	return timer_case(bench->timer, test, out, err);
}

void bench_close(struct bench *bench)
{
	if (bench == NULL)
		return;
	timer_close(bench->timer);
	for (size_t i = 0; i < bench->baselines.count && bench->compiled == NULL; i++)
		compiled_free(&bench->baselines.at[i].compiled);
	free(bench);
}

/* The entry of the list's file i in timing b; NULL where that is of another problem. */
static const struct timing_entry *entry_of(const struct judgement_list *list, size_t b, size_t i)
{
	const char *problem = list->bench[b].problem;
	size_t member = 0;
	if (strcmp(list->items[i].problem, problem) != 0)
		return NULL;
	for (size_t before = 0; before < i; before++)
		member += strcmp(list->items[before].problem, problem) == 0;
	return &list->bench[b].entries[member];
}

/* Whether all times of the file are sealed, and there are some. */
static bool all_sealed(const struct judgement_list *list, size_t i)
{
	bool some = false;
	for (size_t b = 0; b < list->bench_count; b++) {
		const struct timing_entry *entry = entry_of(list, b, i);
		if (entry == NULL || !entry->ran)
			continue;
		if (entry->seal.state == SEAL_NONE)
			return false;
		some = true;
	}
	return some;
}

/* A file's verdict in bench is that of its worst timing. */
static void bench_verdicts(const struct run *run, struct judgement_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct judgement *item = &list->items[i];
		for (size_t b = 0; b < list->bench_count; b++) {
			const struct timing_entry *entry = entry_of(list, b, i);
			if (entry == NULL)
				continue;
			judgement_take_layers(item, entry->enclosed, entry->layers);
			denied_add_all(&item->denied, &entry->denied);
			if (entry->enclosed)
				epilogue_take_layers(run->epilogue, item);
			if (entry->verdict == VERDICT_ACCEPTED || item->verdict != VERDICT_ACCEPTED)
				continue;
			item->verdict = entry->verdict;
			snprintf(item->detail, sizeof item->detail, "%s", entry->detail);
		}
		if (all_sealed(list, i))
			item->layers |= LAYER_SEALED;
		else
			item->layers &= ~(unsigned)LAYER_SEALED;
	}
}

/* With --tuned a file may need another schedule at another shape: it is then compiled anew. */
static bool retune(struct run *run, struct submission *s, const struct test_case *test, bool *anew,
				   struct error *err)
{
	bool changed = false;
	if (s != NULL)
		submission_tune(run, s, test, &changed);
	if (!changed)
		return true;
	*anew = true;
	compiled_free(&s->compiled);
	s->compiled = (struct compiled){.status = COMPILE_FAILED};
	return submission_compile(run, run->control, s, err);
}

static bool open_anew(struct bench **bench, struct error *err)
{
	struct run *run = (*bench)->run;
	struct submission *const *files = (*bench)->files;
	const size_t count = (*bench)->file_count;
	const struct baselines *compiled = (*bench)->compiled;
	bench_close(*bench);
	*bench = open_with(run, files[0]->problem, files, count, compiled, err);
	return *bench != NULL;
}

/* Files in parts that did not come through are compiled as a whole, and *again is set. */
static bool make_whole(const struct bench *bench, const struct timing_result *result, bool *again,
					   struct error *err)
{
	const struct timing_entry *entries = result->entries;
	*again = false;
	for (size_t i = 0; i < bench->file_count; i++) {
		bool file = false, plain = false;
		if (!submission_whole(bench->run, bench->files[i], entries[i].verdict, &file, err) ||
			(bench->files[i]->plain != NULL &&
			 !submission_whole(bench->run, bench->files[i]->plain,
							   entries[bench->file_count + i].verdict, &plain, err)))
			return false;
		*again |= file || plain;
	}
	return true;
}

/* The case, in a bench that is opened anew where another schedule is needed than before, and where
 * a file in parts is to be timed as a whole. */
static bool bench_case(struct bench **bench, const struct test_case *test,
					   struct timing_result *result, struct error *err)
{
	struct run *run = (*bench)->run;
	struct submission *const *files = (*bench)->files;
	bool anew = false;
	for (size_t i = 0; i < (*bench)->file_count; i++)
		if (!retune(run, files[i], test, &anew, err) ||
			!retune(run, files[i]->plain, test, &anew, err))
			return false;
	if ((anew && !open_anew(bench, err)) || !bench_time(*bench, test, result, err) ||
		!make_whole(*bench, result, &anew, err))
		return false;
	if (anew) {
		free(result->entries);
		*result = (struct timing_result){0};
		if (!open_anew(bench, err) || !bench_time(*bench, test, result, err))
			return false;
	}
	if (run->options->mode == JUDGE_COMPARES)
		result->floor = run_floor(run, result);
	return given_baselines_run(run, run->baselines, NULL, result, err);
}

/* Whether no file before this one is of its problem. */
static bool is_first(const struct submission *submissions, size_t i)
{
	bool first = true;
	for (size_t j = 0; j < i; j++)
		first = first && submissions[j].problem != submissions[i].problem;
	return first;
}

/* All that is to be timed, compiled side by side, as nothing is timed yet: the files; in a
 * comparison each of them without the epilogue; and the libraries. */
struct entries {
	size_t count;
	struct submission *at;
	struct baselines *baselines; /* of each file that is the first of its problem */
};

static void entries_free(struct entries *entries, size_t files)
{
	for (size_t i = files; i < entries->count; i++)
		compiled_free(&entries->at[i].compiled);
	free(entries->at);
	free(entries->baselines);
}

static bool entries_make(struct run *run, struct submission *submissions, size_t count,
						 struct entries *out)
{
	bool changed;
	*out = (struct entries){
		.at = calloc(count * (2 + BASELINES_MAX), sizeof *out->at),
		.baselines = calloc(count, sizeof *out->baselines),
	};
	if (out->at == NULL || out->baselines == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		out->at[out->count++] = submissions[i];
	for (size_t i = 0; run->options->mode == JUDGE_COMPARES && i < count; i++) {
		struct submission *plain = &out->at[out->count++];
		*plain = submissions[i];
		plain->fused = false;
		submission_tune(run, plain, plain->cases, &changed);
		submissions[i].plain = plain;
	}
	for (size_t i = 0; i < count; i++) {
		if (is_first(submissions, i))
			baselines_find(run, submissions[i].problem, &out->baselines[i]);
		for (size_t k = 0; k < out->baselines[i].count; k++)
			out->at[out->count++] = out->baselines[i].at[k];
	}
	return true;
}

static bool compile_all(struct run *run, struct submission *submissions, size_t count,
						struct entries *entries, bool *stopped, struct error *err)
{
	if (!entries_make(run, submissions, count, entries))
		return error_set(err, "out of memory for %zu files", count);
	struct compiling *compiling = compiling_open(run, entries->at, entries->count, false, err);
	bool ok = compiling != NULL;
	for (size_t i = 0; i < entries->count && ok && !*stopped; i++) {
		const struct submission *s = &entries->at[i];
		ok = compiling_take(compiling, run, i, stopped, err) &&
			 (*stopped || s->refused[0] == '\0' || error_set(err, "%s: %s", s->file, s->refused));
	}
	compiling_close(compiling);
	size_t next = entries->count;
	for (size_t i = count; i-- > 0;)
		for (size_t b = entries->baselines[i].count; b-- > 0;)
			entries->baselines[i].at[b] = entries->at[--next];
	for (size_t i = 0; i < count; i++) {
		struct submission *plain = submissions[i].plain;
		submissions[i] = entries->at[i];
		submissions[i].plain = plain;
	}
	return ok;
}

/* bench: the files that solve what `first` solves, side by side over its cases. */
static bool bench_problem(struct run *run, const struct entries *entries, size_t i,
						  struct submission *submissions, size_t count, struct judgement_list *list,
						  struct error *err)
{
	const struct submission *first = &submissions[i];
	size_t members = 0, case_count = first->case_count; /* all of them have the same cases */
	struct submission **group = calloc(count, sizeof *group);
	for (size_t k = 0; k < count && group != NULL; k++)
		if (submissions[k].problem == first->problem)
			group[members++] = &submissions[k];
	struct timing_result *results =
		realloc(list->bench, (list->bench_count + case_count) * sizeof *results);
	if (results != NULL)
		list->bench = results;
	struct bench *bench = NULL;
	if (group == NULL || results == NULL)
		error_set(err, "out of memory for %zu timings", case_count);
	else
		bench = open_with(run, first->problem, group, members, &entries->baselines[i], err);
	bool ok = bench != NULL && run_renew(run, err);
	for (size_t k = 0; k < case_count && ok && !run_stopped(run); k++) {
		struct timing_result *result = &list->bench[list->bench_count++];
		*result = (struct timing_result){0};
		run_progress(run, first->file, "shape", k, case_count);
		ok = bench_case(&bench, &first->cases[k], result, err);
		if (!ok) { /* half a shape is none */
			free(result->entries);
			list->bench_count--;
		}
		bench_verdicts(run, list);
		if (ok)
			run_judged(run, list);
	}
	bench_close(bench);
	free(group);
	return ok;
}

static bool bench_problems(struct run *run, const struct entries *entries,
						   struct submission *submissions, size_t count,
						   struct judgement_list *list, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (is_first(submissions, i) &&
			!bench_problem(run, entries, i, submissions, count, list, err))
			return false;
	return true;
}

/* On the emulated GPU. */
static bool without_times(struct run *run, struct submission *submissions, size_t count,
						  struct judgement_list *list, struct error *err)
{
	const char *name = list->compare ? "compare" : "bench";
	if (list->compare && !untimed_fill(run, submissions, count, list, err))
		return false;
	error_set(err, "%s needs a GPU: the emulated one computes results, not speed", name);
	for (size_t i = 0; i < list->count; i++)
		text_format(list->items[i].detail, sizeof list->items[i].detail, "%s", err->message);
	return false;
}

bool bench_all(struct run *run, struct submission *submissions, size_t count,
			   struct judgement_list *list, struct error *err)
{
	bool compare = run->options->mode == JUDGE_COMPARES;
	list->compare = compare;
	if (run->referee.device.kind == DEVICE_EMULATED)
		return without_times(run, submissions, count, list, err);
	struct entries entries;
	bool stopped = false, ok = compile_all(run, submissions, count, &entries, &stopped, err);
	for (size_t i = 0; i < count; i++) {
		struct judgement *item = &list->items[i];
		item->verdict = VERDICT_ACCEPTED;
		item->detail[0] = '\0';
		if (ok && !stopped)
			submission_to_judgement(&submissions[i], item);
	}
	if (ok && compare && !stopped)
		ok = given_baselines_open(run, submissions->problem, &run->baselines, err);
	if (ok && !stopped)
		ok = bench_problems(run, &entries, submissions, count, list, err);
	for (size_t i = 0; i < count; i++) {
		submissions[i].plain = NULL;
		if (submissions[i].whole) /* by now */
			submission_to_judgement_again(&submissions[i], &list->items[i]);
	}
	for (size_t i = 0; (!ok || stopped) && i < list->count; i++)
		run_gave_up(&list->items[i], ok ? RUN_INTERRUPTED : err->message);
	given_baselines_close(run->baselines);
	run->baselines = NULL;
	entries_free(&entries, count);
	return ok;
}
