#include "judge/untimed.h"

#include <stdio.h>
#include <stdlib.h>

#include "judge/given_baselines.h"
#include "judge/run/floor.h"

#define WHY "the emulated GPU has no times"
#define RIGHT "right, but " WHY

static void entry_fill(const struct entrant *entrant, const char *why, struct timing_entry *out)
{
	bool right = entrant->refused == VERDICT_ACCEPTED;
	*out = (struct timing_entry){.role = entrant->role,
								 .verdict = right ? VERDICT_NOT_RUN : entrant->refused};
	snprintf(out->label, sizeof out->label, "%s", entrant->label);
	snprintf(out->detail, sizeof out->detail, "%s", why);
}

static bool case_fill(const struct run *run, const struct submission *files, size_t count,
					  const struct test_case *test, struct timing_result *out, struct error *err)
{
	struct entrant own[JUDGE_BASELINES_MAX];
	size_t baselines = given_baselines_entrants(run->baselines, own);
	*out = (struct timing_result){.test = *test};
	snprintf(out->problem, sizeof out->problem, "%s", files->problem->name);
	out->entries = calloc(count + baselines, sizeof *out->entries);
	if (out->entries == NULL)
		return error_set(err, "out of memory");
	for (size_t i = 0; i < count; i++) {
		struct entrant file = submission_entrant(&files[i], submission_name(files[i].file));
		entry_fill(&file, WHY, &out->entries[out->count++]);
	}
	for (size_t i = 0; i < baselines; i++)
		entry_fill(&own[i], own[i].refused == VERDICT_ACCEPTED ? RIGHT : own[i].problem_detail,
				   &out->entries[out->count++]);
	out->floor = run_floor(run, out);
	return given_baselines_run(run, run->baselines, WHY, out, err);
}

bool untimed_fill(struct run *run, const struct submission *files, size_t count,
				  struct judgement_list *list, struct error *err)
{
	list->bench = calloc(files->case_count, sizeof *list->bench);
	if (list->bench == NULL)
		return error_set(err, "out of memory");
	bool ok = given_baselines_open(run, files->problem, &run->baselines, err);
	for (size_t i = 0; i < files->case_count && ok; i++)
		ok = case_fill(run, files, count, &files->cases[i], &list->bench[list->bench_count++], err);
	given_baselines_close(run->baselines);
	run->baselines = NULL;
	return ok;
}
