#include "tuning/chosen.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "schedules/given.h"
#include "store/place.h"
#include "store/tuned.h"

void chosen_join_flags(const struct judge_options *options, char out[CHOSEN_FLAGS])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < options->compile.nvcc_flag_count && used < CHOSEN_FLAGS; i++)
		used += (size_t)snprintf(out + used, CHOSEN_FLAGS - used, "%s%s", i > 0 ? " " : "",
								 options->compile.nvcc_flags[i]);
}

/* Whose schedule is looked for. */
struct wanted {
	const struct judge_question *question;
	const struct tune_gpu *gpu;
	struct space space; /* of the question's file */
};

/* The flags of a choice that suits the file at this case; false with err. */
static bool take(const struct wanted *wanted, const struct tuned_choice *choice, bool exact,
				 struct judge_schedule *out, struct error *err)
{
	const struct judge_question *question = wanted->question;
	const struct space *space = &wanted->space;
	const struct tune_gpu *gpu = wanted->gpu;
	int64_t values[SPACE_CONSTANTS_MAX];
	struct schedule_flags flags;
	char sizes[SHAPE_TEXT];
	if (!given_parse(space, choice->constants, values, err) ||
		!given_holds(space, gpu, question->test, values, err))
		return false;
	schedule_flags(space, values, &flags);
	out->count = flags.count;
	for (size_t i = 0; i < flags.count; i++)
		snprintf(out->flags[i], sizeof out->flags[i], "%s", flags.text[i]);
	shape_print(question->problem, &choice->shape, sizes);
	text_format(out->text, sizeof out->text, "%.1000s (chosen %s%s on %.60s%s)", choice->constants,
				exact ? "at " : "at the nearest shape, ", sizes, gpu->name,
				choice->judged ? "" : "; imported");
	return true;
}

static bool find_in(const char *path, const struct tuned_key *key, const struct wanted *wanted,
					struct judge_schedule *out, struct error *err)
{
	const struct judge_question *question = wanted->question;
	struct tuned_choices choices;
	char sizes[SHAPE_TEXT];
	bool exact;
	if (!tuned_choices(path, key, &choices, err))
		return false;
	const struct tuned_choice *choice = tuned_nearest(&choices, question->test, &exact);
	shape_print(question->problem, &question->test->shape, sizes);
	bool ok =
		choice != NULL
			? take(wanted, choice, exact, out, err)
			: error_set(err, "none was chosen for it near %s on %.60s ('gemmjudge tune' does)",
						sizes, wanted->gpu->name);
	tuned_choices_free(&choices);
	return ok;
}

bool chosen_find(const struct chosen_schedules *schedules, const struct judge_question *question,
				 const struct tune_gpu *gpu, struct judge_schedule *out, struct error *err)
{
	struct wanted wanted = {.question = question, .gpu = gpu};
	*out = (struct judge_schedule){0};
	if (!space_read(question->source, question->problem, &wanted.space, err))
		return false;
	const struct tuned_key key = {.device = gpu->name,
								  .problem = question->problem,
								  .content = question->content,
								  .epilogue = question->epilogue != NULL ? question->epilogue : "",
								  .flags = schedules->flags,
								  .test = question->test};
	const bool found = find_in(schedules->path, &key, &wanted, out, err);
	space_free(&wanted.space);
	return found;
}

static void find(void *context, const struct judge_question *question, struct judge_schedule *out)
{
	struct error err;
	struct tune_gpu gpu;
	*out = (struct judge_schedule){0};
	if (gpu_of_device(question->facts, question->kind, &gpu, &err) &&
		chosen_find(context, question, &gpu, out, &err))
		return;
	/* its name stands beside it anyway */
	const size_t name = strlen(question->source);
	const bool named = strncmp(err.message, question->source, name) == 0 &&
					   strncmp(err.message + name, ": ", 2) == 0;
	text_format(out->text, sizeof out->text, "the file's defaults: %s",
				err.message + (named ? name + 2 : 0));
}

bool chosen_open(struct chosen_schedules *schedules, const char *store, struct judge_options *judge,
				 struct error *err)
{
	*schedules = (struct chosen_schedules){.source = {.find = find, .context = schedules}};
	if (!store_needed(store, schedules->path, err))
		return error_prefix(err, "--tuned");
	chosen_join_flags(judge, schedules->flags);
	judge->compile.schedules = &schedules->source;
	return true;
}
