#include "judge/run/run.h"

#include <stdio.h>

const struct chain *run_chain(const struct run *run)
{
	return run->epilogue != NULL ? &run->epilogue->chain : NULL;
}

/* Whether no stage has members: there is nothing to bind. */
static bool binds_nothing(const struct chain *chain)
{
	bool nothing = chain != NULL;
	for (uint32_t i = 0; nothing && i < chain->count; i++)
		nothing = chain->stages[i].bytes == 0;
	return nothing;
}

struct contestant_setup run_contestant(struct run *run, const struct problem *problem,
									   const struct entrant *entrant)
{
	return (struct contestant_setup){
		.device = &run->referee.device,
		.spends = &run->spends,
		.library = entrant->library,
		.source = entrant->source,
		.problem = problem->name,
		.order = entrant->order,
		.chain = entrant->fused ? run_chain(run) : NULL,
		.unbound = entrant->own_epilogue && binds_nothing(run_chain(run)),
		.libraries_allowed = entrant->libraries_allowed,
		.memory_limit = run->memory_limit,
		.outlives = &run->outlived,
		.library_folder = run->library_folder,
		.timeout = run->timeout,
		.without = run->options->limits.without,
		.required = entrant->is_reference ? 0 : run->options->limits.required};
}

bool run_renew(struct run *run, struct error *err)
{
	const bool afresh = run->outlived;
	run->outlived = false;
	epilogue_renew(run->epilogue);
	return referee_link_renew(&run->referee, afresh, err);
}

void run_progress(const struct run *run, const char *file, const char *what, size_t done,
				  size_t total)
{
	if (run->progress != NULL && run->progress->step != NULL)
		run->progress->step(run->progress->context, file, what, done, total);
}

double run_compile_seconds(const struct judge_options *options)
{
	return options->compile.timeout > 0 ? options->compile.timeout : COMPILE_SECONDS;
}

void run_note(const struct run *run, const char *line)
{
	if (run->progress != NULL && run->progress->note != NULL)
		run->progress->note(run->progress->context, line);
}

void run_verdict(const struct run *run, const struct judgement_list *list, size_t i)
{
	const struct judgement *item = &list->items[i];
	bool has_one = item->verdict != VERDICT_NOT_RUN || item->count > 0;
	if (has_one && run->progress != NULL && run->progress->verdict != NULL)
		run->progress->verdict(run->progress->context, list, i);
}

void run_compiled(const struct run *run, const struct judgement *item)
{
	if (run->progress != NULL && run->progress->compiled != NULL)
		run->progress->compiled(run->progress->context, item);
}

void run_judged_case(const struct run *run, const struct judgement *item, size_t i)
{
	if (run->progress != NULL && run->progress->judged_case != NULL)
		run->progress->judged_case(run->progress->context, item, i);
}

void run_judged(const struct run *run, struct judgement_list *list)
{
	list->facts.interrupted = true; /* as far as anybody knows */
	if (run->progress != NULL && run->progress->judged != NULL)
		run->progress->judged(run->progress->context, list);
}

void run_gave_up(struct judgement *judgement, const char *why)
{
	if (judgement->verdict != VERDICT_ACCEPTED)
		return;
	judgement->verdict = VERDICT_NOT_RUN;
	snprintf(judgement->detail, sizeof judgement->detail, "%s", why);
}

bool run_stopped(const struct run *run)
{
	return run->progress != NULL && run->progress->stop != NULL &&
		   run->progress->stop(run->progress->context);
}
