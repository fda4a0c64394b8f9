/* Whether the best ranked schedules compute what they should. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gpu/models.h"
#include "judge/judge.h"
#include "judge/options/device_list.h"
#include "tuning/tuning.h"

#define CASES 4
#define MAX_DIM_EMULATED 128

/* The options of a run that judges one schedule after the other; flags come later. */
static bool check_options(const struct tuning *tuning, struct judge_options *out, struct error *err)
{
	*out = *tuning->request.judge;
	out->mode = JUDGE_CHECKS;
	out->timing.untimed = true;
	bool emulated = device_list_seems_emulated(&out->device);
	if (out->cases.suite_count == 0) {
		if (out->cases.count == 0)
			out->cases.count = CASES;
		if (out->cases.max_dim == 0 && emulated)
			out->cases.max_dim = MAX_DIM_EMULATED;
	}
	const struct gpu_model *model = gpu_model_find(tuning->gpu.id);
	if (emulated && model != NULL && model->emulated)
		out->emulation.gpu = model->id;
	out->shapes.count = 0; /* it ranked them; the cases are of all sizes */
	return out->compile.nvcc_flag_count + tuning->space.constant_count <= JUDGE_FLAGS_MAX ||
		   error_set(err, "too many flags: %zu constants take one each, of %d in all",
					 tuning->space.constant_count, JUDGE_FLAGS_MAX);
}

/* Takes what the judge found about the only file of its run. */
static void take_verdict(struct tuning *tuning, struct tuning_check *check,
						 const struct judgement_list *list)
{
	const struct judgement *judgement = &list->items[0];
	check->verdict = judgement->verdict;
	check->accepted = judgement->accepted;
	check->count = judgement->count;
	size_t length;
	const char *error =
		judgement->verdict == VERDICT_COMPILE_ERROR && judgement->compile_log != NULL
			? text_line_with(judgement->compile_log, "error", &length)
			: NULL;
	if (error != NULL)
		snprintf(check->detail, sizeof check->detail, "%.*s", (int)length, error);
	else
		snprintf(check->detail, sizeof check->detail, "%s", judgement->detail);
	snprintf(tuning->device, sizeof tuning->device, "%s", list->facts.device.name);
}

/* One schedule. JUDGE_DONE, or why the judge cannot go on. */
static enum judge_status check_one(struct tuning *tuning, const struct judge_options *usual,
								   struct tuning_check *check, struct error *err)
{
	struct judge_options judge = *usual;
	const char *all_flags[JUDGE_FLAGS_MAX + 1] = {NULL};
	struct judge_progress steps = tuning->watch.steps;
	struct schedule_flags flags;
	struct judgement_list list;
	steps.note = NULL; /* it would stand within the table */
	schedule_flags(&tuning->space, tuning->shapes[0].ranking.list.items[check->schedule].values,
				   &flags);
	memcpy(all_flags, judge.compile.nvcc_flags, judge.compile.nvcc_flag_count * sizeof *all_flags);
	for (size_t i = 0; i < flags.count; i++)
		all_flags[judge.compile.nvcc_flag_count++] = flags.text[i];
	judge.compile.nvcc_flags = all_flags;
	enum judge_status status = judge_run(&judge, &steps, &list, err);
	if (status == JUDGE_BAD_INPUT || status == JUDGE_CANNOT_RUN)
		return status;
	if (list.count > 0)
		take_verdict(tuning, check, &list);
	judgement_list_free(&list);
	return status;
}

static void show_summary(const struct tuning *tuning, FILE *out)
{
	size_t accepted = 0;
	for (size_t i = 0; i < tuning->check_count; i++)
		accepted += tuning->checks[i].verdict == VERDICT_ACCEPTED;
	fprintf(out, "%s%zu of %zu schedules accepted%s%s\n",
			tuning_stopped(tuning) ? "interrupted: " : "", accepted, tuning->check_count,
			tuning->device[0] != '\0' ? ": " : "", tuning->device);
	fflush(out); /* a signal may end the program next */
}

enum judge_status tuning_check(struct tuning *tuning, FILE *out, bool *right, struct error *err)
{
	const struct tuning_shape *shape = &tuning->shapes[0];
	const struct tuning_watch *watch = &tuning->watch;
	enum judge_status ended = JUDGE_DONE;
	struct judge_options judge;
	*right = true;
	if (!check_options(tuning, &judge, err))
		return JUDGE_BAD_INPUT;
	tuning->checks = calloc(shape->shown, sizeof *tuning->checks);
	if (tuning->checks == NULL)
		return error_set(err, "out of memory"), JUDGE_CANNOT_RUN;
	tuning_show_check_head(tuning, out);
	watch->done(watch->steps.context, 0, shape->shown);
	for (size_t i = 0; i < shape->shown && !tuning_stopped(tuning); i++) {
		struct tuning_check *check = &tuning->checks[i];
		*check = (struct tuning_check){.place = i, .schedule = ranked_at(&shape->ranking, i)};
		ended = check_one(tuning, &judge, check, err);
		watch->done(watch->steps.context, i + 1, shape->shown);
		if (ended != JUDGE_DONE || (tuning_stopped(tuning) && check->verdict != VERDICT_ACCEPTED))
			break; /* it had not all of its cases */
		tuning->check_count++;
		tuning_show_check(tuning, check, out);
		*right = *right && check->verdict == VERDICT_ACCEPTED;
	}
	show_summary(tuning, out);
	return ended;
}
